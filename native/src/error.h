#pragma once
#include <cstdint>
#include <exception>
#include <string>

namespace armature {

/**
 * A failure, in the terms of `native/index.d.ts`: the addon makes a JavaScript Error of it. A copy shares nothing with
 * its original (copies of std::runtime_error do), so it can be passed to another thread.
 */
struct HardwareError : std::exception {
  HardwareError(std::string code_, std::string device_, std::string message_, int number_ = 0,
                std::string syscall_ = "")
      : code(std::move(code_)),
        device(std::move(device_)),
        message(std::move(message_)),
        number(number_),
        syscall(std::move(syscall_)) {}
  const char* what() const noexcept override { return message.c_str(); }
  /** `hardware.busy`, `hardware.gone`, ... */
  std::string code;
  std::string device;
  std::string message;
  /** errno, 0 where no system call failed. */
  int number;
  std::string syscall;
};

/** @throws HardwareError `hardware.invalid`: a value that no device could take */
[[noreturn]] void failInvalid(const std::string& device, const std::string& message);

/** @throws HardwareError `hardware.gone`: the handle was closed or its device is gone */
[[noreturn]] void failGone(const std::string& device);

/**
 * The kernel refused a period for a channel of a pwmchip because another channel runs at another period.
 * @throws HardwareError `hardware.busy`
 */
[[noreturn]] void failClock(const std::string& chip, uint32_t channel, uint64_t periodNs, uint32_t other,
                            uint64_t otherPeriodNs);

/**
 * @param number errno
 * @param what the action that failed, "requesting line 4"
 * @throws HardwareError with the code of that errno and the next step
 */
[[noreturn]] void failSystem(int number, const std::string& syscall, const std::string& device,
                             const std::string& what);

}  // namespace armature
