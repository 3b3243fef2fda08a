/** The thread of the engine that makes every software PWM. */
#include <sys/prctl.h>

#include <algorithm>
#include <mutex>

#include "error.h"
#include "outputs.h"

namespace armature {
namespace {

/** Longer sleeps wait for commands too; shorter ones are exact. */
constexpr uint64_t kExactNs = 2 * kMillisecond;
/** What almost every wake-up keeps; a servo (50 Hz) turns with every 10 us that its pulse is longer. */
constexpr double kMostMarginNs = 150'000;
/** Share of a core that all spinning together may take. */
constexpr double kSpinShare = 0.06;
/** How far a wake-up moves the margin that is learned. */
constexpr double kMarginStepNs = 500;

void pause() {
#if defined(__x86_64__) || defined(__i386__)
  __builtin_ia32_pause();
#elif defined(__aarch64__) || defined(__arm__)
  asm volatile("yield");
#endif
}

}  // namespace

void Engine::makePulses() {
  // Without it the kernel may add 50 us to every sleep of a thread without real-time priority.
  prctl(PR_SET_TIMERSLACK, 1);
  const std::lock_guard lock(schedule_);
  while (!isEnding_) {
    pulsesDueNs_.store(nowNs(), std::memory_order_relaxed);
    rest(advancePulses());
  }
}

/** How long before a change the thread is to be awake: it takes the lateness of a wake-up. */
uint64_t Engine::marginNs() const {
  if (edgeRate_ <= 0) return 0;
  return static_cast<uint64_t>(std::min(isRealTime_ ? kMostMarginNs : marginNs_, kSpinShare * 1e9 / edgeRate_));
}

/**
 * Without real-time priority the thread would be preempted for spinning so long. There the margin follows the median of
 * what wake-ups are late by: the mean length of pulses, and so the duty cycle, is then right.
 */
void Engine::learnLateness(double ns) {
  marginNs_ = std::clamp(marginNs_ + (ns > marginNs_ ? kMarginStepNs : -kMarginStepNs), 0.0, kMostMarginNs);
}

void Engine::rest(uint64_t due) {
  pulsesDueNs_.store(due, std::memory_order_relaxed);
  const uint64_t now = nowNs();
  if (due <= now) return;
  if (due == kNever || due - now > kExactNs) {
    schedule_.waitUntil(due == kNever ? kNever : due - kExactNs / 2);
    return;
  }
  const uint64_t wake = due - marginNs();
  schedule_.unlock();
  if (wake > now) {
    sleepUntil(wake);
    learnLateness(static_cast<double>(nowNs() - wake));
  }
  while (nowNs() < due) pause();
  schedule_.lock();
}

uint64_t Engine::advancePulses() {
  uint64_t nextNs = kNever;
  for (const auto& set : sets_) {
    if (!set->isPulsing()) continue;
    const LineSet::Edges edges = set->advance();
    edges_ += edges.count;
    latestNs_ = std::max(latestNs_, edges.latestNs);
    nextNs = std::min(nextNs, edges.nextNs);
    // Its chip failed: what it drove is safe with it, or made safe by the other thread.
    if (!set->isPulsing()) edgeRate_ = edgesPerSecond();
  }
  return nextNs;
}

}  // namespace armature
