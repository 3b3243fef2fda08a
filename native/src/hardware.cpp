#include "hardware.h"

#include <cerrno>

#include "arguments.h"
#include "convert.h"
#include "error.h"
#include "linux/guardian_link.h"
#include "linux/linux_backend.h"
#include "watch_listener.h"

namespace armature {
namespace {

template <typename Item>
Napi::Array listOf(Napi::Env env, const std::vector<Item>& items) {
  Napi::Array list = Napi::Array::New(env, items.size());
  for (uint32_t i = 0; i < items.size(); i += 1) list.Set(i, toObject(env, items[i]));
  return list;
}

}  // namespace

Napi::Function Hardware::define(Napi::Env env) {
  return DefineClass(env, "Hardware",
                     {InstanceMethod<&Hardware::gpioChips>("gpioChips"),
                      InstanceMethod<&Hardware::gpioLines>("gpioLines"),
                      InstanceMethod<&Hardware::openLines>("openLines"),
                      InstanceMethod<&Hardware::readLines>("readLines"),
                      InstanceMethod<&Hardware::writeLines>("writeLines"),
                      InstanceMethod<&Hardware::pulseLine>("pulseLine"),
                      InstanceMethod<&Hardware::watchEdges>("watchEdges"),
                      InstanceMethod<&Hardware::readEdge>("readEdge"),
                      InstanceMethod<&Hardware::countEdges>("countEdges"),
                      InstanceMethod<&Hardware::deliverEdges>("deliverEdges"),
                      InstanceMethod<&Hardware::pwmChips>("pwmChips"),
                      InstanceMethod<&Hardware::openPwm>("openPwm"),
                      InstanceMethod<&Hardware::setPwm>("setPwm"),
                      InstanceMethod<&Hardware::readPwm>("readPwm"),
                      InstanceMethod<&Hardware::isExpired>("isExpired"),
                      InstanceMethod<&Hardware::spiDevices>("spiDevices"),
                      InstanceMethod<&Hardware::openSpi>("openSpi"),
                      InstanceMethod<&Hardware::transferSpi>("transferSpi"),
                      InstanceMethod<&Hardware::i2cBuses>("i2cBuses"),
                      InstanceMethod<&Hardware::openI2c>("openI2c"),
                      InstanceMethod<&Hardware::transferI2c>("transferI2c"),
                      InstanceMethod<&Hardware::openAdc>("openAdc"),
                      InstanceMethod<&Hardware::readAdc>("readAdc"),
                      InstanceMethod<&Hardware::statsAdc>("statsAdc"),
                      InstanceMethod<&Hardware::closeHandle>("closeHandle"),
                      InstanceMethod<&Hardware::renew>("renew"),
                      InstanceMethod<&Hardware::limits>("limits"),
                      InstanceMethod<&Hardware::stats>("stats"),
                      InstanceMethod<&Hardware::close>("close"),
                      InstanceMethod<&Hardware::pull>("pull"),
                      InstanceMethod<&Hardware::probe>("probe"),
                      InstanceMethod<&Hardware::probePwm>("probePwm"),
                      InstanceMethod<&Hardware::setAdc>("setAdc"),
                      InstanceMethod<&Hardware::unplug>("unplug"),
                      InstanceMethod<&Hardware::plug>("plug"),
                      InstanceMethod<&Hardware::shareClock>("shareClock"),
                      InstanceMethod<&Hardware::delayWrites>("delayWrites"),
                      InstanceMethod<&Hardware::failWrites>("failWrites")});
}

Hardware::Hardware(const Napi::CallbackInfo& info) : Napi::ObjectWrap<Hardware>(info), env_(info.Env()) {
  const Napi::Object options = info[0].As<Napi::Object>();
  guarded(env_, [&] {
    if (textOf(options, "backend") == "sim") {
      world_ = std::make_shared<SimWorld>();
      backend_ = makeSimBackend(world_);
    } else {
      backend_ = makeLinuxBackend(textOf(options, "root"));
      const std::string guardian = textOf(options, "guardian");
      if (!guardian.empty()) guardian_ = startGuardian(guardian);
    }
    engine_ = std::make_unique<Engine>(guardian_.get());
    reader_ = std::make_unique<EdgeReader>();
  });
  watchOverEnd(env_);
}

Hardware::~Hardware() {
  if (isHooked_) napi_remove_env_cleanup_hook(env_, endHook, this);
  end();
}

/** Called again after each new thread-safe function: hooks run last first, and ours has to run before its own. */
void Hardware::watchOverEnd(Napi::Env env) {
  if (isHooked_) napi_remove_env_cleanup_hook(env, endHook, this);
  isHooked_ = napi_add_env_cleanup_hook(env, endHook, this) == napi_ok;
}

void Hardware::endHook(void* hardware) {
  auto* self = static_cast<Hardware*>(hardware);
  self->isHooked_ = false;
  self->end();
}

void Hardware::end() {
  // Moving outputs stop first.
  engine_.reset();
  lines_.clear();
  pwms_.clear();
  watches_.clear();
  reader_.reset();
  adcs_.clear();
  spis_.clear();
  i2cs_.clear();
  guardian_.reset();
  backend_.reset();
}

Backend& Hardware::backend() const {
  if (!backend_) throw HardwareError("hardware.gone", "", "the hardware was closed; open it anew", EBADF);
  return *backend_;
}

SimWorld& Hardware::world() const {
  if (!world_) throw HardwareError("hardware.unsupported", "", "only the backend 'sim' has a world in memory");
  return *world_;
}

Napi::Value Hardware::gpioChips(Info info) {
  return guarded(info.Env(), [&] { return listOf(info.Env(), backend().gpioChips()); });
}

Napi::Value Hardware::gpioLines(Info info) {
  return guarded(info.Env(), [&] { return listOf(info.Env(), backend().gpioLines(textAt(info, 0))); });
}

/** (chip, consumer, options[]) */
Napi::Value Hardware::openLines(Info info) {
  return guarded(info.Env(), [&]() -> Napi::Value {
    const Napi::Array from = info[2].As<Napi::Array>();
    std::vector<LineOptions> options;
    std::vector<LineSetting> settings;
    for (uint32_t i = 0; i < from.Length(); i += 1) {
      options.push_back(lineOptionsOf(from.Get(i).As<Napi::Object>()));
      settings.push_back(options.back().setting);
    }
    auto request = backend().requestLines(textAt(info, 0), textAt(info, 1), settings);
    last_ += 1;
    lines_[last_] = engine_->add(textAt(info, 0), std::move(request), options);
    return Napi::Number::New(info.Env(), last_);
  });
}

/** (handle, mask) */
Napi::Value Hardware::readLines(Info info) {
  return guarded(info.Env(), [&]() -> Napi::Value {
    return Napi::BigInt::New(info.Env(), handleOf(lines_, info[0])->read(maskAt(info, 1)));
  });
}

/** (handle, mask, bits) */
void Hardware::writeLines(Info info) {
  guarded(info.Env(), [&] { engine_->write(*handleOf(lines_, info[0]), maskAt(info, 1), maskAt(info, 2)); });
}

/** (handle, line, duty cycle, Hz) */
void Hardware::pulseLine(Info info) {
  guarded(info.Env(), [&] {
    engine_->pulse(*handleOf(lines_, info[0]), countAt(info, 1), numberAt(info, 2), numberAt(info, 3));
  });
}

/** (chip, consumer, lines[], capacity, onEdges, onGone) */
Napi::Value Hardware::watchEdges(Info info) {
  return guarded(info.Env(), [&]() -> Napi::Value {
    const Napi::Array from = info[2].As<Napi::Array>();
    std::vector<LineSetting> settings;
    for (uint32_t i = 0; i < from.Length(); i += 1) settings.push_back(edgeSettingOf(from.Get(i).As<Napi::Object>()));
    auto request = backend().requestLines(textAt(info, 0), textAt(info, 1), settings);
    last_ += 1;
    watches_[last_] = std::make_unique<WatchListener>(info.Env(), *reader_, textAt(info, 0), std::move(request),
                                                      settings, countAt(info, 3), info[4].As<Napi::Function>(),
                                                      info[5].As<Napi::Function>());
    watchOverEnd(info.Env());
    return Napi::Number::New(info.Env(), last_);
  });
}

Napi::Value Hardware::readEdge(Info info) {
  return guarded(info.Env(), [&]() -> Napi::Value {
    return Napi::Boolean::New(info.Env(), handleOf(watches_, info[0])->watch().read(countAt(info, 1)));
  });
}

void Hardware::deliverEdges(Info info) {
  guarded(info.Env(), [&] { handleOf(watches_, info[0])->deliverNow(info.Env()); });
}

Napi::Value Hardware::countEdges(Info info) {
  return guarded(info.Env(), [&]() -> Napi::Value {
    const EdgeCounts counts = handleOf(watches_, info[0])->watch().counts(countAt(info, 1));
    Napi::Object made = Napi::Object::New(info.Env());
    made.Set("rising", static_cast<double>(counts.rising));
    made.Set("falling", static_cast<double>(counts.falling));
    made.Set("lost", static_cast<double>(counts.lost));
    return made;
  });
}

Napi::Value Hardware::pwmChips(Info info) {
  return guarded(info.Env(), [&] { return listOf(info.Env(), backend().pwmChips()); });
}

/** (chip, channel, expiry in ms) */
Napi::Value Hardware::openPwm(Info info) {
  return guarded(info.Env(), [&]() -> Napi::Value {
    const auto expiryNs = static_cast<uint64_t>(numberAt(info, 2) * static_cast<double>(kMillisecond));
    auto output = backend().openPwm(textAt(info, 0), countAt(info, 1));
    last_ += 1;
    pwms_[last_] = engine_->add(textAt(info, 0), countAt(info, 1), expiryNs, std::move(output));
    return Napi::Number::New(info.Env(), last_);
  });
}

void Hardware::setPwm(Info info) {
  guarded(info.Env(), [&] { engine_->set(*handleOf(pwms_, info[0]), numberAt(info, 1), numberAt(info, 2)); });
}

Napi::Value Hardware::readPwm(Info info) {
  return guarded(info.Env(), [&] { return toObject(info.Env(), engine_->read(*handleOf(pwms_, info[0]))); });
}

/** (handle, line) */
Napi::Value Hardware::isExpired(Info info) {
  return guarded(info.Env(), [&]() -> Napi::Value {
    const auto pwm = pwms_.find(countAt(info, 0));
    const bool isExpired = pwm != pwms_.end() ? pwm->second->isExpired.load()
                                              : handleOf(lines_, info[0])->isExpired(countAt(info, 1));
    return Napi::Boolean::New(info.Env(), isExpired);
  });
}

void Hardware::closeHandle(Info info) {
  guarded(info.Env(), [&] {
    const uint32_t number = countAt(info, 0);
    if (const auto lines = lines_.find(number); lines != lines_.end()) {
      engine_->remove(lines->second);
      lines_.erase(lines);
    }
    if (const auto pwm = pwms_.find(number); pwm != pwms_.end()) {
      engine_->remove(pwm->second);
      pwms_.erase(pwm);
    }
    watches_.erase(number);
    spis_.erase(number);
    i2cs_.erase(number);
    adcs_.erase(number);
  });
}

void Hardware::renew(Info info) {
  guarded(info.Env(), [&] {
    try {
      if (guardian_) guardian_->check();
    } catch (const HardwareError&) {
      // Unguarded outputs expire; the next call that drives one reports the reason.
      return;
    }
    if (engine_) engine_->renew();
  });
}

Napi::Value Hardware::limits(Info info) {
  return guarded(info.Env(), [&]() -> Napi::Value {
    backend();
    const EngineLimits limits = engine_->limits();
    Napi::Object made = Napi::Object::New(info.Env());
    made.Set("pwmHz", limits.pwmHz);
    made.Set("isRealTime", limits.isRealTime);
    made.Set("reason", limits.reason);
    return made;
  });
}

Napi::Value Hardware::stats(Info info) {
  return guarded(info.Env(), [&]() -> Napi::Value {
    backend();
    const EngineStats stats = engine_->stats();
    Napi::Object made = Napi::Object::New(info.Env());
    made.Set("expiries", static_cast<double>(stats.expiries));
    made.Set("latestPwmEdgeUs", stats.latestEdgeUs);
    made.Set("pwmEdges", static_cast<double>(stats.edges));
    made.Set("tooSlow", static_cast<double>(stats.tooSlow));
    return made;
  });
}

void Hardware::close(Info) { end(); }

}  // namespace armature
