/*
 * The peer of the PWM bench: a thread for each channel that sleeps all but the last 1.5 ms of each half of a cycle and
 * spins for the rest, one half after the other.
 *   spinning-pwm <Hz> <channels> <ms>
 */
#define _GNU_SOURCE
#include <errno.h>
#include <pthread.h>

#include "edge-record.h"

#define SPIN_NS 1500000u

struct Channel {
  pthread_t thread;
  uint32_t number;
  uint64_t highNs, lowNs, endNs;
  size_t room, count;
  struct Edge* edges;
};

static void waitFor(uint64_t ns) {
  const uint64_t end = monotonicNs() + ns;
  if (ns > SPIN_NS) {
    struct timespec rest = {(time_t)((ns - SPIN_NS) / 1000000000u), (long)((ns - SPIN_NS) % 1000000000u)};
    while (nanosleep(&rest, &rest) != 0 && errno == EINTR) {
    }
  }
  while (monotonicNs() < end) {
  }
}

static void drive(struct Channel* channel, uint32_t isHigh) {
  if (channel->count == channel->room) return;
  channel->edges[channel->count++] = (struct Edge){monotonicNs(), channel->number, isHigh};
}

static void* run(void* argument) {
  struct Channel* channel = argument;
  while (monotonicNs() < channel->endNs) {
    drive(channel, 1);
    waitFor(channel->highNs);
    drive(channel, 0);
    waitFor(channel->lowNs);
  }
  return NULL;
}

int main(int argumentCount, char** arguments) {
  if (argumentCount != 4) return fprintf(stderr, "usage: spinning-pwm HZ CHANNELS MS\n"), 2;
  const double hz = atof(arguments[1]);
  const uint32_t count = (uint32_t)atoi(arguments[2]);
  const uint64_t runNs = (uint64_t)atoi(arguments[3]) * 1000000u;
  struct Channel* channels = calloc(count, sizeof *channels);
  for (uint32_t i = 0; i < count; i += 1) {
    struct Channel* channel = &channels[i];
    const double duty = dutyCycleOf(i, count);
    channel->number = i;
    channel->highNs = (uint64_t)(duty * 1e9 / hz);
    channel->lowNs = (uint64_t)(1e9 / hz) - channel->highNs;
    channel->room = (size_t)(hz * (double)runNs / 1e9 * 2.5 + 64);
    channel->edges = roomForEdges(channel->room);
  }
  const uint64_t cpuBefore = processorNs();
  const uint64_t began = monotonicNs();
  for (uint32_t i = 0; i < count; i += 1) {
    channels[i].endNs = began + runNs;
    if (pthread_create(&channels[i].thread, NULL, run, &channels[i]) != 0) return perror("pthread_create"), 1;
  }
  for (uint32_t i = 0; i < count; i += 1) pthread_join(channels[i].thread, NULL);
  const double cpu = (double)(processorNs() - cpuBefore) / (double)(monotonicNs() - began);
  fprintf(stderr, "{\"cpuShare\":%.5f,\"isRealTime\":false}\n", cpu);
  for (uint32_t i = 0; i < count; i += 1) fwrite(channels[i].edges, sizeof(struct Edge), channels[i].count, stdout);
  return 0;
}
