#include "linux/guardian_link.h"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <map>

#include "clock.h"
#include "error.h"
#include "linux/guardian_message.h"
#include "linux/os.h"

namespace armature {
namespace {

/** Before it answers, the guardian only closes a file. */
constexpr int kAnswerMs = 1'000;
/** By then everything is safe: a guardian that does not exit is killed. */
constexpr int kEndMs = 2'000;
/** Above the descriptor numbers that the guardian expects its files at. */
constexpr int kAboveGuardians = 10;

File above(int number, const std::string& program) {
  const int moved = fcntl(number, F_DUPFD_CLOEXEC, kAboveGuardians);
  if (moved < 0) failSystem(errno, "fcntl", program, "starting the guardian");
  return File(moved);
}

/** Memory shared by both processes. */
class SharedPage {
 public:
  explicit SharedPage(const std::string& program) {
    const File made(memfd_create("armature-guardian", MFD_CLOEXEC));
    if (!made.isOpen() || ftruncate(made.number(), sizeof(GuardianPage)) < 0) {
      failSystem(errno, "memfd_create", program, "starting the guardian");
    }
    file_ = above(made.number(), program);
    void* place = mmap(nullptr, sizeof(GuardianPage), PROT_READ | PROT_WRITE, MAP_SHARED, file_.number(), 0);
    if (place == MAP_FAILED) failSystem(errno, "mmap", program, "starting the guardian");
    page_ = static_cast<GuardianPage*>(place);
  }
  ~SharedPage() { munmap(page_, sizeof(GuardianPage)); }
  SharedPage(const SharedPage&) = delete;
  SharedPage& operator=(const SharedPage&) = delete;
  int file() const { return file_.number(); }
  GuardianPage* operator->() const { return page_; }

 private:
  File file_;
  GuardianPage* page_ = nullptr;
};

/**
 * The kernel kills every process of a PID namespace, the guardian too, together with its process 1, so the guardian
 * could make nothing safe. No option of ours can change that; an init is one flag at the start of the container.
 */
void requireInit() {
  if (getpid() != 1) return;
  throw HardwareError("hardware.unsupported", "",
                      "outputs are refused, as this program is process 1 of its container: were it killed, the guardian "
                      "that makes them safe would be killed with it; start the container with an init (docker run --init, "
                      "or 'init: true' in compose)");
}

class GuardianLink : public Guardian {
 public:
  explicit GuardianLink(std::string program) : program_(std::move(program)), page_(program_) { start(); }

  ~GuardianLink() override { stop(); }

  uint32_t holdLines(uint32_t held, int request, uint64_t mask, uint64_t safe, uint64_t expiryNs) override {
    requireInit();
    if (held == 0) held = ++last_;
    Holding& holding = holdings_[held];
    // Open until it is released: a restarted guardian gets it again.
    holding.request = request;
    holding.message.kind = GuardianMessage::Kind::lines;
    holding.message.held = held;
    holding.message.mask |= mask;
    holding.message.safe = safe;
    holding.message.expiryMs = static_cast<uint32_t>(expiryNs / kMillisecond);
    hand(held);
    holding.isHeld = true;
    return held;
  }

  uint32_t holdPwm(const std::string& folder, uint64_t expiryNs) override {
    requireInit();
    if (folder.size() >= sizeof GuardianMessage::folder) failInvalid(folder, folder + ": the path is too long");
    last_ += 1;
    Holding& holding = holdings_[last_];
    holding.message.kind = GuardianMessage::Kind::pwm;
    holding.message.held = last_;
    holding.message.expiryMs = static_cast<uint32_t>(expiryNs / kMillisecond);
    memcpy(holding.message.folder, folder.c_str(), folder.size() + 1);
    hand(last_);
    holding.isHeld = true;
    return last_;
  }

  void release(uint32_t held) override {
    holdings_.erase(held);
    Holding gone;
    gone.message.kind = GuardianMessage::Kind::release;
    gone.message.held = held;
    char answer = 0;
    // Discards answers that came after their wait had timed out.
    while (recv(socket_.number(), &answer, 1, MSG_DONTWAIT) > 0) {
    }
    // A guardian that is gone holds nothing.
    if (!send(gone)) return;
    pollfd waiting{socket_.number(), POLLIN, 0};
    if (poll(&waiting, 1, kAnswerMs) > 0 && recv(socket_.number(), &answer, 1, 0) == 1) return;
    // A guardian that hangs guards nothing: the next check starts another.
    end();
    stop();
  }

  void check() override {
    pollfd state{socket_.number(), 0, 0};
    if (socket_.isOpen() && poll(&state, 1, 0) == 0) return;
    isThere_ = false;
    stop();
    start();
    isThere_ = true;
  }
  bool isThere() const override { return isThere_; }

  void beat(bool isOn) override { page_->beatMs = isOn ? beatNow() : 0; }
  uint32_t interventions() const override { return page_->interventions; }

 private:
  struct Holding {
    GuardianMessage message{};
    int request = -1;
    /** Whether the guardian has it. */
    bool isHeld = false;
  };

  void start() {
    int ends[2];
    if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends) < 0) {
      failSystem(errno, "socketpair", program_, "starting the guardian");
    }
    socket_ = File(ends[0]);
    const File theirs(ends[1]);
    // A guardian that hangs must not make this program hang.
    const timeval most{kAnswerMs / 1000, 0};
    setsockopt(socket_.number(), SOL_SOCKET, SO_SNDTIMEO, &most, sizeof most);
    // Everything that the previous guardian held is already queued for it, so that it guards that from its first
    // moment.
    auto holding = holdings_.begin();
    while (holding != holdings_.end() && send(holding->second, MSG_DONTWAIT)) ++holding;
    spawn(theirs);
    for (; holding != holdings_.end(); ++holding) {
      if (!send(holding->second)) failSystem(errno, "sendmsg", program_, "telling the guardian");
    }
  }

  void spawn(const File& theirLow) {
    const File theirs = above(theirLow.number(), program_);
    posix_spawn_file_actions_t files;
    posix_spawn_file_actions_init(&files);
    posix_spawn_file_actions_adddup2(&files, theirs.number(), kGuardianSocket);
    posix_spawn_file_actions_adddup2(&files, page_.file(), kGuardianPage);
    posix_spawnattr_t options;
    posix_spawnattr_init(&options);
    // Its own session: a signal from the server's terminal does not end it.
    posix_spawnattr_setflags(&options, POSIX_SPAWN_SETSID | POSIX_SPAWN_SETSIGMASK);
    sigset_t none;
    sigemptyset(&none);
    posix_spawnattr_setsigmask(&options, &none);
    char name[] = "armature-guardian";
    char* const arguments[] = {name, nullptr};
    const int failed = posix_spawn(&process_, program_.c_str(), &files, &options, arguments, environ);
    posix_spawn_file_actions_destroy(&files);
    posix_spawnattr_destroy(&options);
    if (failed == 0) return;
    process_ = -1;
    socket_ = File();
    failSystem(failed, "posix_spawn", program_, "starting the guardian");
  }

  /** It exits by itself when its socket closes, unless it was stopped. */
  void stop() {
    socket_ = File();
    const uint64_t late = nowNs() + kEndMs * kMillisecond;
    while (process_ > 0 && waitpid(process_, nullptr, WNOHANG) == 0) {
      if (nowNs() > late) end();
      sleepUntil(nowNs() + kMillisecond / 2);
    }
    process_ = -1;
  }

  void end() const {
    if (process_ > 0) kill(process_, SIGKILL);
  }

  /** A holding that could not be handed over is dropped, because nobody would release it. */
  void hand(uint32_t held) {
    const Holding& holding = holdings_[held];
    try {
      check();
      if (send(holding)) return;
      check();
      if (!send(holding)) failSystem(errno, "sendmsg", program_, "telling the guardian");
    } catch (const HardwareError&) {
      if (!holding.isHeld) holdings_.erase(held);
      throw;
    }
  }

  bool send(const Holding& holding, int flags = 0) {
    GuardianMessage copy = holding.message;
    const int file = holding.request;
    iovec content{&copy, sizeof copy};
    alignas(cmsghdr) char control[CMSG_SPACE(sizeof(int))] = {};
    msghdr packet{};
    packet.msg_iov = &content;
    packet.msg_iovlen = 1;
    if (file >= 0) {
      packet.msg_control = control;
      packet.msg_controllen = sizeof control;
      cmsghdr* header = CMSG_FIRSTHDR(&packet);
      header->cmsg_level = SOL_SOCKET;
      header->cmsg_type = SCM_RIGHTS;
      header->cmsg_len = CMSG_LEN(sizeof(int));
      memcpy(CMSG_DATA(header), &file, sizeof file);
    }
    return sendmsg(socket_.number(), &packet, MSG_NOSIGNAL | flags) == static_cast<ssize_t>(sizeof copy);
  }

  const std::string program_;
  const SharedPage page_;
  File socket_;
  pid_t process_ = -1;
  bool isThere_ = true;
  uint32_t last_ = 0;
  std::map<uint32_t, Holding> holdings_;
};

}  // namespace

std::unique_ptr<Guardian> startGuardian(const std::string& program) { return std::make_unique<GuardianLink>(program); }

}  // namespace armature
