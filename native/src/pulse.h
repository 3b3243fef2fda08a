#pragma once
#include "clock.h"

namespace armature {

/**
 * One software PWM: when its line changes next. Pure arithmetic on a clock that is given, so every rule about the
 * length of pulses is here. Cycles are counted from one point in time, never from the last change: lateness does not
 * add up. A pulse is counted from when it really began: one that began late ends later, and is not longer.
 */
struct Pulse {
  uint64_t periodNs = 0;
  /** 0 and `periodNs` hold the line: no pulse at all. */
  uint64_t highNs = 0;
  /** When the cycle began, as it should have. */
  uint64_t cycleNs = 0;
  bool isHigh = false;
  /** When the line went high, as it did. */
  uint64_t riseNs = 0;
  /** When it was last commanded: what was due before is not late. */
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

  /** To be called when due. One change a call: a fall and a rise that are both late still make a gap. */
  bool advance(uint64_t now) {
    if (isHigh) {
      isHigh = false;
      return true;
    }
    catchUp(now);
    // Too late for this pulse: it is left out.
    if (now >= cycleNs + highNs) return false;
    isHigh = true;
    riseNs = now;
    return true;
  }

  /**
   * Takes another duty cycle or frequency and keeps the phase. A pulse under way ends where the new one would have
   * ended, at once where that is past.
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
    // What was held low has its pulse still in this cycle.
    if (wasHeld && !isHeld() && !isHigh) cycleNs -= periodNs;
  }

 private:
  /** Moves to the cycle that `now` is in. */
  void catchUp(uint64_t now) {
    if (now >= cycleNs + periodNs) cycleNs += (now - cycleNs) / periodNs * periodNs;
  }
};

}  // namespace armature
