#pragma once
#include <memory>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "backend.h"
#include "error.h"
#include "monitor.h"

namespace armature {

/** A converter of several channels. `sample` may be called from one thread only. */
class Converter {
 public:
  virtual ~Converter() = default;
  virtual int32_t max() const = 0;
  virtual uint32_t channels() const = 0;
  /** Most samples per second of all channels together. */
  virtual double fastest() const = 0;
  /** Whether several samples take one system call. */
  virtual bool isBatched() const = 0;
  struct Sample {
    uint32_t channel;
    /** Time until the next sample is due; 0 where there is none. */
    uint64_t spacingNs;
    int32_t value;
  };
  /** Fills in the values. @return number of system calls */
  virtual uint64_t sample(std::vector<Sample>& samples) = 0;
};

/** @param chip `mcp3008`, ..., `ads1115` */
std::unique_ptr<Converter> makeConverter(Backend& backend, const std::string& chip, const std::string& device,
                                         uint16_t address);

struct AdcChannel {
  uint32_t channel;
  double samplesPerSecond;
  double averageOverMs;
};

/** Samples the channels of a converter in its own thread. */
class AdcSampler {
 public:
  /** Starts sampling and returns at once: a bus that hangs blocks only the thread. */
  AdcSampler(std::string device, std::unique_ptr<Converter> converter, const std::vector<AdcChannel>& channels);
  ~AdcSampler();
  /** Before the first sample the value is NaN and the age infinite. */
  struct Reading {
    double value, ageMs;
    uint32_t samples;
  };
  /**
   * @throws the last error where the most recent attempt failed; `hardware.io` where the converter has hung for too
   *   long
   */
  Reading read(uint32_t channel);
  struct Stats {
    uint64_t samples, systemCalls, errors;
  };
  Stats stats();
  int32_t max() const { return converter_->max(); }

 private:
  struct Channel {
    AdcChannel options;
    uint64_t intervalNs;
    uint64_t nextNs;
    /** The newest samples, as many as the mean covers; skipped samples are not included. */
    std::vector<int32_t> window;
    size_t size;
    size_t at = 0;
    int64_t sum = 0;
    uint64_t sampledNs = 0;
  };
  void run();
  /** The samples due from `start` on, in order. Advances the channels to their next samples. */
  std::vector<Converter::Sample> plan(uint64_t start);
  uint64_t nextNs() const;
  void keep(Channel& channel, int32_t value, uint64_t now);

  const std::string device_;
  const std::unique_ptr<Converter> converter_;
  Monitor monitor_;
  std::vector<Channel> channels_;
  uint64_t windowNs_ = 0;
  uint64_t beganNs_ = 0;
  std::optional<HardwareError> error_;
  Stats stats_{0, 0, 0};
  bool isEnding_ = false;
  std::thread thread_;
};

}  // namespace armature
