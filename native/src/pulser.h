#pragma once
#include <atomic>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "line_set.h"
#include "monitor.h"
#include "pace.h"

namespace armature {

/** Tries to run a thread before all that is not urgent. @return 0, or why there is no real-time priority */
int hurry(std::thread& thread);

/**
 * The thread that makes the software PWM of one chip. Each chip has its own: one whose writes are slow, or hang, holds up
 * no other. Nothing is locked while it writes but the order of writes to the same lines.
 */
class Pulser {
 public:
  /**
   * @param edgeRate edges a second of all chips that are not slow, which share the time that may be spent on spinning
   * @throws `hardware.busy` where there is no thread
   */
  Pulser(std::string chip, const std::atomic<double>& edgeRate);
  ~Pulser();
  Pulser(const Pulser&) = delete;
  Pulser& operator=(const Pulser&) = delete;

  // The thread of JavaScript:
  void add(const std::shared_ptr<LineSet>& set);
  void remove(const std::shared_ptr<LineSet>& set);
  /** Pulses began, ended or changed. */
  void notify();
  const std::string& chip() const { return chip_; }

  // Any thread:
  Pace& pace() { return pace_; }
  /** Whether the thread is not back at work though something is due: a write hangs. */
  bool isStuck() const;
  uint64_t edges() const { return edges_; }
  uint64_t latestNs() const { return latestNs_; }
  /** Pulses that were ended as the chip turned out to be too slow for them. */
  uint64_t refused() const { return refused_; }

 private:
  using Sets = std::vector<std::shared_ptr<LineSet>>;
  void run();
  /** @return when the next change is due */
  uint64_t advance(const Sets& sets);
  void checkPace(const Sets& sets);
  void rest(uint64_t dueNs);
  void giveWay();
  uint64_t marginNs() const;
  void learnLateness(double ns);

  const std::string chip_;
  const std::atomic<double>& edgeRate_;
  Pace pace_;
  std::atomic<uint64_t> edges_{0};
  std::atomic<uint64_t> latestNs_{0};
  std::atomic<uint64_t> refused_{0};
  /** When the thread is at work again at the latest. */
  std::atomic<uint64_t> dueNs_{kNever};
  std::atomic<bool> isRealTime_{false};

  /** Guards what follows it. */
  Monitor monitor_;
  Sets sets_;
  /** Of `sets_`, and of what its pulses are. */
  uint64_t version_ = 0;
  uint64_t changes_ = 0;
  bool isEnding_ = false;

  // Of the thread alone:
  /** What a wake-up is late by, mostly. */
  double marginNs_ = 20'000;
  uint64_t checkedEdges_ = 0;
  bool isGivingWay_ = false;

  std::thread thread_;
};

}  // namespace armature
