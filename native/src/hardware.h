#pragma once
#include <napi.h>

#include <map>
#include <memory>

#include "adc.h"
#include "backend.h"
#include "edges.h"
#include "guardian.h"
#include "outputs.h"
#include "sim/sim_world.h"

namespace armature {

class WatchListener;

/**
 * The native object behind `openHardware` of index.js. Every handle is a number here, so that no foreign object can be
 * mistaken for one, and everything ends with the environment that opened it.
 */
class Hardware : public Napi::ObjectWrap<Hardware> {
 public:
  static Napi::Function define(Napi::Env env);
  /** { backend, guardian, root } */
  explicit Hardware(const Napi::CallbackInfo& info);
  ~Hardware() override;

 private:
  using Info = const Napi::CallbackInfo&;
  Napi::Value gpioChips(Info info);
  Napi::Value gpioLines(Info info);
  Napi::Value openLines(Info info);
  Napi::Value readLines(Info info);
  void writeLines(Info info);
  void pulseLine(Info info);
  Napi::Value watchEdges(Info info);
  void deliverEdges(Info info);
  Napi::Value readEdge(Info info);
  Napi::Value countEdges(Info info);
  Napi::Value pwmChips(Info info);
  Napi::Value openPwm(Info info);
  void setPwm(Info info);
  Napi::Value readPwm(Info info);
  Napi::Value isExpired(Info info);
  Napi::Value spiDevices(Info info);
  Napi::Value openSpi(Info info);
  Napi::Value transferSpi(Info info);
  Napi::Value i2cBuses(Info info);
  Napi::Value openI2c(Info info);
  Napi::Value transferI2c(Info info);
  Napi::Value openAdc(Info info);
  Napi::Value readAdc(Info info);
  Napi::Value statsAdc(Info info);
  /** Any handle. */
  void closeHandle(Info info);
  void renew(Info info);
  Napi::Value limits(Info info);
  Napi::Value stats(Info info);
  void close(Info info);
  void pull(Info info);
  Napi::Value probe(Info info);
  Napi::Value probePwm(Info info);
  void setAdc(Info info);
  void unplug(Info info);
  void plug(Info info);
  void shareClock(Info info);
  void delayWrites(Info info);
  void failWrites(Info info);

  void end();
  void watchOverEnd(Napi::Env env);
  static void endHook(void* hardware);
  Backend& backend() const;
  SimWorld& world() const;

  std::shared_ptr<SimWorld> world_;
  std::unique_ptr<Backend> backend_;
  std::unique_ptr<Guardian> guardian_;
  std::unique_ptr<Engine> engine_;
  std::unique_ptr<EdgeReader> reader_;
  uint32_t last_ = 0;
  std::map<uint32_t, std::shared_ptr<LineSet>> lines_;
  std::map<uint32_t, std::shared_ptr<PwmChannel>> pwms_;
  std::map<uint32_t, std::unique_ptr<WatchListener>> watches_;
  std::map<uint32_t, std::shared_ptr<SpiDevice>> spis_;
  std::map<uint32_t, std::shared_ptr<I2cBus>> i2cs_;
  std::map<uint32_t, std::unique_ptr<AdcSampler>> adcs_;
  napi_env env_;
  bool isHooked_ = false;
};

}  // namespace armature
