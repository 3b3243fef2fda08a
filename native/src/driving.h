#pragma once
#include <mutex>

#include "guardian.h"
#include "outputs.h"

namespace armature {

/** A call that drives outputs: from before it begins until it returns, this process is known to be alive. */
class Engine::Driving {
 public:
  explicit Driving(Engine& engine) : engine_(engine) {
    engine_.renew();
    const std::lock_guard lock(engine_.expiry_);
    engine_.driving_ += 1;
    engine_.drives_ += 1;
    if (engine_.guardian_ != nullptr) engine_.guardian_->beat(true);
  }
  ~Driving() {
    const std::lock_guard lock(engine_.expiry_);
    engine_.driving_ -= 1;
    if (engine_.isIdle_) engine_.expiry_.notify();
    engine_.isIdle_ = false;
  }
  Driving(const Driving&) = delete;
  Driving& operator=(const Driving&) = delete;

 private:
  Engine& engine_;
};

}  // namespace armature
