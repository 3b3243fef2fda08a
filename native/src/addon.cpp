#include <napi.h>

#include "hardware.h"

namespace {

Napi::Object start(Napi::Env env, Napi::Object exports) {
  exports.Set("Hardware", armature::Hardware::define(env));
  return exports;
}

}  // namespace

NODE_API_MODULE(armature_hardware, start)
