#include "outputs.h"

#include <pthread.h>
#include <string.h>

#include <algorithm>
#include <cmath>
#include <mutex>

#include "error.h"
#include "guardian.h"
#include "named_thread.h"

namespace armature {
namespace {

/** Above the threads of the kernel's interrupts (50) nothing of ours has to wait for them. */
constexpr int kPriority = 60;
constexpr double kRealTimeHz = 5'000;
constexpr double kNormalHz = 2'000;
constexpr double kLowestHz = 0.1;
/** Of all channels together: more would take too much of a core. */
constexpr double kMostEdgesPerSecond = 40'000;
/** A renewal that comes after less cannot be too late. */
constexpr uint64_t kSurelyInTimeNs = 100 * kMillisecond;
/** When a channel is let go, there is no later. */
constexpr int kLastTries = 3;

double checkedDuty(const std::string& device, double dutyCycle) {
  if (!(dutyCycle >= 0 && dutyCycle <= 1)) {
    failInvalid(device, device + ": a duty cycle is 0 to 1, not " + std::to_string(dutyCycle));
  }
  return dutyCycle;
}

uint64_t bitOf(size_t line) { return uint64_t{1} << line; }

uint64_t periodOf(double frequencyHz) {
  return static_cast<uint64_t>(std::llround(static_cast<double>(kSecond) / frequencyHz));
}

uint64_t shareOf(uint64_t periodNs, double dutyCycle) {
  return static_cast<uint64_t>(std::llround(dutyCycle * static_cast<double>(periodNs)));
}

/** Whether the kernel took nothing of a command: not possible at all, or not now. */
bool isRefused(const HardwareError& error) { return error.code == "hardware.invalid" || error.code == "hardware.busy"; }

/** Whether a channel still is what it was last set to, or off. With its lock. */
bool isAsBefore(PwmChannel& channel) {
  try {
    const PwmOutput::State state = channel.output->read();
    if (!state.isEnabled) return !channel.isOn;
    return channel.isOn && state.periodNs == channel.periodNs && state.dutyNs == channel.dutyNs;
  } catch (const HardwareError&) {
    return false;
  }
}

/** @return 0, or why there is no real-time priority */
int hurry(std::thread& thread) {
  const sched_param priority{kPriority};
  return pthread_setschedparam(thread.native_handle(), SCHED_FIFO, &priority);
}

}  // namespace

/** A call that drives something: before it and until it is over, this process is known to be alive. */
class Engine::Driving {
 public:
  explicit Driving(Engine& engine) : engine_(engine) {
    engine_.renew();
    const std::lock_guard lock(engine_.expiry_);
    engine_.driving_ += 1;
    engine_.drives_ += 1;
    if (engine_.guardian_ != nullptr) engine_.guardian_->beat(true);
  }
  ~Driving() {
    const std::lock_guard lock(engine_.expiry_);
    engine_.driving_ -= 1;
    if (engine_.isIdle_) engine_.expiry_.notify();
    engine_.isIdle_ = false;
  }
  Driving(const Driving&) = delete;
  Driving& operator=(const Driving&) = delete;

 private:
  Engine& engine_;
};

Engine::Engine(Guardian* guardian) : guardian_(guardian), renewedNs_(nowNs()) {
  pulseThread_ = startThread("armature-pulse", [this] { makePulses(); });
  realTimeError_ = hurry(pulseThread_);
  isRealTime_ = realTimeError_ == 0;
  try {
    expiryThread_ = startThread("armature-safe", [this] { watchExpiry(); });
  } catch (const HardwareError&) {
    endThreads();
    throw;
  }
  hurry(expiryThread_);
}

void Engine::endThreads() {
  isEnding_ = true;
  for (Monitor* monitor : {&schedule_, &expiry_}) {
    const std::lock_guard lock(*monitor);
    monitor->notify();
  }
  for (std::thread* thread : {&pulseThread_, &expiryThread_}) {
    if (thread->joinable()) thread->join();
  }
}

Engine::~Engine() {
  endThreads();
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
  // The first cycle starts now, or with another channel of the same frequency: one wake-up raises both.
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
  hold(set, bitOf(line));
  set.pulse(line, period, high, phase);
  recount();
}

std::shared_ptr<PwmChannel> Engine::add(std::string chip, uint32_t number, uint64_t expiryNs,
                                        std::unique_ptr<PwmOutput> output) {
  auto channel = std::make_shared<PwmChannel>();
  channel->chip = std::move(chip);
  channel->channel = number;
  channel->expiryNs = expiryNs;
  channel->output = std::move(output);
  const std::lock_guard lock(schedule_);
  channels_.push_back(channel);
  return channel;
}

void Engine::remove(const std::shared_ptr<PwmChannel>& channel) {
  {
    const std::lock_guard lock(schedule_);
    std::erase(channels_, channel);
  }
  const std::lock_guard lock(channel->monitor);
  for (int tries = 0; tries < kLastTries && channel->isOn; tries += 1) {
    try {
      channel->output->off();
      channel->isOn = false;
    } catch (const HardwareError& error) {
      // What its chip drove is gone with it.
      if (error.code == "hardware.gone") channel->isOn = false;
    }
  }
  channel->isOn = false;
  channel->output.reset();
  if (channel->held != 0) guardian_->release(channel->held);
  channel->held = 0;
}

void Engine::set(PwmChannel& channel, double dutyCycle, double frequencyHz) {
  checkedDuty(channel.chip, dutyCycle);
  if (!(frequencyHz >= kLowestHz && frequencyHz <= 1e8)) {
    failInvalid(channel.chip,
                channel.chip + ": a frequency is 0.1 to 100000000 Hz, not " + std::to_string(frequencyHz));
  }
  const uint64_t period = periodOf(frequencyHz);
  const uint64_t duty = shareOf(period, dutyCycle);
  const Driving driving(*this);
  try {
    drive(channel, period, duty);
    return;
  } catch (const HardwareError& error) {
    if (error.code != "hardware.busy") throw;
  }
  // One clock for all channels of the chip, perhaps: what puts out nothing need not keep it.
  if (duty == 0) return turnOff(channel);
  driveWith(freeClock(channel), channel, period, duty);
}

/** A level has no frequency of its own: it takes that of its chip, and goes along when that changes. */
void Engine::driveWith(const Neighbours& neighbours, PwmChannel& channel, uint64_t periodNs, uint64_t dutyNs) {
  if (dutyNs == periodNs && neighbours.periodNs) return drive(channel, *neighbours.periodNs, *neighbours.periodNs);
  if (neighbours.hasPulses || neighbours.levels.empty()) return drive(channel, periodNs, dutyNs);
  for (const auto& level : neighbours.levels) turnOff(*level);
  uint64_t levelNs = periodNs;
  std::optional<HardwareError> failed;
  try {
    drive(channel, periodNs, dutyNs);
  } catch (const HardwareError& error) {
    failed = error;
    levelNs = *neighbours.periodNs;
  }
  for (const auto& level : neighbours.levels) drive(*level, levelNs, levelNs);
  if (failed) throw *failed;
}

void Engine::drive(PwmChannel& channel, uint64_t periodNs, uint64_t dutyNs) {
  const std::lock_guard lock(channel.monitor);
  const bool wasOn = channel.isOn;
  if (dutyNs != 0 || wasOn) hold(channel);
  try {
    channel.isOn = channel.output->set(periodNs, dutyNs);
  } catch (const HardwareError& error) {
    if (isRefused(error) && isAsBefore(channel)) throw;
    // Nobody knows what it is now.
    channel.isOn = true;
    channel.isOverdue = true;
    channel.isExpired = false;
    throw;
  }
  channel.periodNs = periodNs;
  channel.dutyNs = dutyNs;
  channel.isOverdue = false;
  channel.isExpired = false;
  // Somebody had left it on.
  if (channel.isOn && !wasOn) hold(channel);
}

void Engine::turnOff(PwmChannel& channel) {
  const std::lock_guard lock(channel.monitor);
  channel.isOverdue = true;
  channel.output->off();
  channel.isOn = false;
  channel.dutyNs = 0;
  channel.isOverdue = false;
  channel.isExpired = false;
}

Engine::Neighbours Engine::freeClock(const PwmChannel& channel) {
  std::vector<std::shared_ptr<PwmChannel>> channels;
  {
    const std::lock_guard lock(schedule_);
    channels = channels_;
  }
  Neighbours found;
  for (const auto& other : channels) {
    if (other.get() == &channel || other->chip != channel.chip) continue;
    const std::lock_guard lock(other->monitor);
    if (!other->isOn || other->isOverdue) continue;
    if (other->dutyNs == 0) {
      other->isOverdue = true;
      other->output->off();
      other->isOn = other->isOverdue = false;
      continue;
    }
    found.periodNs = other->periodNs;
    if (other->dutyNs == other->periodNs) {
      found.levels.push_back(other);
    } else {
      found.hasPulses = true;
    }
  }
  return found;
}

PwmOutput::State Engine::read(PwmChannel& channel) {
  const std::lock_guard lock(channel.monitor);
  return channel.output->read();
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
  return {expiries_, edges_, static_cast<double>(latestNs_) / 1000};
}

/** Tells the guardian before a line is driven for the first time. @throws where there is none any more */
void Engine::hold(LineSet& set, uint64_t mask) {
  if (guardian_ == nullptr) return;
  if (!guardian_->isThere()) guardian_->check();
  const LineSet::Fresh fresh = set.fresh(mask);
  if (fresh.lines == 0) return;
  set.held = guardian_->holdLines(set.held, fresh.request, fresh.lines, fresh.safe, fresh.longestExpiryNs);
}

void Engine::hold(PwmChannel& channel) {
  if (guardian_ == nullptr) return;
  if (!guardian_->isThere()) guardian_->check();
  if (channel.held != 0) return;
  channel.held = guardian_->holdPwm(channel.chip + "/pwm" + std::to_string(channel.channel), channel.expiryNs);
}

void Engine::recount() {
  const std::lock_guard lock(schedule_);
  edgeRate_ = edgesPerSecond();
  schedule_.notify();
}

double Engine::edgesPerSecond() {
  double rate = 0;
  for (const auto& set : sets_) rate += set->edgesPerSecond();
  return rate;
}

}  // namespace armature
