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

/** Tries to give a thread real-time priority. @return 0, or the errno */
int hurry(std::thread& thread);

/**
 * The thread that makes the software PWM of one chip. Each chip has its own, so that a chip whose writes are slow, or
 * hang, delays no other. While it writes it holds only the lock that orders writes to the same lines.
 */
class Pulser {
 public:
  /**
   * @param edgeRate edges per second of all chips that are not slow, which share the time allowed for spinning
   * @throws `hardware.busy` where no thread can be started
   */
  Pulser(std::string chip, const std::atomic<double>& edgeRate);
  ~Pulser();
  Pulser(const Pulser&) = delete;
  Pulser& operator=(const Pulser&) = delete;

  // For the JavaScript thread:
  void add(const std::shared_ptr<LineSet>& set);
  void remove(const std::shared_ptr<LineSet>& set);
  /** Call after pulses began, ended or changed. */
  void notify();
  const std::string& chip() const { return chip_; }

  // Any thread:
  Pace& pace() { return pace_; }
  /** Whether the thread is still busy though a change is due: a write hangs. */
  bool isStuck() const;
  uint64_t edges() const { return edges_; }
  uint64_t latestNs() const { return latestNs_; }
  /** Pulses that were ended because the chip is too slow for them. */
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
  /** The latest time at which the thread should be working again. */
  std::atomic<uint64_t> dueNs_{kNever};
  std::atomic<bool> isRealTime_{false};

  /** Guards the fields after it. */
  Monitor monitor_;
  Sets sets_;
  /** Version of `sets_` and of their pulses. */
  uint64_t version_ = 0;
  uint64_t changes_ = 0;
  bool isEnding_ = false;

  // Only for the thread itself:
  /** Usual lateness of a wake-up. */
  double marginNs_ = 20'000;
  uint64_t checkedEdges_ = 0;
  bool isGivingWay_ = false;

  std::thread thread_;
};

}  // namespace armature
