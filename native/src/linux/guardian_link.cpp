#include "linux/guardian_link.h"

#include <poll.h>
#include <spawn.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <map>

#include "error.h"
#include "linux/guardian_message.h"
#include "linux/os.h"

namespace armature {
namespace {

/** The guardian only closes a file before it answers. */
constexpr int kAnswerMs = 1'000;

class GuardianLink : public Guardian {
 public:
  explicit GuardianLink(std::string program) : program_(std::move(program)) { start(); }

  ~GuardianLink() override { stop(); }

  uint32_t holdLines(uint32_t held, int request, uint64_t mask, uint64_t safe) override {
    if (held == 0) held = ++last_;
    Holding& holding = holdings_[held];
    // Open until it is released: should the guardian have to be started again, it gets it once more.
    holding.request = request;
    holding.message.kind = GuardianMessage::Kind::lines;
    holding.message.held = held;
    holding.message.mask |= mask;
    holding.message.safe = safe;
    hand(holding);
    return held;
  }

  uint32_t holdPwm(const std::string& folder) override {
    last_ += 1;
    Holding& holding = holdings_[last_];
    holding.message.kind = GuardianMessage::Kind::pwm;
    holding.message.held = last_;
    if (folder.size() >= sizeof holding.message.folder) failInvalid(folder, folder + ": the path is too long");
    memcpy(holding.message.folder, folder.c_str(), folder.size() + 1);
    hand(holding);
    return last_;
  }

  void release(uint32_t held) override {
    holdings_.erase(held);
    GuardianMessage message{};
    message.kind = GuardianMessage::Kind::release;
    message.held = held;
    // A guardian that is gone holds nothing.
    if (!send(message, -1)) return;
    pollfd waiting{socket_.number(), POLLIN, 0};
    char answer = 0;
    if (poll(&waiting, 1, kAnswerMs) > 0) recv(socket_.number(), &answer, 1, 0);
  }

  void check() override {
    pollfd state{socket_.number(), 0, 0};
    if (poll(&state, 1, 0) == 0) return;
    stop();
    start();
    for (const auto& [held, holding] : holdings_) send(holding.message, holding.request);
  }

 private:
  struct Holding {
    GuardianMessage message{};
    int request = -1;
  };

  void start() {
    int ends[2];
    if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends) < 0) {
      failSystem(errno, "socketpair", program_, "starting the guardian");
    }
    File ours(ends[0]);
    const File theirs(ends[1]);
    posix_spawn_file_actions_t files;
    posix_spawn_file_actions_init(&files);
    posix_spawn_file_actions_adddup2(&files, theirs.number(), kGuardianSocket);
    posix_spawnattr_t options;
    posix_spawnattr_init(&options);
    // A session of its own: what ends the server at its terminal does not end it.
    posix_spawnattr_setflags(&options, POSIX_SPAWN_SETSID | POSIX_SPAWN_SETSIGMASK);
    sigset_t none;
    sigemptyset(&none);
    posix_spawnattr_setsigmask(&options, &none);
    char name[] = "armature-guardian";
    char* const arguments[] = {name, nullptr};
    const int failed = posix_spawn(&process_, program_.c_str(), &files, &options, arguments, environ);
    posix_spawn_file_actions_destroy(&files);
    posix_spawnattr_destroy(&options);
    if (failed != 0) failSystem(failed, "posix_spawn", program_, "starting the guardian");
    socket_ = std::move(ours);
  }

  /** It ends by itself when its socket closes. */
  void stop() {
    socket_ = File();
    int status = 0;
    while (process_ > 0 && waitpid(process_, &status, 0) < 0 && errno == EINTR) {
    }
    process_ = -1;
  }

  void hand(const Holding& holding) {
    check();
    if (send(holding.message, holding.request)) return;
    check();
    if (!send(holding.message, holding.request)) failSystem(errno, "sendmsg", program_, "telling the guardian");
  }

  bool send(const GuardianMessage& message, int file) {
    GuardianMessage copy = message;
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
    return sendmsg(socket_.number(), &packet, MSG_NOSIGNAL) == static_cast<ssize_t>(sizeof copy);
  }

  const std::string program_;
  File socket_;
  pid_t process_ = -1;
  uint32_t last_ = 0;
  std::map<uint32_t, Holding> holdings_;
};

}  // namespace

std::unique_ptr<Guardian> startGuardian(const std::string& program) { return std::make_unique<GuardianLink>(program); }

}  // namespace armature
