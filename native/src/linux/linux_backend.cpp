#include "linux/linux_backend.h"

#include "linux/bus.h"
#include "linux/gpio.h"
#include "linux/pwm.h"

namespace armature {
namespace {

class LinuxBackend : public Backend {
 public:
  explicit LinuxBackend(std::string root) : root_(std::move(root)) {}

  std::vector<ChipInfo> gpioChips() override { return listGpioChips(root_); }
  std::vector<LineInfo> gpioLines(const std::string& chip) override { return listGpioLines(chip); }
  std::unique_ptr<LineRequest> requestLines(const std::string& chip, const std::string& consumer,
                                            const std::vector<LineSetting>& settings) override {
    return requestGpioLines(chip, consumer, settings);
  }
  std::vector<PwmChipInfo> pwmChips() override { return listPwmChips(root_); }
  std::unique_ptr<PwmOutput> openPwm(const std::string& chip, uint32_t channel) override {
    return openSysfsPwm(chip, channel);
  }
  std::vector<std::string> spiDevices() override { return listDevices(root_, "spidev"); }
  std::unique_ptr<SpiDevice> openSpi(const std::string& device, const SpiSetting& setting) override {
    return openSpidev(device, setting);
  }
  std::vector<std::string> i2cBuses() override { return listDevices(root_, "i2c-"); }
  std::unique_ptr<I2cBus> openI2c(const std::string& bus) override { return openI2cDev(bus); }

 private:
  const std::string root_;
};

}  // namespace

std::unique_ptr<Backend> makeLinuxBackend(const std::string& root) { return std::make_unique<LinuxBackend>(root); }

}  // namespace armature
