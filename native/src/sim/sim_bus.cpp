/** Simulated converters, which answer as their datasheets say. */
#include <algorithm>
#include <cerrno>

#include "error.h"
#include "sim/sim_world.h"

namespace armature {
namespace {

/** The bits of a message in shift register order, most significant first. */
class Bits {
 public:
  Bits(const uint8_t* bytes, uint32_t length) : bytes_(bytes), count_(length * 8) {}
  uint32_t count() const { return count_; }
  bool at(uint32_t i) const { return i < count_ && (bytes_[i / 8] >> (7 - i % 8) & 1) != 0; }

 private:
  const uint8_t* bytes_;
  const uint32_t count_;
};

struct Converter {
  const char* kind;
  /** Bits of the channel after the start bit and SGL/DIFF. */
  uint32_t channelBits;
  /** MCP3x02 have one more bit, which selects most significant first. */
  uint32_t orderBits;
  /** Clocks of sampling and the null bit, between command and value. */
  uint32_t restBits;
  uint32_t valueBits;
};

/** Microchip DS21294E (3002), DS21295D (3004/3008), DS21034F (3202), DS21298E (3204/3208): serial communication. */
constexpr Converter kConverters[] = {
    {"mcp3002", 1, 1, 1, 10}, {"mcp3008", 3, 0, 2, 10}, {"mcp3202", 1, 1, 1, 12}, {"mcp3208", 3, 0, 2, 12}};

class SimSpi : public SpiDevice {
 public:
  SimSpi(std::shared_ptr<SimWorld> world, std::string device) : world_(std::move(world)), device_(std::move(device)) {}

  void transfer(const std::vector<SpiPiece>& pieces) override {
    uint64_t restNs = 0;
    {
      const std::lock_guard lock(world_->mutex);
      world_->checkPlugged(device_);
      restNs = world_->delayOf(device_);
      for (const SpiPiece& piece : pieces) {
        answer(piece);
        restNs += piece.delayUs * kMicrosecond;
      }
    }
    if (restNs > 0) sleepUntil(nowNs() + restNs);
  }

 private:
  void answer(const SpiPiece& piece) const {
    const SimWorld::Adc& adc = world_->adcs.at(device_);
    const Converter* converter = std::find_if(std::begin(kConverters), std::end(kConverters),
                                              [&](const Converter& one) { return adc.kind == one.kind; });
    std::vector<uint8_t> out(piece.length, 0);
    const Bits in(piece.send, piece.length);
    uint32_t position = 0;
    while (position < in.count() && !in.at(position)) position += 1;
    uint32_t channel = 0;
    for (uint32_t i = 0; i < converter->channelBits; i += 1) {
      channel = channel << 1 | (in.at(position + 2 + i) ? 1U : 0U);
    }
    const uint32_t value = static_cast<uint32_t>(adc.values[channel % adc.values.size()]);
    position += 2 + converter->channelBits + converter->orderBits + converter->restBits;
    for (uint32_t i = 0; i < converter->valueBits; i += 1) {
      const uint32_t bit = position + i;
      if (bit < in.count() && (value >> (converter->valueBits - 1 - i) & 1) != 0) {
        out[bit / 8] = static_cast<uint8_t>(out[bit / 8] | 0x80U >> bit % 8);
      }
    }
    std::copy(out.begin(), out.end(), piece.receive);
  }

  const std::shared_ptr<SimWorld> world_;
  const std::string device_;
};

class SimI2c : public I2cBus {
 public:
  SimI2c(std::shared_ptr<SimWorld> world, std::string bus) : world_(std::move(world)), bus_(std::move(bus)) {}

  /** Texas Instruments SBAS444, 9.5 and 9.6: a pointer, then registers of 16 bits. */
  void transfer(uint16_t address, const std::vector<uint8_t>& send, std::vector<uint8_t>& receive) override {
    const std::lock_guard lock(world_->mutex);
    world_->checkPlugged(bus_);
    if (address != kSimAds1115) {
      failSystem(EREMOTEIO, "I2C_RDWR", bus_, "a transfer with address " + std::to_string(address));
    }
    SimWorld::Adc& adc = world_->adcs.at(bus_);
    if (!send.empty()) adc.pointer = send[0] & 3;
    if (send.size() == 3 && adc.pointer == 1) adc.config = static_cast<uint16_t>(send[1] << 8 | send[2]);
    const uint32_t input = adc.config >> 12 & 7;
    const int32_t value = input >= 4 ? adc.values[input - 4] : 0;
    // A conversion finishes at once, so its ready bit is always set.
    const uint32_t found = adc.pointer == 0 ? static_cast<uint32_t>(value) : adc.config | 0x8000U;
    for (size_t i = 0; i < receive.size(); i += 1) {
      receive[i] = static_cast<uint8_t>(i % 2 == 0 ? found >> 8 & 0xff : found & 0xff);
    }
  }

 private:
  const std::shared_ptr<SimWorld> world_;
  const std::string bus_;
};

}  // namespace

std::unique_ptr<SpiDevice> openSimSpi(std::shared_ptr<SimWorld> world, const std::string& device, const SpiSetting&) {
  const std::lock_guard lock(world->mutex);
  if (world->adcs.count(device) == 0 || device == kSimI2cBus || !world->isPlugged(device)) {
    failSystem(ENOENT, "open", device, "opening it");
  }
  return std::make_unique<SimSpi>(world, device);
}

std::unique_ptr<I2cBus> openSimI2c(std::shared_ptr<SimWorld> world, const std::string& bus) {
  const std::lock_guard lock(world->mutex);
  if (bus != kSimI2cBus || !world->isPlugged(bus)) failSystem(ENOENT, "open", bus, "opening it");
  return std::make_unique<SimI2c>(world, bus);
}

}  // namespace armature
