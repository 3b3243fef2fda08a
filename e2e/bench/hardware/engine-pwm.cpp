/**
 * The addon's software PWM without Node, on lines that record when they are driven: only the work of its thread.
 *   engine-pwm <Hz> <channels> <ms>
 */
#include "noted-lines.h"
#include "outputs.h"

using namespace armature;

int main(int argumentCount, char** arguments) {
  if (argumentCount != 4) return fprintf(stderr, "usage: engine-pwm HZ CHANNELS MS\n"), 2;
  const double hz = atof(arguments[1]);
  const auto channels = static_cast<size_t>(atoi(arguments[2]));
  const auto runNs = static_cast<uint64_t>(atoi(arguments[3])) * kMillisecond;
  auto lines = notedLines(hz, channels, runNs);
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
  fwrite(noted.edges(), sizeof(Edge), count, stdout);
  return 0;
}
