#include "devices.h"

#include <fcntl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <vector>

#include "files.h"

namespace {

/// See kernel document admin-guide/gpio/gpio-sim.rst.
void makeGpioChip(const std::string& name, const std::vector<const char*>& lines, size_t count) {
  const std::string device = "/sys/kernel/config/gpio-sim/" + name;
  const std::string bank = device + "/bank";
  makeFolder(device);
  makeFolder(bank);
  writeFile(bank + "/num_lines", std::to_string(count));
  writeFile(bank + "/label", "armature-" + name);
  for (size_t offset = 0; offset < lines.size(); offset++) {
    const std::string line = bank + "/line" + std::to_string(offset);
    makeFolder(line);
    writeFile(line + "/name", lines[offset]);
  }
  writeFile(device + "/live", "1");
}

void loadModule(const std::string& path, const char* parameters) {
  const int file = open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (file < 0 || syscall(SYS_finit_module, file, parameters, 0) != 0) fail(path);
  close(file);
}

/// See kernel document i2c/i2c-stub.rst: a bus whose chips are tables of registers; a driver finds its chip there.
void makePwmChip(const std::string& modules) {
  loadModule(modules + "/i2c-stub.ko", "chip_addr=0x40");
  waitFor("/sys/bus/i2c/devices/i2c-0/new_device");
  writeFile("/sys/bus/i2c/devices/i2c-0/new_device", "pca9685 0x40");
  waitFor("/sys/class/pwm/pwmchip0");
}

void makeAdc(const std::string& programs, const char* device, const char* chip) {
  const std::string program = programs + "/spi-adc";
  const std::string state = std::string("/run/armature/") + device;
  const pid_t child = fork();
  if (child < 0) fail("fork");
  if (child == 0) {
    execl(program.c_str(), program.c_str(), device, chip, state.c_str(), nullptr);
    fail(program);
  }
  waitFor(std::string("/dev/") + device);
}

}  // namespace

void startDevices(const std::string& programs, const std::string& modules) {
  makeGpioChip("bench",
               {"MOTOR_IN1", "MOTOR_IN2", "MOTOR_PWM", "MOTOR_EN", "ENCODER_A", "ENCODER_B", "BUTTON", "LED", "SERVO"},
               32);
  makeGpioChip("expansion", {"EXP0", "EXP1", "EXP2", "EXP3"}, 8);
  makePwmChip(modules);
  makeFolder("/run/armature");
  makeAdc(programs, "spidev0.0", "mcp3008");
  makeAdc(programs, "spidev0.1", "mcp3208");
}
