#include "bus_work.h"

#include <algorithm>
#include <optional>

#include "convert.h"
#include "error.h"

namespace armature {
namespace {

using Bytes = std::vector<uint8_t>;

Napi::Uint8Array toBytes(Napi::Env env, const Bytes& bytes) {
  Napi::Uint8Array made = Napi::Uint8Array::New(env, bytes.size());
  std::copy(bytes.begin(), bytes.end(), made.Data());
  return made;
}

Bytes bytesOf(const Napi::Uint8Array& from) { return Bytes(from.Data(), from.Data() + from.ElementLength()); }

/** The work itself does not touch JavaScript; its result is converted on the event loop. */
class BusWork : public Napi::AsyncWorker {
 public:
  explicit BusWork(Napi::Env env) : Napi::AsyncWorker(env, "armature bus"), deferred_(env) {}
  Napi::Promise promise() const { return deferred_.Promise(); }

 protected:
  virtual void work() = 0;
  virtual Napi::Value result(Napi::Env env) = 0;

  void Execute() override {
    try {
      work();
    } catch (const HardwareError& error) {
      failed_ = error;
      SetError(error.what());
    }
  }
  void OnOK() override { deferred_.Resolve(result(Env())); }
  void OnError(const Napi::Error& error) override {
    deferred_.Reject(failed_ ? toError(Env(), *failed_).Value() : error.Value());
  }

 private:
  Napi::Promise::Deferred deferred_;
  std::optional<HardwareError> failed_;
};

class SpiWork : public BusWork {
 public:
  SpiWork(Napi::Env env, std::shared_ptr<SpiDevice> device, const Napi::Array& transfers)
      : BusWork(env), device_(std::move(device)) {
    for (uint32_t i = 0; i < transfers.Length(); i += 1) {
      const Napi::Object transfer = transfers.Get(i).As<Napi::Object>();
      sends_.push_back(bytesOf(transfer.Get("send").As<Napi::Uint8Array>()));
      receives_.emplace_back(sends_.back().size());
      isReleased_.push_back(flagOf(transfer, "isChipSelectReleased"));
    }
  }

 protected:
  void work() override {
    std::vector<SpiPiece> pieces;
    for (size_t i = 0; i < sends_.size(); i += 1) {
      const auto length = static_cast<uint32_t>(sends_[i].size());
      pieces.push_back({sends_[i].data(), receives_[i].data(), length, isReleased_[i], 0});
    }
    device_->transfer(pieces);
  }
  Napi::Value result(Napi::Env env) override {
    Napi::Array all = Napi::Array::New(env, receives_.size());
    for (uint32_t i = 0; i < receives_.size(); i += 1) all.Set(i, toBytes(env, receives_[i]));
    return all;
  }

 private:
  const std::shared_ptr<SpiDevice> device_;
  std::vector<Bytes> sends_;
  std::vector<Bytes> receives_;
  std::vector<bool> isReleased_;
};

class I2cWork : public BusWork {
 public:
  I2cWork(Napi::Env env, std::shared_ptr<I2cBus> bus, uint16_t address, Bytes send, uint32_t receive)
      : BusWork(env), bus_(std::move(bus)), address_(address), send_(std::move(send)), receive_(receive) {}

 protected:
  void work() override { bus_->transfer(address_, send_, receive_); }
  Napi::Value result(Napi::Env env) override { return toBytes(env, receive_); }

 private:
  const std::shared_ptr<I2cBus> bus_;
  const uint16_t address_;
  const Bytes send_;
  Bytes receive_;
};

}  // namespace

Napi::Promise startSpi(Napi::Env env, std::shared_ptr<SpiDevice> device, const Napi::Array& transfers) {
  auto* work = new SpiWork(env, std::move(device), transfers);
  const Napi::Promise promise = work->promise();
  work->Queue();
  return promise;
}

Napi::Promise startI2c(Napi::Env env, std::shared_ptr<I2cBus> bus, uint16_t address, const Napi::Uint8Array& send,
                       uint32_t receive) {
  auto* work = new I2cWork(env, std::move(bus), address, bytesOf(send), receive);
  const Napi::Promise promise = work->promise();
  work->Queue();
  return promise;
}

}  // namespace armature
