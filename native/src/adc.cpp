#include "adc.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <mutex>

#include "named_thread.h"

namespace armature {
namespace {

/** From this rate on samples are taken in batches of this length: a read value is at most this much older. */
constexpr double kBatchedRate = 200;
constexpr uint64_t kBatchNs = 20 * kMillisecond;
/** The most samples in a message that fits spidev's default buffer of 4,096 bytes. */
constexpr size_t kMostSamples = 400;
/** A failed device is retried no more often than this. */
constexpr uint64_t kRetryNs = 100 * kMillisecond;
/** A sample that is this much older than two of its intervals no longer counts as a reading: a system call hangs. */
constexpr uint64_t kTooOldNs = kSecond;

}  // namespace

AdcSampler::AdcSampler(std::string device, std::unique_ptr<Converter> converter,
                       const std::vector<AdcChannel>& channels)
    : device_(std::move(device)), converter_(std::move(converter)) {
  double rate = 0;
  for (const AdcChannel& options : channels) {
    const std::string name = device_ + " channel " + std::to_string(options.channel);
    if (options.channel >= converter_->channels()) {
      failInvalid(device_, name + ": there is none; the converter has channels 0 to " +
                               std::to_string(converter_->channels() - 1));
    }
    if (!(options.samplesPerSecond > 0) || !(options.averageOverMs >= 0)) {
      failInvalid(device_, name + ": samples per second must be more than 0, the time of the mean not less than 0");
    }
    rate += options.samplesPerSecond;
    const double slots = std::clamp(std::floor(options.samplesPerSecond * options.averageOverMs / 1000), 1.0, 1e6);
    const auto interval = static_cast<uint64_t>(static_cast<double>(kSecond) / options.samplesPerSecond);
    channels_.push_back({options, interval, 0, {}, static_cast<size_t>(slots)});
  }
  if (rate > converter_->fastest()) {
    failInvalid(device_, device_ + ": it takes at most " + std::to_string(static_cast<int>(converter_->fastest())) +
                             " samples a second of all channels together, not " +
                             std::to_string(static_cast<int64_t>(rate)));
  }
  if (converter_->isBatched() && rate >= kBatchedRate) windowNs_ = kBatchNs;
  const uint64_t now = nowNs();
  beganNs_ = now;
  for (Channel& channel : channels_) channel.nextNs = now;
  thread_ = startThread("armature-adc", [this] { run(); });
}

AdcSampler::~AdcSampler() {
  {
    const std::lock_guard lock(monitor_);
    isEnding_ = true;
    monitor_.notify();
  }
  thread_.join();
}

void AdcSampler::keep(Channel& channel, int32_t value, uint64_t now) {
  if (channel.window.size() < channel.size) {
    channel.window.push_back(value);
  } else {
    channel.sum -= channel.window[channel.at];
    channel.window[channel.at] = value;
    channel.at = (channel.at + 1) % channel.size;
  }
  channel.sum += value;
  channel.sampledNs = now;
  stats_.samples += 1;
}

AdcSampler::Reading AdcSampler::read(uint32_t number) {
  const std::lock_guard lock(monitor_);
  for (const Channel& channel : channels_) {
    if (channel.options.channel != number) continue;
    const bool isSampled = !channel.window.empty();
    const double age = isSampled ? static_cast<double>(nowNs() - channel.sampledNs) / static_cast<double>(kMillisecond)
                                 : std::numeric_limits<double>::infinity();
    const std::string last = isSampled ? "; its last sample is " + std::to_string(std::llround(age)) + " ms old" : "";
    const uint64_t sinceNs = isSampled ? channel.sampledNs : beganNs_;
    if (!error_ && nowNs() > sinceNs + 2 * channel.intervalNs + windowNs_ + kTooOldNs) {
      throw HardwareError("hardware.io", device_, device_ + ": it has not answered" + last +
                                                      "; check its wires and power, and that of what shares its bus");
    }
    if (error_) {
      throw HardwareError(error_->code, error_->device, error_->what() + last, error_->number, error_->syscall);
    }
    // Without a sample: not a number.
    const double count = static_cast<double>(channel.window.size());
    return {static_cast<double>(channel.sum) / count, age, static_cast<uint32_t>(channel.window.size())};
  }
  failInvalid(device_, device_ + ": channel " + std::to_string(number) + " is not sampled here");
}

AdcSampler::Stats AdcSampler::stats() {
  const std::lock_guard lock(monitor_);
  return stats_;
}

uint64_t AdcSampler::nextNs() const {
  uint64_t next = kNever;
  for (const Channel& channel : channels_) next = std::min(next, channel.nextNs);
  return next;
}

std::vector<Converter::Sample> AdcSampler::plan(uint64_t start) {
  std::vector<Converter::Sample> samples;
  uint64_t lastNs = start;
  while (samples.size() < kMostSamples) {
    auto next = std::min_element(channels_.begin(), channels_.end(),
                                 [](const Channel& left, const Channel& right) { return left.nextNs < right.nextNs; });
    if (next->nextNs > start + windowNs_) break;
    if (!samples.empty() && next->nextNs > lastNs) samples.back().spacingNs = next->nextNs - lastNs;
    lastNs = std::max(lastNs, next->nextNs);
    samples.push_back({next->options.channel, 0, 0});
    next->nextNs += next->intervalNs;
  }
  // The pause until the next batch is part of the message too, which saves a system call.
  if (windowNs_ > 0 && !samples.empty() && nextNs() > lastNs) samples.back().spacingNs = nextNs() - lastNs;
  return samples;
}

void AdcSampler::run() {
  const std::lock_guard lock(monitor_);
  while (!isEnding_) {
    const uint64_t due = nextNs();
    // A batch that ended a little early continues: the message itself spaces its samples.
    if (due > nowNs() + (windowNs_ > 0 ? kMillisecond : 0)) {
      stats_.systemCalls += 1;
      monitor_.waitUntil(due);
      continue;
    }
    const uint64_t start = std::max(due, nowNs());
    // Samples that could not be taken in time are skipped.
    for (Channel& channel : channels_) {
      if (channel.nextNs + channel.intervalNs + windowNs_ < start) channel.nextNs = start;
    }
    std::vector<Converter::Sample> samples = plan(due);
    monitor_.unlock();
    uint64_t calls = 1;
    std::optional<HardwareError> failed;
    try {
      calls = converter_->sample(samples);
    } catch (const HardwareError& error) {
      failed = error;
    }
    monitor_.lock();
    const uint64_t now = nowNs();
    stats_.systemCalls += calls;
    error_ = failed;
    if (failed) {
      stats_.errors += 1;
      for (Channel& channel : channels_) channel.nextNs = now + std::max(channel.intervalNs, kRetryNs);
      continue;
    }
    for (const Converter::Sample& sample : samples) {
      for (Channel& channel : channels_) {
        if (channel.options.channel == sample.channel) keep(channel, sample.value, now);
      }
    }
  }
}

}  // namespace armature
