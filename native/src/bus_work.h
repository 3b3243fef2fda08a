#pragma once
#include <napi.h>

#include <memory>

#include "backend.h"

namespace armature {

/** Runs transfers off the event loop. @return a promise of the received bytes */
Napi::Promise startSpi(Napi::Env env, std::shared_ptr<SpiDevice> device, const Napi::Array& transfers);
Napi::Promise startI2c(Napi::Env env, std::shared_ptr<I2cBus> bus, uint16_t address, const Napi::Uint8Array& send,
                       uint32_t receive);

}  // namespace armature
