/**
 * The software PWM of the addon without Node, on lines that note when they are driven: what its thread does, and no more.
 *   engine-pwm <Hz> <channels> <ms>
 */
#include <string.h>

#include "edge-record.h"
#include "outputs.h"

using namespace armature;

namespace {

class NotedLines : public LineRequest {
 public:
  explicit NotedLines(size_t room) : room_(room), edges(roomForEdges(room)) {}
  uint64_t get(uint64_t) override { return 0; }
  void set(uint64_t mask, uint64_t bits) override {
    const uint64_t now = nowNs();
    for (uint32_t i = 0; i < 64 && mask >> i != 0; i += 1) {
      if ((mask >> i & 1) != 0 && count < room_) edges[count++] = {now, i, static_cast<uint32_t>(bits >> i & 1)};
    }
  }
  void configure(const std::vector<LineSetting>&) override {}
  int fd() const override { return -1; }
  size_t readEdges(EdgeEvent*, size_t) override { return 0; }

 private:
  const size_t room_;

 public:
  Edge* const edges;
  size_t count = 0;
};

}  // namespace

int main(int argumentCount, char** arguments) {
  if (argumentCount != 4) return fprintf(stderr, "usage: engine-pwm HZ CHANNELS MS\n"), 2;
  const double hz = atof(arguments[1]);
  const auto channels = static_cast<size_t>(atoi(arguments[2]));
  const auto runNs = static_cast<uint64_t>(atoi(arguments[3])) * kMillisecond;
  const auto room = static_cast<size_t>(hz * static_cast<double>(runNs) / 1e9 * 2.5 + 64) * channels;
  auto lines = std::make_unique<NotedLines>(room);
  NotedLines& noted = *lines;
  Engine engine(nullptr);
  std::vector<LineOptions> options(channels);
  for (LineOptions& one : options) one.expiryNs = 60 * kSecond;
  const auto set = engine.add("bench", std::move(lines), options);
  const uint64_t cpuBefore = processorNs();
  const uint64_t began = nowNs();
  for (size_t i = 0; i < channels; i += 1) engine.pulse(*set, i, dutyCycleOf(i, channels), hz);
  sleepUntil(began + runNs);
  const double cpu = static_cast<double>(processorNs() - cpuBefore) / static_cast<double>(nowNs() - began);
  const size_t count = noted.count;
  engine.write(*set, (uint64_t{1} << channels) - 1, 0);
  fprintf(stderr, "{\"cpuShare\":%.5f,\"isRealTime\":%s}\n", cpu, engine.limits().isRealTime ? "true" : "false");
  fwrite(noted.edges, sizeof(Edge), count, stdout);
  return 0;
}
