/// What Node does not offer of the process that it runs in. An addon of its own: hardware is loaded only where there is any.
#include <napi.h>
#include <sys/prctl.h>

#include <cerrno>

namespace {

/// Gives errno, or 0 where it was done.
Napi::Value hide_memory(const Napi::CallbackInfo& info) {
  const int result = prctl(PR_SET_DUMPABLE, 0, 0, 0, 0);
  return Napi::Number::New(info.Env(), result == 0 ? 0 : errno);
}

Napi::Object start(Napi::Env env, Napi::Object exports) {
  exports.Set("hideMemory", Napi::Function::New(env, hide_memory));
  return exports;
}

}  // namespace

NODE_API_MODULE(armature_process, start)
