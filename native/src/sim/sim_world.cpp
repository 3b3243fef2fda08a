#include "sim/sim_world.h"

#include <algorithm>
#include <cerrno>

#include "error.h"
#include "sim/sim_gpio.h"

namespace armature {
namespace {

constexpr uint32_t kLines = 32;
constexpr uint32_t kPwms = 4;

}  // namespace

SimWorld::SimWorld() : pwms(kPwms) {
  for (int i = 0; i < 2; i += 1) {
    const std::string number = std::to_string(i);
    SimChip chip;
    chip.info = {"/dev/gpiochip" + number, "gpiochip" + number, "sim-" + number, "/sys/devices/sim/" + number, kLines};
    chip.lines.resize(kLines);
    const uint64_t now = nowNs();
    for (SimLine& line : chip.lines) line.sinceNs = line.changedNs = now;
    chips.push_back(std::move(chip));
  }
  adcs["/dev/spidev0.0"] = {"mcp3008", std::vector<int32_t>(8)};
  adcs["/dev/spidev0.1"] = {"mcp3208", std::vector<int32_t>(8)};
  adcs["/dev/spidev1.0"] = {"mcp3002", std::vector<int32_t>(2)};
  adcs["/dev/spidev1.1"] = {"mcp3202", std::vector<int32_t>(2)};
  adcs[kSimI2cBus] = {"ads1115", std::vector<int32_t>(4)};
}

SimChip& SimWorld::chipOf(const std::string& path) {
  for (SimChip& chip : chips) {
    if (chip.info.path == path) return chip;
  }
  failSystem(ENOENT, "open", path, "opening it");
}

SimLine& SimWorld::lineOf(const std::string& chip, uint32_t offset) {
  SimChip& found = chipOf(chip);
  if (offset >= found.lines.size()) {
    failInvalid(chip, chip + ": there is no line " + std::to_string(offset) + "; it has lines 0 to 31");
  }
  return found.lines[offset];
}

SimPwm& SimWorld::pwmOf(const std::string& chip, uint32_t channel) {
  if (chip != kSimPwmChip) failSystem(ENOENT, "open", chip, "opening the pwmchip");
  if (channel >= pwms.size()) {
    failInvalid(chip, chip + ": there is no channel " + std::to_string(channel) + "; it has 4");
  }
  return pwms[channel];
}

bool SimWorld::isPlugged(const std::string& device) const { return unplugged_.count(device) == 0; }

void SimWorld::checkPlugged(const std::string& device) const {
  if (!isPlugged(device)) failGone(device);
}

void SimWorld::checkWrite(const std::string& device) {
  checkPlugged(device);
  const auto found = failures_.find(device);
  if (found == failures_.end() || found->second == 0) return;
  found->second -= 1;
  failSystem(EREMOTEIO, "write", device, "writing to it");
}

uint64_t SimWorld::delayOf(const std::string& chip) const {
  const auto found = delays_.find(chip);
  return found == delays_.end() ? 0 : found->second;
}

void SimWorld::shareClock() {
  const std::lock_guard lock(mutex);
  isClockShared = true;
}

void SimWorld::delayWrites(const std::string& chip, uint64_t ns) {
  const std::lock_guard lock(mutex);
  delays_[chip] = ns;
}

void SimWorld::failWrites(const std::string& device, uint32_t count) {
  const std::lock_guard lock(mutex);
  failures_[device] = count;
}

void SimWorld::pull(const std::string& chip, uint32_t offset, bool isHigh) {
  const std::lock_guard lock(mutex);
  SimLine& line = lineOf(chip, offset);
  const uint64_t now = nowNs();
  line.account(now);
  line.pulled = isHigh;
  if (line.request != nullptr) line.request->noticeLevel(offset, now);
}

SimWorld::Probe SimWorld::probe(const std::string& chip, uint32_t offset) {
  const std::lock_guard lock(mutex);
  SimLine& line = lineOf(chip, offset);
  const uint64_t now = nowNs();
  line.account(now);
  const double time = static_cast<double>(now - line.sinceNs);
  const double share = time > 0 ? static_cast<double>(line.highNs) / time : 0;
  line.sinceNs = now;
  line.highNs = 0;
  return {line.driven().has_value(), line.level(), share};
}

PwmOutput::State SimWorld::probePwm(const std::string& chip, uint32_t channel) {
  const std::lock_guard lock(mutex);
  return pwmOf(chip, channel).state;
}

void SimWorld::setAdc(const std::string& device, uint32_t channel, int32_t value) {
  const std::lock_guard lock(mutex);
  const auto found = adcs.find(device);
  if (found == adcs.end()) failSystem(ENOENT, "open", device, "opening it");
  if (channel >= found->second.values.size()) {
    failInvalid(device, device + ": there is no channel " + std::to_string(channel));
  }
  found->second.values[channel] = value;
}

void SimWorld::unplug(const std::string& device) {
  const std::lock_guard lock(mutex);
  unplugged_[device] = true;
  for (SimChip& chip : chips) {
    if (chip.info.path != device) continue;
    chip.isPlugged = false;
    for (SimLine& line : chip.lines) {
      line.account(nowNs());
      if (line.request != nullptr) line.request->unplugged();
      line.request = nullptr;
      line.setting = {};
      line.pulled.reset();
    }
  }
}

void SimWorld::plug(const std::string& device) {
  const std::lock_guard lock(mutex);
  unplugged_.erase(device);
  for (SimChip& chip : chips) {
    if (chip.info.path == device) chip.isPlugged = true;
  }
}

}  // namespace armature
