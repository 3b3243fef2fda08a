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

/** A channel of a pwmchip and its safe value, off. Has its own lock: writing to sysfs may take long. */
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
  /** Of the expiries: those of pulses that their chip was too slow for. */
  uint64_t tooSlow;
};

/**
 * Everything that is driven, and its threads: one for each chip with software PWM (pulser.h), and one that ends what its
 * program no longer renews and tells the guardian that this process is not stopped. That one may have to wait for a chip
 * on a bus, and a pulse must not. Calls are for one thread, that of JavaScript.
 */
class Engine {
 public:
  explicit Engine(Guardian* guardian);
  /** Safe levels everywhere; the lines themselves are let go. */
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

  /** The program is alive. What it did not renew in time is made safe before: coming late does not save it. */
  void renew();
  EngineLimits limits() const;
  EngineStats stats();

 private:
  class Driving;
  /** @throws `hardware.busy` where there is no thread for a chip that had none */
  Pulser& pulserOf(const LineSet& set);
  /** @throws `hardware.invalid` where the chip is too slow for it, or for what it does already */
  void checkPace(LineSet& set, size_t line, double dutyCycle, double frequencyHz, Pulser& pulser);

  // The thread of expiry (expiry_thread.cpp):
  void watchExpiry();
  Overdue expire(bool mayWait);
  Overdue expireChannel(PwmChannel& channel, const Renewal& renewal);
  bool isPulserStuck();

  void hold(LineSet& set, uint64_t mask);
  void hold(PwmChannel& channel);
  void drive(PwmChannel& channel, uint64_t periodNs, uint64_t dutyNs);
  void turnOff(PwmChannel& channel);
  /** What else runs on the chip of a channel. Channels that put out nothing are disabled before. */
  struct Neighbours {
    /** Held high all the time, and their period. */
    std::vector<std::shared_ptr<PwmChannel>> levels;
    std::optional<uint64_t> periodNs;
    bool hasPulses = false;
  };
  Neighbours freeClock(const PwmChannel& channel);
  void driveWith(const Neighbours& neighbours, PwmChannel& channel, uint64_t periodNs, uint64_t dutyNs);
  /** After pulses began or ended. */
  void recount();
  /** With the lock of the schedule. */
  bool isSlow(const std::string& chip) const;

  Guardian* const guardian_;
  std::atomic<uint64_t> renewedNs_;
  std::atomic<uint64_t> expiries_{0};
  std::atomic<uint32_t> interventions_{0};
  std::atomic<bool> isEnding_{false};

  /** Guards what follows it; never asked for by who has the lock of a set or a channel. */
  Monitor schedule_;
  std::vector<std::shared_ptr<LineSet>> sets_;
  std::vector<std::shared_ptr<PwmChannel>> channels_;
  std::vector<std::unique_ptr<Pulser>> pulsers_;

  /** Guards what follows it. */
  Monitor expiry_;
  /** Calls under way that drive something, and how many there were. */
  uint32_t driving_ = 0;
  uint64_t drives_ = 0;
  /** Nothing is driven: the thread of expiry waits to be woken. */
  bool isIdle_ = false;

  /** Edges a second of all software PWM on chips that are not slow. */
  std::atomic<double> edgeRate_{0};

  bool isRealTime_ = false;
  int realTimeError_ = 0;
  std::thread expiryThread_;
};

}  // namespace armature
