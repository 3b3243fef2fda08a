#include "edges.h"

#include <sys/epoll.h>
#include <sys/eventfd.h>

#include <algorithm>
#include <cerrno>

#include "clock.h"
#include "error.h"
#include "named_thread.h"

namespace armature {
namespace {

/** Edges closer together than this are read together. A single one is read at once. */
constexpr uint64_t kGatherNs = kMillisecond;
/** Before Linux 6.6 the kernel wakes nobody when a chip is unplugged, so quiet lines are polled. */
constexpr int kLookMs = 1'000;

size_t powerOfTwo(size_t least) {
  size_t size = 1;
  while (size < least) size *= 2;
  return size;
}

}  // namespace

EdgeRing::EdgeRing(size_t capacity) : slots_(powerOfTwo(capacity)) {}

bool EdgeRing::push(const EdgeEvent& event) {
  const size_t at = written_.load(std::memory_order_relaxed);
  if (at - read_.load(std::memory_order_acquire) == slots_.size()) return false;
  slots_[at & (slots_.size() - 1)] = event;
  written_.store(at + 1, std::memory_order_release);
  return true;
}

size_t EdgeRing::size() const {
  return written_.load(std::memory_order_acquire) - read_.load(std::memory_order_acquire);
}

size_t EdgeRing::take(std::vector<EdgeEvent>& into) {
  const size_t from = read_.load(std::memory_order_relaxed);
  const size_t to = written_.load(std::memory_order_acquire);
  for (size_t at = from; at != to; at += 1) into.push_back(slots_[at & (slots_.size() - 1)]);
  read_.store(to, std::memory_order_release);
  return to - from;
}

EdgeWatch::EdgeWatch(std::string chip, std::unique_ptr<LineRequest> request, const std::vector<LineSetting>& settings,
                     size_t capacity, std::function<void()> wake)
    : chip_(std::move(chip)), request_(std::move(request)), ring_(capacity), wake_(std::move(wake)) {
  for (const LineSetting& setting : settings) lines_.push_back(std::make_unique<Line>(setting.offset, setting.edges));
}

size_t EdgeWatch::indexOf(uint32_t offset) const {
  for (size_t i = 0; i < lines_.size(); i += 1) {
    if (lines_[i]->offset == offset) return i;
  }
  failInvalid(chip_, chip_ + ": line " + std::to_string(offset) + " is not watched here");
}

/** Rising and falling edges alternate, so the kinds of the missing ones are known. */
void EdgeWatch::countMissed(Line& line, uint32_t missed) {
  uint64_t rising = missed;
  if (line.edges == Edges::falling) rising = 0;
  if (line.edges == Edges::both) rising = line.isRising ? missed / 2 : (missed + 1) / 2;
  line.rising += rising;
  line.falling += missed - rising;
  line.lost += missed;
  lost_ += missed;
}

void EdgeWatch::keep(Line& line, const EdgeEvent& event) {
  if (!isHolding_ && ring_.push(event)) return;
  const std::lock_guard lock(heldMutex_);
  // Held edges are newer than all in the ring: no other edge may overtake them.
  if (!isHolding_ && ring_.push(event)) return;
  isHolding_ = true;
  if (line.held.has_value()) {
    line.lost += 1;
    lost_ += 1;
  }
  line.held = event;
}

EdgeWatch::Pumped EdgeWatch::pump() {
  EdgeEvent events[256];
  size_t count = 0;
  try {
    count = request_->readEdges(events, std::size(events));
  } catch (const HardwareError&) {
    isGone_ = true;
  }
  for (size_t i = 0; i < count; i += 1) {
    Line& line = *lines_[indexOf(events[i].offset)];
    const uint32_t missed = events[i].number - line.number - 1;
    // Every line starts as if it had just fallen: the first edge of a line that watches both kinds is mostly a rising
    // one.
    if (missed > 0) countMissed(line, missed);
    line.number = events[i].number;
    line.isRising = events[i].isRising;
    (events[i].isRising ? line.rising : line.falling) += 1;
    keep(line, events[i]);
  }
  if ((count > 0 || isGone_) && !isAwake_.exchange(true)) wake_();
  if (isGone_) return Pumped::gone;
  return count == std::size(events) ? Pumped::more : Pumped::empty;
}

void EdgeWatch::take(std::vector<EdgeEvent>& into, uint64_t& lost) {
  // Before reading, so that an edge that comes meanwhile wakes again.
  isAwake_ = false;
  lost = lost_.exchange(0);
  ring_.take(into);
  if (isHolding_) {
    const std::lock_guard lock(heldMutex_);
    ring_.take(into);
    const auto first = static_cast<std::ptrdiff_t>(into.size());
    for (const auto& line : lines_) {
      if (line->held.has_value()) into.push_back(*line->held);
      line->held.reset();
    }
    std::sort(into.begin() + first, into.end(),
              [](const EdgeEvent& left, const EdgeEvent& right) { return left.timeNs < right.timeNs; });
    isHolding_ = false;
  }
}

bool EdgeWatch::read(uint32_t offset) {
  if (isGone_) failGone(chip_);
  const uint64_t bit = uint64_t{1} << indexOf(offset);
  return request_->get(bit) != 0;
}

EdgeCounts EdgeWatch::counts(uint32_t offset) const {
  const Line& line = *lines_[indexOf(offset)];
  return {line.rising, line.falling, line.lost};
}

EdgeReader::EdgeReader() : poll_(epoll_create1(EPOLL_CLOEXEC)), end_(eventfd(0, EFD_CLOEXEC)) {
  epoll_event event{};
  event.events = EPOLLIN;
  event.data.u64 = 0;
  // Without it the thread could not be ended.
  if (epoll_ctl(poll_.number(), EPOLL_CTL_ADD, end_.number(), &event) < 0) {
    failSystem(errno, "epoll_ctl", "this computer", "watching edges");
  }
}

EdgeReader::~EdgeReader() {
  if (!thread_.joinable()) return;
  eventfd_write(end_.number(), 1);
  thread_.join();
}

void EdgeReader::add(const std::shared_ptr<EdgeWatch>& watch) {
  const std::lock_guard lock(mutex_);
  // First: if the thread cannot be started, nothing is watched.
  if (!thread_.joinable()) thread_ = startThread("armature-edges", [this] { run(); });
  last_ += 1;
  watches_[last_] = watch;
  epoll_event event{};
  event.events = EPOLLIN;
  event.data.u64 = last_;
  if (epoll_ctl(poll_.number(), EPOLL_CTL_ADD, watch->fd(), &event) < 0) {
    const int number = errno;
    watches_.erase(last_);
    failSystem(number, "epoll_ctl", watch->chip(), "watching its edges");
  }
}

void EdgeReader::remove(const std::shared_ptr<EdgeWatch>& watch) {
  const std::lock_guard lock(mutex_);
  std::erase_if(watches_, [&](const auto& entry) { return entry.second == watch; });
  epoll_ctl(poll_.number(), EPOLL_CTL_DEL, watch->fd(), nullptr);
}

void EdgeReader::readNow(EdgeWatch& watch) {
  const std::lock_guard lock(mutex_);
  watch.keepAsleep();
  isGone(watch);
}

/** Reads all waiting edges. @return whether the chip is gone */
bool EdgeReader::isGone(EdgeWatch& watch) {
  EdgeWatch::Pumped pumped = watch.pump();
  // Enough for everything that the kernel buffers; a flood does not keep the other watches waiting.
  for (int rounds = 0; rounds < 4 && pumped == EdgeWatch::Pumped::more; rounds += 1) pumped = watch.pump();
  if (pumped == EdgeWatch::Pumped::gone) epoll_ctl(poll_.number(), EPOLL_CTL_DEL, watch.fd(), nullptr);
  return pumped == EdgeWatch::Pumped::gone;
}

void EdgeReader::run() {
  uint64_t lastNs = 0;
  uint64_t lookedNs = 0;
  while (true) {
    epoll_event events[16];
    const int count = epoll_wait(poll_.number(), events, static_cast<int>(std::size(events)), kLookMs);
    // The kernel buffers 1,024 edges meanwhile: none is lost below 200,000 a second, even if this thread is 4 ms late.
    if (nowNs() < lastNs + kGatherNs) sleepUntil(lastNs + kGatherNs);
    lastNs = nowNs();
    const std::lock_guard lock(mutex_);
    for (int i = 0; i < count; i += 1) {
      if (events[i].data.u64 == 0) return;
      const auto found = watches_.find(events[i].data.u64);
      if (found != watches_.end() && isGone(*found->second)) watches_.erase(found);
    }
    if (lastNs < lookedNs + kLookMs * kMillisecond) continue;
    lookedNs = lastNs;
    std::erase_if(watches_, [this](const auto& entry) { return isGone(*entry.second); });
  }
}

}  // namespace armature
