#include "linux/pwm.h"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>

#include "clock.h"
#include "error.h"
#include "linux/os.h"

namespace armature {
namespace {

/**
 * How long udev may take to give the files of a channel that was just exported to our group. Less than outputs live
 * without a renewal (500 ms, mostly): none comes meanwhile.
 */
constexpr uint64_t kExportNs = 300 * kMillisecond;

class SysfsPwm : public PwmOutput {
 public:
  SysfsPwm(std::string folder, std::string chip, uint32_t channel, bool isExportedByUs)
      : folder_(std::move(folder)), chip_(std::move(chip)), channel_(channel), isExportedByUs_(isExportedByUs) {
    const State found = read();
    periodNs_ = found.periodNs;
    dutyNs_ = found.dutyNs;
    isEnabled_ = found.isEnabled;
    // Not every driver has a polarity; one that is inverted would make 0 the full power.
    std::string polarity;
    if (!isEnabled_ && readText(folder_ + "/polarity", polarity) && polarity == "inversed") put("polarity", "normal");
  }

  ~SysfsPwm() override {
    if (isExportedByUs_) writeText(chip_ + "/unexport", std::to_string(channel_));
  }

  void set(uint64_t periodNs, uint64_t dutyNs) override {
    // The kernel refuses a duty longer than the period, so the order depends on which way the period goes. The output
    // never falls to 0 in between, and no pulse is longer than the longer of both.
    if (periodNs > periodNs_) {
      putPeriod(periodNs);
      putDuty(dutyNs);
    } else {
      putDuty(dutyNs);
      if (periodNs != periodNs_) putPeriod(periodNs);
    }
    if (!isEnabled_) {
      put("enable", "1");
      isEnabled_ = true;
    }
  }

  State read() override {
    return {numberIn("period"), numberIn("duty_cycle"), numberIn("enable") == 1};
  }

  void off() override {
    putDuty(0);
    put("enable", "0");
    isEnabled_ = false;
  }

 private:
  void put(const char* name, const std::string& text) {
    if (!writeText(folder_ + "/" + name, text)) {
      // A channel whose chip was removed loses its files.
      const int number = errno == ENOENT ? ENODEV : errno;
      failSystem(number, "write", folder_, std::string("writing ") + text + " to " + name);
    }
  }
  void putPeriod(uint64_t ns) {
    put("period", std::to_string(ns));
    periodNs_ = ns;
  }
  void putDuty(uint64_t ns) {
    if (ns == dutyNs_ && isEnabled_) return;
    put("duty_cycle", std::to_string(ns));
    dutyNs_ = ns;
  }
  uint64_t numberIn(const char* name) {
    std::string text;
    if (!readText(folder_ + "/" + name, text)) {
      failSystem(errno == ENOENT ? ENODEV : errno, "read", folder_, std::string("reading ") + name);
    }
    return strtoull(text.c_str(), nullptr, 10);
  }

  const std::string folder_;
  const std::string chip_;
  const uint32_t channel_;
  const bool isExportedByUs_;
  uint64_t periodNs_ = 0;
  uint64_t dutyNs_ = 0;
  bool isEnabled_ = false;
};

/** The files appear with the export, but for a moment they may still belong to root alone. */
void waitUntilWritable(const std::string& folder) {
  const uint64_t end = nowNs() + kExportNs;
  while (access((folder + "/duty_cycle").c_str(), W_OK) != 0) {
    const int number = errno;
    if (nowNs() > end) failSystem(number, "access", folder, "using the channel");
    sleepUntil(nowNs() + 5 * kMillisecond);
  }
}

}  // namespace

std::vector<PwmChipInfo> listPwmChips(const std::string& root) {
  std::vector<PwmChipInfo> chips;
  const std::string folder = root + "/sys/class/pwm";
  for (const std::string& name : namesIn(folder, "pwmchip")) {
    PwmChipInfo chip;
    chip.path = folder + "/" + name;
    const std::string device = realPath(chip.path + "/device");
    chip.id = device.empty() ? chip.path : device;
    std::string count;
    if (readText(chip.path + "/npwm", count)) {
      chip.channels = static_cast<uint32_t>(strtoul(count.c_str(), nullptr, 10));
    }
    chips.push_back(chip);
  }
  return chips;
}

std::unique_ptr<PwmOutput> openSysfsPwm(const std::string& chip, uint32_t channel) {
  std::string count;
  if (!readText(chip + "/npwm", count)) failSystem(errno, "open", chip, "opening the pwmchip");
  const unsigned long channels = strtoul(count.c_str(), nullptr, 10);
  if (channel >= channels) {
    failInvalid(chip, chip + ": there is no channel " + std::to_string(channel) + "; it has " + count);
  }
  const std::string folder = chip + "/pwm" + std::to_string(channel);
  // What a killed program left exported is taken over.
  const bool wasExported = access(folder.c_str(), F_OK) == 0;
  if (!wasExported && !writeText(chip + "/export", std::to_string(channel))) {
    failSystem(errno, "write", chip, "exporting channel " + std::to_string(channel));
  }
  waitUntilWritable(folder);
  return std::make_unique<SysfsPwm>(folder, chip, channel, !wasExported);
}

}  // namespace armature
