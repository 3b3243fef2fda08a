#pragma once
#include <cmath>
#include <cstdint>
#include <string>

#include "clock.h"
#include "error.h"

namespace armature {

constexpr double kLowestHz = 0.1;

/** @throws `hardware.invalid` where it is not 0 to 1 */
inline double checkedDuty(const std::string& device, double dutyCycle) {
  if (!(dutyCycle >= 0 && dutyCycle <= 1)) {
    failInvalid(device, device + ": a duty cycle is 0 to 1, not " + std::to_string(dutyCycle));
  }
  return dutyCycle;
}

inline uint64_t periodOf(double frequencyHz) {
  return static_cast<uint64_t>(std::llround(static_cast<double>(kSecond) / frequencyHz));
}

inline uint64_t shareOf(uint64_t periodNs, double dutyCycle) {
  return static_cast<uint64_t>(std::llround(dutyCycle * static_cast<double>(periodNs)));
}

}  // namespace armature
