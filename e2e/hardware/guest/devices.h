#pragma once

#include <string>

/// Creates the bench's hardware: GPIO chips, a PWM chip on an I2C bus, ADCs on SPI.
/// @param programs folder of the bench's programs
/// @param modules folder of the kernel's modules
void startDevices(const std::string& programs, const std::string& modules);
