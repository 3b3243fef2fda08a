#pragma once
#include <stdexcept>
#include <string>

namespace armature {

/** What failed, in the terms of `native/index.d.ts`: the addon makes a JavaScript Error of it. */
struct HardwareError : std::runtime_error {
  HardwareError(std::string code_, std::string device_, const std::string& message, int number_ = 0,
                std::string syscall_ = "")
      : std::runtime_error(message),
        code(std::move(code_)),
        device(std::move(device_)),
        number(number_),
        syscall(std::move(syscall_)) {}
  /** `hardware.busy`, `hardware.gone`, ... */
  std::string code;
  std::string device;
  /** errno, 0 where no system call failed. */
  int number;
  std::string syscall;
};

/** @throws HardwareError `hardware.invalid`: a value that no device could take. */
[[noreturn]] void failInvalid(const std::string& device, const std::string& message);

/** @throws HardwareError `hardware.gone`: the handle or its device is no more. */
[[noreturn]] void failGone(const std::string& device);

/**
 * @param number errno
 * @param what what was tried, "requesting line 4"
 * @throws HardwareError with the code of that errno and the next step
 */
[[noreturn]] void failSystem(int number, const std::string& syscall, const std::string& device,
                             const std::string& what);

}  // namespace armature
