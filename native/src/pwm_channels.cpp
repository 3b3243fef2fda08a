/** The part of the engine that drives channels of pwmchips, including chips with one clock for all channels. */
#include <mutex>

#include "driving.h"
#include "duty.h"
#include "error.h"
#include "guardian.h"
#include "outputs.h"

namespace armature {
namespace {

/** Attempts at release, after which nobody retries. */
constexpr int kLastTries = 3;

/** Whether the kernel refused a command as a whole: it is not possible, or not possible now. */
bool isRefused(const HardwareError& error) { return error.code == "hardware.invalid" || error.code == "hardware.busy"; }

/** Whether a channel still is as it was last set, or off. With its lock held. */
bool isAsBefore(PwmChannel& channel) {
  try {
    const PwmOutput::State state = channel.output->read();
    if (!state.isEnabled) return !channel.isOn;
    return channel.isOn && state.periodNs == channel.periodNs && state.dutyNs == channel.dutyNs;
  } catch (const HardwareError&) {
    return false;
  }
}

}  // namespace

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
      // If the chip is gone, so is its output.
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
  // The channels of the chip may share one clock: a channel that outputs nothing need not hold it.
  if (duty == 0) return turnOff(channel);
  driveWith(freeClock(channel), channel, period, duty);
}

/** A constant level has no frequency of its own: it uses that of its chip, and follows when that changes. */
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
    // Its output is unknown now.
    channel.isOn = true;
    channel.isOverdue = true;
    channel.isExpired = false;
    throw;
  }
  channel.periodNs = periodNs;
  channel.dutyNs = dutyNs;
  channel.isOverdue = false;
  channel.isExpired = false;
  // Another program had left it on.
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

void Engine::hold(PwmChannel& channel) {
  if (guardian_ == nullptr) return;
  if (!guardian_->isThere()) guardian_->check();
  if (channel.held != 0) return;
  channel.held = guardian_->holdPwm(channel.chip + "/pwm" + std::to_string(channel.channel), channel.expiryNs);
}

}  // namespace armature
