#include "pulser.h"

#include <pthread.h>
#include <sys/prctl.h>

#include <algorithm>
#include <mutex>

#include "named_thread.h"

namespace armature {
namespace {

/** Above the kernel's interrupt threads (50): nothing of ours has to wait for them. */
constexpr int kPriority = 60;
/** A thread that mostly waits for its chip must not take a core from one that does not. */
constexpr int kSlowPriority = 59;
/** Longer sleeps can be woken by commands; shorter ones are exact. */
constexpr uint64_t kExactNs = 2 * kMillisecond;
/**
 * Almost no wake-up is later than this. Lateness is visible: a servo (50 Hz) turns with every extra 10 us of its pulse.
 */
constexpr double kMostMarginNs = 150'000;
/** Share of a core that all spinning together may take. */
constexpr double kSpinShare = 0.06;
/** How far one wake-up moves the learned margin. */
constexpr double kMarginStepNs = 500;
constexpr uint64_t kStuckNs = 250 * kMillisecond;
/** Number of edges between checks of a chip's pace against its pulses. */
constexpr uint64_t kCheckedEdges = 16;
/** Accepted pulses are ended when their error turns out to be larger than this. */
constexpr double kEndedAt = 2 * kShareWithin;

void pause() {
#if defined(__x86_64__) || defined(__i386__)
  __builtin_ia32_pause();
#elif defined(__aarch64__) || defined(__arm__)
  asm volatile("yield");
#endif
}

}  // namespace

int hurry(std::thread& thread) {
  const sched_param priority{kPriority};
  return pthread_setschedparam(thread.native_handle(), SCHED_FIFO, &priority);
}

/** Called on the thread itself when its chip turns out to be slow, or no longer is. */
void Pulser::giveWay() {
  if (!isRealTime_ || pace_.isSlow() == isGivingWay_) return;
  isGivingWay_ = pace_.isSlow();
  const sched_param priority{isGivingWay_ ? kSlowPriority : kPriority};
  pthread_setschedparam(pthread_self(), SCHED_FIFO, &priority);
}

Pulser::Pulser(std::string chip, const std::atomic<double>& edgeRate) : chip_(std::move(chip)), edgeRate_(edgeRate) {
  thread_ = startThread("armature-pulse", [this] { run(); });
  isRealTime_ = hurry(thread_) == 0;
}

Pulser::~Pulser() {
  {
    const std::lock_guard lock(monitor_);
    isEnding_ = true;
    monitor_.notify();
  }
  thread_.join();
}

void Pulser::add(const std::shared_ptr<LineSet>& set) {
  const std::lock_guard lock(monitor_);
  if (std::find(sets_.begin(), sets_.end(), set) != sets_.end()) return;
  sets_.push_back(set);
  version_ += 1;
}

void Pulser::remove(const std::shared_ptr<LineSet>& set) {
  const std::lock_guard lock(monitor_);
  if (std::erase(sets_, set) == 0) return;
  version_ += 1;
  changes_ += 1;
  monitor_.notify();
}

void Pulser::notify() {
  const std::lock_guard lock(monitor_);
  changes_ += 1;
  monitor_.notify();
}

bool Pulser::isStuck() const { return nowNs() - kStuckNs > dueNs_; }

void Pulser::run() {
  // Otherwise the kernel may add 50 us to every sleep of a thread without real-time priority.
  prctl(PR_SET_TIMERSLACK, 1);
  Sets sets;
  uint64_t version = 0;
  std::unique_lock lock(monitor_);
  while (!isEnding_) {
    dueNs_.store(nowNs(), std::memory_order_relaxed);
    if (version != version_) sets = sets_;
    version = version_;
    const uint64_t changes = changes_;
    lock.unlock();
    giveWay();
    const uint64_t due = advance(sets);
    lock.lock();
    // A command that came meanwhile may be due earlier.
    if (changes == changes_ && !isEnding_) rest(due);
  }
}

/** How long before a change the thread has to be awake, to absorb the lateness of the wake-up. */
uint64_t Pulser::marginNs() const {
  const double rate = edgeRate_;
  if (rate <= 0 || pace_.isSlow()) return 0;
  return static_cast<uint64_t>(std::min(isRealTime_ ? kMostMarginNs : marginNs_, kSpinShare * 1e9 / rate));
}

/**
 * Without real-time priority the thread would be preempted if it spun for long. There the margin follows the median
 * lateness of wake-ups: the mean length of pulses, and so the duty cycle, is then right.
 */
void Pulser::learnLateness(double ns) {
  marginNs_ = std::clamp(marginNs_ + (ns > marginNs_ ? kMarginStepNs : -kMarginStepNs), 0.0, kMostMarginNs);
}

/** Called with the lock held, which is free while the thread sleeps. */
void Pulser::rest(uint64_t due) {
  dueNs_.store(due, std::memory_order_relaxed);
  const uint64_t now = nowNs();
  if (due <= now) return;
  if (due == kNever || due - now > kExactNs) {
    monitor_.waitUntil(due == kNever ? kNever : due - kExactNs / 2);
    return;
  }
  const uint64_t wake = due - marginNs();
  monitor_.unlock();
  if (wake > now) {
    sleepUntil(wake);
    learnLateness(static_cast<double>(nowNs() - wake));
  }
  while (nowNs() < due) pause();
  monitor_.lock();
}

uint64_t Pulser::advance(const Sets& sets) {
  uint64_t nextNs = kNever;
  for (const auto& set : sets) {
    if (!set->isPulsing()) continue;
    const LineSet::Edges made = set->advance();
    nextNs = std::min(nextNs, made.nextNs);
    if (made.count == 0) continue;
    edges_ += made.count;
    latestNs_ = std::max(latestNs_.load(), made.latestNs);
    if (made.writeNs > 0) pace_.learn(made.writeNs);
  }
  if (edges_ >= checkedEdges_ + kCheckedEdges) checkPace(sets);
  return nextNs;
}

/**
 * A chip may be slower than its first writes: some drivers skip the write of a level that they believe is already set.
 */
void Pulser::checkPace(const Sets& sets) {
  checkedEdges_ = edges_;
  size_t moving = 0;
  for (const auto& set : sets) moving += set->moving();
  for (const auto& set : sets) {
    if (!set->isPulsing() || set->worstError(pace_, moving) <= kEndedAt) continue;
    refused_ += set->endPulses();
  }
}

}  // namespace armature
