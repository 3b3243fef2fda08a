#pragma once
#include <atomic>
#include <memory>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "backend.h"
#include "monitor.h"
#include "pulse.h"

namespace armature {

class Guardian;

struct LineOptions {
  LineSetting setting;
  bool safe = false;
  uint64_t expiryNs = 500 * kMillisecond;
};

/** The lines of one request, and what they are driven to. Guarded by the lock of the engine. */
struct LineSet {
  struct Line {
    LineSetting setting;
    bool safe;
    uint64_t expiryNs;
    bool isExpired = false;
    std::optional<Pulse> pulse;
  };
  std::string chip;
  std::unique_ptr<LineRequest> request;
  std::vector<Line> lines;
  /** The device is no more: nothing can be driven. */
  bool isGone = false;
  /** Of what the guardian holds, 0 where it holds nothing. */
  uint32_t held = 0;
};

/** A channel of a pwmchip and its safe value, off. Has its own lock: writing to sysfs may take long. */
struct PwmChannel {
  std::string chip;
  uint32_t channel = 0;
  uint64_t expiryNs = 500 * kMillisecond;
  std::unique_ptr<PwmOutput> output;
  Monitor monitor;
  /** Read by the thread without the lock. */
  std::atomic<bool> isOn = false;
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
};

/**
 * Everything that is driven, and the one thread that makes all software PWM and ends what its program no longer renews.
 * Calls are for one thread, that of JavaScript.
 */
class Engine {
 public:
  explicit Engine(Guardian* guardian);
  /** Safe levels everywhere; the lines themselves are let go with their sets. */
  ~Engine();

  std::shared_ptr<LineSet> add(std::string chip, std::unique_ptr<LineRequest> request,
                               const std::vector<LineOptions>& options);
  void remove(const std::shared_ptr<LineSet>& set);
  uint64_t read(LineSet& set, uint64_t mask);
  void write(LineSet& set, uint64_t mask, uint64_t bits);
  void pulse(LineSet& set, size_t line, double dutyCycle, double frequencyHz);
  bool isExpired(LineSet& set, size_t line);

  std::shared_ptr<PwmChannel> add(std::string chip, uint32_t channel, uint64_t expiryNs,
                                  std::unique_ptr<PwmOutput> output);
  void remove(const std::shared_ptr<PwmChannel>& channel);
  void set(PwmChannel& channel, double dutyCycle, double frequencyHz);
  PwmOutput::State read(PwmChannel& channel);

  /** The program is alive. */
  void renew();
  EngineLimits limits() const;
  EngineStats stats();

 private:
  void run();
  /** Changes what is due. @return when the next change is due */
  uint64_t advancePulses();
  uint64_t expire();
  void rest(uint64_t pulseNs, uint64_t expiryNs);
  void drive(LineSet& set, uint64_t mask, uint64_t bits);
  void makeSafe(LineSet& set);
  void hold(LineSet& set, uint64_t mask);
  uint64_t spinNs() const;
  double edgesPerSecond(const Pulse* besides) const;
  void recount();

  Guardian* const guardian_;
  Monitor monitor_;
  std::vector<std::shared_ptr<LineSet>> sets_;
  std::vector<std::shared_ptr<PwmChannel>> channels_;
  std::atomic<uint64_t> renewedNs_;
  double edgeRate_ = 0;
  uint64_t expiries_ = 0;
  uint64_t edges_ = 0;
  uint64_t latestNs_ = 0;
  bool isEnding_ = false;
  bool isRealTime_ = false;
  int realTimeError_ = 0;
  std::thread thread_;
};

}  // namespace armature
