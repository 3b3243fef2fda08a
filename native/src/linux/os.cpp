#include "os.h"

#include <dirent.h>
#include <fcntl.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>

#include "error.h"

namespace armature {

File::~File() {
  if (number_ >= 0) close(number_);
}

File& File::operator=(File&& other) noexcept {
  if (this != &other) {
    if (number_ >= 0) close(number_);
    number_ = other.release();
  }
  return *this;
}

File openDevice(const std::string& path, int flags) {
  const int file = open(path.c_str(), flags | O_CLOEXEC);
  if (file < 0) {
    const int number = errno == ENODEV || errno == ENXIO ? ENOENT : errno;
    failSystem(number, "open", path, "opening it");
  }
  return File(file);
}

int ioctlAgain(int file, unsigned long request, void* argument) {
  int result = 0;
  do {
    result = ioctl(file, request, argument);
  } while (result < 0 && errno == EINTR);
  return result;
}

std::vector<std::string> namesIn(const std::string& folder, const std::string& prefix) {
  std::vector<std::string> names;
  DIR* handle = opendir(folder.c_str());
  if (handle == nullptr) return names;
  while (const dirent* entry = readdir(handle)) {
    const std::string name = entry->d_name;
    if (name.rfind(prefix, 0) == 0 && name.size() > prefix.size()) names.push_back(name);
  }
  closedir(handle);
  std::sort(names.begin(), names.end(), [](const std::string& left, const std::string& right) {
    return strverscmp(left.c_str(), right.c_str()) < 0;
  });
  return names;
}

bool readText(const std::string& path, std::string& text) {
  const File file(open(path.c_str(), O_RDONLY | O_CLOEXEC));
  if (!file.isOpen()) return false;
  char buffer[4096];
  const ssize_t length = read(file.number(), buffer, sizeof buffer);
  if (length < 0) return false;
  text.assign(buffer, static_cast<size_t>(length));
  while (!text.empty() && text.back() == '\n') text.pop_back();
  return true;
}

bool writeText(const std::string& path, const std::string& text) {
  const File file(open(path.c_str(), O_WRONLY | O_CLOEXEC));
  if (!file.isOpen()) return false;
  const std::string line = text + "\n";
  return write(file.number(), line.data(), line.size()) == static_cast<ssize_t>(line.size());
}

std::string realPath(const std::string& path) {
  char* found = realpath(path.c_str(), nullptr);
  if (found == nullptr) return "";
  const std::string result = found;
  free(found);
  return result;
}

std::string parentOf(const std::string& path) { return path.substr(0, path.rfind('/')); }

}  // namespace armature
