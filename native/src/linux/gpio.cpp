#include "linux/gpio.h"

#include <fcntl.h>
#include <linux/gpio.h>
#include <string.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>

#include "error.h"

namespace armature {
namespace {

std::string textOf(const char* field) { return std::string(field, strnlen(field, GPIO_MAX_NAME_SIZE)); }

uint64_t flagsOf(const LineSetting& line) {
  uint64_t flags = line.isOutput ? GPIO_V2_LINE_FLAG_OUTPUT : GPIO_V2_LINE_FLAG_INPUT;
  if (line.isActiveLow) flags |= GPIO_V2_LINE_FLAG_ACTIVE_LOW;
  // The kernel accepts a drive mode only for outputs, edges only for inputs.
  if (line.isOutput && line.drive == Drive::openDrain) flags |= GPIO_V2_LINE_FLAG_OPEN_DRAIN;
  if (line.isOutput && line.drive == Drive::openSource) flags |= GPIO_V2_LINE_FLAG_OPEN_SOURCE;
  if (line.bias == Bias::disabled) flags |= GPIO_V2_LINE_FLAG_BIAS_DISABLED;
  if (line.bias == Bias::pullUp) flags |= GPIO_V2_LINE_FLAG_BIAS_PULL_UP;
  if (line.bias == Bias::pullDown) flags |= GPIO_V2_LINE_FLAG_BIAS_PULL_DOWN;
  if (!line.isOutput && (line.edges == Edges::rising || line.edges == Edges::both)) {
    flags |= GPIO_V2_LINE_FLAG_EDGE_RISING;
  }
  if (!line.isOutput && (line.edges == Edges::falling || line.edges == Edges::both)) {
    flags |= GPIO_V2_LINE_FLAG_EDGE_FALLING;
  }
  return flags;
}

/** The attribute of that kind and value; added if missing. */
gpio_v2_line_config_attribute& attributeOf(gpio_v2_line_config& config, uint32_t id, uint64_t value,
                                           const std::string& chip) {
  for (uint32_t i = 0; i < config.num_attrs; i += 1) {
    gpio_v2_line_config_attribute& found = config.attrs[i];
    if (found.attr.id != id) continue;
    if (id == GPIO_V2_LINE_ATTR_ID_OUTPUT_VALUES) return found;
    if (id == GPIO_V2_LINE_ATTR_ID_DEBOUNCE ? found.attr.debounce_period_us == value : found.attr.flags == value) {
      return found;
    }
  }
  if (config.num_attrs == GPIO_V2_LINE_NUM_ATTRS_MAX) {
    failInvalid(chip, chip + ": the kernel takes at most 10 different settings in one group of lines; make two groups");
  }
  gpio_v2_line_config_attribute& made = config.attrs[config.num_attrs];
  config.num_attrs += 1;
  made.attr.id = id;
  if (id == GPIO_V2_LINE_ATTR_ID_DEBOUNCE) {
    made.attr.debounce_period_us = static_cast<uint32_t>(value);
  } else {
    made.attr.flags = value;
  }
  return made;
}

gpio_v2_line_config configOf(const std::vector<LineSetting>& settings, const std::string& chip) {
  gpio_v2_line_config config{};
  config.flags = flagsOf(settings[0]);
  for (size_t i = 0; i < settings.size(); i += 1) {
    const LineSetting& line = settings[i];
    const uint64_t bit = uint64_t{1} << i;
    const uint64_t flags = flagsOf(line);
    if (flags != config.flags) attributeOf(config, GPIO_V2_LINE_ATTR_ID_FLAGS, flags, chip).mask |= bit;
    if (line.isOutput) {
      gpio_v2_line_config_attribute& values = attributeOf(config, GPIO_V2_LINE_ATTR_ID_OUTPUT_VALUES, 0, chip);
      values.mask |= bit;
      if (line.level) values.attr.values |= bit;
    } else if (line.debounceUs > 0) {
      attributeOf(config, GPIO_V2_LINE_ATTR_ID_DEBOUNCE, line.debounceUs, chip).mask |= bit;
    }
  }
  return config;
}

LineInfo lineInfoOf(const gpio_v2_line_info& from) {
  LineInfo line;
  line.offset = from.offset;
  line.name = textOf(from.name);
  line.consumer = textOf(from.consumer);
  line.isUsed = (from.flags & GPIO_V2_LINE_FLAG_USED) != 0;
  line.isOutput = (from.flags & GPIO_V2_LINE_FLAG_OUTPUT) != 0;
  line.isActiveLow = (from.flags & GPIO_V2_LINE_FLAG_ACTIVE_LOW) != 0;
  if ((from.flags & GPIO_V2_LINE_FLAG_BIAS_PULL_UP) != 0) line.bias = Bias::pullUp;
  if ((from.flags & GPIO_V2_LINE_FLAG_BIAS_PULL_DOWN) != 0) line.bias = Bias::pullDown;
  if ((from.flags & GPIO_V2_LINE_FLAG_BIAS_DISABLED) != 0) line.bias = Bias::disabled;
  if ((from.flags & GPIO_V2_LINE_FLAG_OPEN_DRAIN) != 0) line.drive = Drive::openDrain;
  if ((from.flags & GPIO_V2_LINE_FLAG_OPEN_SOURCE) != 0) line.drive = Drive::openSource;
  return line;
}

std::string offsetsOf(const std::vector<LineSetting>& settings) {
  std::string text = settings.size() == 1 ? "line " : "lines ";
  for (size_t i = 0; i < settings.size(); i += 1) text += (i == 0 ? "" : ", ") + std::to_string(settings[i].offset);
  return text;
}

class GpioRequest : public LineRequest {
 public:
  GpioRequest(std::string chip, std::string lines, File file)
      : chip_(std::move(chip)), lines_(std::move(lines)), file_(std::move(file)) {}

  uint64_t get(uint64_t mask) override {
    gpio_v2_line_values values{};
    values.mask = mask;
    if (ioctlAgain(file_.number(), GPIO_V2_LINE_GET_VALUES_IOCTL, &values) < 0) {
      failSystem(errno, "GPIO_V2_LINE_GET_VALUES_IOCTL", chip_, "reading " + lines_);
    }
    return values.bits & mask;
  }

  void set(uint64_t mask, uint64_t bits) override {
    gpio_v2_line_values values{};
    values.mask = mask;
    values.bits = bits & mask;
    if (ioctlAgain(file_.number(), GPIO_V2_LINE_SET_VALUES_IOCTL, &values) < 0) {
      failSystem(errno, "GPIO_V2_LINE_SET_VALUES_IOCTL", chip_, "driving " + lines_);
    }
  }

  void configure(const std::vector<LineSetting>& settings) override {
    gpio_v2_line_config config = configOf(settings, chip_);
    if (ioctlAgain(file_.number(), GPIO_V2_LINE_SET_CONFIG_IOCTL, &config) < 0) {
      failSystem(errno, "GPIO_V2_LINE_SET_CONFIG_IOCTL", chip_, "changing the direction of " + lines_);
    }
  }

  int fd() const override { return file_.number(); }

  size_t readEdges(EdgeEvent* events, size_t capacity) override {
    gpio_v2_line_event buffer[64];
    size_t count = 0;
    while (count < capacity) {
      const size_t wanted = std::min(capacity - count, std::size(buffer));
      const ssize_t length = read(file_.number(), buffer, wanted * sizeof buffer[0]);
      if (length < 0 && errno == EINTR) continue;
      if (length < 0 && errno == EAGAIN) break;
      if (length < 0) failSystem(errno, "read", chip_, "reading the edges of " + lines_);
      const size_t got = static_cast<size_t>(length) / sizeof buffer[0];
      for (size_t i = 0; i < got; i += 1) {
        const bool isRising = buffer[i].id == GPIO_V2_LINE_EVENT_RISING_EDGE;
        events[count] = {buffer[i].offset, buffer[i].line_seqno, buffer[i].timestamp_ns, isRising};
        count += 1;
      }
      if (got < wanted) break;
    }
    return count;
  }

 private:
  const std::string chip_;
  const std::string lines_;
  File file_;
};

/** Names the program that holds a line, if the request failed because of it. */
[[noreturn]] void failRequest(int number, const std::string& chip, const File& file,
                              const std::vector<LineSetting>& settings) {
  std::string what = "requesting " + offsetsOf(settings);
  if (number == EBUSY) {
    for (const LineSetting& line : settings) {
      gpio_v2_line_info info{};
      info.offset = line.offset;
      if (ioctlAgain(file.number(), GPIO_V2_GET_LINEINFO_IOCTL, &info) < 0) continue;
      if ((info.flags & GPIO_V2_LINE_FLAG_USED) == 0) continue;
      const std::string holder = textOf(info.consumer);
      what += ", of which " + std::to_string(line.offset) + " is held by ";
      what += (holder.empty() ? "the kernel" : "'" + holder + "'") + ",";
    }
  }
  failSystem(number, "GPIO_V2_GET_LINE_IOCTL", chip, what);
}

}  // namespace

std::vector<ChipInfo> listGpioChips(const std::string& root) {
  std::vector<ChipInfo> chips;
  for (const std::string& name : namesIn(root + "/dev", "gpiochip")) {
    const std::string path = root + "/dev/" + name;
    const File file(open(path.c_str(), O_RDWR | O_CLOEXEC));
    ChipInfo chip;
    chip.path = path;
    chip.name = name;
    gpiochip_info info{};
    // A chip that may not be opened is listed without lines, so that the user sees it and the missing permission.
    if (file.isOpen() && ioctlAgain(file.number(), GPIO_GET_CHIPINFO_IOCTL, &info) == 0) {
      chip.label = textOf(info.label);
      chip.lines = info.lines;
    }
    const std::string device = realPath(root + "/sys/bus/gpio/devices/" + name);
    chip.id = device.empty() ? path : parentOf(device);
    // One device with several chips: their labels distinguish them.
    if (!device.empty() && namesIn(chip.id, "gpiochip").size() > 1) chip.id += ":" + chip.label;
    chips.push_back(chip);
  }
  return chips;
}

std::vector<LineInfo> listGpioLines(const std::string& chip) {
  const File file = openDevice(chip, O_RDWR);
  gpiochip_info info{};
  if (ioctlAgain(file.number(), GPIO_GET_CHIPINFO_IOCTL, &info) < 0) {
    failSystem(errno, "GPIO_GET_CHIPINFO_IOCTL", chip, "asking what it is");
  }
  std::vector<LineInfo> lines;
  for (uint32_t offset = 0; offset < info.lines; offset += 1) {
    gpio_v2_line_info line{};
    line.offset = offset;
    if (ioctlAgain(file.number(), GPIO_V2_GET_LINEINFO_IOCTL, &line) < 0) {
      failSystem(errno, "GPIO_V2_GET_LINEINFO_IOCTL", chip, "asking about line " + std::to_string(offset));
    }
    lines.push_back(lineInfoOf(line));
  }
  return lines;
}

std::unique_ptr<LineRequest> requestGpioLines(const std::string& chip, const std::string& consumer,
                                              const std::vector<LineSetting>& settings) {
  const File file = openDevice(chip, O_RDWR);
  gpiochip_info info{};
  if (ioctlAgain(file.number(), GPIO_GET_CHIPINFO_IOCTL, &info) < 0) {
    failSystem(errno, "GPIO_GET_CHIPINFO_IOCTL", chip, "asking what it is");
  }
  gpio_v2_line_request request{};
  bool hasEdges = false;
  for (const LineSetting& line : settings) {
    if (line.offset >= info.lines) {
      failInvalid(chip, chip + ": there is no line " + std::to_string(line.offset) + "; it has lines 0 to " +
                            std::to_string(info.lines - 1));
    }
    request.offsets[request.num_lines] = line.offset;
    request.num_lines += 1;
    hasEdges = hasEdges || line.edges != Edges::none;
  }
  strncpy(request.consumer, consumer.c_str(), sizeof request.consumer - 1);
  request.config = configOf(settings, chip);
  // The largest buffer that the kernel offers, whatever the number of lines.
  if (hasEdges) request.event_buffer_size = GPIO_V2_LINES_MAX * 16;
  if (ioctlAgain(file.number(), GPIO_V2_GET_LINE_IOCTL, &request) < 0) failRequest(errno, chip, file, settings);
  File lines(request.fd);
  const int flags = fcntl(lines.number(), F_GETFL);
  fcntl(lines.number(), F_SETFL, flags | O_NONBLOCK);
  return std::make_unique<GpioRequest>(chip, offsetsOf(settings), std::move(lines));
}

}  // namespace armature
