#pragma once
#include <pthread.h>

#include "clock.h"

namespace armature {

/**
 * A lock with one condition. Its holder runs at the priority of its waiters (priority inheritance), which std::mutex
 * does not offer: otherwise a preempted JavaScript thread would block the real-time thread.
 */
class Monitor {
 public:
  Monitor() {
    pthread_mutexattr_t mutexOptions;
    pthread_mutexattr_init(&mutexOptions);
    pthread_mutexattr_setprotocol(&mutexOptions, PTHREAD_PRIO_INHERIT);
    pthread_mutex_init(&mutex_, &mutexOptions);
    pthread_mutexattr_destroy(&mutexOptions);
    pthread_condattr_t options;
    pthread_condattr_init(&options);
    pthread_condattr_setclock(&options, CLOCK_MONOTONIC);
    pthread_cond_init(&changed_, &options);
    pthread_condattr_destroy(&options);
  }
  ~Monitor() {
    pthread_cond_destroy(&changed_);
    pthread_mutex_destroy(&mutex_);
  }
  Monitor(const Monitor&) = delete;
  Monitor& operator=(const Monitor&) = delete;

  void lock() { pthread_mutex_lock(&mutex_); }
  /** @return whether the lock was free */
  bool try_lock() { return pthread_mutex_trylock(&mutex_) == 0; }
  void unlock() { pthread_mutex_unlock(&mutex_); }
  void notify() { pthread_cond_broadcast(&changed_); }
  /** Waits until then, with the lock held by the caller. May return early. */
  void waitUntil(uint64_t ns) {
    if (ns == kNever) {
      pthread_cond_wait(&changed_, &mutex_);
      return;
    }
    const timespec time = toTimespec(ns);
    pthread_cond_timedwait(&changed_, &mutex_, &time);
  }

 private:
  pthread_mutex_t mutex_;
  pthread_cond_t changed_;
};

}  // namespace armature
