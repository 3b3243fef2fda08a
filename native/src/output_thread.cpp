/** What the thread of the engine does: pulses, and the end of what is no longer renewed. */
#include <sys/prctl.h>

#include <algorithm>
#include <mutex>

#include "error.h"
#include "outputs.h"

namespace armature {
namespace {

/** Longer sleeps wait for commands too; shorter ones are exact. */
constexpr uint64_t kExactNs = 2 * kMillisecond;
constexpr uint64_t kMostSpinNs = 60 * kMicrosecond;
/** Share of a core that all spinning together may take. */
constexpr double kSpinShare = 0.06;

void pause() {
#if defined(__x86_64__) || defined(__i386__)
  __builtin_ia32_pause();
#elif defined(__aarch64__) || defined(__arm__)
  asm volatile("yield");
#endif
}

}  // namespace

void Engine::run() {
  // Without it the kernel may add 50 us to every sleep of a thread without real-time priority.
  prctl(PR_SET_TIMERSLACK, 1);
  const std::lock_guard lock(monitor_);
  while (!isEnding_) {
    const uint64_t pulse = advancePulses();
    const uint64_t expiry = expire();
    rest(pulse, expiry);
  }
}

/** How long before a change the thread is awake: it takes the lateness of a wake-up. */
uint64_t Engine::spinNs() const {
  if (edgeRate_ <= 0) return 0;
  return std::min(kMostSpinNs, static_cast<uint64_t>(kSpinShare * 1e9 / edgeRate_));
}

void Engine::rest(uint64_t pulse, uint64_t expiry) {
  const uint64_t now = nowNs();
  const uint64_t due = std::min(pulse, expiry);
  if (due <= now) return;
  if (due == kNever || due - now > kExactNs) {
    monitor_.waitUntil(due == kNever ? kNever : due - kExactNs / 2);
    return;
  }
  if (pulse > expiry) {
    monitor_.waitUntil(expiry);
    return;
  }
  const uint64_t spin = spinNs();
  monitor_.unlock();
  const bool isShort = due - now <= spin;
  // Without real-time priority the thread would be preempted for spinning, unless it is short.
  if (!isShort) sleepUntil(isRealTime_ ? due - spin : due);
  if (isShort || isRealTime_) {
    while (nowNs() < due) pause();
  }
  monitor_.lock();
}

uint64_t Engine::advancePulses() {
  uint64_t next = kNever;
  for (const auto& set : sets_) {
    uint64_t mask = 0;
    uint64_t bits = 0;
    uint64_t latest = 0;
    const uint64_t now = nowNs();
    for (size_t i = 0; i < set->lines.size(); i += 1) {
      LineSet::Line& line = set->lines[i];
      if (!line.pulse || set->isGone) continue;
      const uint64_t due = line.pulse->dueNs();
      if (due <= now && line.pulse->advance(now)) {
        if (due > line.pulse->commandedNs) latest = std::max(latest, now - due);
        mask |= uint64_t{1} << i;
        if (line.pulse->isHigh) bits |= uint64_t{1} << i;
        line.setting.level = line.pulse->isHigh;
      }
      next = std::min(next, line.pulse->dueNs());
    }
    if (mask == 0) continue;
    edges_ += static_cast<uint64_t>(__builtin_popcountll(mask));
    latestNs_ = std::max(latestNs_, latest);
    try {
      set->request->set(mask, bits);
    } catch (const HardwareError&) {
      // Said to whoever drives it next.
      set->isGone = true;
      for (LineSet::Line& line : set->lines) line.pulse.reset();
      recount();
    }
  }
  return next;
}

uint64_t Engine::expire() {
  const uint64_t now = nowNs();
  const uint64_t renewed = renewedNs_.load(std::memory_order_relaxed);
  uint64_t next = kNever;
  for (const auto& set : sets_) {
    for (size_t i = 0; i < set->lines.size(); i += 1) {
      LineSet::Line& line = set->lines[i];
      if (set->isGone || line.isExpired || !line.setting.isOutput) continue;
      const bool isPulsing = line.pulse && !line.pulse->isHeld();
      if (!isPulsing && line.setting.level == line.safe) continue;
      if (now < renewed + line.expiryNs) {
        next = std::min(next, renewed + line.expiryNs);
        continue;
      }
      line.pulse.reset();
      line.isExpired = true;
      line.setting.level = line.safe;
      expiries_ += 1;
      recount();
      try {
        set->request->set(uint64_t{1} << i, line.safe ? uint64_t{1} << i : 0);
      } catch (const HardwareError&) {
        set->isGone = true;
      }
    }
  }
  for (const auto& channel : channels_) {
    if (!channel->isOn) continue;
    if (now < renewed + channel->expiryNs) {
      next = std::min(next, renewed + channel->expiryNs);
      continue;
    }
    const std::lock_guard lock(channel->monitor);
    if (!channel->isOn.exchange(false)) continue;
    channel->isExpired = true;
    expiries_ += 1;
    try {
      channel->output->off();
    } catch (const HardwareError&) {
      // Its chip is gone, and with it what it drove.
    }
  }
  return next;
}

}  // namespace armature
