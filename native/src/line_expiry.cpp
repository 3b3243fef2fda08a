/** Lines that are made safe without a command. */
#include <algorithm>
#include <mutex>

#include "line_set.h"

namespace armature {
namespace {

/** Delay before retrying a line that could not be made safe. */
constexpr uint64_t kAgainNs = 50 * kMillisecond;
/** A write that takes longer hangs; even over a busy bus one takes only some ms. */
constexpr uint64_t kHangingNs = 100 * kMillisecond;

}  // namespace

Overdue LineSet::expire(const Renewal& renewal) {
  Overdue overdue;
  const uint64_t asked = askedNs_;
  const uint64_t now = nowNs();
  // A call that does not return: the level that it drives is unknown.
  overdue.isBusy = asked != 0 && now > asked + kHangingNs;
  {
    const std::lock_guard lock(state_);
    if (isGone_) return overdue;
    bool isAny = false;
    for (const Line& line : lines_) {
      if (!line.isOn()) continue;
      overdue.isOn = true;
      if (isOverdueAt(line, renewal, now)) isAny = true;
      overdue.nextNs = std::min(overdue.nextNs, renewal.renewedNs + line.expiryNs);
    }
    if (!isAny) return overdue;
  }
  overdue = {};
  std::unique_lock order(order_, std::defer_lock);
  if (renewal.mayWait) {
    order.lock();
  } else if (!order.try_lock()) {
    overdue.isBusy = true;
    return overdue;
  }
  expireLines(renewal, overdue);
  return overdue;
}

bool LineSet::isOverdueAt(const Line& line, const Renewal& renewal, uint64_t now) const {
  return renewal.isAll || line.isOverdue || now >= renewal.renewedNs + line.expiryNs;
}

void LineSet::expireLines(const Renewal& renewal, Overdue& overdue) {
  const uint64_t now = nowNs();
  for (size_t i = 0; i < lines_.size() && !isGone_; i += 1) {
    Line& line = lines_[i];
    if (!line.isOn()) continue;
    if (!isOverdueAt(line, renewal, now)) {
      overdue.nextNs = std::min(overdue.nextNs, renewal.renewedNs + line.expiryNs);
      overdue.isOn = true;
      continue;
    }
    {
      const std::lock_guard lock(state_);
      line.pulse.reset();
      if (!line.isExpired) overdue.expired += 1;
      line.isExpired = true;
      line.isOverdue = true;
    }
    const bool isSafe = makeSafe(i);
    const std::lock_guard lock(state_);
    line.isOverdue = !isSafe;
    if (isSafe) continue;
    overdue.nextNs = std::min(overdue.nextNs, now + kAgainNs);
    overdue.isOn = true;
  }
  const std::lock_guard lock(state_);
  notePulses();
}

size_t LineSet::endPulses() {
  const std::lock_guard order(order_);
  size_t ended = 0;
  for (size_t i = 0; i < lines_.size() && !isGone_; i += 1) {
    Line& line = lines_[i];
    if (!line.isMoving()) continue;
    {
      const std::lock_guard lock(state_);
      line.pulse.reset();
      line.isExpired = true;
      line.isOverdue = true;
    }
    const bool isSafe = makeSafe(i);
    const std::lock_guard lock(state_);
    // The expiry thread retries what could not be made safe here.
    line.isOverdue = !isSafe;
    ended += 1;
  }
  const std::lock_guard lock(state_);
  notePulses();
  return ended;
}

}  // namespace armature
