#include "line_set.h"

#include <algorithm>
#include <mutex>

#include "error.h"

namespace armature {
namespace {

/** Attempts at release, after which nobody retries. */
constexpr int kLastTries = 3;
constexpr int kMeasurements = 5;

uint64_t bitOf(size_t line) { return uint64_t{1} << line; }

}  // namespace

LineSet::LineSet(std::string chip, std::unique_ptr<LineRequest> request, const std::vector<LineOptions>& options)
    : chip_(std::move(chip)), request_(std::move(request)) {
  for (const LineOptions& line : options) lines_.push_back({line.setting, line.safe, line.expiryNs, {}});
}

void LineSet::checkThere() const {
  if (isGone_) failGone(chip_);
}

template <typename Call>
void LineSet::ask(Call call) {
  askedNs_ = nowNs();
  try {
    call();
  } catch (...) {
    askedNs_ = 0;
    throw;
  }
  askedNs_ = 0;
}

uint64_t LineSet::read(uint64_t mask) {
  LineRequest* request = nullptr;
  {
    const std::lock_guard lock(state_);
    checkThere();
    // The request is closed only on this thread.
    request = request_.get();
  }
  return request->get(mask);
}

void LineSet::write(uint64_t mask, uint64_t bits) {
  const std::lock_guard order(order_);
  drive(mask, bits);
  const std::lock_guard lock(state_);
  for (size_t i = 0; i < lines_.size(); i += 1) {
    if ((mask & bitOf(i)) != 0) lines_[i].pulse.reset();
  }
  notePulses();
}

void LineSet::pulse(size_t index, uint64_t periodNs, uint64_t highNs, uint64_t phaseNs) {
  const std::lock_guard order(order_);
  checkThere();
  Line& line = lines_[index];
  const bool wasHigh = line.setting.isOutput && line.setting.level;
  Pulse next;
  if (line.pulse) {
    next = *line.pulse;
  } else {
    next.periodNs = periodNs;
    next.cycleNs = phaseNs;
    next.isHigh = wasHigh;
    if (wasHigh) next.highNs = periodNs;
  }
  next.change(periodNs, highNs, nowNs());
  if (!line.setting.isOutput || next.isHigh != wasHigh) drive(bitOf(index), next.isHigh ? bitOf(index) : 0);
  const std::lock_guard lock(state_);
  line.pulse = next;
  line.isOverdue = false;
  line.isExpired = false;
  notePulses();
}

uint64_t LineSet::measure(size_t index) {
  const std::lock_guard order(order_);
  checkThere();
  const Line& line = lines_[index];
  if (!line.setting.isOutput) drive(bitOf(index), line.safe ? bitOf(index) : 0);
  const uint64_t bits = line.setting.level ? bitOf(index) : 0;
  uint64_t least = kNever;
  for (int i = 0; i < kMeasurements; i += 1) {
    const uint64_t begin = nowNs();
    drive(bitOf(index), bits);
    least = std::min(least, nowNs() - begin);
  }
  return least;
}

LineSet::Fresh LineSet::fresh(uint64_t mask) {
  const std::lock_guard lock(state_);
  checkThere();
  Fresh found{0, 0, 0, request_->fd()};
  for (size_t i = 0; i < lines_.size(); i += 1) {
    if ((mask & bitOf(i)) != 0 && !lines_[i].setting.isOutput) found.lines |= bitOf(i);
    if (lines_[i].safe) found.safe |= bitOf(i);
    found.longestExpiryNs = std::max(found.longestExpiryNs, lines_[i].expiryNs);
  }
  return found;
}

void LineSet::close() {
  const std::lock_guard order(order_);
  {
    const std::lock_guard lock(state_);
    for (Line& line : lines_) line.pulse.reset();
    notePulses();
  }
  for (size_t i = 0; i < lines_.size(); i += 1) {
    // A line that is already safe is driven once more: the level that this program assumes may be wrong.
    for (int tries = 0; tries < kLastTries && lines_[i].setting.isOutput && !makeSafe(i); tries += 1) {
    }
  }
  const std::lock_guard lock(state_);
  request_.reset();
  isGone_ = true;
}

LineSet::Edges LineSet::advance() {
  const std::lock_guard order(order_);
  Edges edges;
  if (isGone_) return edges;
  uint64_t mask = 0;
  uint64_t bits = 0;
  const uint64_t now = nowNs();
  {
    const std::lock_guard lock(state_);
    for (size_t i = 0; i < lines_.size(); i += 1) {
      Line& line = lines_[i];
      if (!line.pulse) continue;
      const uint64_t due = line.pulse->dueNs();
      if (due <= now && line.pulse->advance(now)) {
        if (due > line.pulse->commandedNs) edges.latestNs = std::max(edges.latestNs, now - due);
        mask |= bitOf(i);
        if (line.pulse->isHigh) bits |= bitOf(i);
        line.setting.level = line.pulse->isHigh;
        edges.count += 1;
      }
      edges.nextNs = std::min(edges.nextNs, line.pulse->dueNs());
    }
  }
  if (mask == 0) return edges;
  try {
    ask([&] { request_->set(mask, bits); });
    edges.writeNs = nowNs() - now;
  } catch (const HardwareError& error) {
    // Reported to the next caller that drives it.
    fail(error);
    edges.nextNs = kNever;
  }
  return edges;
}

bool LineSet::isExpired(size_t line) {
  const std::lock_guard lock(state_);
  return lines_[line].isExpired;
}

double LineSet::edgesPerSecond(std::optional<size_t> besides) {
  const std::lock_guard lock(state_);
  double rate = 0;
  for (size_t i = 0; i < lines_.size(); i += 1) {
    if (lines_[i].isMoving() && i != besides) rate += 2e9 / static_cast<double>(lines_[i].pulse->periodNs);
  }
  return rate;
}

std::optional<uint64_t> LineSet::phaseOf(uint64_t periodNs) {
  const std::lock_guard lock(state_);
  for (const Line& line : lines_) {
    if (line.pulse && line.pulse->periodNs == periodNs) return line.pulse->cycleNs;
  }
  return {};
}

size_t LineSet::moving(std::optional<size_t> besides) {
  const std::lock_guard lock(state_);
  size_t count = 0;
  for (size_t i = 0; i < lines_.size(); i += 1) count += lines_[i].isMoving() && i != besides ? 1U : 0U;
  return count;
}

double LineSet::worstError(const Pace& pace, size_t moving, std::optional<size_t> besides) {
  const std::lock_guard lock(state_);
  double worst = 0;
  for (size_t i = 0; i < lines_.size(); i += 1) {
    if (!lines_[i].isMoving() || i == besides) continue;
    const auto period = static_cast<double>(lines_[i].pulse->periodNs);
    const double duty = static_cast<double>(lines_[i].pulse->highNs) / period;
    worst = std::max(worst, pace.errorOf(duty, 1e9 / period, moving > 1 ? moving - 1 : 0));
  }
  return worst;
}

void LineSet::drive(uint64_t mask, uint64_t bits) {
  checkThere();
  std::vector<LineSetting> settings;
  bool isTurned = false;
  for (size_t i = 0; i < lines_.size(); i += 1) {
    LineSetting setting = lines_[i].setting;
    if ((mask & bitOf(i)) != 0) {
      isTurned = isTurned || !setting.isOutput;
      setting.isOutput = true;
      setting.level = (bits & bitOf(i)) != 0;
    }
    settings.push_back(setting);
  }
  try {
    ask([&] {
      if (isTurned) {
        request_->configure(settings);
      } else {
        request_->set(mask, bits);
      }
    });
  } catch (const HardwareError&) {
    // Their levels are unknown now: they are made safe as soon as possible.
    const std::lock_guard lock(state_);
    for (size_t i = 0; i < lines_.size(); i += 1) {
      if ((mask & bitOf(i)) != 0) lines_[i].isOverdue = true;
    }
    throw;
  }
  const std::lock_guard lock(state_);
  for (size_t i = 0; i < lines_.size(); i += 1) {
    lines_[i].setting = settings[i];
    if ((mask & bitOf(i)) == 0) continue;
    lines_[i].isOverdue = false;
    lines_[i].isExpired = false;
  }
}

bool LineSet::makeSafe(size_t index) {
  if (isGone_) return true;
  Line& line = lines_[index];
  try {
    // Line by line, so that one that fails does not leave the others unsafe.
    ask([&] { request_->set(bitOf(index), line.safe ? bitOf(index) : 0); });
    const std::lock_guard lock(state_);
    line.setting.level = line.safe;
    return true;
  } catch (const HardwareError& error) {
    fail(error);
    return isGone_;
  }
}

/** Makes pulsing lines safe as soon as possible, unless their chip is gone. */
void LineSet::fail(const HardwareError& error) {
  const std::lock_guard lock(state_);
  isGone_ = error.code == "hardware.gone";
  for (Line& line : lines_) {
    if (line.pulse) line.isOverdue = true;
    line.pulse.reset();
  }
  notePulses();
}

void LineSet::notePulses() {
  bool isPulsing = false;
  for (const Line& line : lines_) isPulsing = isPulsing || line.isMoving();
  isPulsing_.store(isPulsing, std::memory_order_release);
}

}  // namespace armature
