/* What the programs of the PWM bench hand over: every edge with its time, and their own processor time. */
#ifndef ARMATURE_BENCH_EDGES_H
#define ARMATURE_BENCH_EDGES_H
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <time.h>

struct Edge {
  uint64_t ns;
  uint32_t channel;
  uint32_t isHigh;
};

static inline uint64_t monotonicNs(void) {
  struct timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return (uint64_t)time.tv_sec * 1000000000u + (uint64_t)time.tv_nsec;
}

/* Of all threads of this process, ns. */
static inline uint64_t processorNs(void) {
  struct timespec time;
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
  return (uint64_t)time.tv_sec * 1000000000u + (uint64_t)time.tv_nsec;
}

/* Each of several channels falls at another time: no wake-up serves two of them but that of the rise. */
static inline double dutyCycleOf(size_t channel, size_t channels) {
  return channels == 1 ? 0.5 : 0.1 * (double)(channel + 1);
}

/* A page of an edge that is written the first time would make it late. */
static inline struct Edge* roomForEdges(size_t count) {
  struct Edge* room = (struct Edge*)malloc(count * sizeof(struct Edge));
  for (size_t i = 0; i < count; i += 1) room[i].ns = 0, room[i].channel = UINT32_MAX, room[i].isHigh = 0;
  return room;
}

#endif
