// What the programs of the virtual bench do with files. A failure ends the program with a line that names the thing.
#pragma once

#include <sys/types.h>

#include <string>

/// Prints what failed, with errno. As process 1 this ends the computer: the kernel says so on its console.
[[noreturn]] void fail(const std::string& what);
void makeFolder(const std::string& path, mode_t mode = 0755);
std::string readFile(const std::string& path);
void writeFile(const std::string& path, const std::string& text, int flags = 0);
void mountAt(const char* source, const char* target, const char* type, const char* options = "");
/// Waits until a path appears; fails after some seconds.
void waitFor(const std::string& path);
