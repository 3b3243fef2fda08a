/**
 * Makes outputs safe when the program that drove them is killed. It holds duplicates of their line requests, so that
 * the kernel keeps the lines as they are until they are driven here, and the folders of PWM channels, which the kernel
 * would leave on. A closed socket tells it that the program died: it drives the safe values and exits, which frees the
 * lines. A program that is stopped as a whole (SIGSTOP, a debugger, a frozen container) keeps its socket but sends no
 * beat: the safe values are driven then too, and the program finds out when it continues.
 */
#include <fcntl.h>
#include <linux/gpio.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <map>
#include <string>

#include "linux/guardian_message.h"

namespace {

using armature::GuardianMessage;
using armature::GuardianPage;

/** The first beat after a pause is noticed within this time; no output is overdue sooner. */
constexpr int kLookMs = 250;
constexpr int kAgainMs = 20;
constexpr int kTries = 50;

struct Held {
  GuardianMessage message;
  int request = -1;
  /** The last beat before it was made safe, 0 where it was not: once is enough. */
  uint32_t safeSince = 0;
};

std::map<uint32_t, Held> everything;

/** Whether the error means that there is nothing to make safe: the line is not an output yet, or its chip is gone. */
bool isNothing(int number) { return number == EPERM || number == ENODEV; }

/** @return 0, or the errno of the first part that could not be made safe */
int makeLinesSafe(const Held& held) {
  int failed = 0;
  // One by one: the kernel rejects the whole call if one line is not an output yet.
  for (int i = 0; i < 64; i += 1) {
    const uint64_t bit = uint64_t{1} << i;
    if ((held.message.mask & bit) == 0) continue;
    gpio_v2_line_values values{};
    values.mask = bit;
    values.bits = held.message.safe & bit;
    if (ioctl(held.request, GPIO_V2_LINE_SET_VALUES_IOCTL, &values) < 0 && !isNothing(errno)) failed = errno;
  }
  return failed;
}

int put(const std::string& path, const char* text) {
  const int file = open(path.c_str(), O_WRONLY | O_CLOEXEC);
  if (file < 0) return errno;
  const int failed = write(file, text, strlen(text)) < 0 ? errno : 0;
  close(file);
  return failed;
}

int makePwmSafe(const Held& held) {
  const std::string folder = held.message.folder;
  const int duty = put(folder + "/duty_cycle", "0\n");
  const int enable = put(folder + "/enable", "0\n");
  // Either of them turns it off.
  return duty == 0 || enable == 0 ? 0 : enable;
}

void takeLines(const GuardianMessage& message, int request) {
  Held& held = everything[message.held];
  if (held.request >= 0) close(held.request);
  held.message = message;
  held.request = request;
}

void release(uint32_t number) {
  const auto found = everything.find(number);
  if (found != everything.end()) {
    if (found->second.request >= 0) close(found->second.request);
    everything.erase(found);
  }
  const char done = 1;
  send(armature::kGuardianSocket, &done, 1, MSG_NOSIGNAL);
}

int makeSafe(const Held& held) {
  return held.message.kind == GuardianMessage::Kind::lines ? makeLinesSafe(held) : makePwmSafe(held);
}

/** Retries for a while what could not be made safe because its bus was disturbed. */
void makeAllSafe() {
  for (int tries = 0; !everything.empty(); tries += 1) {
    int failed = 0;
    std::erase_if(everything, [&](const auto& entry) {
      const int number = makeSafe(entry.second);
      if (number != 0) failed = number;
      return number == 0;
    });
    if (failed == 0) return;
    if (tries == kTries) {
      fprintf(stderr, "armature-guardian: an output could not be made safe: %s\n", strerror(failed));
      return;
    }
    poll(nullptr, 0, kAgainMs);
  }
}

/** Makes overdue outputs safe while no beat comes. @return ms until the next check, -1: never */
int watchBeat(GuardianPage& page) {
  if (everything.empty()) return -1;
  const uint32_t beat = page.beatMs;
  if (beat == 0) return kLookMs;
  const uint32_t silentMs = armature::beatNow() - beat;
  int nextMs = kLookMs;
  bool hasIntervened = false;
  for (auto& [number, held] : everything) {
    const uint32_t mostMs = held.message.expiryMs + armature::kSilenceMs;
    if (silentMs <= mostMs) {
      nextMs = std::min(nextMs, static_cast<int>(mostMs - silentMs) + 1);
    } else if (held.safeSince != beat) {
      if (makeSafe(held) == 0) held.safeSince = beat;
      if (held.safeSince != beat) nextMs = kAgainMs;
      hasIntervened = true;
    }
  }
  // Last, so that the outputs are safe by the time a reader sees the count change.
  if (hasIntervened) page.interventions += 1;
  return nextMs;
}

/** @return false when the other end is gone */
bool receive() {
  GuardianMessage message{};
  iovec content{&message, sizeof message};
  alignas(cmsghdr) char control[CMSG_SPACE(sizeof(int))] = {};
  msghdr packet{};
  packet.msg_iov = &content;
  packet.msg_iovlen = 1;
  packet.msg_control = control;
  packet.msg_controllen = sizeof control;
  const ssize_t length = recvmsg(armature::kGuardianSocket, &packet, MSG_CMSG_CLOEXEC);
  if (length < 0 && errno == EINTR) return true;
  if (length != static_cast<ssize_t>(sizeof message)) return false;
  message.folder[sizeof message.folder - 1] = '\0';
  int request = -1;
  const cmsghdr* header = CMSG_FIRSTHDR(&packet);
  if (header != nullptr && header->cmsg_type == SCM_RIGHTS) memcpy(&request, CMSG_DATA(header), sizeof request);
  if (message.kind == GuardianMessage::Kind::lines) takeLines(message, request);
  if (message.kind == GuardianMessage::Kind::pwm) everything[message.held].message = message;
  if (message.kind == GuardianMessage::Kind::release) release(message.held);
  return true;
}

}  // namespace

int main() {
  // A signal that ends a group of processes must not end this one before its work is done.
  for (const int number : {SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGPIPE, SIGTSTP}) signal(number, SIG_IGN);
  if (fcntl(armature::kGuardianSocket, F_SETFD, FD_CLOEXEC) < 0 ||
      fcntl(armature::kGuardianPage, F_SETFD, FD_CLOEXEC) < 0) {
    fprintf(stderr, "armature-guardian: started by the Armature server, not by hand\n");
    return 2;
  }
  // When it has to act, the computer may be busy or short of memory. Where this is not permitted, it runs without.
  const sched_param priority{50};
  sched_setscheduler(0, SCHED_FIFO, &priority);
  put("/proc/self/oom_score_adj", "-900\n");
  // It must not block unmounting of the current folder, nor have to read from a disk when it acts.
  if (chdir("/") < 0) return 1;
  mlockall(MCL_CURRENT | MCL_FUTURE);
  void* place = mmap(nullptr, sizeof(GuardianPage), PROT_READ | PROT_WRITE, MAP_SHARED, armature::kGuardianPage, 0);
  if (place == MAP_FAILED) return 1;
  auto& page = *static_cast<GuardianPage*>(place);
  while (true) {
    pollfd waiting{armature::kGuardianSocket, POLLIN, 0};
    if (poll(&waiting, 1, watchBeat(page)) > 0 && !receive()) break;
  }
  makeAllSafe();
  return 0;
}
