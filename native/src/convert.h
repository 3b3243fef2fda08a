#pragma once
#include <napi.h>

#include <string>
#include <vector>

#include "backend.h"
#include "edges.h"
#include "error.h"
#include "outputs.h"

namespace armature {

/** The JavaScript Error: code, errno, syscall and device besides the message. */
Napi::Error toError(Napi::Env env, const HardwareError& error);

/** Runs native work and converts our errors to JavaScript errors. */
template <typename Work>
auto guarded(Napi::Env env, Work work) -> decltype(work()) {
  try {
    return work();
  } catch (const HardwareError& error) {
    throw toError(env, error);
  } catch (const Napi::Error&) {
    throw;
  } catch (const std::exception& error) {
    // No memory or no thread: node-addon-api would end the process.
    throw toError(env, HardwareError("hardware.io", "", std::string("this computer has run short: ") + error.what()));
  }
}

Napi::Object toObject(Napi::Env env, const ChipInfo& chip);
Napi::Object toObject(Napi::Env env, const LineInfo& line);
Napi::Object toObject(Napi::Env env, const PwmChipInfo& chip);
Napi::Object toObject(Napi::Env env, const PwmOutput::State& state);
/** The batch that the listener gets. */
Napi::Object toBatch(Napi::Env env, const std::vector<EdgeEvent>& events, uint64_t lost);
Napi::Array toArray(Napi::Env env, const std::vector<std::string>& texts);

/** Reads the form that index.js makes: every field is present. */
LineOptions lineOptionsOf(const Napi::Object& from);
LineSetting edgeSettingOf(const Napi::Object& from);
std::string textOf(const Napi::Object& from, const char* key);
double numberOf(const Napi::Object& from, const char* key);
uint32_t countOf(const Napi::Object& from, const char* key);
bool flagOf(const Napi::Object& from, const char* key);

}  // namespace armature
