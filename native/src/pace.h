#pragma once
#include <atomic>
#include <cstdint>

#include "clock.h"

namespace armature {

/** Allowed error of the share of time high. */
constexpr double kShareWithin = 0.02;

/**
 * How long a write to a chip takes: 1 us on most, 1 ms where the chip is behind a bus. Any thread. Follows the median
 * of the writes, so that one preempted write changes little.
 */
class Pace {
 public:
  bool isKnown() const { return writeNs() != 0; }
  uint64_t writeNs() const { return writeNs_.load(std::memory_order_relaxed); }

  /** Its writes take longer than a usual late wake-up, so spinning for them gains nothing. */
  bool isSlow() const { return writeNs() >= kSlowNs; }

  void begin(uint64_t ns) { writeNs_.store(ns > 0 ? ns : 1, std::memory_order_relaxed); }

  void learn(uint64_t ns) {
    const uint64_t now = writeNs();
    const uint64_t step = now / 16 > kLeastStepNs ? now / 16 : kLeastStepNs;
    if (ns > now) begin(now + step);
    if (ns < now) begin(now > step ? now - step : 1);
  }

  /**
   * The largest error of the share of time high. Neither a pulse nor a pause can be shorter than a write; and each of
   * the other pulses of the chip may delay an edge by the time of its own write.
   */
  double errorOf(double dutyCycle, double frequencyHz, size_t others) const {
    const double seconds = static_cast<double>(writeNs()) / 1e9;
    const double shortest = (dutyCycle < 0.5 ? dutyCycle : 1 - dutyCycle) / frequencyHz;
    const double missing = seconds > shortest ? seconds - shortest : 0;
    return (missing + seconds * waiting(others)) * frequencyHz;
  }

  /** The highest frequency with an error within `kShareWithin`. */
  double highestHz(double dutyCycle, size_t others) const {
    const double seconds = static_cast<double>(writeNs()) / 1e9;
    const double shortest = dutyCycle < 0.5 ? dutyCycle : 1 - dutyCycle;
    const double count = waiting(others);
    const double cut = (kShareWithin + shortest) / (seconds * (1 + count));
    if (count == 0 || cut * seconds >= shortest) return cut;
    return kShareWithin / (seconds * count);
  }

 private:
  static constexpr uint64_t kLeastStepNs = 100;
  /** Shorter delays happen on every computer. */
  static constexpr uint64_t kSlowNs = 50 * kMicrosecond;

  double waiting(size_t others) const { return isSlow() ? static_cast<double>(others) : 0; }

  std::atomic<uint64_t> writeNs_{0};
};

}  // namespace armature
