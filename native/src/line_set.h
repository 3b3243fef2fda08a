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

/** What was found while outputs that are overdue were looked for. */
struct Overdue {
  /** Made safe, for the first time. */
  uint64_t expired = 0;
  /** When there is something to do again. */
  uint64_t nextNs = kNever;
  /** Whether something is driven that is not safe. */
  bool isOn = false;
  /** Some are being driven just now, by a call that takes its time: what they are is not known. */
  bool isBusy = false;

  void add(const Overdue& other) {
    expired += other.expired;
    nextNs = nextNs < other.nextNs ? nextNs : other.nextNs;
    isOn = isOn || other.isOn;
    isBusy = isBusy || other.isBusy;
  }
};

/** Whose output it is, and how urgent. */
struct Renewal {
  /** Read with the lock held: who drives a line has renewed it before. */
  const std::atomic<uint64_t>& renewedNs;
  /** Whatever was renewed is to be safe. */
  bool isAll;
  /** Waits for a call that is driving it. */
  bool mayWait;
};

/**
 * The lines of one request, and what they are driven to. Any thread. Who only asks what they are never waits for the
 * kernel, which may take long to drive them where the chip is at the other end of a bus.
 */
class LineSet {
 public:
  LineSet(std::string chip, std::unique_ptr<LineRequest> request, const std::vector<LineOptions>& options);

  /** Bits as those of LineRequest. */
  uint64_t read(uint64_t mask);
  /** Ends pulses on those lines. */
  void write(uint64_t mask, uint64_t bits);
  /** @param phaseNs when a cycle of a line that has none yet begins */
  void pulse(size_t line, uint64_t periodNs, uint64_t highNs, uint64_t phaseNs);
  /** Lets the lines go, safe. */
  void close();

  /** Lines of a mask that are not outputs yet, and the safe levels of all. @throws `hardware.gone` */
  struct Fresh {
    uint64_t lines, safe, longestExpiryNs;
    int request;
  };
  Fresh fresh(uint64_t mask);

  /** What the thread of pulses asks for, without the lock: other sets do not make it wait. */
  bool isPulsing() const { return isPulsing_.load(std::memory_order_acquire); }
  struct Edges {
    uint64_t nextNs = kNever;
    uint64_t count = 0;
    /** How late the latest was. */
    uint64_t latestNs = 0;
    /** What the write took; 0 where there was none, or it failed. */
    uint64_t writeNs = 0;
  };
  /** Changes what is due. */
  Edges advance();
  /** Makes safe what nobody has renewed for too long. */
  Overdue expire(const Renewal& renewal);
  /** Whether a line was made safe without a command, and not driven since. */
  bool isExpired(size_t line);
  /** Of all its pulses, without that of `besides`. */
  double edgesPerSecond(std::optional<size_t> besides = {});
  /** When a cycle of that length begins, where there is one. */
  std::optional<uint64_t> phaseOf(uint64_t periodNs);
  /** How many of its lines pulse, without `besides`. */
  size_t moving(std::optional<size_t> besides = {});
  /**
   * How wrong the share of time high of its pulses is at worst, without that of `besides`.
   * @param moving lines of its chip that pulse, all together
   */
  double worstError(const Pace& pace, size_t moving, std::optional<size_t> besides = {});
  /**
   * What a write to its chip takes at least: some that change nothing. A line that is no output yet becomes one, safe.
   * @throws as a write does
   */
  uint64_t measure(size_t line);
  /** Makes safe what pulses, which its chip cannot keep. @return how many lines */
  size_t endPulses();

  const std::string& chip() const { return chip_; }
  /** Of what the guardian holds, 0 where it holds nothing. For the thread that drives. */
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
  /** Makes outputs of lines that are not yet. */
  void drive(uint64_t mask, uint64_t bits);
  /** @return whether it is safe, or gone with its chip */
  bool makeSafe(size_t line);
  void fail(const HardwareError& error);
  template <typename Call>
  void ask(Call call);
  /** Makes safe what is overdue. @param overdue what was found, and is added to */
  void expireLines(const Renewal& renewal, Overdue& overdue);

  // With either:
  void checkThere() const;
  bool isOverdueAt(const Line& line, const Renewal& renewal, uint64_t now) const;

  // With both:
  void notePulses();

  const std::string chip_;
  /** Held from before the kernel is asked until what came of it is noted, so that what was asked for last stays. */
  Monitor order_;
  /** Asked for after `order_`, and never held over a call of the kernel. What follows is read with either of both. */
  Monitor state_;
  std::unique_ptr<LineRequest> request_;
  std::vector<Line> lines_;
  /** The device is no more, or the lines were let go: nothing can be driven. */
  bool isGone_ = false;
  std::atomic<bool> isPulsing_ = false;
  /** Since when the kernel has been asked to drive something; 0 while it is not. */
  std::atomic<uint64_t> askedNs_ = 0;
};

}  // namespace armature
