#pragma once
#include <memory>
#include <string>

#include "guardian.h"

namespace armature {

/** Starts the guardian program (`guardian/main.cpp`) at that path. @throws `hardware.missing`, `.permission` */
std::unique_ptr<Guardian> startGuardian(const std::string& program);

}  // namespace armature
