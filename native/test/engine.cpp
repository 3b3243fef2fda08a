/**
 * The engine on fake lines and a fake guardian, which fail or hang on demand. Exits with 1 and a sentence at the first
 * failed check.
 */
#include <condition_variable>
#include <cstdio>
#include <functional>
#include <mutex>
#include <set>
#include <thread>

#include "error.h"
#include "guardian.h"
#include "outputs.h"

using namespace armature;

namespace {

/** The state of all wires: one lock for all of it, and every change can be waited for. */
struct World {
  std::mutex mutex;
  std::condition_variable changed;

  /** @return whether it became true within a generous time limit */
  bool await(const std::function<bool()>& isSo) {
    std::unique_lock lock(mutex);
    return changed.wait_for(lock, std::chrono::seconds(20), isSo);
  }
  void change(const std::function<void()>& what) {
    const std::lock_guard lock(mutex);
    what();
    changed.notify_all();
  }
};

class TestLines : public LineRequest {
 public:
  explicit TestLines(World& world_) : world(world_) {}
  uint64_t get(uint64_t mask) override { return levels & mask; }
  void set(uint64_t mask, uint64_t bits) override {
    std::unique_lock lock(world.mutex);
    calls += 1;
    isWaited = isHanging;
    world.changed.notify_all();
    world.changed.wait(lock, [&] { return !isHanging; });
    isWaited = false;
    if (failures > 0) {
      failures -= 1;
      failSystem(EREMOTEIO, "set", "test", "driving it");
    }
    levels = (levels & ~mask) | (bits & mask);
    world.changed.notify_all();
  }
  void configure(const std::vector<LineSetting>& settings) override {
    for (size_t i = 0; i < settings.size(); i += 1) {
      const uint64_t bit = uint64_t{1} << i;
      if (settings[i].isOutput) world.change([&] { levels = settings[i].level ? levels | bit : levels & ~bit; });
    }
  }
  int fd() const override { return 7; }
  size_t readEdges(EdgeEvent*, size_t) override { return 0; }

  World& world;
  uint64_t levels = 0;
  uint64_t calls = 0;
  int failures = 0;
  bool isHanging = false;
  bool isWaited = false;
};

class TestGuardian : public Guardian {
 public:
  explicit TestGuardian(World& world) : world_(world) {}
  uint32_t holdLines(uint32_t held, int, uint64_t, uint64_t, uint64_t) override { return held == 0 ? ++last_ : held; }
  uint32_t holdPwm(const std::string&, uint64_t) override { return ++last_; }
  void release(uint32_t) override {}
  void check() override {}
  bool isThere() const override { return true; }
  void beat(bool isOn) override {
    world_.change([&] {
      beats += 1;
      isOnNow = isOn;
    });
  }
  uint32_t interventions() const override { return intervened; }

  std::atomic<uint32_t> intervened{0};
  uint64_t beats = 0;
  bool isOnNow = false;

 private:
  World& world_;
  uint32_t last_ = 0;
};

struct Bench {
  World world;
  TestGuardian guardian{world};
  Engine engine{&guardian};

  struct Added {
    std::shared_ptr<LineSet> set;
    TestLines* lines;
  };
  Added add(uint64_t expiryNs, const char* chip = "test") {
    auto lines = std::make_unique<TestLines>(world);
    TestLines* seen = lines.get();
    LineOptions options;
    options.expiryNs = expiryNs;
    return {engine.add(chip, std::move(lines), {options}), seen};
  }
};

int fail(const char* what) {
  printf("%s\n", what);
  return 1;
}

/** A call that hangs in one chip delays neither the pulses nor the expiry of another; and the guardian gets no beat. */
int checkHanging() {
  Bench bench;
  const auto slow = bench.add(60 * kSecond);
  const auto pulsing = bench.add(60 * kSecond);
  const auto shortLived = bench.add(300 * kMillisecond);
  bench.engine.write(*slow.set, 1, 1);
  bench.engine.pulse(*pulsing.set, 0, 0.5, 200);
  bench.world.change([&] { slow.lines->isHanging = true; });
  bench.engine.write(*shortLived.set, 1, 1);
  std::thread caller([&] { bench.engine.write(*slow.set, 1, 0); });
  if (!bench.world.await([&] { return slow.lines->isWaited; })) return fail("the call that hangs was not made");
  uint64_t calls = 0;
  bench.world.change([&] { calls = pulsing.lines->calls; });
  if (!bench.world.await([&] { return pulsing.lines->calls > calls + 20; })) return fail("pulses waited for another chip");
  if (!bench.world.await([&] { return shortLived.lines->levels == 0; })) return fail("expiry waited for another chip");
  uint64_t beats = 0;
  bench.world.change([&] { beats = bench.guardian.beats; });
  sleepUntil(nowNs() + 300 * kMillisecond);
  bool isSilent = false;
  bench.world.change([&] { isSilent = bench.guardian.beats == beats; });
  if (!isSilent) return fail("the guardian was told that all is well while a call hung");
  bench.world.change([&] { slow.lines->isHanging = false; });
  caller.join();
  return bench.world.await([&] { return bench.guardian.beats > beats; }) ? 0 : fail("no beat came after it");
}

/** A chip that hangs in the middle of its pulses delays neither the pulses of another nor any call about another. */
int checkHangingPulse() {
  Bench bench;
  const auto hanging = bench.add(60 * kSecond, "hanging");
  const auto other = bench.add(60 * kSecond);
  bench.engine.pulse(*hanging.set, 0, 0.5, 200);
  bench.world.change([&] { hanging.lines->isHanging = true; });
  if (!bench.world.await([&] { return hanging.lines->isWaited; })) return fail("no pulse hung");
  bool isDone = false;
  std::thread caller([&] {
    bench.engine.pulse(*other.set, 0, 0.5, 200);
    bench.engine.stats();
    hanging.set->isExpired(0);
    bench.world.change([&] { isDone = true; });
  });
  const bool isFree = bench.world.await([&] { return isDone && other.lines->calls > 20; });
  bench.world.change([&] { hanging.lines->isHanging = false; });
  caller.join();
  return isFree ? 0 : fail("pulses and calls waited for a chip whose pulse hangs");
}

/** An output that cannot be made safe at once is retried until it is. */
int checkFailing() {
  Bench bench;
  const auto one = bench.add(200 * kMillisecond);
  bench.engine.write(*one.set, 1, 1);
  bench.world.change([&] { one.lines->failures = 5; });
  if (!bench.world.await([&] { return one.lines->levels == 0; })) return fail("an output stayed on after errors");
  if (bench.engine.stats().expiries != 1) return fail("an expiry is counted once");
  const auto pulsing = bench.add(60 * kSecond);
  bench.engine.pulse(*pulsing.set, 0, 0.999, 50);
  bench.world.change([&] { pulsing.lines->failures = 1; });
  if (!bench.world.await([&] { return pulsing.lines->failures == 0 && pulsing.lines->levels == 0; })) {
    return fail("a pulse stayed on after an error");
  }
  return 0;
}

/** Beats come while something is on, and the last one says that nothing is. */
int checkBeats() {
  Bench bench;
  const auto one = bench.add(60 * kSecond);
  bench.engine.write(*one.set, 1, 1);
  uint64_t beats = 0;
  bench.world.change([&] { beats = bench.guardian.beats; });
  if (!bench.world.await([&] { return bench.guardian.beats > beats + 3; })) return fail("no beats while a line is on");
  bench.engine.write(*one.set, 1, 0);
  if (!bench.world.await([&] { return !bench.guardian.isOnNow; })) return fail("beats while nothing is on");
  return 0;
}

/** Outputs that the guardian made safe are off here too, and counted, even if they were renewed. */
int checkIntervention() {
  Bench bench;
  const auto one = bench.add(60 * kSecond);
  const auto pulsing = bench.add(60 * kSecond);
  bench.engine.write(*one.set, 1, 1);
  bench.engine.pulse(*pulsing.set, 0, 0.5, 100);
  bench.guardian.intervened = 1;
  if (!bench.world.await([&] { return one.lines->levels == 0; })) return fail("an intervention was not noticed");
  // The first call notices it before it drives anything.
  bench.engine.write(*one.set, 1, 1);
  bench.guardian.intervened = 2;
  bench.engine.pulse(*pulsing.set, 0, 0.5, 100);
  bool isLow = false;
  bench.world.change([&] { isLow = one.lines->levels == 0; });
  if (!isLow) return fail("a line was on after an intervention, beside one that is driven anew");
  return bench.engine.stats().expiries >= 3 ? 0 : fail("interventions are counted as expiries");
}

/** A renewal that comes too late does not save an overdue output: both threads may wake at once. */
int checkLateRenewal() {
  for (int i = 0; i < 8; i += 1) {
    Bench bench;
    const auto one = bench.add(150 * kMillisecond);
    bench.engine.write(*one.set, 1, 1);
    sleepUntil(nowNs() + 150 * kMillisecond);
    bench.engine.renew();
    bool isLow = false;
    bench.world.change([&] { isLow = one.lines->levels == 0; });
    if (!isLow) return fail("a late renewal saved an output");
  }
  return 0;
}

}  // namespace

int main() {
  return checkHanging() + checkHangingPulse() + checkFailing() + checkBeats() + checkIntervention() + checkLateRenewal() == 0 ? 0 : 1;
}
