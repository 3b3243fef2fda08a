// File operations of the virtual bench's programs. A failure ends the program with a line that names the cause.
#pragma once

#include <sys/types.h>

#include <string>

/// Prints what failed, with errno. In process 1 this ends the computer, which the kernel reports on its console.
[[noreturn]] void fail(const std::string& what);
void makeFolder(const std::string& path, mode_t mode = 0755);
std::string readFile(const std::string& path);
void writeFile(const std::string& path, const std::string& text, int flags = 0);
void mountAt(const char* source, const char* target, const char* type, const char* options = "");
/// Waits until a path appears; fails after some seconds.
void waitFor(const std::string& path);
