#pragma once
#include <functional>
#include <thread>

namespace armature {

/**
 * Starts a thread with a name that tools show (at most 15 characters).
 * @throws HardwareError `hardware.busy` where the computer allows no more threads
 */
std::thread startThread(const char* name, std::function<void()> work);

}  // namespace armature
