#pragma once
#include <sys/types.h>

#include <string>
#include <vector>

namespace armature {

/** A file descriptor that we own. */
class File {
 public:
  File() = default;
  explicit File(int number) : number_(number) {}
  ~File();
  File(File&& other) noexcept : number_(other.release()) {}
  File& operator=(File&& other) noexcept;
  File(const File&) = delete;
  File& operator=(const File&) = delete;
  int number() const { return number_; }
  bool isOpen() const { return number_ >= 0; }
  int release() {
    const int number = number_;
    number_ = -1;
    return number;
  }

 private:
  int number_ = -1;
};

/** Opens a device file, close on exec. @throws `hardware.missing`, `.permission`, `.busy` */
File openDevice(const std::string& path, int flags);

/** Retries after a signal. @return as ioctl(2) */
int ioctlAgain(int file, unsigned long request, void* argument);

/** Names in a folder, sorted by the numbers in them; empty where the folder does not exist. */
std::vector<std::string> namesIn(const std::string& folder, const std::string& prefix);

/** Text of a small file without the line end. @return false with errno */
bool readText(const std::string& path, std::string& text);

/** Writes a line in one write(2), as sysfs requires. @return false with errno */
bool writeText(const std::string& path, const std::string& text);

/** Path without symbolic links, '' where there is none. */
std::string realPath(const std::string& path);

/** '/sys/a' of '/sys/a/b'. */
std::string parentOf(const std::string& path);

}  // namespace armature
