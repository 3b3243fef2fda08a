#pragma once
#include <deque>

#include "linux/os.h"
#include "sim/sim_world.h"

namespace armature {

/** Lines of a simulated chip, with the kernel's rules: it keeps 1,024 edges and drops the oldest. */
class SimRequest : public LineRequest {
 public:
  SimRequest(std::shared_ptr<SimWorld> world, std::string chip, const std::string& consumer,
             const std::vector<LineSetting>& settings);
  ~SimRequest() override;
  uint64_t get(uint64_t mask) override;
  void set(uint64_t mask, uint64_t bits) override;
  void configure(const std::vector<LineSetting>& settings) override;
  int fd() const override { return poll_.number(); }
  size_t readEdges(EdgeEvent* events, size_t capacity) override;

  // With the lock of the world held:
  /** The level at a wire of ours may have changed. */
  void noticeLevel(uint32_t offset, uint64_t now);
  void unplugged();

 private:
  struct Watched {
    uint32_t offset;
    Edges edges;
    uint64_t debounceNs;
    bool level;
    uint32_t number = 0;
    /** When a level that is still being debounced settles; 0 where there is none. */
    uint64_t settlesNs = 0;
  };
  void report(Watched& line, bool level, uint64_t now);
  void settle(uint64_t now);
  void wake() const;
  /** Waits as long as a write to the chip takes. */
  void wait() const;
  bool levelOf(uint32_t offset) const;

  const std::shared_ptr<SimWorld> world_;
  const std::string chip_;
  std::vector<uint32_t> offsets_;
  std::vector<Watched> watched_;
  std::deque<EdgeEvent> events_;
  bool isGone_ = false;
  // One descriptor that is readable when there are edges, or when a debounced level settles.
  File poll_, ready_, timer_;
};

}  // namespace armature
