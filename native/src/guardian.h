#pragma once
#include <cstdint>
#include <string>

namespace armature {

/** Makes outputs safe when this process is killed, or stopped as a whole. All calls but two are for one thread. */
class Guardian {
 public:
  virtual ~Guardian() = default;
  /**
   * Another line of a request is driven from now on.
   * @param held 0 for the first line
   * @param expiryNs the longest expiry of its lines: when to make it safe without a beat
   * @return its number
   * @throws `hardware.unsupported` where this process is process 1: its end would kill the guardian too
   */
  virtual uint32_t holdLines(uint32_t held, int request, uint64_t mask, uint64_t safe, uint64_t expiryNs) = 0;
  virtual uint32_t holdPwm(const std::string& folder, uint64_t expiryNs) = 0;
  /** Returns when the guardian has released it, so that the line can be requested again. */
  virtual void release(uint32_t held) = 0;
  /** Restarts the guardian if it is gone. @throws where that fails: then nothing is guarded */
  virtual void check() = 0;
  /** The result of `check`. */
  virtual bool isThere() const = 0;
  /** Any thread: this process is not stopped. @param isOn false where nothing is driven, so no beat has to follow */
  virtual void beat(bool isOn) = 0;
  /** Any thread: how often the guardian has made outputs safe because no beat came. */
  virtual uint32_t interventions() const = 0;
};

}  // namespace armature
