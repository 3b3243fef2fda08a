// Asks and drives the bench's devices through the kernel's interfaces, with none of the program's own code: what a test
// compares against.
//
//   probe gpio-info CHIP              one line each: offset, in|out, free|used, name, consumer
//   probe gpio-hold CHIP OFFSET 0|1   drives a line, prints "held", holds it until standard input ends
//   probe i2c BUS ADDRESS FIRST COUNT registers of a chip, hex, read byte by byte (also where a driver has the chip)
//   probe spi DEVICE MODE HZ HEX...   one message, one transfer each (a trailing ^ lets chip select go); answers in hex
//   probe load FILE PARAMETERS        a module of the kernel; nothing happens where it is loaded

#include <fcntl.h>
#include <linux/gpio.h>
#include <linux/i2c-dev.h>
#include <linux/i2c.h>
#include <linux/spi/spidev.h>
#include <sys/ioctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <vector>

#include "files.h"

namespace {

int openDevice(const char* path) {
  const int device = open(path, O_RDWR | O_CLOEXEC);
  if (device < 0) fail(path);
  return device;
}

int gpioInfo(const char* path) {
  const int chip = openDevice(path);
  gpiochip_info chipInfo{};
  if (ioctl(chip, GPIO_GET_CHIPINFO_IOCTL, &chipInfo) != 0) fail(path);
  for (uint32_t offset = 0; offset < chipInfo.lines; offset++) {
    gpio_v2_line_info line{};
    line.offset = offset;
    if (ioctl(chip, GPIO_V2_GET_LINEINFO_IOCTL, &line) != 0) fail(path);
    printf("%u\t%s\t%s\t%s\t%s\n", offset, (line.flags & GPIO_V2_LINE_FLAG_OUTPUT) != 0 ? "out" : "in",
           (line.flags & GPIO_V2_LINE_FLAG_USED) != 0 ? "used" : "free", line.name, line.consumer);
  }
  return 0;
}

int gpioHold(const char* path, const char* offset, const char* level) {
  const int chip = openDevice(path);
  gpio_v2_line_request request{};
  request.num_lines = 1;
  request.offsets[0] = static_cast<uint32_t>(atoi(offset));
  strcpy(request.consumer, "probe");
  request.config.flags = GPIO_V2_LINE_FLAG_OUTPUT;
  request.config.num_attrs = 1;
  request.config.attrs[0].mask = 1;
  request.config.attrs[0].attr.id = GPIO_V2_LINE_ATTR_ID_OUTPUT_VALUES;
  request.config.attrs[0].attr.values = level[0] == '1' ? 1 : 0;
  if (ioctl(chip, GPIO_V2_GET_LINE_IOCTL, &request) != 0) fail(path);
  puts("held");
  fflush(stdout);
  char byte;
  while (read(0, &byte, 1) > 0) {
  }
  return 0;
}

int i2c(const char* path, const char* address, const char* first, const char* count) {
  const int bus = openDevice(path);
  // Forced, because the chip's own driver holds the address.
  if (ioctl(bus, I2C_SLAVE_FORCE, strtol(address, nullptr, 0)) != 0) fail(path);
  const long start = strtol(first, nullptr, 0);
  for (long index = 0; index < atoi(count); index++) {
    i2c_smbus_data data{};
    i2c_smbus_ioctl_data request{I2C_SMBUS_READ, static_cast<uint8_t>(start + index), I2C_SMBUS_BYTE_DATA, &data};
    if (ioctl(bus, I2C_SMBUS, &request) != 0) fail(path);
    printf("%02x", data.byte);
  }
  puts("");
  return 0;
}

int spi(const char* path, const char* modeText, const char* speed, char** texts, int count) {
  const int device = openDevice(path);
  auto mode = static_cast<uint8_t>(atoi(modeText));
  auto speedHz = static_cast<uint32_t>(atoi(speed));
  if (ioctl(device, SPI_IOC_WR_MODE, &mode) != 0 || ioctl(device, SPI_IOC_WR_MAX_SPEED_HZ, &speedHz) != 0) fail(path);
  std::vector<std::vector<uint8_t>> buffers(count);
  std::vector<spi_ioc_transfer> transfers(count);
  for (int index = 0; index < count; index++) {
    std::string text = texts[index];
    const bool letsGo = text.back() == '^';
    if (letsGo) text.pop_back();
    for (size_t at = 0; at + 1 < text.size(); at += 2)
      buffers[index].push_back(static_cast<uint8_t>(strtol(text.substr(at, 2).c_str(), nullptr, 16)));
    // The same buffer in both directions, as many programs use it.
    transfers[index].tx_buf = transfers[index].rx_buf = reinterpret_cast<uintptr_t>(buffers[index].data());
    transfers[index].len = static_cast<uint32_t>(buffers[index].size());
    transfers[index].cs_change = letsGo ? 1 : 0;
  }
  if (ioctl(device, SPI_IOC_MESSAGE(0) | static_cast<unsigned long>(count * sizeof(spi_ioc_transfer)) << _IOC_SIZESHIFT,
            transfers.data()) < 0)
    fail(path);
  for (const auto& buffer : buffers) {
    for (const uint8_t byte : buffer) printf("%02x", byte);
    puts("");
  }
  return 0;
}

int load(const char* path, const char* parameters) {
  const int file = open(path, O_RDONLY | O_CLOEXEC);
  if (file < 0 || (syscall(SYS_finit_module, file, parameters, 0) != 0 && errno != EEXIST)) fail(path);
  return 0;
}

}  // namespace

int main(int count, char** arguments) {
  const std::string verb = count > 1 ? arguments[1] : "";
  if (verb == "gpio-info" && count == 3) return gpioInfo(arguments[2]);
  if (verb == "gpio-hold" && count == 5) return gpioHold(arguments[2], arguments[3], arguments[4]);
  if (verb == "i2c" && count == 6) return i2c(arguments[2], arguments[3], arguments[4], arguments[5]);
  if (verb == "spi" && count > 5) return spi(arguments[2], arguments[3], arguments[4], arguments + 5, count - 5);
  if (verb == "load" && count == 4) return load(arguments[2], arguments[3]);
  fprintf(stderr, "usage: probe gpio-info|gpio-hold|i2c|spi|load ...\n");
  return 2;
}
