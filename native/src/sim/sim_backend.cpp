#include <cerrno>

#include "error.h"
#include "sim/sim_world.h"

namespace armature {
namespace {

class SimPwmOutput : public PwmOutput {
 public:
  SimPwmOutput(std::shared_ptr<SimWorld> world, std::string chip, uint32_t channel)
      : world_(std::move(world)), chip_(std::move(chip)), channel_(channel) {}
  ~SimPwmOutput() override {
    const std::lock_guard lock(world_->mutex);
    world_->pwmOf(chip_, channel_).isOpen = false;
  }
  bool set(uint64_t periodNs, uint64_t dutyNs) override {
    if (dutyNs == 0 && !read().isEnabled) return false;
    change({periodNs, dutyNs, true});
    return true;
  }
  State read() override {
    const std::lock_guard lock(world_->mutex);
    world_->checkPlugged(chip_);
    return world_->pwmOf(chip_, channel_).state;
  }
  void off() override { change({read().periodNs, 0, false}); }

 private:
  void change(const State& state) {
    const std::lock_guard lock(world_->mutex);
    world_->checkWrite(chip_);
    if (state.isEnabled && world_->isClockShared) checkClock(state.periodNs);
    world_->pwmOf(chip_, channel_).state = state;
  }

  /**
   * As the kernel's driver of the PCA9685 does: 24 to 1,526 Hz, and only one frequency while another channel is
   * enabled.
   */
  void checkClock(uint64_t periodNs) const {
    if (periodNs < kSecond / 1'526 || periodNs > kSecond / 24) {
      failSystem(EINVAL, "write", chip_, "setting the period of channel " + std::to_string(channel_));
    }
    for (uint32_t other = 0; other < world_->pwms.size(); other += 1) {
      const State& state = world_->pwms[other].state;
      if (other == channel_ || !state.isEnabled || state.periodNs == periodNs) continue;
      failClock(chip_, channel_, periodNs, other, state.periodNs);
    }
  }

  const std::shared_ptr<SimWorld> world_;
  const std::string chip_;
  const uint32_t channel_;
};

class SimBackend : public Backend {
 public:
  explicit SimBackend(std::shared_ptr<SimWorld> world) : world_(std::move(world)) {}

  std::vector<ChipInfo> gpioChips() override {
    const std::lock_guard lock(world_->mutex);
    std::vector<ChipInfo> found;
    for (const SimChip& chip : world_->chips) {
      if (chip.isPlugged) found.push_back(chip.info);
    }
    return found;
  }

  std::vector<LineInfo> gpioLines(const std::string& chip) override {
    const std::lock_guard lock(world_->mutex);
    const SimChip& found = world_->chipOf(chip);
    if (!found.isPlugged) failSystem(ENOENT, "open", chip, "opening it");
    std::vector<LineInfo> lines;
    for (uint32_t offset = 0; offset < found.lines.size(); offset += 1) {
      const SimLine& line = found.lines[offset];
      LineInfo info;
      info.offset = offset;
      info.name = "SIM" + std::to_string(offset);
      info.consumer = line.consumer;
      info.isUsed = line.request != nullptr;
      info.isOutput = line.setting.isOutput;
      info.isActiveLow = line.setting.isActiveLow;
      info.bias = line.setting.bias;
      info.drive = line.setting.drive;
      lines.push_back(info);
    }
    return lines;
  }

  std::unique_ptr<LineRequest> requestLines(const std::string& chip, const std::string& consumer,
                                            const std::vector<LineSetting>& settings) override {
    return requestSimLines(world_, chip, consumer, settings);
  }

  std::vector<PwmChipInfo> pwmChips() override {
    const std::lock_guard lock(world_->mutex);
    if (!world_->isPlugged(kSimPwmChip)) return {};
    const char* name = world_->isClockShared ? "pca9685" : "";
    return {{kSimPwmChip, "/sys/devices/sim/pwm", name, static_cast<uint32_t>(world_->pwms.size())}};
  }

  std::unique_ptr<PwmOutput> openPwm(const std::string& chip, uint32_t channel) override {
    const std::lock_guard lock(world_->mutex);
    SimPwm& pwm = world_->pwmOf(chip, channel);
    if (!world_->isPlugged(chip)) failSystem(ENOENT, "open", chip, "opening the pwmchip");
    if (pwm.isOpen) failSystem(EBUSY, "write", chip, "exporting channel " + std::to_string(channel));
    pwm.isOpen = true;
    return std::make_unique<SimPwmOutput>(world_, chip, channel);
  }

  std::vector<std::string> spiDevices() override { return pluggedWith("/dev/spidev"); }
  std::unique_ptr<SpiDevice> openSpi(const std::string& device, const SpiSetting& setting) override {
    return openSimSpi(world_, device, setting);
  }
  std::vector<std::string> i2cBuses() override { return pluggedWith("/dev/i2c-"); }
  std::unique_ptr<I2cBus> openI2c(const std::string& bus) override { return openSimI2c(world_, bus); }

 private:
  std::vector<std::string> pluggedWith(const std::string& prefix) {
    const std::lock_guard lock(world_->mutex);
    std::vector<std::string> found;
    for (const auto& [device, adc] : world_->adcs) {
      if (device.rfind(prefix, 0) == 0 && world_->isPlugged(device)) found.push_back(device);
    }
    return found;
  }

  const std::shared_ptr<SimWorld> world_;
};

}  // namespace

std::unique_ptr<Backend> makeSimBackend(std::shared_ptr<SimWorld> world) {
  return std::make_unique<SimBackend>(std::move(world));
}

}  // namespace armature
