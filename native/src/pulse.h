#pragma once
#include "clock.h"

namespace armature {

/**
 * One software PWM: decides when its line changes next. Pure arithmetic on a given clock, so that all rules about the
 * length of pulses are here. Cycles are counted from one point in time, never from the last change, so that lateness
 * does not add up. A pulse is timed from its actual start: one that began late ends later, and is not longer.
 */
struct Pulse {
  uint64_t periodNs = 0;
  /** 0 and `periodNs` hold the line: no pulse at all. */
  uint64_t highNs = 0;
  /** Scheduled start of the cycle. */
  uint64_t cycleNs = 0;
  bool isHigh = false;
  /** When the line actually went high. */
  uint64_t riseNs = 0;
  /** Time of the last command: changes that were due before it do not count as late. */
  uint64_t commandedNs = 0;

  bool isHeld() const { return highNs == 0 || highNs == periodNs; }

  /** When the line changes next. */
  uint64_t dueNs() const {
    if (isHeld()) return kNever;
    if (!isHigh) return cycleNs + periodNs;
    // A pulse that began late leaves at least half of the low time.
    const uint64_t latest = cycleNs + highNs + (periodNs - highNs) / 2;
    return riseNs + highNs < latest ? riseNs + highNs : latest;
  }

  /** Called when due. One change per call: a fall and a rise that are both late still leave a gap. */
  bool advance(uint64_t now) {
    if (isHigh) {
      isHigh = false;
      return true;
    }
    catchUp(now);
    // Too late for this pulse, so it is skipped.
    if (now >= cycleNs + highNs) return false;
    isHigh = true;
    riseNs = now;
    return true;
  }

  /**
   * Takes a new duty cycle or frequency and keeps the phase. A pulse under way ends when the new one would have ended,
   * or at once if that has passed.
   */
  void change(uint64_t period, uint64_t high, uint64_t now) {
    const bool wasHeld = isHeld();
    commandedNs = now;
    if (wasHeld) {
      catchUp(now);
      riseNs = cycleNs;
    }
    periodNs = period;
    highNs = high;
    if (isHeld()) isHigh = high != 0;
    // A line that was held low still gets its pulse in this cycle.
    if (wasHeld && !isHeld() && !isHigh) cycleNs -= periodNs;
  }

 private:
  /** Advances to the cycle that contains `now`. */
  void catchUp(uint64_t now) {
    if (now >= cycleNs + periodNs) cycleNs += (now - cycleNs) / periodNs * periodNs;
  }
};

}  // namespace armature
