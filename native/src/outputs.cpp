#include "outputs.h"

#include <string.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <iterator>
#include <mutex>

#include "driving.h"
#include "duty.h"
#include "error.h"
#include "guardian.h"
#include "named_thread.h"

namespace armature {
namespace {

constexpr double kRealTimeHz = 5'000;
constexpr double kNormalHz = 2'000;
/** For all channels together: more would take too much of a core. */
constexpr double kMostEdgesPerSecond = 40'000;
/** A renewal that comes sooner after the last one cannot be too late. */
constexpr uint64_t kSurelyInTimeNs = 100 * kMillisecond;

/** Rounds down to whole Hz from 1 Hz on, to hundredths below. */
double roundDown(double hz) { return hz >= 1 ? std::floor(hz) : std::floor(hz * 100) / 100; }

uint64_t bitOf(size_t line) { return uint64_t{1} << line; }

}  // namespace

Engine::Engine(Guardian* guardian) : guardian_(guardian), renewedNs_(nowNs()) {
  expiryThread_ = startThread("armature-safe", [this] { watchExpiry(); });
  // All threads of ours have the same permission, so one result stands for them all.
  realTimeError_ = hurry(expiryThread_);
  isRealTime_ = realTimeError_ == 0;
}

Engine::~Engine() {
  isEnding_ = true;
  {
    const std::lock_guard lock(expiry_);
    expiry_.notify();
  }
  expiryThread_.join();
  pulsers_.clear();
  const auto sets = sets_;
  for (const auto& set : sets) remove(set);
  const auto channels = channels_;
  for (const auto& channel : channels) remove(channel);
}

std::shared_ptr<LineSet> Engine::add(std::string chip, std::unique_ptr<LineRequest> request,
                                     const std::vector<LineOptions>& options) {
  auto set = std::make_shared<LineSet>(std::move(chip), std::move(request), options);
  const std::lock_guard lock(schedule_);
  sets_.push_back(set);
  return set;
}

void Engine::remove(const std::shared_ptr<LineSet>& set) {
  {
    const std::lock_guard lock(schedule_);
    std::erase(sets_, set);
    for (const auto& pulser : pulsers_) pulser->remove(set);
  }
  set->close();
  recount();
  // Last, so that the line is guarded until it is safe.
  if (set->held != 0) guardian_->release(set->held);
  set->held = 0;
}

void Engine::write(LineSet& set, uint64_t mask, uint64_t bits) {
  const Driving driving(*this);
  hold(set, mask);
  const bool wasPulsing = set.isPulsing();
  set.write(mask, bits);
  if (wasPulsing) recount();
}

void Engine::pulse(LineSet& set, size_t line, double dutyCycle, double frequencyHz) {
  checkedDuty(set.chip(), dutyCycle);
  const EngineLimits most = limits();
  if (!(frequencyHz >= kLowestHz && frequencyHz <= most.pwmHz)) {
    failInvalid(set.chip(), set.chip() + ": a software PWM has a frequency of 0.1 to " +
                                std::to_string(static_cast<int>(most.pwmHz)) + " Hz here, not " +
                                std::to_string(frequencyHz) + "; " + most.reason +
                                "; for more use a pin that a pwmchip drives");
  }
  const uint64_t period = periodOf(frequencyHz);
  const uint64_t high = shareOf(period, dutyCycle);
  // The first cycle starts now, or together with another channel of the same frequency: one wake-up raises both.
  uint64_t phase = nowNs();
  double others = 0;
  {
    const std::lock_guard lock(schedule_);
    for (const auto& other : sets_) {
      others += other.get() == &set ? other->edgesPerSecond(line) : other->edgesPerSecond();
      phase = other->phaseOf(period).value_or(phase);
    }
  }
  const bool isMoving = high != 0 && high != period;
  if (others + (isMoving ? 2 * frequencyHz : 0) > kMostEdgesPerSecond) {
    failInvalid(set.chip(),
                set.chip() + ": all software PWMs together make at most 40000 edges a second; lower a frequency");
  }
  const Driving driving(*this);
  Pulser* pulser = isMoving ? &pulserOf(set) : nullptr;
  hold(set, bitOf(line));
  if (pulser != nullptr) {
    if (!pulser->pace().isKnown()) pulser->pace().begin(set.measure(line));
    checkPace(set, line, dutyCycle, frequencyHz, *pulser);
  }
  set.pulse(line, period, high, phase);
  recount();
}

Pulser& Engine::pulserOf(const LineSet& set) {
  const std::lock_guard lock(schedule_);
  auto found = std::find_if(pulsers_.begin(), pulsers_.end(),
                            [&](const auto& pulser) { return pulser->chip() == set.chip(); });
  if (found == pulsers_.end()) {
    pulsers_.push_back(std::make_unique<Pulser>(set.chip(), edgeRate_));
    found = std::prev(pulsers_.end());
  }
  for (const auto& mine : sets_) {
    if (mine.get() == &set) (*found)->add(mine);
  }
  return **found;
}

void Engine::checkPace(LineSet& set, size_t line, double dutyCycle, double frequencyHz, Pulser& pulser) {
  const Pace& pace = pulser.pace();
  size_t others = 0;
  double disturbed = 0;
  {
    const std::lock_guard lock(schedule_);
    const auto besidesOf = [&](const auto& one) { return one.get() == &set ? std::optional(line) : std::nullopt; };
    for (const auto& one : sets_) {
      if (one->chip() == set.chip()) others += one->moving(besidesOf(one));
    }
    for (const auto& one : sets_) {
      if (one->chip() == set.chip()) {
        disturbed = std::max(disturbed, one->worstError(pace, others + 1, besidesOf(one)));
      }
    }
  }
  const bool isKept = pace.errorOf(dutyCycle, frequencyHz, others) <= kShareWithin;
  if (isKept && disturbed <= kShareWithin) return;
  char took[32];
  snprintf(took, sizeof took, "%.3g ms", static_cast<double>(pace.writeNs()) / static_cast<double>(kMillisecond));
  const std::string beside = others == 0 ? "" : " beside " + std::to_string(others) + " other PWM";
  const std::string slow = set.chip() + ": a write to it takes " + took + ", so PWM by software";
  if (isKept) {
    failInvalid(set.chip(), slow + beside + " would push those more than 2 % off; lower their frequencies first");
  }
  char duty[32];
  snprintf(duty, sizeof duty, "%.3g", dutyCycle);
  char highest[32];
  snprintf(highest, sizeof highest, "%.6g", roundDown(pace.highestHz(dutyCycle, others)));
  failInvalid(set.chip(), slow + " with a duty cycle of " + duty + beside + " can be kept within 2 % at most " + highest +
                              " Hz; lower the frequency, or use a pin that a pwmchip drives");
}

void Engine::renew() {
  const bool isLate = nowNs() > renewedNs_ + kSurelyInTimeNs;
  if (isLate || (guardian_ != nullptr && guardian_->interventions() != interventions_)) expire(true);
  renewedNs_ = nowNs();
}

EngineLimits Engine::limits() const {
  if (isRealTime_) {
    return {kRealTimeHz, true, "its thread runs at real-time priority; more would take too much of a core"};
  }
  return {kNormalHz, false,
          std::string("real-time priority was refused (") + strerror(realTimeError_) +
              "): give the user an rtprio limit (a line '@gpio - rtprio 60' in /etc/security/limits.d/armature.conf)"};
}

EngineStats Engine::stats() {
  const std::lock_guard lock(schedule_);
  EngineStats found{expiries_, 0, 0, 0};
  for (const auto& pulser : pulsers_) {
    found.expiries += pulser->refused();
    found.tooSlow += pulser->refused();
    found.edges += pulser->edges();
    found.latestEdgeUs = std::max(found.latestEdgeUs, static_cast<double>(pulser->latestNs()) / 1000);
  }
  return found;
}

/** Tells the guardian before a line is driven for the first time. @throws where it cannot be started */
void Engine::hold(LineSet& set, uint64_t mask) {
  if (guardian_ == nullptr) return;
  if (!guardian_->isThere()) guardian_->check();
  const LineSet::Fresh fresh = set.fresh(mask);
  if (fresh.lines == 0) return;
  set.held = guardian_->holdLines(set.held, fresh.request, fresh.lines, fresh.safe, fresh.longestExpiryNs);
}

void Engine::recount() {
  const std::lock_guard lock(schedule_);
  double rate = 0;
  for (const auto& set : sets_) rate += isSlow(set->chip()) ? 0 : set->edgesPerSecond();
  edgeRate_ = rate;
  for (const auto& pulser : pulsers_) pulser->notify();
}

bool Engine::isSlow(const std::string& chip) const {
  return std::any_of(pulsers_.begin(), pulsers_.end(),
                     [&](const auto& pulser) { return pulser->chip() == chip && pulser->pace().isSlow(); });
}

}  // namespace armature
