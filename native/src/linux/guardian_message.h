#pragma once
#include <time.h>

#include <atomic>
#include <cstdint>

namespace armature {

/** What is sent to the guardian, one a packet; both ends are always built together. */
struct GuardianMessage {
  enum class Kind : uint32_t {
    /** Carries a line request (SCM_RIGHTS): more of its lines are driven. */
    lines,
    /** A channel of a pwmchip is on. */
    pwm,
    /** It is safe by itself, let it go. Answered with one byte. */
    release,
  };
  Kind kind;
  /** Number of what is held. */
  uint32_t held;
  uint64_t mask;
  uint64_t safe;
  /** When it is to be safe without a beat. */
  uint32_t expiryMs;
  /** Folder of the channel in sysfs. */
  char folder[256];
};

/** What both ends see all the time: telling that a program is alive may neither wait nor fail. */
struct GuardianPage {
  /** When the server was last seen to work (`beatNow`); 0 where nothing is driven. */
  std::atomic<uint32_t> beatMs;
  /** How often the guardian has made outputs safe while the server did not work. */
  std::atomic<uint32_t> interventions;
};
static_assert(std::atomic<uint32_t>::is_always_lock_free);

/** Monotonic; comes round after 49 days, so only differences count. Never 0. */
inline uint32_t beatNow() {
  timespec time{};
  clock_gettime(CLOCK_MONOTONIC, &time);
  return static_cast<uint32_t>(time.tv_sec * 1000 + time.tv_nsec / 1'000'000) | 1;
}

/** A beat comes each 100 ms: silence is what is longer than that, and than a busy computer makes it. */
constexpr uint32_t kSilenceMs = 250;

/** The socket and the page, as the guardian finds them. */
constexpr int kGuardianSocket = 3;
constexpr int kGuardianPage = 4;

}  // namespace armature
