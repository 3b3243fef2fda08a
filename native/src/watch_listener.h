#pragma once
#include <napi.h>

#include <memory>

#include "edges.h"

namespace armature {

/** Passes the edges of a watch to a JavaScript function, many per call. It does not keep the program running. */
class WatchListener {
 public:
  WatchListener(Napi::Env env, EdgeReader& reader, std::string chip, std::unique_ptr<LineRequest> request,
                const std::vector<LineSetting>& settings, size_t capacity, Napi::Function onEdges,
                Napi::Function onGone);
  /** No call follows it. */
  ~WatchListener();
  EdgeWatch& watch() { return *state_->watch; }
  /** Calls at once with the edges that have arrived. Rethrows what the function throws. */
  void deliverNow(Napi::Env env);

 private:
  /** Lives until the last call under way has returned. */
  struct State {
    std::shared_ptr<EdgeWatch> watch;
    Napi::FunctionReference onEdges, onGone;
    bool isClosed = false;
  };
  static void deliver(Napi::Env env, State& state);
  static void awake(Napi::Env env, Napi::Function none, State* state, void* nothing);
  using Waker = Napi::TypedThreadSafeFunction<State, void, awake>;

  EdgeReader& reader_;
  State* state_;
  Waker waker_;
};

}  // namespace armature
