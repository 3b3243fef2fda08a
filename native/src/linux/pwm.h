#pragma once
#include "backend.h"

namespace armature {

/** PWM via /sys/class/pwm (kernel: Documentation/ABI/testing/sysfs-class-pwm). */
std::vector<PwmChipInfo> listPwmChips(const std::string& root);
std::unique_ptr<PwmOutput> openSysfsPwm(const std::string& chip, uint32_t channel);

}  // namespace armature
