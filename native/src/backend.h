#pragma once
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace armature {

enum class Bias { asIs, disabled, pullUp, pullDown };
enum class Drive { pushPull, openDrain, openSource };
enum class Edges { none, rising, falling, both };

struct ChipInfo {
  std::string path, name, label, id;
  uint32_t lines = 0;
};

struct LineInfo {
  uint32_t offset = 0;
  std::string name, consumer;
  bool isUsed = false, isOutput = false, isActiveLow = false;
  Bias bias = Bias::asIs;
  Drive drive = Drive::pushPull;
};

struct LineSetting {
  uint32_t offset = 0;
  bool isOutput = false;
  /** Logical level of an output. */
  bool level = false;
  bool isActiveLow = false;
  Bias bias = Bias::asIs;
  Drive drive = Drive::pushPull;
  Edges edges = Edges::none;
  uint32_t debounceUs = 0;
};

struct EdgeEvent {
  uint32_t offset;
  /** The kernel's sequence number of it on its line, from 1. */
  uint32_t number;
  /** Monotonic. */
  uint64_t timeNs;
  bool isRising;
};

/** At most 64 lines of one chip that we hold. Bit i is the i-th requested line; levels are logical. */
class LineRequest {
 public:
  virtual ~LineRequest() = default;
  virtual uint64_t get(uint64_t mask) = 0;
  virtual void set(uint64_t mask, uint64_t bits) = 0;
  /** One setting per requested line, in the same order. Outputs are driven to `level`. */
  virtual void configure(const std::vector<LineSetting>& settings) = 0;
  /** Readable when edges are waiting. */
  virtual int fd() const = 0;
  /** Never blocks. @throws `hardware.gone` */
  virtual size_t readEdges(EdgeEvent* events, size_t capacity) = 0;
};

struct PwmChipInfo {
  std::string path, id;
  /** The name that its driver gives the device, '' where it gives none. */
  std::string name;
  uint32_t channels = 0;
};

/** A channel of a pwmchip that we hold. */
class PwmOutput {
 public:
  virtual ~PwmOutput() = default;
  /**
   * Writes only the duty cycle where the period is the same. A duty cycle of 0 leaves a disabled channel disabled,
   * because an enabled one would hold the clock of its chip.
   * @return whether it is enabled now
   * @throws `hardware.busy` where the channels of the chip share one clock, and another channel runs at another period
   */
  virtual bool set(uint64_t periodNs, uint64_t dutyNs) = 0;
  struct State {
    uint64_t periodNs, dutyNs;
    bool isEnabled;
  };
  virtual State read() = 0;
  /** Duty cycle 0 and disabled. */
  virtual void off() = 0;
};

struct SpiSetting {
  uint8_t mode = 0;
  uint32_t speedHz = 1'000'000;
  uint8_t bitsPerWord = 8;
};

/** One part of a message: sends `length` bytes from `send` and receives as many into `receive`. */
struct SpiPiece {
  const uint8_t* send;
  uint8_t* receive;
  uint32_t length;
  /** Releases chip select after it, also within a message. */
  bool isReleased;
  /** Pause after it. */
  uint16_t delayUs;
};

/** Any thread. */
class SpiDevice {
 public:
  virtual ~SpiDevice() = default;
  /** One message, in one system call. */
  virtual void transfer(const std::vector<SpiPiece>& pieces) = 0;
};

/** Any thread. */
class I2cBus {
 public:
  virtual ~I2cBus() = default;
  /** Writes, then reads after a repeated start; either may be empty. */
  virtual void transfer(uint16_t address, const std::vector<uint8_t>& send, std::vector<uint8_t>& receive) = 0;
};

/** A computer: this one, or a simulated one. The addon closes all handles before it destroys the backend. */
class Backend {
 public:
  virtual ~Backend() = default;
  virtual std::vector<ChipInfo> gpioChips() = 0;
  virtual std::vector<LineInfo> gpioLines(const std::string& chip) = 0;
  virtual std::unique_ptr<LineRequest> requestLines(const std::string& chip, const std::string& consumer,
                                                    const std::vector<LineSetting>& settings) = 0;
  virtual std::vector<PwmChipInfo> pwmChips() = 0;
  virtual std::unique_ptr<PwmOutput> openPwm(const std::string& chip, uint32_t channel) = 0;
  virtual std::vector<std::string> spiDevices() = 0;
  virtual std::unique_ptr<SpiDevice> openSpi(const std::string& device, const SpiSetting& setting) = 0;
  virtual std::vector<std::string> i2cBuses() = 0;
  virtual std::unique_ptr<I2cBus> openI2c(const std::string& bus) = 0;
};

}  // namespace armature
