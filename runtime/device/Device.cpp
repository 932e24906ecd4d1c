#include "runtime/device/Device.h"
#include "runtime/device/BmrtDevice.h"
#include "runtime/device/EmulatorDevice.h"

#include <cstdlib>

namespace weft::rt {

Device::~Device() = default;

template <typename T>
static Result<std::unique_ptr<Device>> upcast(Result<std::unique_ptr<T>> from) {
  if (!from)
    return from.status();
  return std::unique_ptr<Device>(*std::move(from));
}

Result<std::unique_ptr<Device>> openDevice(const DeviceOptions &options,
                                           const Bmodel &model,
                                           const NetSpec &net, size_t stage) {
  if (stage >= net.stages.size())
    return failf(Code::InvalidArgument, "stage is %zu, the net has %zu", stage,
                 net.stages.size());
  bool isAdversarial = options.order == DeviceOptions::Order::Adversarial;
  if (options.kind == DeviceOptions::Kind::Emulator) {
    auto device = EmulatorDevice::open(model, net, stage, options.threads);
    if (device)
      (*device)->setTimeLimit(options.timeLimitSeconds);
    if (device && isAdversarial)
      (*device)->setOrder(emulator::adversarialOrder(options.orderSeed));
    return upcast(std::move(device));
  }
  if (isAdversarial)
    return fail(Code::InvalidArgument,
                "an adversarial order needs the emulator: on bmrt the machine "
                "decides which engine goes first");
  BmrtOptions bmrt;
  bmrt.library = options.bmrtLibrary;
  if (options.timeLimitSeconds > 0)
    bmrt.timeLimitSeconds = options.timeLimitSeconds;
  if (bmrt.library.empty())
    if (const char *path = std::getenv("WEFT_BMRT_LIB"))
      bmrt.library = path;
  return upcast(BmrtDevice::open(bmrt, model, net, stage));
}

} // namespace weft::rt
