#pragma once
#include <time.h>

#include <atomic>
#include <cstdint>

namespace armature {

/** Sent to the guardian, one per packet; both ends are always built together. */
struct GuardianMessage {
  enum class Kind : uint32_t {
    /** Carries a line request (SCM_RIGHTS): more of its lines are driven. */
    lines,
    /** A channel of a pwmchip is on. */
    pwm,
    /** It is safe already, so release it. Answered with one byte. */
    release,
  };
  Kind kind;
  /** Number of the holding. */
  uint32_t held;
  uint64_t mask;
  uint64_t safe;
  /** When to make it safe without a beat. */
  uint32_t expiryMs;
  /** Folder of the channel in sysfs. */
  char folder[256];
};

/** Memory shared by both processes, because reporting a beat must neither wait nor fail. */
struct GuardianPage {
  /** When the server was last known to work (`beatNow`); 0 where nothing is driven. */
  std::atomic<uint32_t> beatMs;
  /** How often the guardian has made outputs safe while the server did not work. */
  std::atomic<uint32_t> interventions;
};
static_assert(std::atomic<uint32_t>::is_always_lock_free);

/** Monotonic; wraps around after 49 days, so only differences count. Never 0. */
inline uint32_t beatNow() {
  timespec time{};
  clock_gettime(CLOCK_MONOTONIC, &time);
  return static_cast<uint32_t>(time.tv_sec * 1000 + time.tv_nsec / 1'000'000) | 1;
}

/** A beat comes every 100 ms: a longer pause than this counts as silence, even on a busy computer. */
constexpr uint32_t kSilenceMs = 250;

/** The descriptors of the socket and the page in the guardian. */
constexpr int kGuardianSocket = 3;
constexpr int kGuardianPage = 4;

}  // namespace armature
