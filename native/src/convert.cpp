#include "convert.h"

#include <algorithm>

namespace armature {
namespace {

constexpr const char* kBiases[] = {"as-is", "disabled", "pull-up", "pull-down"};
constexpr const char* kDrives[] = {"push-pull", "open-drain", "open-source"};
constexpr const char* kEdges[] = {"none", "rising", "falling", "both"};

template <typename Value, size_t count>
Value oneOf(const char* const (&names)[count], const std::string& text) {
  const auto found = std::find(std::begin(names), std::end(names), text);
  if (found == std::end(names)) failInvalid("", "unknown: " + text);
  return static_cast<Value>(found - std::begin(names));
}

}  // namespace

Napi::Error toError(Napi::Env env, const HardwareError& error) {
  Napi::Error made = Napi::Error::New(env, error.what());
  Napi::Object object = made.Value();
  object.Set("code", error.code);
  object.Set("errno", error.number);
  object.Set("syscall", error.syscall);
  object.Set("device", error.device);
  return made;
}

Napi::Object toObject(Napi::Env env, const ChipInfo& chip) {
  Napi::Object object = Napi::Object::New(env);
  object.Set("path", chip.path);
  object.Set("name", chip.name);
  object.Set("label", chip.label);
  object.Set("lines", chip.lines);
  object.Set("id", chip.id);
  return object;
}

Napi::Object toObject(Napi::Env env, const LineInfo& line) {
  Napi::Object object = Napi::Object::New(env);
  object.Set("offset", line.offset);
  object.Set("name", line.name);
  object.Set("consumer", line.consumer);
  object.Set("isUsed", line.isUsed);
  object.Set("isOutput", line.isOutput);
  object.Set("isActiveLow", line.isActiveLow);
  object.Set("bias", kBiases[static_cast<size_t>(line.bias)]);
  object.Set("drive", kDrives[static_cast<size_t>(line.drive)]);
  return object;
}

Napi::Object toObject(Napi::Env env, const PwmChipInfo& chip) {
  Napi::Object object = Napi::Object::New(env);
  object.Set("path", chip.path);
  object.Set("channels", chip.channels);
  object.Set("id", chip.id);
  object.Set("name", chip.name);
  return object;
}

Napi::Object toObject(Napi::Env env, const PwmOutput::State& state) {
  const double period = static_cast<double>(state.periodNs);
  const bool isOn = state.isEnabled && state.periodNs > 0;
  Napi::Object object = Napi::Object::New(env);
  object.Set("dutyCycle", isOn ? static_cast<double>(state.dutyNs) / period : 0);
  object.Set("frequencyHz", state.periodNs > 0 ? static_cast<double>(kSecond) / period : 0);
  return object;
}

Napi::Object toBatch(Napi::Env env, const std::vector<EdgeEvent>& events, uint64_t lost) {
  Napi::Uint32Array offsets = Napi::Uint32Array::New(env, events.size());
  Napi::Uint8Array levels = Napi::Uint8Array::New(env, events.size());
  Napi::BigUint64Array times = Napi::BigUint64Array::New(env, events.size());
  Napi::Uint32Array numbers = Napi::Uint32Array::New(env, events.size());
  for (size_t i = 0; i < events.size(); i += 1) {
    offsets.Data()[i] = events[i].offset;
    levels.Data()[i] = events[i].isRising ? 1 : 0;
    times.Data()[i] = events[i].timeNs;
    numbers.Data()[i] = events[i].number;
  }
  Napi::Object batch = Napi::Object::New(env);
  batch.Set("offsets", offsets);
  batch.Set("levels", levels);
  batch.Set("timesNs", times);
  batch.Set("numbers", numbers);
  batch.Set("lost", static_cast<double>(lost));
  return batch;
}

Napi::Array toArray(Napi::Env env, const std::vector<std::string>& texts) {
  Napi::Array array = Napi::Array::New(env, texts.size());
  for (uint32_t i = 0; i < texts.size(); i += 1) array.Set(i, texts[i]);
  return array;
}

std::string textOf(const Napi::Object& from, const char* key) {
  return from.Get(key).As<Napi::Value>().ToString().Utf8Value();
}

double numberOf(const Napi::Object& from, const char* key) {
  return from.Get(key).As<Napi::Value>().ToNumber().DoubleValue();
}

uint32_t countOf(const Napi::Object& from, const char* key) { return static_cast<uint32_t>(numberOf(from, key)); }

bool flagOf(const Napi::Object& from, const char* key) {
  return from.Get(key).As<Napi::Value>().ToBoolean().Value();
}

LineOptions lineOptionsOf(const Napi::Object& from) {
  LineOptions options;
  options.setting.offset = countOf(from, "offset");
  options.setting.isActiveLow = flagOf(from, "isActiveLow");
  options.setting.bias = oneOf<Bias>(kBiases, textOf(from, "bias"));
  options.setting.drive = oneOf<Drive>(kDrives, textOf(from, "drive"));
  options.safe = flagOf(from, "safe");
  options.expiryNs = static_cast<uint64_t>(numberOf(from, "expiryMs") * static_cast<double>(kMillisecond));
  return options;
}

LineSetting edgeSettingOf(const Napi::Object& from) {
  LineSetting setting;
  setting.offset = countOf(from, "offset");
  setting.isActiveLow = flagOf(from, "isActiveLow");
  setting.bias = oneOf<Bias>(kBiases, textOf(from, "bias"));
  setting.edges = oneOf<Edges>(kEdges, textOf(from, "edges"));
  setting.debounceUs = countOf(from, "debounceUs");
  return setting;
}

}  // namespace armature
