#pragma once
#include <atomic>
#include <memory>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "backend.h"
#include "line_set.h"
#include "monitor.h"
#include "pulser.h"

namespace armature {

class Guardian;

/** A channel of a pwmchip; its safe value is off. Has its own lock, because writing to sysfs may take long. */
struct PwmChannel {
  std::string chip;
  uint32_t channel = 0;
  uint64_t expiryNs = 500 * kMillisecond;
  std::unique_ptr<PwmOutput> output;
  Monitor monitor;
  bool isOn = false;
  /** As it was last set. */
  uint64_t periodNs = 0;
  uint64_t dutyNs = 0;
  /** It could not be made safe yet. */
  bool isOverdue = false;
  /** It was turned off without a command, and not set since. Read without the lock. */
  std::atomic<bool> isExpired = false;
  uint32_t held = 0;
};

struct EngineLimits {
  double pwmHz;
  bool isRealTime;
  std::string reason;
};

struct EngineStats {
  uint64_t expiries, edges;
  double latestEdgeUs;
  /** Of the expiries: those of pulses that were too fast for their chip. */
  uint64_t tooSlow;
};

/**
 * All driven outputs, and their threads: one for each chip with software PWM (pulser.h), and the expiry thread, which
 * makes outputs safe that the program no longer renews and tells the guardian that this process is not stopped. It is a
 * thread of its own because it may have to wait for a chip on a bus, and a pulse must not. All calls are for one
 * thread, that of JavaScript.
 */
class Engine {
 public:
  explicit Engine(Guardian* guardian);
  /** Makes everything safe and releases the lines. */
  ~Engine();

  std::shared_ptr<LineSet> add(std::string chip, std::unique_ptr<LineRequest> request,
                               const std::vector<LineOptions>& options);
  void remove(const std::shared_ptr<LineSet>& set);
  void write(LineSet& set, uint64_t mask, uint64_t bits);
  void pulse(LineSet& set, size_t line, double dutyCycle, double frequencyHz);

  std::shared_ptr<PwmChannel> add(std::string chip, uint32_t channel, uint64_t expiryNs,
                                  std::unique_ptr<PwmOutput> output);
  void remove(const std::shared_ptr<PwmChannel>& channel);
  void set(PwmChannel& channel, double dutyCycle, double frequencyHz);
  PwmOutput::State read(PwmChannel& channel);

  /** The program is alive. Outputs that are already overdue are made safe first: a late renewal does not save them. */
  void renew();
  EngineLimits limits() const;
  EngineStats stats();

 private:
  class Driving;
  /** @throws `hardware.busy` where no thread can be started for a chip that had none */
  Pulser& pulserOf(const LineSet& set);
  /** @throws `hardware.invalid` where the chip is too slow for it, or for its other pulses then */
  void checkPace(LineSet& set, size_t line, double dutyCycle, double frequencyHz, Pulser& pulser);

  // The expiry thread (expiry_thread.cpp):
  void watchExpiry();
  Overdue expire(bool mayWait);
  Overdue expireChannel(PwmChannel& channel, const Renewal& renewal);
  bool isPulserStuck();

  void hold(LineSet& set, uint64_t mask);
  void hold(PwmChannel& channel);
  void drive(PwmChannel& channel, uint64_t periodNs, uint64_t dutyNs);
  void turnOff(PwmChannel& channel);
  /** The other active channels on a channel's chip. Channels that output nothing are disabled first. */
  struct Neighbours {
    /** Held high all the time, with this period. */
    std::vector<std::shared_ptr<PwmChannel>> levels;
    std::optional<uint64_t> periodNs;
    bool hasPulses = false;
  };
  Neighbours freeClock(const PwmChannel& channel);
  void driveWith(const Neighbours& neighbours, PwmChannel& channel, uint64_t periodNs, uint64_t dutyNs);
  /** Called after pulses began or ended. */
  void recount();
  /** With `schedule_` held. */
  bool isSlow(const std::string& chip) const;

  Guardian* const guardian_;
  std::atomic<uint64_t> renewedNs_;
  std::atomic<uint64_t> expiries_{0};
  std::atomic<uint32_t> interventions_{0};
  std::atomic<bool> isEnding_{false};

  /** Guards the fields after it; never taken while the lock of a set or a channel is held. */
  Monitor schedule_;
  std::vector<std::shared_ptr<LineSet>> sets_;
  std::vector<std::shared_ptr<PwmChannel>> channels_;
  std::vector<std::unique_ptr<Pulser>> pulsers_;

  /** Guards the fields after it. */
  Monitor expiry_;
  /** Calls under way that drive something, and the total number of them. */
  uint32_t driving_ = 0;
  uint64_t drives_ = 0;
  /** Nothing is driven: the expiry thread waits to be woken. */
  bool isIdle_ = false;

  /** Edges per second of all software PWM on chips that are not slow. */
  std::atomic<double> edgeRate_{0};

  bool isRealTime_ = false;
  int realTimeError_ = 0;
  std::thread expiryThread_;
};

}  // namespace armature
