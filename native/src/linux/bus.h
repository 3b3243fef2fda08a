#pragma once
#include "backend.h"

namespace armature {

/** SPI by /dev/spidev (kernel: Documentation/spi/spidev), I2C by /dev/i2c (Documentation/i2c/dev-interface). */
std::vector<std::string> listDevices(const std::string& root, const std::string& prefix);
std::unique_ptr<SpiDevice> openSpidev(const std::string& device, const SpiSetting& setting);
std::unique_ptr<I2cBus> openI2cDev(const std::string& bus);

}  // namespace armature
