/**
 * The rules of software PWM (src/pulse.h) on a fake clock: wake-ups are late by random times, duty cycle and frequency
 * change at random moments. Exits with 1 and a sentence at the first broken rule.
 */
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <random>

#include "pulse.h"

using armature::Pulse;

namespace {

std::mt19937_64 randomness(1);

uint64_t upTo(uint64_t most) { return std::uniform_int_distribution<uint64_t>(0, most)(randomness); }

int fail(const char* rule, uint64_t found, uint64_t allowed) {
  printf("%s: %llu, allowed %llu\n", rule, static_cast<unsigned long long>(found),
         static_cast<unsigned long long>(allowed));
  return 1;
}

Pulse started(uint64_t period, uint64_t high, uint64_t now) {
  Pulse pulse;
  pulse.periodNs = period;
  pulse.cycleNs = now;
  pulse.change(period, high, now);
  return pulse;
}

/** A pulse is longer than commanded only by the lateness of the wake-up at its end. */
int checkLengths() {
  for (int run = 0; run < 2'000; run += 1) {
    uint64_t now = 1'000'000'000 + upTo(1'000'000);
    uint64_t period = 200'000 + upTo(2'000'000);
    uint64_t high = 1 + upTo(period - 2);
    const uint64_t worst = upTo(1) == 0 ? 1'000 : 3'000'000;
    Pulse pulse = started(period, high, now);
    uint64_t rose = 0;
    // The longest length commanded while this pulse lasted.
    uint64_t allowed = high;
    bool wasHigh = false;
    for (int step = 0; step < 200; step += 1) {
      const uint64_t due = pulse.dueNs();
      if (due == armature::kNever) return fail("a pulse that is not held is never due", due, 0);
      const uint64_t woken = std::max(now, due) + upTo(worst);
      const uint64_t late = woken - due;
      now = woken;
      pulse.advance(now);
      if (pulse.isHigh && !wasHigh) {
        rose = now;
        allowed = high;
      }
      if (!pulse.isHigh && wasHigh && now - rose > allowed + late) return fail("pulse", now - rose, allowed + late);
      wasHigh = pulse.isHigh;
      if (upTo(9) != 0) continue;
      if (upTo(1) == 0) period = 200'000 + upTo(2'000'000);
      high = 1 + upTo(period - 2);
      pulse.change(period, high, now);
      allowed = std::max(allowed, high);
      if (pulse.isHigh != wasHigh) return fail("a change of the duty cycle made an edge by itself", 1, 0);
    }
  }
  return 0;
}

/** Lateness does not add up, and the share of time high is as commanded. */
int checkDrift() {
  const uint64_t period = 1'250'000;
  const uint64_t high = 312'500;
  const uint64_t begin = 5'000'000'000;
  Pulse pulse = started(period, high, begin);
  uint64_t now = begin;
  uint64_t total = 0;
  uint64_t rose = 0;
  const int cycles = 10'000;
  for (int edge = 0; edge < 2 * cycles; edge += 1) {
    now = std::max(now, pulse.dueNs()) + upTo(50'000);
    pulse.advance(now);
    if (pulse.isHigh) {
      rose = now;
    } else {
      total += now - rose;
    }
  }
  const uint64_t expected = begin + cycles * period;
  if (now > expected + period) return fail("drift", now - expected, period);
  const double share = static_cast<double>(total) / (static_cast<double>(cycles) * static_cast<double>(period));
  if (std::abs(share - 0.25) > 0.03) {
    return fail("share of time high, in 1/1000", static_cast<uint64_t>(share * 1000), 250);
  }
  return 0;
}

/** 0 and 1 are levels, and leaving them keeps the phase. */
int checkHolds() {
  Pulse pulse = started(1'000'000, 300'000, 10'000'000);
  pulse.advance(10'000'000);
  if (!pulse.isHigh) return fail("the first pulse begins at once", 0, 1);
  pulse.change(1'000'000, 1'000'000, 10'100'000);
  if (!pulse.isHigh || pulse.dueNs() != armature::kNever) return fail("full power has no edge", pulse.dueNs(), 0);
  pulse.change(1'000'000, 300'000, 14'500'000);
  if (pulse.dueNs() > 14'500'000) return fail("from full power to a pulse that is over: low at once", pulse.dueNs(), 0);
  pulse.advance(14'500'000);
  if (pulse.isHigh || pulse.dueNs() != 15'000'000) return fail("the phase is kept", pulse.dueNs(), 15'000'000);
  pulse.change(1'000'000, 0, 14'600'000);
  if (pulse.isHigh || pulse.dueNs() != armature::kNever) return fail("zero has no edge", pulse.dueNs(), 0);
  return 0;
}

}  // namespace

int main() { return checkLengths() + checkDrift() + checkHolds() == 0 ? 0 : 1; }
