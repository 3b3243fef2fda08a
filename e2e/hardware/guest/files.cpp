#include "files.h"

#include <fcntl.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>

void fail(const std::string& what) {
  fprintf(stderr, "virtual bench: %s: %s\n", what.c_str(), strerror(errno));
  exit(1);
}

void makeFolder(const std::string& path, mode_t mode) {
  if (mkdir(path.c_str(), mode) != 0 && errno != EEXIST) fail(path);
  // Sets the mode regardless of the umask.
  if (chmod(path.c_str(), mode) != 0 && errno != EPERM) fail(path);
}

std::string readFile(const std::string& path) {
  const int file = open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (file < 0) fail(path);
  std::string text;
  char buffer[4096];
  ssize_t count;
  while ((count = read(file, buffer, sizeof buffer)) > 0) text.append(buffer, count);
  if (count < 0) fail(path);
  close(file);
  return text;
}

void writeFile(const std::string& path, const std::string& text, int flags) {
  const int file = open(path.c_str(), O_WRONLY | O_CLOEXEC | flags, 0644);
  if (file < 0) fail(path);
  if (write(file, text.data(), text.size()) != static_cast<ssize_t>(text.size())) fail(path);
  close(file);
}

void mountAt(const char* source, const char* target, const char* type, const char* options) {
  if (mount(source, target, type, 0, options) != 0) fail(std::string("mount ") + type + " at " + target);
}

void waitFor(const std::string& path) {
  for (int tries = 0; access(path.c_str(), F_OK) != 0; tries++) {
    if (tries == 1000) fail(path + " did not appear");
    usleep(10'000);
  }
}
