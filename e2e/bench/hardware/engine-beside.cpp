/**
 * The software PWM of a fast chip, on lines that record when they are driven, alone or next to a chip whose writes take
 * a millisecond (a USB adapter, an expander on I2C) and which is busy for more than half of the time.
 *   engine-beside alone|busy <Hz> <channels> <ms>
 */
#include <string.h>

#include <atomic>

#include "noted-lines.h"
#include "outputs.h"

using namespace armature;

namespace {

constexpr double kSlowHz = 300;
constexpr double kSlowDutyCycle = 0.5;

class SlowLines : public LineRequest {
 public:
  explicit SlowLines(std::atomic<uint64_t>& writes) : writes_(writes) {}
  uint64_t get(uint64_t) override { return 0; }
  void set(uint64_t, uint64_t) override {
    sleepUntil(nowNs() + kMillisecond);
    writes_ += 1;
  }
  void configure(const std::vector<LineSetting>&) override { sleepUntil(nowNs() + kMillisecond); }
  int fd() const override { return -1; }
  size_t readEdges(EdgeEvent*, size_t) override { return 0; }

 private:
  std::atomic<uint64_t>& writes_;
};

}  // namespace

int main(int argumentCount, char** arguments) {
  if (argumentCount != 5) return fprintf(stderr, "usage: engine-beside alone|busy HZ CHANNELS MS\n"), 2;
  const bool isBusy = strcmp(arguments[1], "busy") == 0;
  const double hz = atof(arguments[2]);
  const auto channels = static_cast<size_t>(atoi(arguments[3]));
  const auto runNs = static_cast<uint64_t>(atoi(arguments[4])) * kMillisecond;
  std::atomic<uint64_t> slowWrites{0};
  auto lines = notedLines(hz, channels, runNs);
  NotedLines& noted = *lines;
  Engine engine(nullptr);
  std::vector<LineOptions> options(channels);
  for (LineOptions& one : options) one.expiryNs = 60 * kSecond;
  const auto fast = engine.add("fast", std::move(lines), options);
  // The chip exists in both runs; only its work differs.
  options.resize(1);
  const auto slow = engine.add("slow", std::make_unique<SlowLines>(slowWrites), options);
  if (isBusy) engine.pulse(*slow, 0, kSlowDutyCycle, kSlowHz);
  slowWrites = 0;
  const uint64_t cpuBefore = processorNs();
  const uint64_t began = nowNs();
  for (size_t i = 0; i < channels; i += 1) engine.pulse(*fast, i, dutyCycleOf(i, channels), hz);
  sleepUntil(began + runNs);
  const double cpu = static_cast<double>(processorNs() - cpuBefore) / static_cast<double>(nowNs() - began);
  const size_t count = noted.count;
  const double busyShare = static_cast<double>(slowWrites * kMillisecond) / static_cast<double>(nowNs() - began);
  engine.write(*fast, (uint64_t{1} << channels) - 1, 0);
  if (isBusy && busyShare < 0.3) return fprintf(stderr, "the slow chip was busy for %.2f of the time\n", busyShare), 1;
  fprintf(stderr, "{\"cpuShare\":%.5f,\"isRealTime\":%s}\n", cpu, engine.limits().isRealTime ? "true" : "false");
  fwrite(noted.edges(), sizeof(Edge), count, stdout);
  return 0;
}
