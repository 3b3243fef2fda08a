/** Lines of a chip whose writes take no time; each change of a level is recorded with its time. */
#pragma once
#include "backend.h"
#include "clock.h"
#include "edge-record.h"

namespace armature {

class NotedLines : public LineRequest {
 public:
  /** @param mostEdges number of edges to record; there is room for no more */
  explicit NotedLines(size_t mostEdges) : room_(mostEdges), edges_(roomForEdges(mostEdges)) {}

  uint64_t get(uint64_t) override { return levels_; }
  void set(uint64_t mask, uint64_t bits) override {
    const uint64_t now = nowNs();
    // A write that changes nothing, as those that measure how long one takes, makes no edge.
    const uint64_t changed = mask & (bits ^ levels_);
    levels_ ^= changed;
    for (uint32_t i = 0; i < 64 && changed >> i != 0; i += 1) {
      if ((changed >> i & 1) != 0 && count < room_) edges_[count++] = {now, i, static_cast<uint32_t>(bits >> i & 1)};
    }
  }
  void configure(const std::vector<LineSetting>&) override {}
  int fd() const override { return -1; }
  size_t readEdges(EdgeEvent*, size_t) override { return 0; }

  const Edge* edges() const { return edges_; }

 private:
  const size_t room_;
  Edge* const edges_;
  uint64_t levels_ = 0;

 public:
  size_t count = 0;
};

/** @returns lines with room for all edges of this many pulsing channels during a run */
inline std::unique_ptr<NotedLines> notedLines(double hz, size_t channels, uint64_t runNs) {
  return std::make_unique<NotedLines>(static_cast<size_t>(hz * static_cast<double>(runNs) / 1e9 * 2.5 + 64) * channels);
}

}  // namespace armature
