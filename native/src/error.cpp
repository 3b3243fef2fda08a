#include "error.h"

#include <cerrno>
#include <cstdio>
#include <cstring>

namespace armature {
namespace {

struct Kind {
  const char* code;
  const char* next;
};

bool startsWith(const std::string& text, const char* prefix) { return text.rfind(prefix, 0) == 0; }

/** The group that Debian and Raspberry Pi OS give access to this kind of device. */
std::string permissionStep(const std::string& device) {
  const char* group = "gpio";
  if (startsWith(device, "/dev/spidev")) group = "spi";
  if (startsWith(device, "/dev/i2c-")) group = "i2c";
  return std::string("add the user to group ") + group + " (sudo usermod -aG " + group +
         " $USER), log in again, or write a udev rule for the device";
}

std::string hertz(uint64_t periodNs) {
  char text[32];
  snprintf(text, sizeof text, "%.6g Hz", 1e9 / static_cast<double>(periodNs));
  return text;
}

Kind kindOf(int number) {
  switch (number) {
    case EBUSY:
      return {"hardware.busy", "free it where it is used, or choose another"};
    case EACCES:
    case EPERM:
      return {"hardware.permission", ""};
    case ENOENT:
      return {"hardware.missing", "check that it is attached and its driver is loaded, or correct the name"};
    case ENODEV:
    case ENXIO:
    case ESHUTDOWN:
      return {"hardware.gone", "attach the device again and open it anew"};
    case EINVAL:
    case ERANGE:
    case EMSGSIZE:
      return {"hardware.invalid", "the device does not take these values: check them against its documentation"};
    case ENOTTY:
    case EOPNOTSUPP:
    case ENOSYS:
      return {"hardware.unsupported", "this device or kernel cannot do it (GPIO needs Linux 5.10 or newer)"};
    case EREMOTEIO:
    case ETIMEDOUT:
      return {"hardware.io", "the device did not answer: check its wires, power and address"};
    default:
      return {"hardware.io", "check its wires and power; dmesg may say more"};
  }
}

}  // namespace

void failInvalid(const std::string& device, const std::string& message) {
  throw HardwareError("hardware.invalid", device, message);
}

void failGone(const std::string& device) {
  throw HardwareError("hardware.gone", device,
                      device + ": it was unplugged or closed; attach it again and open it anew", ENODEV);
}

void failClock(const std::string& chip, uint32_t channel, uint64_t periodNs, uint32_t other,
               uint64_t otherPeriodNs) {
  throw HardwareError("hardware.busy", chip,
                      chip + ": channel " + std::to_string(channel) + " cannot run at " + hertz(periodNs) +
                          " while channel " + std::to_string(other) + " runs at " + hertz(otherPeriodNs) +
                          ", as all channels of this chip have one clock; give both the same frequency, or stop the other",
                      EBUSY, "write");
}

void failSystem(int number, const std::string& syscall, const std::string& device, const std::string& what) {
  const Kind kind = kindOf(number);
  const bool isPermission = number == EACCES || number == EPERM;
  const std::string next = isPermission ? permissionStep(device) : kind.next;
  throw HardwareError(kind.code, device, device + ": " + what + " failed: " + strerror(number) + "; " + next, number,
                      syscall);
}

}  // namespace armature
