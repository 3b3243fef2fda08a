// Process 1 of the virtual bench: makes a computer with GPIO chips, a PWM chip and an ADC out of a bare kernel, runs one
// command in it, hands back its output and exit code, and turns the computer off.
//
// The root file system is the host's, over 9p and read-only; a layer of memory above it takes every write. The share
// `bench` (a folder of the host, at /run/bench) holds `job`, strings that end with NUL:
//   C<working folder>  E<NAME=value>  A<argument>  M<folder of the kernel's modules>  P<port to forward from outside>
// and gets `exit`: the command's exit code in decimal, 128 + n where signal n ended it.

#include <dirent.h>
#include <fcntl.h>
#include <poll.h>
#include <sys/reboot.h>
#include <sys/resource.h>
#include <sys/signalfd.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <vector>

#include "devices.h"
#include "files.h"
#include "network.h"

namespace {

struct Job {
  std::string folder = "/";
  std::string modules;
  std::vector<std::string> environment;
  std::vector<std::string> arguments;
  int port = 0;
};

[[noreturn]] void turnOff() {
  sync();
  reboot(RB_POWER_OFF);
  _exit(1);
}

/// Everything writable from here on is in memory: nothing that runs here changes the host's files.
void enterWritableRoot() {
  mountAt("tmpfs", "/run", "tmpfs", "mode=0755");
  makeFolder("/run/upper");
  makeFolder("/run/work");
  makeFolder("/run/root");
  mountAt("overlay", "/run/root", "overlay", "lowerdir=/,upperdir=/run/upper,workdir=/run/work");
  if (chroot("/run/root") != 0 || chdir("/") != 0) fail("chroot into the writable root");
  mountAt("tmpfs", "/run", "tmpfs", "mode=0755");
  mountAt("proc", "/proc", "proc");
  mountAt("sysfs", "/sys", "sysfs");
  mountAt("configfs", "/sys/kernel/config", "configfs");
  mountAt("devtmpfs", "/dev", "devtmpfs");
  makeFolder("/dev/pts");
  mountAt("devpts", "/dev/pts", "devpts");
  makeFolder("/dev/shm");
  mountAt("tmpfs", "/dev/shm", "tmpfs", "mode=1777");
  for (const auto& [target, name] : {std::pair{"/proc/self/fd", "/dev/fd"}, std::pair{"/proc/self/fd/0", "/dev/stdin"},
                                     std::pair{"/proc/self/fd/1", "/dev/stdout"},
                                     std::pair{"/proc/self/fd/2", "/dev/stderr"}}) {
    if (symlink(target, name) != 0 && errno != EEXIST) fail(name);
  }
  makeFolder("/run/tmp", 01777);
  makeFolder("/run/lock", 01777);
  makeFolder("/run/bench");
  mountAt("bench", "/run/bench", "9p", "trans=virtio,version=9p2000.L,msize=131072,cache=none");
}

Job readJob() {
  Job job;
  const std::string text = readFile("/run/bench/job");
  for (size_t start = 0; start < text.size();) {
    const std::string entry = text.c_str() + start;
    start += entry.size() + 1;
    if (entry.empty()) continue;
    const std::string value = entry.substr(1);
    switch (entry[0]) {
      case 'C': job.folder = value; break;
      case 'M': job.modules = value; break;
      case 'P': job.port = atoi(value.c_str()); break;
      case 'E': job.environment.push_back(value); break;
      case 'A': job.arguments.push_back(value); break;
      default: break;
    }
  }
  if (job.arguments.empty()) fail("the job names no command");
  return job;
}

/// The port through which the host reads the command's output and sends signal numbers.
int openHostPort() {
  DIR* ports = opendir("/sys/class/virtio-ports");
  if (ports == nullptr) fail("/sys/class/virtio-ports");
  while (const dirent* entry = readdir(ports)) {
    const std::string name = entry->d_name;
    if (name[0] == '.' || readFile("/sys/class/virtio-ports/" + name + "/name") != "armature.output\n") continue;
    const int port = open(("/dev/" + name).c_str(), O_RDWR | O_CLOEXEC);
    if (port < 0) fail("/dev/" + name);
    closedir(ports);
    return port;
  }
  fail("the port armature.output is missing");
}

pid_t startCommand(const Job& job, int output) {
  const pid_t child = fork();
  if (child < 0) fail("fork");
  // Set by parent and child: a signal may be sent before the child has run.
  setpgid(child, child);
  if (child > 0) return child;
  sigset_t none;
  sigemptyset(&none);
  sigprocmask(SIG_SETMASK, &none, nullptr);
  dup2(open("/dev/null", O_RDONLY), 0);
  dup2(output, 1);
  dup2(output, 2);
  std::vector<char*> arguments, environment;
  for (const auto& argument : job.arguments) arguments.push_back(const_cast<char*>(argument.c_str()));
  for (const auto& variable : job.environment) environment.push_back(const_cast<char*>(variable.c_str()));
  arguments.push_back(nullptr);
  environment.push_back(nullptr);
  for (const auto& variable : job.environment) putenv(const_cast<char*>(variable.c_str()));
  if (chdir(job.folder.c_str()) != 0) {
    dprintf(2, "virtual bench: no folder %s: %s\n", job.folder.c_str(), strerror(errno));
    _exit(126);
  }
  execvpe(arguments[0], arguments.data(), environment.data());
  dprintf(2, "virtual bench: cannot run %s: %s\n", arguments[0], strerror(errno));
  _exit(127);
}

void passOn(int from, int port) {
  char buffer[65536];
  for (;;) {
    const ssize_t count = read(from, buffer, sizeof buffer);
    if (count <= 0) return;
    for (ssize_t sent = 0; sent < count;) {
      const ssize_t written = write(port, buffer + sent, count - sent);
      if (written < 0) return;
      sent += written;
    }
  }
}

/// Reaps every child and forwards output and signals. Returns the command's exit code.
int follow(pid_t command, int output, int port, int signals) {
  bool isPortOpen = true;
  for (;;) {
    pollfd waits[] = {{output, POLLIN, 0}, {signals, POLLIN, 0}, {isPortOpen ? port : -1, POLLIN, 0}};
    if (poll(waits, 3, -1) < 0 && errno != EINTR) fail("poll");
    if (waits[0].revents != 0) passOn(output, port);
    if ((waits[2].revents & POLLIN) != 0) {
      unsigned char number = 0;
      const ssize_t count = read(port, &number, 1);
      if (count == 1) kill(-command, number);
      isPortOpen = count > 0;
    } else if (waits[2].revents != 0) {
      isPortOpen = false;
    }
    if ((waits[1].revents & POLLIN) == 0) continue;
    signalfd_siginfo info;
    if (read(signals, &info, sizeof info) < 0 && errno != EAGAIN) fail("signalfd");
    int status = 0;
    for (pid_t ended = 0; (ended = waitpid(-1, &status, WNOHANG)) > 0;) {
      if (ended != command) continue;
      passOn(output, port);
      return WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
    }
  }
}

}  // namespace

int main(int, char** argv) {
  const std::string program = argv[0];
  const std::string programs = program.substr(0, program.rfind('/'));
  enterWritableRoot();
  const Job job = readJob();

  sigset_t children;
  sigemptyset(&children);
  sigaddset(&children, SIGCHLD);
  sigprocmask(SIG_BLOCK, &children, nullptr);
  const int signals = signalfd(-1, &children, SFD_CLOEXEC | SFD_NONBLOCK);
  if (signals < 0) fail("signalfd");
  const rlimit cores{0, 0};
  setrlimit(RLIMIT_CORE, &cores);
  if (sethostname("bench", 5) != 0) fail("sethostname");

  startNetwork(job.port);
  startDevices(programs, job.modules);

  const int port = openHostPort();
  int output[2];
  if (pipe2(output, O_CLOEXEC) != 0) fail("pipe");
  fcntl(output[0], F_SETFL, O_NONBLOCK);
  const pid_t command = startCommand(job, output[1]);
  close(output[1]);
  const int code = follow(command, output[0], port, signals);
  writeFile("/run/bench/exit", std::to_string(code), O_CREAT | O_TRUNC);
  turnOff();
}
