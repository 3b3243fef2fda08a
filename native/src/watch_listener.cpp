#include "watch_listener.h"

#include "convert.h"

namespace armature {

void WatchListener::awake(Napi::Env env, Napi::Function, State* state, void*) {
  // Without an environment the program is ending; a closed watch reports nothing.
  if (static_cast<napi_env>(env) == nullptr || state->isClosed) return;
  deliver(env, *state);
}

void WatchListener::deliver(Napi::Env env, State& state) {
  std::vector<EdgeEvent> events;
  uint64_t lost = 0;
  const bool isGone = state.watch->isGone();
  state.watch->take(events, lost);
  if (!events.empty() || lost > 0) state.onEdges.Call({toBatch(env, events, lost)});
  if (!isGone || state.isClosed) return;
  try {
    failGone(state.watch->chip());
  } catch (const HardwareError& error) {
    state.onGone.Call({toError(env, error).Value()});
  }
}

void WatchListener::deliverNow(Napi::Env env) {
  // The function may close this watch, so only the state is used after it.
  State& state = *state_;
  reader_.readNow(*state.watch);
  deliver(env, state);
}

WatchListener::WatchListener(Napi::Env env, EdgeReader& reader, std::string chip, std::unique_ptr<LineRequest> request,
                             const std::vector<LineSetting>& settings, size_t capacity, Napi::Function onEdges,
                             Napi::Function onGone)
    : reader_(reader), state_(new State) {
  state_->onEdges = Napi::Persistent(onEdges);
  state_->onGone = Napi::Persistent(onGone);
  waker_ = Waker::New(env, "armature edges", 0, 1, state_,
                      [](Napi::Env, void*, State* state) { delete state; });
  waker_.Unref(env);
  // The thread calls it only while the reader has the watch, and the destructor removes the watch first.
  auto wake = [this] { waker_.NonBlockingCall(); };
  state_->watch = std::make_shared<EdgeWatch>(std::move(chip), std::move(request), settings, capacity, wake);
  try {
    reader_.add(state_->watch);
  } catch (...) {
    // The environment keeps the state until the last call has returned, and the state would keep the line.
    state_->watch.reset();
    waker_.Release();
    throw;
  }
}

WatchListener::~WatchListener() {
  reader_.remove(state_->watch);
  state_->isClosed = true;
  // Frees the line now, not when the last call has returned.
  state_->watch.reset();
  waker_.Release();
}

}  // namespace armature
