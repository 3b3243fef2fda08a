#pragma once
#include <cstdint>
#include <string>

namespace armature {

/** Who makes outputs safe when this process is killed, or stopped as a whole. Calls are for one thread, but for two. */
class Guardian {
 public:
  virtual ~Guardian() = default;
  /**
   * Another line of a request is driven from now on.
   * @param held 0 for the first
   * @param expiryNs the longest of its lines: when it is to be safe without a beat
   * @return its number
   * @throws `hardware.unsupported` where this process is process 1: its end would take the guardian along
   */
  virtual uint32_t holdLines(uint32_t held, int request, uint64_t mask, uint64_t safe, uint64_t expiryNs) = 0;
  virtual uint32_t holdPwm(const std::string& folder, uint64_t expiryNs) = 0;
  /** Returns when the guardian has let go, so that the line can be requested anew. */
  virtual void release(uint32_t held) = 0;
  /** Starts it again where it is gone. @throws where that fails: nothing is guarded then */
  virtual void check() = 0;
  /** What `check` found. */
  virtual bool isThere() const = 0;
  /** Any thread: this process is not stopped. @param isOn false where nothing is driven, so no beat has to follow */
  virtual void beat(bool isOn) = 0;
  /** Any thread: how often it has made outputs safe because no beat came. */
  virtual uint32_t interventions() const = 0;
};

}  // namespace armature
