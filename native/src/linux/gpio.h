#pragma once
#include "backend.h"
#include "linux/os.h"

namespace armature {

/** GPIO via the character device, version 2 of its interface (Linux 5.10 and newer). */
std::vector<ChipInfo> listGpioChips(const std::string& root);
std::vector<LineInfo> listGpioLines(const std::string& chip);
std::unique_ptr<LineRequest> requestGpioLines(const std::string& chip, const std::string& consumer,
                                              const std::vector<LineSetting>& settings);

}  // namespace armature
