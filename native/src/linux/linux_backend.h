#pragma once
#include "backend.h"

namespace armature {

/** This computer. @param root ''; in tests a folder that contains `dev` and `sys` */
std::unique_ptr<Backend> makeLinuxBackend(const std::string& root);

}  // namespace armature
