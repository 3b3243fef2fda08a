#pragma once
#include <napi.h>

#include <memory>

#include "edges.h"

namespace armature {

/** Brings the edges of a watch to a JavaScript function, many in a call. It does not keep the program running. */
class WatchListener {
 public:
  WatchListener(Napi::Env env, EdgeReader& reader, std::string chip, std::unique_ptr<LineRequest> request,
                const std::vector<LineSetting>& settings, size_t capacity, Napi::Function onEdges,
                Napi::Function onGone);
  /** No call after it. */
  ~WatchListener();
  EdgeWatch& watch() { return *state_->watch; }

 private:
  /** Lives until the last call under way is over. */
  struct State {
    std::shared_ptr<EdgeWatch> watch;
    Napi::FunctionReference onGone;
    bool isClosed = false;
  };
  static void deliver(Napi::Env env, Napi::Function onEdges, State* state, void* nothing);
  using Waker = Napi::TypedThreadSafeFunction<State, void, deliver>;

  EdgeReader& reader_;
  State* state_;
  Waker waker_;
};

}  // namespace armature
