#include "network.h"

#include <arpa/inet.h>
#include <fcntl.h>
#include <net/if.h>
#include <net/route.h>
#include <poll.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <utility>

#include "files.h"

namespace {

const char* const OUTSIDE = "10.0.2.15";
/// Not the machine's own port: its server may listen on every address.
const int OUTSIDE_PORT = 1;

sockaddr_in addressOf(const char* text, int port = 0) {
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_port = htons(static_cast<uint16_t>(port));
  inet_pton(AF_INET, text, &address.sin_addr);
  return address;
}

template <typename T>
void setAddress(T& place, const char* text) {
  const sockaddr_in address = addressOf(text);
  memcpy(&place, &address, sizeof address);
}

void bringUp(int socket, const char* interface, const char* address, const char* mask) {
  ifreq request{};
  strncpy(request.ifr_name, interface, IFNAMSIZ - 1);
  setAddress(request.ifr_addr, address);
  if (ioctl(socket, SIOCSIFADDR, &request) != 0) fail(interface);
  setAddress(request.ifr_netmask, mask);
  if (ioctl(socket, SIOCSIFNETMASK, &request) != 0) fail(interface);
  request.ifr_flags = IFF_UP | IFF_RUNNING;
  if (ioctl(socket, SIOCSIFFLAGS, &request) != 0) fail(interface);
}

/// One connection: forwards bytes in both directions until one side closes.
void join(int outside, int inside) {
  char buffer[65536];
  pollfd sides[] = {{outside, POLLIN, 0}, {inside, POLLIN, 0}};
  while (sides[0].fd >= 0 || sides[1].fd >= 0) {
    if (poll(sides, 2, -1) < 0) return;
    for (const auto& [from, to] : {std::pair{0, inside}, std::pair{1, outside}}) {
      if (sides[from].fd < 0 || sides[from].revents == 0) continue;
      const ssize_t count = read(sides[from].fd, buffer, sizeof buffer);
      if (count < 0) return;
      if (count == 0) {
        sides[from].fd = -1;
        shutdown(to, SHUT_WR);
        continue;
      }
      for (ssize_t sent = 0; sent < count;) {
        const ssize_t written = send(to, buffer + sent, count - sent, MSG_NOSIGNAL);
        if (written < 0) return;
        sent += written;
      }
    }
  }
}

void forward(int port) {
  const int listener = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  const int yes = 1;
  setsockopt(listener, SOL_SOCKET, SO_REUSEADDR, &yes, sizeof yes);
  const sockaddr_in here = addressOf(OUTSIDE, OUTSIDE_PORT);
  if (bind(listener, reinterpret_cast<const sockaddr*>(&here), sizeof here) != 0 || listen(listener, 64) != 0)
    fail("forwarding");
  const pid_t child = fork();
  if (child < 0) fail("fork");
  if (child > 0) {
    close(listener);
    return;
  }
  signal(SIGCHLD, SIG_IGN);
  const sockaddr_in machine = addressOf("127.0.0.1", port);
  for (;;) {
    const int outside = accept(listener, nullptr, nullptr);
    if (outside < 0) continue;
    if (fork() == 0) {
      const int inside = socket(AF_INET, SOCK_STREAM, 0);
      // Before the server listens, callers are refused as they would be without this forwarding.
      if (connect(inside, reinterpret_cast<const sockaddr*>(&machine), sizeof machine) == 0) join(outside, inside);
      _exit(0);
    }
    close(outside);
  }
}

}  // namespace

void startNetwork(int port) {
  const int control = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
  if (control < 0) fail("socket");
  bringUp(control, "lo", "127.0.0.1", "255.0.0.0");
  if (if_nametoindex("eth0") != 0) {
    bringUp(control, "eth0", OUTSIDE, "255.255.255.0");
    rtentry route{};
    setAddress(route.rt_dst, "0.0.0.0");
    setAddress(route.rt_genmask, "0.0.0.0");
    setAddress(route.rt_gateway, "10.0.2.2");
    route.rt_flags = RTF_UP | RTF_GATEWAY;
    if (ioctl(control, SIOCADDRT, &route) != 0) fail("route");
    if (port != 0) forward(port);
  }
  close(control);
}
