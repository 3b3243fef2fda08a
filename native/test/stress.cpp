/**
 * All threaded code at once, without Node: for builds with -DSANITIZER=thread or address, which report problems by
 * themselves. Exits with 1 where a check fails.
 */
#include <cstdio>
#include <memory>
#include <thread>

#include "adc.h"
#include "edges.h"
#include "outputs.h"
#include "sim/sim_world.h"

using namespace armature;

namespace {

constexpr const char* kChip = "/dev/gpiochip0";
constexpr const char* kOther = "/dev/gpiochip1";

void driveLines(Engine& engine, Backend& backend, int rounds) {
  for (int round = 0; round < rounds; round += 1) {
    LineOptions first;
    LineOptions second;
    second.setting.offset = 1;
    second.expiryNs = 5 * kMillisecond;
    const auto set = engine.add(kChip, backend.requestLines(kChip, "stress", {first.setting, second.setting}),
                                {first, second});
    LineOptions third;
    third.setting.offset = 1;
    const auto slow = engine.add(kOther, backend.requestLines(kOther, "stress", {third.setting}), {third});
    const auto pwm = engine.add(kSimPwmChip, 0, 2 * kMillisecond, backend.openPwm(kSimPwmChip, 0));
    for (int i = 0; i < 40; i += 1) {
      engine.pulse(*set, 0, 0.025 * i, 100 + 100 * (i % 10));
      engine.pulse(*set, 1, 0.5, 2'000);
      engine.pulse(*slow, 0, 0.5, 100);
      engine.set(*pwm, 0.5, 1'000);
      if (i % 8 == 0) engine.write(*set, 3, 2);
      set->read(3);
      sleepUntil(nowNs() + (i % 10 == 0 ? 7 : 1) * kMillisecond);
    }
    engine.remove(pwm);
    engine.remove(slow);
    engine.remove(set);
  }
}

uint64_t watchEdges(SimWorld& world, Backend& backend, int rounds) {
  EdgeReader reader;
  uint64_t seen = 0;
  for (int round = 0; round < rounds; round += 1) {
    LineSetting setting;
    setting.offset = 7;
    setting.edges = Edges::both;
    std::atomic<int> wakes{0};
    const auto watch = std::make_shared<EdgeWatch>(kOther, backend.requestLines(kOther, "stress", {setting}),
                                                   std::vector{setting}, 256, [&] { wakes += 1; });
    reader.add(watch);
    std::thread outside([&] {
      for (int i = 0; i < 4'000; i += 1) world.pull(kOther, 7, i % 2 == 0);
    });
    std::vector<EdgeEvent> events;
    uint64_t lost = 0;
    for (int i = 0; i < 30; i += 1) {
      uint64_t missed = 0;
      watch->take(events, missed);
      lost += missed;
      watch->counts(7);
      watch->read(7);
      sleepUntil(nowNs() + kMillisecond);
    }
    outside.join();
    reader.remove(watch);
    seen += events.size() + lost;
  }
  return seen;
}

void readConverter(Backend& backend, int rounds) {
  for (int round = 0; round < rounds; round += 1) {
    AdcSampler fast("/dev/spidev0.0", makeConverter(backend, "mcp3008", "/dev/spidev0.0", 0),
                    {{0, 2'000, 5}, {3, 500, 0}});
    AdcSampler slow(kSimI2cBus, makeConverter(backend, "ads1115", kSimI2cBus, kSimAds1115), {{1, 200, 10}});
    for (int i = 0; i < 50; i += 1) {
      fast.read(3);
      slow.read(1);
      fast.stats();
      sleepUntil(nowNs() + kMillisecond);
    }
  }
}

}  // namespace

int main() {
  const auto world = std::make_shared<SimWorld>();
  const auto backend = makeSimBackend(world);
  world->delayWrites(kOther, kMillisecond / 2);
  uint64_t seen = 0;
  {
    Engine engine(nullptr);
    std::thread lines([&] { driveLines(engine, *backend, 4); });
    std::thread edges([&] { seen = watchEdges(*world, *backend, 6); });
    std::thread converter([&] { readConverter(*backend, 4); });
    for (int i = 0; i < 200; i += 1) {
      world->probe(kChip, 0);
      engine.stats();
      sleepUntil(nowNs() + kMillisecond);
    }
    lines.join();
    edges.join();
    converter.join();
    if (engine.stats().expiries == 0) return printf("no output expired\n"), 1;
  }
  if (seen == 0) return printf("no edge was seen\n"), 1;
  if (world->probe(kChip, 1).isHigh) return printf("a line is not safe\n"), 1;
  return 0;
}
