/// What Node does not offer for its own process and sockets. A separate addon, because the hardware addon is loaded
/// only where there is hardware.
#include <napi.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/prctl.h>
#include <sys/socket.h>

#include <cerrno>

namespace {

/// Returns errno, or 0 on success.
Napi::Value hide_memory(const Napi::CallbackInfo& info) {
  const int result = prctl(PR_SET_DUMPABLE, 0, 0, 0, 0);
  return Napi::Number::New(info.Env(), result == 0 ? 0 : errno);
}

/// Takes the file descriptor of a TCP socket, and milliseconds. Returns errno, or 0 on success.
Napi::Value limit_unanswered(const Napi::CallbackInfo& info) {
  const int descriptor = info[0].ToNumber().Int32Value();
  const unsigned int milliseconds = info[1].ToNumber().Uint32Value();
  const int result = setsockopt(descriptor, IPPROTO_TCP, TCP_USER_TIMEOUT, &milliseconds, sizeof milliseconds);
  return Napi::Number::New(info.Env(), result == 0 ? 0 : errno);
}

Napi::Object start(Napi::Env env, Napi::Object exports) {
  exports.Set("hideMemory", Napi::Function::New(env, hide_memory));
  exports.Set("limitUnanswered", Napi::Function::New(env, limit_unanswered));
  return exports;
}

}  // namespace

NODE_API_MODULE(armature_process, start)
