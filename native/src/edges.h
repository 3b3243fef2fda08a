#pragma once
#include <atomic>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "backend.h"
#include "linux/os.h"

namespace armature {

/** One thread writes, one reads, and neither waits for the other. */
class EdgeRing {
 public:
  /** Room for at least `capacity`. */
  explicit EdgeRing(size_t capacity);
  /** @return false where it is full */
  bool push(const EdgeEvent& event);
  size_t size() const;
  size_t take(std::vector<EdgeEvent>& into);

 private:
  std::vector<EdgeEvent> slots_;
  // On separate cache lines, so that the two threads do not contend for one.
  alignas(64) std::atomic<size_t> written_{0};
  alignas(64) std::atomic<size_t> read_{0};
};

struct EdgeCounts {
  uint64_t rising, falling, lost;
};

/**
 * Lines whose edges are buffered for a reader. If there are too many for it, older ones are lost, but never the newest
 * of each line: its number shows how many were lost before it, and its level is the current one.
 */
class EdgeWatch {
 public:
  /** @param wake called by the reading thread when the first edge arrives after the last take */
  EdgeWatch(std::string chip, std::unique_ptr<LineRequest> request, const std::vector<LineSetting>& settings,
            size_t capacity, std::function<void()> wake);

  // For the reader's thread:
  enum class Pumped { empty, more, gone };
  /** Reads up to 256 edges from the kernel. */
  Pumped pump();
  int fd() const { return request_->fd(); }

  // For the JavaScript thread:
  /** Suppresses wake-ups until the next take. */
  void keepAsleep() { isAwake_ = true; }
  /** @param lost edges that were lost since the last call */
  void take(std::vector<EdgeEvent>& into, uint64_t& lost);
  bool read(uint32_t offset);
  EdgeCounts counts(uint32_t offset) const;
  bool isGone() const { return isGone_; }
  const std::string& chip() const { return chip_; }

 private:
  struct Line {
    uint32_t offset;
    Edges edges;
    uint32_t number = 0;
    bool isRising = false;
    /** The newest edge, where the ring has no room for it. */
    std::optional<EdgeEvent> held;
    std::atomic<uint64_t> rising{0}, falling{0}, lost{0};
    Line(uint32_t offset_, Edges edges_) : offset(offset_), edges(edges_) {}
  };
  void countMissed(Line& line, uint32_t missed);
  void keep(Line& line, const EdgeEvent& event);
  size_t indexOf(uint32_t offset) const;

  const std::string chip_;
  const std::unique_ptr<LineRequest> request_;
  std::vector<std::unique_ptr<Line>> lines_;
  EdgeRing ring_;
  /** Guards held edges: the threads wait for each other only when the ring was full. */
  std::mutex heldMutex_;
  std::atomic<bool> isHolding_{false};
  const std::function<void()> wake_;
  std::atomic<bool> isAwake_{false};
  std::atomic<bool> isGone_{false};
  std::atomic<uint64_t> lost_{0};
};

/** The one thread that reads the edges of all watches. It starts with the first of them. */
class EdgeReader {
 public:
  EdgeReader();
  ~EdgeReader();
  void add(const std::shared_ptr<EdgeWatch>& watch);
  /** After it returns, the thread no longer uses the watch. */
  void remove(const std::shared_ptr<EdgeWatch>& watch);
  /** Reads the waiting edges of a watch for a caller that takes them now and needs no wake-up. */
  void readNow(EdgeWatch& watch);

 private:
  void run();
  bool isGone(EdgeWatch& watch);
  File poll_, end_;
  std::mutex mutex_;
  std::map<uint64_t, std::shared_ptr<EdgeWatch>> watches_;
  uint64_t last_ = 0;
  std::thread thread_;
};

}  // namespace armature
