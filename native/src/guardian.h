#pragma once
#include <cstdint>
#include <string>

namespace armature {

/** Who makes outputs safe when this process is killed. Calls are for one thread. */
class Guardian {
 public:
  virtual ~Guardian() = default;
  /** Another line of a request is driven from now on. @param held 0 for the first @return its number */
  virtual uint32_t holdLines(uint32_t held, int request, uint64_t mask, uint64_t safe) = 0;
  virtual uint32_t holdPwm(const std::string& folder) = 0;
  /** Returns when the guardian has let go, so that the line can be requested anew. */
  virtual void release(uint32_t held) = 0;
  /** Starts it again where it is gone. */
  virtual void check() = 0;
};

}  // namespace armature
