#include "outputs.h"

#include <pthread.h>
#include <string.h>

#include <algorithm>
#include <cmath>
#include <mutex>

#include "error.h"
#include "guardian.h"

namespace armature {
namespace {

/** Above the threads of the kernel's interrupts (50) nothing of ours has to wait for them. */
constexpr int kPriority = 60;
constexpr double kRealTimeHz = 5'000;
constexpr double kNormalHz = 2'000;
constexpr double kLowestHz = 0.1;
/** Of all channels together: more would take too much of a core. */
constexpr double kMostEdgesPerSecond = 40'000;

double checkedDuty(const std::string& device, double dutyCycle) {
  if (!(dutyCycle >= 0 && dutyCycle <= 1)) {
    failInvalid(device, device + ": a duty cycle is 0 to 1, not " + std::to_string(dutyCycle));
  }
  return dutyCycle;
}

uint64_t bitOf(size_t line) { return uint64_t{1} << line; }

}  // namespace

Engine::Engine(Guardian* guardian) : guardian_(guardian), renewedNs_(nowNs()) {
  thread_ = std::thread([this] { run(); });
  pthread_setname_np(thread_.native_handle(), "armature-out");
  const sched_param priority{kPriority};
  realTimeError_ = pthread_setschedparam(thread_.native_handle(), SCHED_FIFO, &priority);
  isRealTime_ = realTimeError_ == 0;
}

Engine::~Engine() {
  {
    const std::lock_guard lock(monitor_);
    isEnding_ = true;
    monitor_.notify();
  }
  thread_.join();
  const auto sets = sets_;
  for (const auto& set : sets) remove(set);
  const auto channels = channels_;
  for (const auto& channel : channels) remove(channel);
}

std::shared_ptr<LineSet> Engine::add(std::string chip, std::unique_ptr<LineRequest> request,
                                     const std::vector<LineOptions>& options) {
  auto set = std::make_shared<LineSet>();
  set->chip = std::move(chip);
  set->request = std::move(request);
  for (const LineOptions& line : options) set->lines.push_back({line.setting, line.safe, line.expiryNs, false, {}});
  const std::lock_guard lock(monitor_);
  sets_.push_back(set);
  return set;
}

void Engine::remove(const std::shared_ptr<LineSet>& set) {
  uint32_t held = 0;
  {
    const std::lock_guard lock(monitor_);
    std::erase(sets_, set);
    makeSafe(*set);
    recount();
    set->request.reset();
    set->isGone = true;
    held = set->held;
    set->held = 0;
  }
  // Last, so that the line is guarded until it is safe.
  if (held != 0) guardian_->release(held);
}

uint64_t Engine::read(LineSet& set, uint64_t mask) {
  const std::lock_guard lock(monitor_);
  if (set.isGone) failGone(set.chip);
  return set.request->get(mask);
}

void Engine::write(LineSet& set, uint64_t mask, uint64_t bits) {
  hold(set, mask);
  const std::lock_guard lock(monitor_);
  drive(set, mask, bits);
  for (size_t i = 0; i < set.lines.size(); i += 1) {
    if ((mask & bitOf(i)) != 0) set.lines[i].pulse.reset();
  }
  recount();
  renew();
  monitor_.notify();
}

void Engine::pulse(LineSet& set, size_t index, double dutyCycle, double frequencyHz) {
  checkedDuty(set.chip, dutyCycle);
  const EngineLimits most = limits();
  if (!(frequencyHz >= kLowestHz && frequencyHz <= most.pwmHz)) {
    failInvalid(set.chip, set.chip + ": a software PWM has a frequency of 0.1 to " +
                              std::to_string(static_cast<int>(most.pwmHz)) + " Hz here, not " +
                              std::to_string(frequencyHz) + "; " + most.reason +
                              "; for more use a pin that a pwmchip drives");
  }
  hold(set, bitOf(index));
  const auto period = static_cast<uint64_t>(std::llround(static_cast<double>(kSecond) / frequencyHz));
  const auto high = static_cast<uint64_t>(std::llround(dutyCycle * static_cast<double>(period)));

  const std::lock_guard lock(monitor_);
  if (set.isGone) failGone(set.chip);
  LineSet::Line& line = set.lines[index];
  const uint64_t now = nowNs();
  Pulse next;
  if (line.pulse) {
    next = *line.pulse;
  } else {
    // The first cycle starts now, or with another channel of the same frequency: one wake-up raises both.
    next.periodNs = period;
    next.cycleNs = now;
    next.isHigh = line.setting.isOutput && line.setting.level;
    if (next.isHigh) next.highNs = period;
    for (const auto& other : sets_) {
      for (const LineSet::Line& found : other->lines) {
        if (found.pulse && found.pulse->periodNs == period) next.cycleNs = found.pulse->cycleNs;
      }
    }
  }
  const bool wasHigh = line.setting.isOutput && line.setting.level;
  next.change(period, high, now);
  const double others = edgesPerSecond(line.pulse ? &*line.pulse : nullptr);
  if (others + (next.isHeld() ? 0 : 2 * frequencyHz) > kMostEdgesPerSecond) {
    failInvalid(set.chip, set.chip + ": all software PWMs together make at most 40000 edges a second; lower a frequency");
  }
  if (!line.setting.isOutput || next.isHigh != wasHigh) drive(set, bitOf(index), next.isHigh ? bitOf(index) : 0);
  line.pulse = next;
  line.isExpired = false;
  recount();
  renew();
  monitor_.notify();
}

bool Engine::isExpired(LineSet& set, size_t index) {
  const std::lock_guard lock(monitor_);
  return set.lines[index].isExpired;
}

std::shared_ptr<PwmChannel> Engine::add(std::string chip, uint32_t number, uint64_t expiryNs,
                                        std::unique_ptr<PwmOutput> output) {
  auto channel = std::make_shared<PwmChannel>();
  channel->chip = std::move(chip);
  channel->channel = number;
  channel->expiryNs = expiryNs;
  channel->output = std::move(output);
  const std::lock_guard lock(monitor_);
  channels_.push_back(channel);
  return channel;
}

void Engine::remove(const std::shared_ptr<PwmChannel>& channel) {
  {
    const std::lock_guard lock(monitor_);
    std::erase(channels_, channel);
  }
  const std::lock_guard lock(channel->monitor);
  try {
    if (channel->isOn) channel->output->off();
  } catch (const HardwareError&) {
    // Its chip is gone; so is what it drove.
  }
  channel->isOn = false;
  channel->output.reset();
  if (channel->held != 0) guardian_->release(channel->held);
  channel->held = 0;
}

void Engine::set(PwmChannel& channel, double dutyCycle, double frequencyHz) {
  checkedDuty(channel.chip, dutyCycle);
  if (!(frequencyHz >= kLowestHz && frequencyHz <= 1e8)) {
    failInvalid(channel.chip, channel.chip + ": a frequency is 0.1 to 100000000 Hz, not " + std::to_string(frequencyHz));
  }
  const auto period = static_cast<uint64_t>(std::llround(static_cast<double>(kSecond) / frequencyHz));
  const auto duty = static_cast<uint64_t>(std::llround(dutyCycle * static_cast<double>(period)));
  renew();
  {
    const std::lock_guard lock(channel.monitor);
    if (guardian_ != nullptr && channel.held == 0) {
      channel.held = guardian_->holdPwm(channel.chip + "/pwm" + std::to_string(channel.channel));
    }
    channel.isOn = true;
    channel.isExpired = false;
    channel.output->set(period, duty);
  }
  const std::lock_guard lock(monitor_);
  monitor_.notify();
}

PwmOutput::State Engine::read(PwmChannel& channel) {
  const std::lock_guard lock(channel.monitor);
  return channel.output->read();
}

void Engine::renew() { renewedNs_.store(nowNs(), std::memory_order_relaxed); }

EngineLimits Engine::limits() const {
  if (isRealTime_) return {kRealTimeHz, true, "its thread runs at real-time priority; more would take too much of a core"};
  return {kNormalHz, false,
          std::string("real-time priority was refused (") + strerror(realTimeError_) +
              "): give the user an rtprio limit (a line '@gpio - rtprio 60' in /etc/security/limits.d/armature.conf)"};
}

EngineStats Engine::stats() {
  const std::lock_guard lock(monitor_);
  return {expiries_, edges_, static_cast<double>(latestNs_) / 1000};
}

/** Tells the guardian before a line is driven for the first time, outside the lock: it is a system call more. */
void Engine::hold(LineSet& set, uint64_t mask) {
  if (guardian_ == nullptr) return;
  uint64_t fresh = 0;
  uint64_t safe = 0;
  int request = -1;
  {
    const std::lock_guard lock(monitor_);
    if (set.isGone) failGone(set.chip);
    request = set.request->fd();
    for (size_t i = 0; i < set.lines.size(); i += 1) {
      if ((mask & bitOf(i)) != 0 && !set.lines[i].setting.isOutput) fresh |= bitOf(i);
      if (set.lines[i].safe) safe |= bitOf(i);
    }
  }
  if (fresh != 0) set.held = guardian_->holdLines(set.held, request, fresh, safe);
}

/** Locked. Makes outputs of lines that are not yet. */
void Engine::drive(LineSet& set, uint64_t mask, uint64_t bits) {
  if (set.isGone) failGone(set.chip);
  std::vector<LineSetting> settings;
  bool isTurned = false;
  for (size_t i = 0; i < set.lines.size(); i += 1) {
    LineSetting setting = set.lines[i].setting;
    if ((mask & bitOf(i)) != 0) {
      isTurned = isTurned || !setting.isOutput;
      setting.isOutput = true;
      setting.level = (bits & bitOf(i)) != 0;
    }
    settings.push_back(setting);
  }
  if (isTurned) {
    set.request->configure(settings);
  } else {
    set.request->set(mask, bits);
  }
  for (size_t i = 0; i < set.lines.size(); i += 1) {
    set.lines[i].setting = settings[i];
    if ((mask & bitOf(i)) != 0) set.lines[i].isExpired = false;
  }
}

/** Locked. Line by line, so that one that fails does not leave the others as they are. */
void Engine::makeSafe(LineSet& set) {
  for (size_t i = 0; i < set.lines.size(); i += 1) {
    LineSet::Line& line = set.lines[i];
    line.pulse.reset();
    if (!line.setting.isOutput || set.isGone) continue;
    try {
      set.request->set(bitOf(i), line.safe ? bitOf(i) : 0);
      line.setting.level = line.safe;
    } catch (const HardwareError&) {
      // The chip is gone, and with it what it drove.
      set.isGone = true;
    }
  }
}

double Engine::edgesPerSecond(const Pulse* besides) const {
  double rate = 0;
  for (const auto& set : sets_) {
    for (const LineSet::Line& line : set->lines) {
      if (line.pulse && &*line.pulse != besides && !line.pulse->isHeld()) {
        rate += 2e9 / static_cast<double>(line.pulse->periodNs);
      }
    }
  }
  return rate;
}

void Engine::recount() { edgeRate_ = edgesPerSecond(nullptr); }

}  // namespace armature
