/**
 * Edges from the simulator at a given rate, read by the addon's reader and, as the peer, by one that reads one edge at
 * a time and passes it to the counter in a slot that keeps only the newest. Prints how many edges each received and
 * lost.
 *   edge-readers ring|slot <edges a second> <ms> [stalled]
 */
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <condition_variable>

#include "edges.h"
#include "sim/sim_world.h"

using namespace armature;

namespace {

constexpr const char* kChip = "/dev/gpiochip0";
constexpr uint32_t kLine = 7;
constexpr uint32_t kStalledLine = 8;
/** Buffer for a slow reader, as in `native/index.js`. */
constexpr size_t kRoom = 65'536;

std::unique_ptr<LineRequest> linesOf(Backend& backend, uint32_t offset, LineSetting& setting) {
  setting.offset = offset;
  setting.edges = Edges::both;
  return backend.requestLines(kChip, "bench", {setting});
}

struct Pace {
  uint64_t perSecond, runNs;
};

/**
 * Toggles a line, every 100 us as often as is due. Toggles that were missed because this thread had to wait are left
 * out: wires do not buffer edges.
 */
uint64_t pullEdges(SimWorld& world, const Pace& pace, bool isStalledToo) {
  const uint64_t end = nowNs() + pace.runNs;
  const double each = static_cast<double>(pace.perSecond) * 1e-4;
  double due = 0;
  uint64_t pulled = 0;
  for (uint64_t step = nowNs(); step < end; step = std::max(step + 100 * kMicrosecond, nowNs())) {
    sleepUntil(step);
    for (due += each; due >= 1; due -= 1) {
      world.pull(kChip, kLine, pulled % 2 == 0);
      if (isStalledToo) world.pull(kChip, kStalledLine, pulled % 2 == 0);
      pulled += 1;
    }
  }
  return pulled;
}

struct Count {
  uint64_t pulled = 0, taken = 0, lost = 0;
};

void print(const char* name, const Count& count) {
  printf("\"%s\":{\"pulled\":%llu,\"taken\":%llu,\"lost\":%llu}", name, static_cast<unsigned long long>(count.pulled),
         static_cast<unsigned long long>(count.taken), static_cast<unsigned long long>(count.lost));
}

void take(EdgeWatch& watch, Count& count) {
  std::vector<EdgeEvent> events;
  uint64_t lost = 0;
  watch.take(events, lost);
  count.taken += events.size();
  count.lost += lost;
}

/** The counter is woken once for all edges that came meanwhile, as JavaScript is. */
void readByRing(const Pace& pace, bool isStalledToo) {
  const auto world = std::make_shared<SimWorld>();
  const auto backend = makeSimBackend(world);
  EdgeReader reader;
  std::mutex mutex;
  std::condition_variable changed;
  bool isAwake = false;
  LineSetting settings[2];
  auto request = linesOf(*backend, kLine, settings[0]);
  auto stalledRequest = linesOf(*backend, kStalledLine, settings[1]);
  const auto watch =
      std::make_shared<EdgeWatch>(kChip, std::move(request), std::vector{settings[0]}, kRoom, [&] {
        const std::lock_guard lock(mutex);
        isAwake = true;
        changed.notify_one();
      });
  const auto stalled =
      std::make_shared<EdgeWatch>(kChip, std::move(stalledRequest), std::vector{settings[1]}, kRoom, [] {});
  reader.add(watch);
  reader.add(stalled);
  Count count;
  Count late;
  std::atomic<bool> isOver{false};
  std::thread outside([&] {
    count.pulled = pullEdges(*world, pace, isStalledToo);
    sleepUntil(nowNs() + 50 * kMillisecond);
    const std::lock_guard lock(mutex);
    isOver = true;
    changed.notify_one();
  });
  while (!isOver) {
    {
      std::unique_lock lock(mutex);
      changed.wait(lock, [&] { return isAwake || isOver; });
      isAwake = false;
    }
    take(*watch, count);
  }
  outside.join();
  take(*watch, count);
  take(*stalled, late);
  late.pulled = isStalledToo ? count.pulled : 0;
  reader.remove(watch);
  reader.remove(stalled);
  printf("{");
  print("reader", count);
  printf(",");
  print("stalled", late);
  printf("}\n");
}

void readBySlot(const Pace& pace) {
  const auto world = std::make_shared<SimWorld>();
  const auto backend = makeSimBackend(world);
  LineSetting setting;
  const auto request = linesOf(*backend, kLine, setting);
  std::mutex mutex;
  std::condition_variable changed;
  std::optional<EdgeEvent> slot;
  std::atomic<bool> isOver{false};
  Count count;
  std::thread reader([&] {
    pollfd waiting{request->fd(), POLLIN, 0};
    while (!isOver) {
      EdgeEvent event;
      if (poll(&waiting, 1, 10) <= 0 || request->readEdges(&event, 1) == 0) continue;
      const std::lock_guard lock(mutex);
      slot = event;
      changed.notify_one();
    }
  });
  std::thread counter([&] {
    std::unique_lock lock(mutex);
    while (!isOver) {
      changed.wait_for(lock, std::chrono::milliseconds(10), [&] { return slot.has_value(); });
      if (slot) count.taken += 1;
      slot.reset();
    }
  });
  count.pulled = pullEdges(*world, pace, false);
  sleepUntil(nowNs() + 50 * kMillisecond);
  isOver = true;
  reader.join();
  counter.join();
  printf("{");
  print("reader", count);
  printf("}\n");
}

}  // namespace

int main(int argumentCount, char** arguments) {
  if (argumentCount < 4) return fprintf(stderr, "usage: edge-readers ring|slot EDGES-A-SECOND MS [stalled]\n"), 2;
  const Pace pace{strtoull(arguments[2], nullptr, 10), strtoull(arguments[3], nullptr, 10) * kMillisecond};
  if (strcmp(arguments[1], "slot") == 0) {
    readBySlot(pace);
  } else {
    readByRing(pace, argumentCount > 4);
  }
  return 0;
}
