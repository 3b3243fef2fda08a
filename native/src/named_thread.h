#pragma once
#include <functional>
#include <thread>

namespace armature {

/**
 * A thread of ours, under a name that tools show (at most 15 characters).
 * @throws HardwareError `hardware.busy` where the computer gives no more threads
 */
std::thread startThread(const char* name, std::function<void()> work);

}  // namespace armature
