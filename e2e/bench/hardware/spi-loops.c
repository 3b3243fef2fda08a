/*
 * The peers of the SPI bench, which read channel 0 of an MCP3008 for a while: `open` opens and sets up the device for every
 * sample, `one` makes one transfer a sample. Prints samples and system calls.
 *   spi-loops open|one <device> <ms>
 */
#define _GNU_SOURCE
#include <fcntl.h>
#include <linux/spi/spidev.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <time.h>
#include <unistd.h>

static uint64_t nowMs(void) {
  struct timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return (uint64_t)time.tv_sec * 1000u + (uint64_t)time.tv_nsec / 1000000u;
}

static unsigned long calls = 0;

static int setUp(const char* path) {
  const int device = open(path, O_RDWR);
  uint8_t mode = 0, bits = 8;
  uint32_t speed = 1000000;
  calls += 4;
  if (device < 0 || ioctl(device, SPI_IOC_WR_MODE, &mode) < 0 || ioctl(device, SPI_IOC_WR_BITS_PER_WORD, &bits) < 0 ||
      ioctl(device, SPI_IOC_WR_MAX_SPEED_HZ, &speed) < 0) {
    perror(path);
    exit(1);
  }
  return device;
}

int main(int count, char** arguments) {
  if (count != 4) return fprintf(stderr, "usage: spi-loops open|one DEVICE MS\n"), 2;
  const int opensEach = strcmp(arguments[1], "open") == 0;
  const uint64_t end = nowMs() + (uint64_t)atoi(arguments[3]);
  unsigned long samples = 0;
  int device = opensEach ? -1 : setUp(arguments[2]);
  calls = 0;
  while (nowMs() < end) {
    if (opensEach) device = setUp(arguments[2]);
    uint8_t send[3] = {0x01, 0x80, 0x00}, receive[3];
    struct spi_ioc_transfer transfer;
    memset(&transfer, 0, sizeof transfer);
    transfer.tx_buf = (uintptr_t)send;
    transfer.rx_buf = (uintptr_t)receive;
    transfer.len = sizeof send;
    calls += 1;
    if (ioctl(device, SPI_IOC_MESSAGE(1), &transfer) < 0) return perror("SPI_IOC_MESSAGE"), 1;
    samples += 1;
    if (opensEach) close(device), calls += 1;
  }
  printf("{\"samples\":%lu,\"systemCalls\":%lu}\n", samples, calls);
  return 0;
}
