/** The engine's expiry thread: makes outputs safe that their program no longer renews. */
#include <algorithm>
#include <mutex>

#include "error.h"
#include "guardian.h"
#include "outputs.h"

namespace armature {
namespace {

/**
 * How often this process sends the guardian a beat; the guardian waits more than twice as long (guardian_message.h).
 */
constexpr uint64_t kBeatNs = 100 * kMillisecond;
/** Delay before retrying an output that was busy or could not be made safe. */
constexpr uint64_t kAgainNs = 10 * kMillisecond;

}  // namespace

void Engine::watchExpiry() {
  while (!isEnding_) {
    uint64_t drives = 0;
    {
      const std::lock_guard lock(expiry_);
      drives = drives_;
    }
    Overdue overdue = expire(false);
    const uint64_t now = nowNs();
    if (overdue.isBusy) overdue.nextNs = std::min(overdue.nextNs, now + kAgainNs);
    // Without a beat the guardian acts: it may be able to drive what this process is waiting for.
    const bool isWorking = !overdue.isBusy && !isPulserStuck();
    const std::lock_guard lock(expiry_);
    if (isEnding_) return;
    isIdle_ = !overdue.isOn && !overdue.isBusy && driving_ == 0 && drives == drives_;
    if (guardian_ != nullptr && isWorking) guardian_->beat(!isIdle_);
    expiry_.waitUntil(isIdle_ ? kNever : std::min(overdue.nextNs, now + kBeatNs));
  }
}

bool Engine::isPulserStuck() {
  const std::lock_guard lock(schedule_);
  return std::any_of(pulsers_.begin(), pulsers_.end(), [](const auto& pulser) { return pulser->isStuck(); });
}

Overdue Engine::expire(bool mayWait) {
  bool isAll = false;
  uint32_t interventions = 0;
  if (guardian_ != nullptr) {
    interventions = guardian_->interventions();
    isAll = interventions_.exchange(interventions) != interventions;
  }
  std::vector<std::shared_ptr<LineSet>> sets;
  std::vector<std::shared_ptr<PwmChannel>> channels;
  {
    const std::lock_guard lock(schedule_);
    sets = sets_;
    channels = channels_;
  }
  const Renewal renewal{renewedNs_, isAll, mayWait};
  Overdue overdue;
  for (const auto& set : sets) overdue.add(set->expire(renewal));
  for (const auto& channel : channels) overdue.add(expireChannel(*channel, renewal));
  if (isAll && overdue.isBusy) interventions_ = interventions - 1;
  expiries_ += overdue.expired;
  if (overdue.expired > 0) recount();
  return overdue;
}

Overdue Engine::expireChannel(PwmChannel& channel, const Renewal& renewal) {
  Overdue overdue;
  std::unique_lock lock(channel.monitor, std::defer_lock);
  if (renewal.mayWait) {
    lock.lock();
  } else if (!lock.try_lock()) {
    overdue.isBusy = true;
    return overdue;
  }
  if (!channel.isOn || !channel.output) return overdue;
  const uint64_t now = nowNs();
  const uint64_t dueNs = renewal.renewedNs + channel.expiryNs;
  overdue.isOn = true;
  if (!renewal.isAll && !channel.isOverdue && now < dueNs) {
    overdue.nextNs = dueNs;
    return overdue;
  }
  if (!channel.isExpired.exchange(true)) overdue.expired = 1;
  try {
    channel.output->off();
    channel.isOn = false;
  } catch (const HardwareError& error) {
    // If the chip is gone, so is its output.
    channel.isOn = error.code != "hardware.gone";
  }
  channel.isOverdue = channel.isOn;
  overdue.isOn = channel.isOn;
  if (channel.isOn) overdue.nextNs = now + kAgainNs;
  return overdue;
}

}  // namespace armature
