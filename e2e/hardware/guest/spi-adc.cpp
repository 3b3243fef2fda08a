// Answers as /dev/spidevB.C with an ADC of Microchip's MCP3x0y family behind it: spidev's ioctls over CUSE (character
// devices by a program), the chip bit by bit.
//
//   spi-adc spidev0.0 mcp3008 STATE
//
// STATE is a file of 64 bytes, little endian, that others read and write while this runs:
//   0   8 x u16  raw value of each channel
//   16  u32      SPI_IOC_MESSAGE calls answered
//   20  u32      transfers in them
//   24  u32      conversions read out to the last bit
//   28  u32      clock of the last transfer, Hz
//   32  u32      mode
// Sources: MCP3004/3008 DS21295, MCP3002 DS21294, MCP3204/3208 DS21298, MCP3202 DS21034; kernel documents spi/spidev.rst
// and filesystems/fuse.rst, <linux/fuse.h>, <linux/spi/spidev.h>.

#include <fcntl.h>
#include <linux/fuse.h>
#include <linux/spi/spidev.h>
#include <sys/mman.h>
#include <sys/uio.h>
#include <unistd.h>

#include <cerrno>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <string>
#include <vector>

#include "files.h"
#include "mcp3xxx.h"

namespace {

/// The limit of the kernel's own driver for one message (parameter `bufsiz`).
const size_t MESSAGE_LIMIT = 4096;
/// FUSE_IOCTL_MAX_IOV of fs/fuse/ioctl.c.
const size_t VECTOR_LIMIT = 256;

struct Device {
  Adc adc;
  AdcState* state;
  uint8_t bitsPerWord = 8;
  uint8_t isLsbFirst = 0;
  uint32_t mode = SPI_MODE_0;
  uint32_t speedHz = 1'000'000;
  bool isSelected = false;
};

int control = -1;

void answer(uint64_t unique, int error, const void* body = nullptr, size_t size = 0, const void* more = nullptr,
            size_t moreSize = 0) {
  fuse_out_header header{};
  header.len = static_cast<uint32_t>(sizeof header + size + moreSize);
  header.error = -error;
  header.unique = unique;
  iovec parts[] = {{&header, sizeof header}, {const_cast<void*>(body), size}, {const_cast<void*>(more), moreSize}};
  // ENOENT: a signal has interrupted the caller meanwhile.
  if (writev(control, parts, 3) < 0 && errno != ENOENT) fail("/dev/cuse");
}

void answerInit(uint64_t unique, const char* name) {
  cuse_init_out reply{};
  reply.major = FUSE_KERNEL_VERSION;
  reply.minor = FUSE_KERNEL_MINOR_VERSION;
  // The transfers of a message point to buffers of the caller.
  reply.flags = CUSE_UNRESTRICTED_IOCTL;
  reply.max_read = reply.max_write = 65536;
  const std::string text = std::string("DEVNAME=") + name;
  answer(unique, 0, &reply, sizeof reply, text.c_str(), text.size() + 1);
}

/// Asks the kernel to repeat the request with these parts of the caller's memory as input (and output).
class Retry {
 public:
  void read(uint64_t address, size_t size) { add(in_, address, size); }
  void write(uint64_t address, size_t size) { add(out_, address, size); }
  void send(uint64_t unique) const {
    if (in_.size() + out_.size() > VECTOR_LIMIT) return answer(unique, EMSGSIZE);
    fuse_ioctl_out reply{};
    reply.flags = FUSE_IOCTL_RETRY;
    reply.in_iovs = static_cast<uint32_t>(in_.size());
    reply.out_iovs = static_cast<uint32_t>(out_.size());
    std::vector<fuse_ioctl_iovec> all(in_);
    all.insert(all.end(), out_.begin(), out_.end());
    answer(unique, 0, &reply, sizeof reply, all.data(), all.size() * sizeof all[0]);
  }

 private:
  /// Merges buffers that are adjacent in memory: batches are longer than the kernel's list.
  static void add(std::vector<fuse_ioctl_iovec>& list, uint64_t address, size_t size) {
    if (size == 0) return;
    if (!list.empty() && list.back().base + list.back().len == address) list.back().len += size;
    else list.push_back({address, size});
  }
  std::vector<fuse_ioctl_iovec> in_, out_;
};

void answerIoctl(uint64_t unique, const void* data, size_t size) {
  fuse_ioctl_out reply{};
  answer(unique, 0, &reply, sizeof reply, data, size);
}

template <typename T, typename Accepts>
void setting(uint64_t unique, const fuse_ioctl_in& request, const uint8_t* data, T& value, bool isRead,
             Accepts accepts) {
  Retry retry;
  if (isRead) {
    if (request.out_size >= sizeof value) return answerIoctl(unique, &value, sizeof value);
    retry.write(request.arg, sizeof value);
    return retry.send(unique);
  }
  if (request.in_size < sizeof value) {
    retry.read(request.arg, sizeof value);
    return retry.send(unique);
  }
  T wanted;
  memcpy(&wanted, data, sizeof wanted);
  if (!accepts(wanted)) return answer(unique, EINVAL);
  value = wanted;
  answerIoctl(unique, nullptr, 0);
}

bool isWholeBytes(const spi_ioc_transfer& transfer) { return transfer.bits_per_word == 0 || transfer.bits_per_word == 8; }

/// Chip select stays active through a message, except after a transfer with cs_change.
void run(Device& device, const std::vector<spi_ioc_transfer>& transfers, const uint8_t* sent,
         std::vector<uint8_t>& received) {
  if (!device.isSelected) device.adc.select();
  for (const auto& transfer : transfers) {
    for (size_t index = 0; index < transfer.len; index++) {
      const uint8_t result = device.adc.exchange(transfer.tx_buf == 0 ? 0 : *sent++, device.mode & SPI_MODE_3);
      if (transfer.rx_buf != 0) received.push_back(result);
    }
    // On the last transfer cs_change means the opposite: the chip stays selected until the next message.
    if (transfer.cs_change != 0 && &transfer != &transfers.back()) device.adc.select();
    device.state->speedHz = transfer.speed_hz == 0 ? device.speedHz : transfer.speed_hz;
  }
  device.isSelected = !transfers.empty() && transfers.back().cs_change != 0;
  device.state->messages++;
  device.state->transfers += static_cast<uint32_t>(transfers.size());
}

void message(uint64_t unique, const fuse_ioctl_in& request, const uint8_t* data, Device& device) {
  const size_t size = _IOC_SIZE(request.cmd);
  if (size % sizeof(spi_ioc_transfer) != 0) return answer(unique, EINVAL);
  Retry retry;
  retry.read(request.arg, size);
  if (request.in_size < size) return retry.send(unique);
  std::vector<spi_ioc_transfer> transfers(size / sizeof(spi_ioc_transfer));
  memcpy(transfers.data(), data, size);
  size_t sends = 0, receives = 0;
  for (const auto& transfer : transfers) {
    if (!isWholeBytes(transfer) || device.bitsPerWord != 8) return answer(unique, EINVAL);
    if (transfer.tx_buf != 0) sends += transfer.len;
    if (transfer.rx_buf != 0) receives += transfer.len;
    if (transfer.len > MESSAGE_LIMIT || sends > MESSAGE_LIMIT || receives > MESSAGE_LIMIT)
      return answer(unique, EMSGSIZE);
  }
  if (request.in_size != size + sends || request.out_size != receives) {
    for (const auto& transfer : transfers) {
      if (transfer.tx_buf != 0) retry.read(transfer.tx_buf, transfer.len);
      if (transfer.rx_buf != 0) retry.write(transfer.rx_buf, transfer.len);
    }
    return retry.send(unique);
  }
  std::vector<uint8_t> received;
  received.reserve(receives);
  run(device, transfers, data + size, received);
  fuse_ioctl_out reply{};
  size_t total = 0;
  for (const auto& transfer : transfers) total += transfer.len;
  reply.result = static_cast<int32_t>(total);
  answer(unique, 0, &reply, sizeof reply, received.data(), received.size());
}

void ioctl(uint64_t unique, const fuse_ioctl_in& request, const uint8_t* data, Device& device) {
  const auto any = [](auto) { return true; };
  const bool isRead = (_IOC_DIR(request.cmd) & _IOC_READ) != 0;
  if (_IOC_TYPE(request.cmd) != SPI_IOC_MAGIC) return answer(unique, ENOTTY);
  const auto isMode = [](auto mode) { return (mode & ~static_cast<uint32_t>(SPI_MODE_3)) == 0; };
  switch (request.cmd) {
    case SPI_IOC_RD_MODE:
    case SPI_IOC_WR_MODE: {
      auto mode = static_cast<uint8_t>(device.mode);
      setting(unique, request, data, mode, isRead, isMode);
      device.mode = mode;
      break;
    }
    case SPI_IOC_RD_MODE32:
    case SPI_IOC_WR_MODE32:
      setting(unique, request, data, device.mode, isRead, isMode);
      break;
    case SPI_IOC_RD_LSB_FIRST:
    case SPI_IOC_WR_LSB_FIRST:
      return setting(unique, request, data, device.isLsbFirst, isRead, [](uint8_t value) { return value == 0; });
    case SPI_IOC_RD_BITS_PER_WORD:
    case SPI_IOC_WR_BITS_PER_WORD:
      setting(unique, request, data, device.bitsPerWord, isRead, [](uint8_t bits) { return bits == 0 || bits == 8; });
      if (device.bitsPerWord == 0) device.bitsPerWord = 8;
      return;
    case SPI_IOC_RD_MAX_SPEED_HZ:
    case SPI_IOC_WR_MAX_SPEED_HZ:
      return setting(unique, request, data, device.speedHz, isRead, any);
    default:
      if (_IOC_NR(request.cmd) == 0 && !isRead) return message(unique, request, data, device);
      return answer(unique, ENOTTY);
  }
  device.state->mode = device.mode;
}

/// read() and write() are messages of one transfer, in one direction.
void readOrWrite(const fuse_in_header& header, const uint8_t* body, Device& device) {
  // Both begin with the same fields: handle, offset, size.
  fuse_read_in request;
  memcpy(&request, body, sizeof request);
  if (request.size > MESSAGE_LIMIT) return answer(header.unique, EMSGSIZE);
  spi_ioc_transfer transfer{};
  transfer.len = request.size;
  std::vector<uint8_t> received;
  if (header.opcode == FUSE_WRITE) {
    transfer.tx_buf = 1;
    run(device, {transfer}, body + sizeof(fuse_write_in), received);
    fuse_write_out reply{};
    reply.size = request.size;
    return answer(header.unique, 0, &reply, sizeof reply);
  }
  transfer.rx_buf = 1;
  run(device, {transfer}, nullptr, received);
  answer(header.unique, 0, received.data(), received.size());
}

AdcState* openState(const char* path) {
  const int file = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0666);
  if (file < 0 || ftruncate(file, sizeof(AdcState)) != 0) fail(path);
  void* memory = mmap(nullptr, sizeof(AdcState), PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
  if (memory == MAP_FAILED) fail(path);
  close(file);
  return static_cast<AdcState*>(memory);
}

}  // namespace

int main(int count, char** arguments) {
  const AdcChip* chip = count == 4 ? findAdcChip(arguments[2]) : nullptr;
  if (chip == nullptr) {
    fprintf(stderr, "usage: spi-adc spidevB.C mcp3002|mcp3004|mcp3008|mcp3202|mcp3204|mcp3208 STATE\n");
    return 2;
  }
  AdcState* state = openState(arguments[3]);
  Device device{Adc(*chip, *state), state};
  control = open("/dev/cuse", O_RDWR | O_CLOEXEC);
  if (control < 0) fail("/dev/cuse");
  std::vector<uint8_t> buffer(256 * 1024);
  for (;;) {
    const ssize_t size = read(control, buffer.data(), buffer.size());
    if (size < 0 && (errno == EINTR || errno == ENOENT)) continue;
    if (size < static_cast<ssize_t>(sizeof(fuse_in_header))) fail("/dev/cuse");
    fuse_in_header header;
    memcpy(&header, buffer.data(), sizeof header);
    const uint8_t* body = buffer.data() + sizeof header;
    switch (header.opcode) {
      case CUSE_INIT:
        answerInit(header.unique, arguments[1]);
        break;
      case FUSE_OPEN: {
        const fuse_open_out reply{};
        answer(header.unique, 0, &reply, sizeof reply);
        break;
      }
      case FUSE_IOCTL: {
        fuse_ioctl_in request;
        memcpy(&request, body, sizeof request);
        ioctl(header.unique, request, body + sizeof request, device);
        break;
      }
      case FUSE_READ:
      case FUSE_WRITE:
        readOrWrite(header, body, device);
        break;
      case FUSE_RELEASE:
      case FUSE_FLUSH:
      case FUSE_FSYNC:
        answer(header.unique, 0);
        break;
      case FUSE_INTERRUPT:
        break;  // Every reply is sent before the next request is read.
      default:
        answer(header.unique, ENOSYS);
    }
  }
}
