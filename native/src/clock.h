#pragma once
#include <time.h>

#include <cstdint>

namespace armature {

constexpr uint64_t kNever = UINT64_MAX;
constexpr uint64_t kSecond = 1'000'000'000;
constexpr uint64_t kMillisecond = 1'000'000;
constexpr uint64_t kMicrosecond = 1'000;

/** The clock of the kernel's GPIO edge timestamps. */
inline uint64_t nowNs() {
  timespec time{};
  clock_gettime(CLOCK_MONOTONIC, &time);
  return static_cast<uint64_t>(time.tv_sec) * kSecond + static_cast<uint64_t>(time.tv_nsec);
}

inline timespec toTimespec(uint64_t ns) {
  return {static_cast<time_t>(ns / kSecond), static_cast<long>(ns % kSecond)};
}

/** Sleeps until a point in time instead of for a duration, so that lateness does not add up. */
inline void sleepUntil(uint64_t ns) {
  const timespec time = toTimespec(ns);
  while (clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &time, nullptr) != 0) {
  }
}

}  // namespace armature
