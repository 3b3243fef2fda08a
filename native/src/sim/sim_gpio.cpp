#include "sim/sim_gpio.h"

#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/timerfd.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>

#include "error.h"

namespace armature {
namespace {

constexpr size_t kKernelEdges = 1024;

bool wants(Edges edges, bool isRising) {
  return edges == Edges::both || edges == (isRising ? Edges::rising : Edges::falling);
}

}  // namespace

std::optional<bool> SimLine::driven() const {
  if (request == nullptr || !setting.isOutput) return std::nullopt;
  const bool level = setting.level != setting.isActiveLow;
  if (setting.drive == Drive::openDrain && level) return std::nullopt;
  if (setting.drive == Drive::openSource && !level) return std::nullopt;
  return level;
}

bool SimLine::level() const {
  const bool resting = request != nullptr && setting.bias == Bias::pullUp;
  return driven().value_or(pulled.value_or(kept.value_or(resting)));
}

void SimLine::account(uint64_t now) {
  if (level()) highNs += now - changedNs;
  changedNs = now;
}

SimRequest::SimRequest(std::shared_ptr<SimWorld> world, std::string chip, const std::string& consumer,
                       const std::vector<LineSetting>& settings)
    : world_(std::move(world)),
      chip_(std::move(chip)),
      poll_(epoll_create1(EPOLL_CLOEXEC)),
      ready_(eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)),
      timer_(timerfd_create(CLOCK_MONOTONIC, TFD_CLOEXEC | TFD_NONBLOCK)) {
  for (const int file : {ready_.number(), timer_.number()}) {
    epoll_event event{};
    event.events = EPOLLIN;
    epoll_ctl(poll_.number(), EPOLL_CTL_ADD, file, &event);
  }
  for (const LineSetting& setting : settings) {
    SimLine& line = world_->lineOf(chip_, setting.offset);
    line.account(nowNs());
    line.kept.reset();
    line.request = this;
    line.consumer = consumer;
    line.setting = setting;
    offsets_.push_back(setting.offset);
    if (setting.edges == Edges::none) continue;
    watched_.push_back({setting.offset, setting.edges, setting.debounceUs * kMicrosecond, levelOf(setting.offset)});
  }
}

SimRequest::~SimRequest() {
  const std::lock_guard lock(world_->mutex);
  for (const uint32_t offset : offsets_) {
    SimLine& line = world_->lineOf(chip_, offset);
    if (line.request != this) continue;
    line.account(nowNs());
    line.kept = line.driven();
    line.request = nullptr;
    line.consumer.clear();
    line.setting = {};
  }
}

bool SimRequest::levelOf(uint32_t offset) const {
  const SimLine& line = world_->lineOf(chip_, offset);
  return line.level() != line.setting.isActiveLow;
}

uint64_t SimRequest::get(uint64_t mask) {
  const std::lock_guard lock(world_->mutex);
  if (isGone_) failGone(chip_);
  uint64_t bits = 0;
  for (size_t i = 0; i < offsets_.size(); i += 1) {
    if ((mask >> i & 1) != 0 && levelOf(offsets_[i])) bits |= uint64_t{1} << i;
  }
  return bits;
}

void SimRequest::wait() const {
  uint64_t delay = 0;
  {
    const std::lock_guard lock(world_->mutex);
    delay = world_->delayOf(chip_);
  }
  if (delay > 0) sleepUntil(nowNs() + delay);
}

void SimRequest::set(uint64_t mask, uint64_t bits) {
  wait();
  const std::lock_guard lock(world_->mutex);
  if (isGone_) failGone(chip_);
  world_->checkWrite(chip_);
  const uint64_t now = nowNs();
  for (size_t i = 0; i < offsets_.size(); i += 1) {
    if ((mask >> i & 1) == 0) continue;
    SimLine& line = world_->lineOf(chip_, offsets_[i]);
    if (!line.setting.isOutput) failSystem(EPERM, "set", chip_, "driving an input");
    line.account(now);
    line.setting.level = (bits >> i & 1) != 0;
  }
}

void SimRequest::configure(const std::vector<LineSetting>& settings) {
  wait();
  const std::lock_guard lock(world_->mutex);
  if (isGone_) failGone(chip_);
  world_->checkWrite(chip_);
  for (const LineSetting& setting : settings) {
    SimLine& line = world_->lineOf(chip_, setting.offset);
    line.account(nowNs());
    line.setting = setting;
  }
}

void SimRequest::noticeLevel(uint32_t offset, uint64_t now) {
  for (Watched& line : watched_) {
    if (line.offset != offset) continue;
    const bool level = levelOf(offset);
    if (line.debounceNs == 0) {
      if (level != line.level) report(line, level, now);
      continue;
    }
    line.settlesNs = level == line.level ? 0 : now + line.debounceNs;
    if (line.settlesNs == 0) continue;
    itimerspec when{};
    when.it_value = toTimespec(line.settlesNs);
    timerfd_settime(timer_.number(), TFD_TIMER_ABSTIME, &when, nullptr);
  }
}

void SimRequest::report(Watched& line, bool level, uint64_t now) {
  line.level = level;
  if (!wants(line.edges, level)) return;
  line.number += 1;
  if (events_.size() == kKernelEdges) events_.pop_front();
  events_.push_back({line.offset, line.number, now, level});
  if (events_.size() == 1) wake();
}

void SimRequest::settle(uint64_t now) {
  uint64_t next = kNever;
  for (Watched& line : watched_) {
    if (line.settlesNs == 0) continue;
    if (line.settlesNs > now) {
      next = std::min(next, line.settlesNs);
      continue;
    }
    const uint64_t settled = line.settlesNs;
    line.settlesNs = 0;
    const bool level = levelOf(line.offset);
    if (level != line.level) report(line, level, settled);
  }
  itimerspec when{};
  if (next != kNever) when.it_value = toTimespec(next);
  timerfd_settime(timer_.number(), TFD_TIMER_ABSTIME, &when, nullptr);
}

void SimRequest::wake() const { eventfd_write(ready_.number(), 1); }

void SimRequest::unplugged() {
  isGone_ = true;
  wake();
}

size_t SimRequest::readEdges(EdgeEvent* events, size_t capacity) {
  const std::lock_guard lock(world_->mutex);
  if (isGone_) failGone(chip_);
  settle(nowNs());
  const size_t count = std::min(capacity, events_.size());
  std::copy_n(events_.begin(), count, events);
  events_.erase(events_.begin(), events_.begin() + static_cast<std::ptrdiff_t>(count));
  eventfd_t ignored = 0;
  if (events_.empty()) eventfd_read(ready_.number(), &ignored);
  return count;
}

std::unique_ptr<LineRequest> requestSimLines(std::shared_ptr<SimWorld> world, const std::string& chip,
                                             const std::string& consumer, const std::vector<LineSetting>& settings) {
  const std::lock_guard lock(world->mutex);
  if (!world->chipOf(chip).isPlugged) failSystem(ENOENT, "open", chip, "opening it");
  for (const LineSetting& setting : settings) {
    const SimLine& line = world->lineOf(chip, setting.offset);
    if (line.request == nullptr) continue;
    const std::string offset = std::to_string(setting.offset);
    failSystem(EBUSY, "request", chip, "requesting line " + offset + ", which is held by '" + line.consumer + "',");
  }
  return std::make_unique<SimRequest>(world, chip, consumer, settings);
}

}  // namespace armature
