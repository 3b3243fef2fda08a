// Microchip's MCP3x0y ADCs, clock by clock, between select and deselect.
#pragma once

#include <cstdint>
#include <cstring>

/// Shared with the program that sets the values; spi-adc.cpp documents the layout.
struct AdcState {
  uint16_t channels[8];
  uint32_t messages;
  uint32_t transfers;
  uint32_t conversions;
  uint32_t speedHz;
  uint32_t mode;
  uint8_t reserved[28];
};
static_assert(sizeof(AdcState) == 64);

struct AdcChip {
  const char* name;
  int channels;
  int bits;
  /// Bits after the start bit.
  int configurationBits;
  /// Clocks between the last of them and the null bit.
  int sampleClocks;
};

inline const AdcChip* findAdcChip(const char* name) {
  static const AdcChip chips[] = {
      {"mcp3002", 2, 10, 3, 0}, {"mcp3004", 4, 10, 4, 1}, {"mcp3008", 8, 10, 4, 1},
      {"mcp3202", 2, 12, 3, 0}, {"mcp3204", 4, 12, 4, 1}, {"mcp3208", 8, 12, 4, 1},
  };
  for (const auto& chip : chips) {
    if (strcmp(chip.name, name) == 0) return &chip;
  }
  return nullptr;
}

class Adc {
 public:
  Adc(const AdcChip& chip, AdcState& state) : chip_(chip), state_(state) {}

  /// Chip select becomes active: a frame begins with the next start bit.
  void select() { clock_ = -1; }

  /// Eight clocks. In the modes that the chip does not support (1 and 2) it returns only ones.
  uint8_t exchange(uint8_t sent, uint32_t mode) {
    if (mode != 0 && mode != 3) return 0xff;
    uint8_t received = 0;
    for (int bit = 7; bit >= 0; bit--) received = static_cast<uint8_t>(received << 1 | step((sent >> bit & 1) != 0));
    return received;
  }

 private:
  bool step(bool in) {
    if (clock_ < 0) {
      if (in) clock_ = 0;
      return false;
    }
    const int index = clock_++;
    if (index == 0) configuration_ = 0;
    if (index < chip_.configurationBits) {
      configuration_ = configuration_ << 1 | in;
      if (index + 1 == chip_.configurationBits) value_ = convert();
      return false;
    }
    // After the null bit: most significant bit first, then (for all but the chips with 2 channels, where MSBF selects
    // it) again from bit 1 up, then zeros.
    const int position = index - chip_.configurationBits - chip_.sampleClocks - 1;
    if (position < 0) return false;
    if (position < chip_.bits) {
      if (position + 1 == chip_.bits) state_.conversions++;
      return (value_ >> (chip_.bits - 1 - position) & 1) != 0;
    }
    const int up = position - chip_.bits + 1;
    const bool repeats = chip_.channels > 2 || (configuration_ & 1) == 0;
    return repeats && up < chip_.bits && (value_ >> up & 1) != 0;
  }

  int convert() const {
    const int max = (1 << chip_.bits) - 1;
    const auto level = [&](int channel) {
      const int value = state_.channels[channel % chip_.channels];
      return value > max ? max : value;
    };
    const bool isSmall = chip_.channels == 2;
    const int isSingle = isSmall ? configuration_ >> 2 & 1 : configuration_ >> 3 & 1;
    const int address = isSmall ? configuration_ >> 1 & 1 : configuration_ & 7;
    if (isSingle) return level(address);
    // Differential: the pair's other channel is subtracted; a negative result reads as 0.
    const int difference = level(address) - level(address ^ 1);
    return difference < 0 ? 0 : difference;
  }

  const AdcChip& chip_;
  AdcState& state_;
  int clock_ = -1;
  int configuration_ = 0;
  int value_ = 0;
};
