/** SPI, I2C, converters and the world of the simulator. */
#include "arguments.h"
#include "bus_work.h"
#include "convert.h"
#include "hardware.h"
#include "watch_listener.h"

namespace armature {
Napi::Value Hardware::spiDevices(Info info) {
  return guarded(info.Env(), [&] { return toArray(info.Env(), backend().spiDevices()); });
}

/** (device, mode, Hz, bits) */
Napi::Value Hardware::openSpi(Info info) {
  return guarded(info.Env(), [&]() -> Napi::Value {
    SpiSetting setting;
    setting.mode = static_cast<uint8_t>(countAt(info, 1));
    setting.speedHz = countAt(info, 2);
    setting.bitsPerWord = static_cast<uint8_t>(countAt(info, 3));
    last_ += 1;
    spis_[last_] = backend().openSpi(textAt(info, 0), setting);
    return Napi::Number::New(info.Env(), last_);
  });
}

Napi::Value Hardware::transferSpi(Info info) {
  return guarded(info.Env(), [&]() -> Napi::Value {
    return startSpi(info.Env(), handleOf(spis_, info[0]), info[1].As<Napi::Array>());
  });
}

Napi::Value Hardware::i2cBuses(Info info) {
  return guarded(info.Env(), [&] { return toArray(info.Env(), backend().i2cBuses()); });
}

Napi::Value Hardware::openI2c(Info info) {
  return guarded(info.Env(), [&]() -> Napi::Value {
    last_ += 1;
    i2cs_[last_] = backend().openI2c(textAt(info, 0));
    return Napi::Number::New(info.Env(), last_);
  });
}

/** (handle, address, send, bytes to receive) */
Napi::Value Hardware::transferI2c(Info info) {
  return guarded(info.Env(), [&]() -> Napi::Value {
    const auto address = static_cast<uint16_t>(countAt(info, 1));
    return startI2c(info.Env(), handleOf(i2cs_, info[0]), address, info[2].As<Napi::Uint8Array>(), countAt(info, 3));
  });
}

/** (chip, device, address, channels[]) */
Napi::Value Hardware::openAdc(Info info) {
  return guarded(info.Env(), [&]() -> Napi::Value {
    const Napi::Array from = info[3].As<Napi::Array>();
    std::vector<AdcChannel> channels;
    for (uint32_t i = 0; i < from.Length(); i += 1) {
      const Napi::Object channel = from.Get(i).As<Napi::Object>();
      channels.push_back({countOf(channel, "channel"), numberOf(channel, "samplesPerSecond"),
                          numberOf(channel, "averageOverMs")});
    }
    const auto address = static_cast<uint16_t>(countAt(info, 2));
    auto converter = makeConverter(backend(), textAt(info, 0), textAt(info, 1), address);
    auto sampler = std::make_unique<AdcSampler>(textAt(info, 1), std::move(converter), channels);
    last_ += 1;
    adcs_[last_] = std::move(sampler);
    return Napi::Number::New(info.Env(), last_);
  });
}

Napi::Value Hardware::readAdc(Info info) {
  return guarded(info.Env(), [&]() -> Napi::Value {
    const AdcSampler::Reading reading = handleOf(adcs_, info[0])->read(countAt(info, 1));
    Napi::Object made = Napi::Object::New(info.Env());
    made.Set("value", reading.value);
    made.Set("ageMs", reading.ageMs);
    made.Set("samples", reading.samples);
    return made;
  });
}

Napi::Value Hardware::statsAdc(Info info) {
  return guarded(info.Env(), [&]() -> Napi::Value {
    AdcSampler& adc = *handleOf(adcs_, info[0]);
    const AdcSampler::Stats stats = adc.stats();
    Napi::Object made = Napi::Object::New(info.Env());
    made.Set("samples", static_cast<double>(stats.samples));
    made.Set("systemCalls", static_cast<double>(stats.systemCalls));
    made.Set("errors", static_cast<double>(stats.errors));
    made.Set("max", adc.max());
    return made;
  });
}

void Hardware::pull(Info info) {
  guarded(info.Env(), [&] { world().pull(textAt(info, 0), countAt(info, 1), info[2].As<Napi::Boolean>().Value()); });
}

Napi::Value Hardware::probe(Info info) {
  return guarded(info.Env(), [&]() -> Napi::Value {
    const SimWorld::Probe probe = world().probe(textAt(info, 0), countAt(info, 1));
    Napi::Object made = Napi::Object::New(info.Env());
    made.Set("isDriven", probe.isDriven);
    made.Set("isHigh", probe.isHigh);
    made.Set("dutyCycle", probe.dutyCycle);
    return made;
  });
}

Napi::Value Hardware::probePwm(Info info) {
  return guarded(info.Env(), [&] { return toObject(info.Env(), world().probePwm(textAt(info, 0), countAt(info, 1))); });
}

void Hardware::setAdc(Info info) {
  guarded(info.Env(),
          [&] { world().setAdc(textAt(info, 0), countAt(info, 1), info[2].As<Napi::Number>().Int32Value()); });
}

void Hardware::unplug(Info info) {
  guarded(info.Env(), [&] { world().unplug(textAt(info, 0)); });
}

void Hardware::plug(Info info) {
  guarded(info.Env(), [&] { world().plug(textAt(info, 0)); });
}

void Hardware::shareClock(Info info) {
  guarded(info.Env(), [&] { world().shareClock(); });
}

/** (chip, ms) */
void Hardware::delayWrites(Info info) {
  guarded(info.Env(), [&] {
    world().delayWrites(textAt(info, 0), static_cast<uint64_t>(numberAt(info, 1) * static_cast<double>(kMillisecond)));
  });
}

/** (device, count) */
void Hardware::failWrites(Info info) {
  guarded(info.Env(), [&] { world().failWrites(textAt(info, 0), countAt(info, 1)); });
}

}  // namespace armature
