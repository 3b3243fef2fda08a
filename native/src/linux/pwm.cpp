#include "linux/pwm.h"

#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#include <cerrno>

#include "clock.h"
#include "error.h"
#include "linux/os.h"

namespace armature {
namespace {

/**
 * How long udev may take to give our group access to the files of a channel that was just exported. Less than the usual
 * expiry of outputs (500 ms), because nothing renews them meanwhile.
 */
constexpr uint64_t kExportNs = 300 * kMillisecond;

std::string channelFolder(const std::string& chip, uint32_t channel) { return chip + "/pwm" + std::to_string(channel); }

/** A channel that this program uses; unexported when its last user is gone. */
class Export {
 public:
  /** @throws where the chip refuses it */
  Export(std::string chip, uint32_t channel) : chip_(std::move(chip)), channel_(channel) {
    // Takes over a channel that a killed program left exported.
    if (access(channelFolder(chip_, channel_).c_str(), F_OK) == 0) return;
    if (!writeText(chip_ + "/export", std::to_string(channel_))) {
      failSystem(errno, "write", chip_, "exporting channel " + std::to_string(channel_));
    }
    isOurs_ = true;
  }
  ~Export() {
    if (isOurs_) writeText(chip_ + "/unexport", std::to_string(channel_));
  }
  Export(const Export&) = delete;
  Export& operator=(const Export&) = delete;

 private:
  const std::string chip_;
  const uint32_t channel_;
  bool isOurs_ = false;
};

class SysfsPwm : public PwmOutput {
 public:
  SysfsPwm(std::string chip, uint32_t channel, std::unique_ptr<Export> exported)
      : exported_(std::move(exported)), folder_(channelFolder(chip, channel)), chip_(std::move(chip)), channel_(channel) {
    const State found = read();
    periodNs_ = found.periodNs;
    dutyNs_ = found.dutyNs;
    isEnabled_ = found.isEnabled;
    // Not every driver has a polarity; an inverted one would make 0 the full power.
    std::string polarity;
    isInverted_ = readText(folder_ + "/polarity", polarity) && polarity == "inversed";
    if (!isInverted_) return;
    // The kernel changes it only on a disabled channel that has a period.
    if (isEnabled_) disable();
    if (periodNs_ != 0) setUpright();
  }

  bool set(uint64_t periodNs, uint64_t dutyNs) override {
    if (dutyNs == 0 && !isEnabled_ && isKnown_) return false;
    const uint64_t period = periodNs_;
    const uint64_t duty = dutyNs_;
    try {
      change(periodNs, dutyNs);
      if (isInverted_) setUpright();
      if (!isEnabled_) put("enable", "1", periodNs);
    } catch (const HardwareError&) {
      if (isEnabled_ && isKnown_) restore(period, duty);
      throw;
    }
    isEnabled_ = true;
    isKnown_ = true;
    return true;
  }

  State read() override {
    return {numberIn("period"), numberIn("duty_cycle"), numberIn("enable") == 1};
  }

  void off() override {
    const bool isLow = writeText(folder_ + "/duty_cycle", "0");
    if (isLow) dutyNs_ = 0;
    isKnown_ = false;
    // A channel that never had a period accepts nothing, and outputs nothing.
    if (!isLow && periodNs_ == 0 && read().periodNs == 0) return;
    disable();
    isKnown_ = true;
  }

 private:
  void disable() {
    put("enable", "0", periodNs_);
    isEnabled_ = false;
  }
  void setUpright() {
    put("polarity", "normal", periodNs_);
    isInverted_ = false;
  }
  /**
   * The kernel refuses a duty longer than the period, so the order depends on whether the period grows. The output
   * never falls to 0 in between, and no pulse is longer than the longer of the two.
   */
  void change(uint64_t periodNs, uint64_t dutyNs) {
    if (periodNs > periodNs_) {
      putPeriod(periodNs);
      putDuty(dutyNs, periodNs);
    } else {
      putDuty(dutyNs, periodNs);
      if (periodNs != periodNs_) putPeriod(periodNs);
    }
  }
  /** Undoes a change that was refused half-way. */
  void restore(uint64_t periodNs, uint64_t dutyNs) {
    try {
      change(periodNs, dutyNs);
    } catch (const HardwareError&) {
      // The caller gets the first failure, and sees that the state has changed.
      isKnown_ = false;
    }
  }
  void put(const char* name, const std::string& text, uint64_t periodNs) {
    if (writeText(folder_ + "/" + name, text)) return;
    const int number = errno;
    if (number == EBUSY) checkClock(periodNs);
    if (number != EBUSY && number != EINVAL && number != ERANGE) isKnown_ = false;
    // The files of a channel disappear when its chip is removed.
    failSystem(number == ENOENT ? ENODEV : number, "write", folder_, std::string("writing ") + text + " to " + name);
  }
  void putPeriod(uint64_t ns) {
    put("period", std::to_string(ns), ns);
    periodNs_ = ns;
  }
  void putDuty(uint64_t ns, uint64_t periodNs) {
    if (ns == dutyNs_ && isEnabled_ && isKnown_) return;
    put("duty_cycle", std::to_string(ns), periodNs);
    dutyNs_ = ns;
  }
  /** Names the channel that keeps this one from its period, if it is one of sysfs. */
  void checkClock(uint64_t periodNs) const {
    for (const std::string& name : namesIn(chip_, "pwm")) {
      const uint64_t other = strtoull(name.c_str() + strlen("pwm"), nullptr, 10);
      std::string enable;
      std::string period;
      if (other == channel_ || !readText(chip_ + "/" + name + "/enable", enable) || enable != "1") continue;
      if (!readText(chip_ + "/" + name + "/period", period)) continue;
      const uint64_t found = strtoull(period.c_str(), nullptr, 10);
      if (found != periodNs) failClock(chip_, channel_, periodNs, static_cast<uint32_t>(other), found);
    }
  }
  uint64_t numberIn(const char* name) const {
    std::string text;
    if (!readText(folder_ + "/" + name, text)) {
      failSystem(errno == ENOENT ? ENODEV : errno, "read", folder_, std::string("reading ") + name);
    }
    return strtoull(text.c_str(), nullptr, 10);
  }

  // Unexported last.
  const std::unique_ptr<Export> exported_;
  const std::string folder_;
  const std::string chip_;
  const uint32_t channel_;
  uint64_t periodNs_ = 0;
  uint64_t dutyNs_ = 0;
  bool isEnabled_ = false;
  bool isInverted_ = false;
  /** Whether every write was carried out, or refused without effect. */
  bool isKnown_ = true;
};

/** The files appear with the export, but for a moment they may still belong to root. */
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
    readText(chip.path + "/device/name", chip.name);
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
  auto exported = std::make_unique<Export>(chip, channel);
  waitUntilWritable(channelFolder(chip, channel));
  return std::make_unique<SysfsPwm>(chip, channel, std::move(exported));
}

}  // namespace armature
