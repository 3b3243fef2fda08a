#pragma once
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "backend.h"
#include "clock.h"

namespace armature {

class SimRequest;

/** One wire of a chip, with both of its ends. Levels are those of the wire. */
struct SimLine {
  /** The level driven from outside; absent where nothing is. */
  std::optional<bool> pulled;
  /** The driven level when the line was released: as on most chips it stays, weaker than anything else. */
  std::optional<bool> kept;
  SimRequest* request = nullptr;
  LineSetting setting;
  std::string consumer;
  // Share of time high, since the last probe.
  uint64_t sinceNs = 0;
  uint64_t changedNs = 0;
  uint64_t highNs = 0;

  /** The driven level: absent for an input, and for an open drain that is high. */
  std::optional<bool> driven() const;
  bool level() const;
  /** Called before the driven level changes. */
  void account(uint64_t now);
};

struct SimChip {
  ChipInfo info;
  bool isPlugged = true;
  std::vector<SimLine> lines;
};

struct SimPwm {
  PwmOutput::State state{0, 0, false};
  bool isOpen = false;
};

/**
 * A simulated computer and the world at its wires: two chips of 32 lines, a pwmchip of 4 channels, an MCP3008, MCP3208,
 * MCP3002 and MCP3202 on SPI, an ADS1115 on I2C. Any thread; outlives the handles that use it.
 */
class SimWorld {
 public:
  SimWorld();

  void pull(const std::string& chip, uint32_t offset, bool isHigh);
  struct Probe {
    bool isDriven, isHigh;
    double dutyCycle;
  };
  Probe probe(const std::string& chip, uint32_t offset);
  PwmOutput::State probePwm(const std::string& chip, uint32_t channel);
  void setAdc(const std::string& device, uint32_t channel, int32_t value);
  /** A chip, or any other device by its path. Its handles fail from now on. */
  void unplug(const std::string& device);
  void plug(const std::string& device);
  /** From now on the channels of the pwmchip share one clock, as those of a PCA9685. */
  void shareClock();
  /** Each write to a GPIO chip, or transfer of a spidev, takes this long: the wire changes at its end. */
  void delayWrites(const std::string& chip, uint64_t ns);
  /** Makes this many of the next writes to a GPIO chip, or to the pwmchip, fail. */
  void failWrites(const std::string& device, uint32_t count);

  // For the backend, with `mutex` held.
  SimChip& chipOf(const std::string& path);
  SimLine& lineOf(const std::string& chip, uint32_t offset);
  SimPwm& pwmOf(const std::string& chip, uint32_t channel);
  void checkPlugged(const std::string& device) const;
  bool isPlugged(const std::string& device) const;
  /** Called by each write. @throws `hardware.io` where it is to fail */
  void checkWrite(const std::string& device);
  uint64_t delayOf(const std::string& chip) const;

  std::mutex mutex;
  std::vector<SimChip> chips;
  std::vector<SimPwm> pwms;
  bool isClockShared = false;
  /** Chip and raw values of the converter at a device. */
  struct Adc {
    std::string kind;
    std::vector<int32_t> values;
    /** The configuration register of an ADS1115. */
    uint16_t config = 0x8583;
    uint8_t pointer = 0;
  };
  std::map<std::string, Adc> adcs;

 private:
  std::map<std::string, bool> unplugged_;
  std::map<std::string, uint64_t> delays_;
  std::map<std::string, uint32_t> failures_;
};

constexpr const char* kSimPwmChip = "/sys/class/pwm/pwmchip0";
constexpr const char* kSimI2cBus = "/dev/i2c-1";
constexpr uint16_t kSimAds1115 = 0x48;

std::unique_ptr<Backend> makeSimBackend(std::shared_ptr<SimWorld> world);
std::unique_ptr<LineRequest> requestSimLines(std::shared_ptr<SimWorld> world, const std::string& chip,
                                             const std::string& consumer, const std::vector<LineSetting>& settings);
std::unique_ptr<SpiDevice> openSimSpi(std::shared_ptr<SimWorld> world, const std::string& device,
                                      const SpiSetting& setting);
std::unique_ptr<I2cBus> openSimI2c(std::shared_ptr<SimWorld> world, const std::string& bus);

}  // namespace armature
