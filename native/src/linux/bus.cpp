#include "linux/bus.h"

#include <fcntl.h>
#include <linux/i2c-dev.h>
#include <linux/i2c.h>
#include <linux/spi/spidev.h>
#include <stdio.h>

#include <cerrno>
#include <mutex>

#include "error.h"
#include "linux/os.h"

namespace armature {
namespace {

void* pointerTo(void* value) { return value; }

class Spidev : public SpiDevice {
 public:
  Spidev(std::string device, File file, const SpiSetting& setting)
      : device_(std::move(device)), file_(std::move(file)), setting_(setting) {
    uint8_t mode = setting.mode;
    uint8_t bits = setting.bitsPerWord;
    uint32_t speed = setting.speedHz;
    apply(SPI_IOC_WR_MODE, pointerTo(&mode), "SPI_IOC_WR_MODE", "setting mode " + std::to_string(mode));
    apply(SPI_IOC_WR_BITS_PER_WORD, pointerTo(&bits), "SPI_IOC_WR_BITS_PER_WORD",
          "setting " + std::to_string(bits) + " bits per word");
    apply(SPI_IOC_WR_MAX_SPEED_HZ, pointerTo(&speed), "SPI_IOC_WR_MAX_SPEED_HZ",
          "setting " + std::to_string(speed) + " Hz");
  }

  void transfer(const std::vector<SpiPiece>& pieces) override {
    std::vector<spi_ioc_transfer> message(pieces.size());
    for (size_t i = 0; i < pieces.size(); i += 1) {
      message[i].tx_buf = reinterpret_cast<uintptr_t>(pieces[i].send);
      message[i].rx_buf = reinterpret_cast<uintptr_t>(pieces[i].receive);
      message[i].len = pieces[i].length;
      message[i].speed_hz = setting_.speedHz;
      message[i].bits_per_word = setting_.bitsPerWord;
      message[i].delay_usecs = pieces[i].delayUs;
      // On the last transfer the kernel reads it the other way round: if set, chip select would stay active.
      message[i].cs_change = pieces[i].isReleased && i + 1 < pieces.size() ? 1 : 0;
    }
    const unsigned long request = _IOC(_IOC_WRITE, SPI_IOC_MAGIC, 0, message.size() * sizeof(spi_ioc_transfer));
    const std::lock_guard lock(mutex_);
    if (ioctlAgain(file_.number(), request, message.data()) < 0) {
      const int number = errno;
      const std::string hint = number == EMSGSIZE ? " (more than the driver's buffer, see spidev.bufsiz)" : "";
      failSystem(number, "SPI_IOC_MESSAGE", device_,
                 "a message of " + std::to_string(pieces.size()) + " transfers" + hint);
    }
  }

 private:
  void apply(unsigned long request, void* value, const char* name, const std::string& what) {
    if (ioctlAgain(file_.number(), request, value) < 0) failSystem(errno, name, device_, what);
  }

  const std::string device_;
  File file_;
  const SpiSetting setting_;
  std::mutex mutex_;
};

class I2cDev : public I2cBus {
 public:
  I2cDev(std::string bus, File file) : bus_(std::move(bus)), file_(std::move(file)) {}

  void transfer(uint16_t address, const std::vector<uint8_t>& send, std::vector<uint8_t>& receive) override {
    i2c_msg messages[2]{};
    uint32_t count = 0;
    // The kernel's struct has one pointer for both directions; it does not write to data that is sent.
    if (!send.empty()) {
      messages[count] = {address, 0, static_cast<uint16_t>(send.size()), const_cast<uint8_t*>(send.data())};
      count += 1;
    }
    if (!receive.empty()) {
      messages[count] = {address, I2C_M_RD, static_cast<uint16_t>(receive.size()), receive.data()};
      count += 1;
    }
    i2c_rdwr_ioctl_data data{messages, count};
    const std::lock_guard lock(mutex_);
    if (ioctlAgain(file_.number(), I2C_RDWR, &data) < 0) {
      // Drivers report "no such device" for an address that nobody acknowledged, though the bus is still there.
      const int number = errno == ENXIO || errno == ENODEV ? EREMOTEIO : errno;
      char text[8];
      snprintf(text, sizeof text, "0x%02x", address);
      failSystem(number, "I2C_RDWR", bus_, std::string("a transfer with address ") + text);
    }
  }

 private:
  const std::string bus_;
  File file_;
  std::mutex mutex_;
};

}  // namespace

std::vector<std::string> listDevices(const std::string& root, const std::string& prefix) {
  std::vector<std::string> devices;
  for (const std::string& name : namesIn(root + "/dev", prefix)) devices.push_back(root + "/dev/" + name);
  return devices;
}

std::unique_ptr<SpiDevice> openSpidev(const std::string& device, const SpiSetting& setting) {
  return std::make_unique<Spidev>(device, openDevice(device, O_RDWR), setting);
}

std::unique_ptr<I2cBus> openI2cDev(const std::string& bus) {
  File file = openDevice(bus, O_RDWR);
  unsigned long functions = 0;
  if (ioctlAgain(file.number(), I2C_FUNCS, &functions) < 0) {
    failSystem(errno, "I2C_FUNCS", bus, "asking what it can do");
  }
  if ((functions & I2C_FUNC_I2C) == 0) {
    failSystem(EOPNOTSUPP, "I2C_FUNCS", bus, "plain I2C transfers (its adapter knows SMBus only)");
  }
  return std::make_unique<I2cDev>(bus, std::move(file));
}

}  // namespace armature
