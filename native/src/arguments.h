#pragma once
#include <napi.h>

#include <cerrno>
#include <map>
#include <string>

#include "error.h"

namespace armature {

/** The handle with that number. @throws `hardware.gone` where it was closed */
template <typename Handle>
Handle& handleOf(std::map<uint32_t, Handle>& handles, const Napi::Value& number) {
  const auto found = handles.find(number.As<Napi::Number>().Uint32Value());
  if (found == handles.end()) {
    throw HardwareError("hardware.gone", "", "this handle was closed; open it anew", EBADF);
  }
  return found->second;
}

inline std::string textAt(const Napi::CallbackInfo& info, size_t i) { return info[i].As<Napi::String>().Utf8Value(); }

inline uint32_t countAt(const Napi::CallbackInfo& info, size_t i) { return info[i].As<Napi::Number>().Uint32Value(); }

inline double numberAt(const Napi::CallbackInfo& info, size_t i) { return info[i].As<Napi::Number>().DoubleValue(); }

inline uint64_t maskAt(const Napi::CallbackInfo& info, size_t i) {
  bool isExact = false;
  return info[i].As<Napi::BigInt>().Uint64Value(&isExact);
}

}  // namespace armature
