/** Commands and replies of converters, from their datasheets. */
#include <algorithm>

#include "adc.h"
#include "clock.h"

namespace armature {
namespace {

/**
 * MCP3x0x by Microchip: 3002 DS21294E figure 6-1, 3004/3008 DS21295D figure 6-1, 3202 DS21034F figure 6-1, 3204/3208
 * DS21298E figure 6-1. Single-ended, most significant bit first, mode 0, at a clock that they support at 2.7 V.
 */
struct Mcp {
  const char* name;
  uint32_t channels;
  uint32_t bits;
  uint32_t length;
  uint32_t speedHz;
};

constexpr Mcp kMcp[] = {
    {"mcp3002", 2, 10, 2, 1'000'000}, {"mcp3004", 4, 10, 3, 1'000'000}, {"mcp3008", 8, 10, 3, 1'000'000},
    {"mcp3202", 2, 12, 3, 900'000},   {"mcp3204", 4, 12, 3, 1'000'000}, {"mcp3208", 8, 12, 3, 1'000'000}};

class McpConverter : public Converter {
 public:
  McpConverter(const Mcp& chip, std::unique_ptr<SpiDevice> device) : chip_(chip), device_(std::move(device)) {}

  int32_t max() const override { return (1 << chip_.bits) - 1; }
  uint32_t channels() const override { return chip_.channels; }
  double fastest() const override { return 1e9 / static_cast<double>(transferNs()); }
  bool isBatched() const override { return true; }

  uint64_t sample(std::vector<Sample>& samples) override {
    std::vector<uint8_t> send(samples.size() * chip_.length);
    std::vector<uint8_t> receive(send.size());
    std::vector<SpiPiece> pieces;
    for (size_t i = 0; i < samples.size(); i += 1) {
      uint8_t* bytes = send.data() + i * chip_.length;
      command(samples[i].channel, bytes);
      const uint64_t restNs = samples[i].spacingNs > transferNs() ? samples[i].spacingNs - transferNs() : 0;
      const auto restUs = static_cast<uint16_t>(std::min<uint64_t>(restNs / kMicrosecond, UINT16_MAX));
      pieces.push_back({bytes, receive.data() + i * chip_.length, chip_.length, true, restUs});
    }
    device_->transfer(pieces);
    for (size_t i = 0; i < samples.size(); i += 1) {
      const uint8_t* last = receive.data() + (i + 1) * chip_.length - 2;
      samples[i].value = (last[0] << 8 | last[1]) & max();
    }
    return 1;
  }

 private:
  uint64_t transferNs() const { return chip_.length * 8 * kSecond / chip_.speedHz; }

  void command(uint32_t channel, uint8_t* bytes) const {
    if (chip_.length == 2) {
      bytes[0] = static_cast<uint8_t>(0x68 | channel << 4);
    } else if (chip_.channels == 2) {
      bytes[0] = 0x01;
      bytes[1] = static_cast<uint8_t>(0xa0 | channel << 6);
    } else if (chip_.bits == 10) {
      bytes[0] = 0x01;
      bytes[1] = static_cast<uint8_t>((8 | channel) << 4);
    } else {
      bytes[0] = static_cast<uint8_t>(0x06 | channel >> 2);
      bytes[1] = static_cast<uint8_t>((channel & 3) << 6);
    }
  }

  const Mcp& chip_;
  const std::unique_ptr<SpiDevice> device_;
};

/** Texas Instruments SBAS444, 9.6.3: single shot, single-ended, +-4.096 V, 860 samples a second. */
class AdsConverter : public Converter {
 public:
  AdsConverter(std::unique_ptr<I2cBus> bus, uint16_t address) : bus_(std::move(bus)), address_(address) {}

  int32_t max() const override { return INT16_MAX; }
  uint32_t channels() const override { return 4; }
  double fastest() const override { return 400; }
  bool isBatched() const override { return false; }

  uint64_t sample(std::vector<Sample>& samples) override {
    for (Sample& sample : samples) {
      const auto config = static_cast<uint16_t>(0x8000 | (4 + sample.channel) << 12 | 1 << 9 | 1 << 8 | 7 << 5 | 3);
      std::vector<uint8_t> none;
      bus_->transfer(address_, {1, static_cast<uint8_t>(config >> 8), static_cast<uint8_t>(config & 0xff)}, none);
      sleepUntil(nowNs() + kConversionNs);
      std::vector<uint8_t> value(2);
      bus_->transfer(address_, {0}, value);
      sample.value = static_cast<int16_t>(value[0] << 8 | value[1]);
    }
    return 3 * samples.size();
  }

 private:
  /** 1/860 s plus the 10 % by which it may be slower. */
  static constexpr uint64_t kConversionNs = 1'350 * kMicrosecond;
  const std::unique_ptr<I2cBus> bus_;
  const uint16_t address_;
};

}  // namespace

std::unique_ptr<Converter> makeConverter(Backend& backend, const std::string& chip, const std::string& device,
                                         uint16_t address) {
  if (chip == "ads1115") return std::make_unique<AdsConverter>(backend.openI2c(device), address);
  for (const Mcp& known : kMcp) {
    if (chip != known.name) continue;
    SpiSetting setting;
    setting.speedHz = known.speedHz;
    return std::make_unique<McpConverter>(known, backend.openSpi(device, setting));
  }
  failInvalid(device, "there is no converter '" + chip +
                          "'; known are mcp3002, mcp3004, mcp3008, mcp3202, mcp3204, mcp3208 and ads1115");
}

}  // namespace armature
