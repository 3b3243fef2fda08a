#pragma once
#include <atomic>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "backend.h"
#include "error.h"
#include "monitor.h"
#include "pace.h"
#include "pulse.h"

namespace armature {

struct LineOptions {
  LineSetting setting;
  bool safe = false;
  uint64_t expiryNs = 500 * kMillisecond;
};

/** The result of looking for overdue outputs. */
struct Overdue {
  /** Lines made safe for the first time. */
  uint64_t expired = 0;
  /** When to look again. */
  uint64_t nextNs = kNever;
  /** Whether something is driven that is not safe. */
  bool isOn = false;
  /** Whether a slow call is driving some of them: their levels are unknown. */
  bool isBusy = false;

  void add(const Overdue& other) {
    expired += other.expired;
    nextNs = nextNs < other.nextNs ? nextNs : other.nextNs;
    isOn = isOn || other.isOn;
    isBusy = isBusy || other.isBusy;
  }
};

/** The renewal that outputs depend on, and how urgent the check is. */
struct Renewal {
  /** Read with the lock held: a caller renews a line before it drives it. */
  const std::atomic<uint64_t>& renewedNs;
  /** Whether all outputs have to be made safe, renewed or not. */
  bool isAll;
  /** Whether to wait for a call that is driving an output. */
  bool mayWait;
};

/**
 * The lines of one request, and the levels that they are driven to. Any thread. Reading that state never waits for the
 * kernel, which may take long to drive the lines where the chip is behind a bus.
 */
class LineSet {
 public:
  LineSet(std::string chip, std::unique_ptr<LineRequest> request, const std::vector<LineOptions>& options);

  /** Bits as in LineRequest. */
  uint64_t read(uint64_t mask);
  /** Ends pulses on those lines. */
  void write(uint64_t mask, uint64_t bits);
  /** @param phaseNs start of the cycle of a line that has none yet */
  void pulse(size_t line, uint64_t periodNs, uint64_t highNs, uint64_t phaseNs);
  /** Makes the lines safe and releases them. */
  void close();

  /** Lines of a mask that are not outputs yet, and the safe levels of all. @throws `hardware.gone` */
  struct Fresh {
    uint64_t lines, safe, longestExpiryNs;
    int request;
  };
  Fresh fresh(uint64_t mask);

  /** Read by the pulse thread without the lock, so that it does not wait for other sets. */
  bool isPulsing() const { return isPulsing_.load(std::memory_order_acquire); }
  struct Edges {
    uint64_t nextNs = kNever;
    uint64_t count = 0;
    /** Lateness of the latest edge. */
    uint64_t latestNs = 0;
    /** Duration of the write; 0 where there was none, or it failed. */
    uint64_t writeNs = 0;
  };
  /** Carries out the changes that are due. */
  Edges advance();
  /** Makes safe what was not renewed in time. */
  Overdue expire(const Renewal& renewal);
  /** Whether a line was made safe without a command, and not driven since. */
  bool isExpired(size_t line);
  /** Of all its pulses except that of `besides`. */
  double edgesPerSecond(std::optional<size_t> besides = {});
  /** When a cycle of that length begins, if there is one. */
  std::optional<uint64_t> phaseOf(uint64_t periodNs);
  /** How many of its lines pulse, except `besides`. */
  size_t moving(std::optional<size_t> besides = {});
  /**
   * The largest error of the share of time high of its pulses, except that of `besides`.
   * @param moving lines of its chip that pulse, in total
   */
  double worstError(const Pace& pace, size_t moving, std::optional<size_t> besides = {});
  /**
   * The shortest time that a write to its chip takes: makes some that change nothing. A line that is not an output yet
   * becomes one, at its safe level.
   * @throws as a write does
   */
  uint64_t measure(size_t line);
  /** Makes pulsing lines safe that their chip is too slow for. @return how many lines */
  size_t endPulses();

  const std::string& chip() const { return chip_; }
  /** The guardian's number for this set, 0 where it holds nothing. For the thread that drives. */
  uint32_t held = 0;

 private:
  struct Line {
    LineSetting setting;
    bool safe;
    uint64_t expiryNs;
    std::optional<Pulse> pulse;
    /** It could not be made safe yet. */
    bool isOverdue = false;
    /** It was ended without a command, and not driven since. */
    bool isExpired = false;
    bool isMoving() const { return pulse && !pulse->isHeld(); }
    bool isOn() const { return setting.isOutput && (isOverdue || isMoving() || setting.level != safe); }
  };
  // With `order_`, and without `state_`:
  /** Makes lines outputs that are not yet. */
  void drive(uint64_t mask, uint64_t bits);
  /** @return whether it is safe, or its chip is gone */
  bool makeSafe(size_t line);
  void fail(const HardwareError& error);
  template <typename Call>
  void ask(Call call);
  /** Makes overdue lines safe. @param overdue the result so far, which is added to */
  void expireLines(const Renewal& renewal, Overdue& overdue);

  // With either lock:
  void checkThere() const;
  bool isOverdueAt(const Line& line, const Renewal& renewal, uint64_t now) const;

  // With both locks:
  void notePulses();

  const std::string chip_;
  /** Held from before a system call until its result is noted, so that the last request wins. */
  Monitor order_;
  /** Taken after `order_`, and never held during a system call. The fields below may be read with either lock. */
  Monitor state_;
  std::unique_ptr<LineRequest> request_;
  std::vector<Line> lines_;
  /** The device is gone, or the lines were released: nothing can be driven. */
  bool isGone_ = false;
  std::atomic<bool> isPulsing_ = false;
  /** Start of the system call that is driving something; 0 while there is none. */
  std::atomic<uint64_t> askedNs_ = 0;
};

}  // namespace armature
