#pragma once
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
  /** Folder of the channel in sysfs. */
  char folder[256];
};

/** The socket, as the guardian finds it. */
constexpr int kGuardianSocket = 3;

}  // namespace armature
