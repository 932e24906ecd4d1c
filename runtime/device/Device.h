//===- Device.h - something that runs one stage of a bmodel -----*- C++ -*-===//

#ifndef WEFT_RUNTIME_DEVICE_DEVICE_H
#define WEFT_RUNTIME_DEVICE_DEVICE_H

#include "runtime/bmodel/Bmodel.h"
#include "runtime/status/Stop.h"

#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace weft::rt {

/// Memory of the caller that a device fills.
struct MutableBytes {
  uint8_t *data = nullptr;
  size_t size = 0;
};

/// What passes the chip by: inputs that programs of the host read as the user
/// gave them, and outputs that they give.
struct HostTensors {
  std::vector<numeric::HostTensor> inputs;  ///< one an input
  std::vector<numeric::HostTensor> outputs; ///< one an output; filled by run
};

/// A stage made ready on a device. Tensors travel as their stored bytes; the
/// user's types are the business of Session.
class Device {
public:
  virtual ~Device();

  /// Runs the stage once. `inputs` and `outputs` have one entry for every input
  /// and output of the stage, each of exactly `storedBytes` bytes. `host` is
  /// needed if the stage uses the host (StageSpec::usesHost); an output that
  /// comes from there is in `host->outputs` only. An output whose data is null
  /// stays where it is (storedOutput). After a failure the outputs are
  /// undefined and the device may refuse further runs.
  virtual Status run(const std::vector<ByteSpan> &inputs,
                     const std::vector<MutableBytes> &outputs,
                     HostTensors *host = nullptr) = 0;

  /// The stored bytes of output `index` after a successful run, in the device's
  /// own memory; they live until the next run.
  virtual const uint8_t *storedOutput(size_t index) const = 0;

  /// `callback` is called in each following run when the inputs have been read:
  /// from then on nobody needs their bytes.
  void setInputsRead(std::function<void()> callback) {
    inputsRead = std::move(callback);
  }

  /// Seconds of the last successful run between launching the commands and
  /// their end: without copying inputs and outputs.
  double launchSeconds() const { return theLaunchSeconds; }

  /// Seconds that each following run may take; 0: any time. Code::Timeout.
  void setTimeLimit(double seconds) { timeLimitSeconds = seconds; }
  /// Ends a run in progress and refuses the following ones with
  /// Code::Cancelled, until it is called with false. Any thread may call it
  /// while the device lives.
  void setCancelled(bool value) { stop.setCancelled(value); }

protected:
  std::function<void()> inputsRead;
  double theLaunchSeconds = 0;
  double timeLimitSeconds = 0;
  Stop stop;
};

/// Which device, and what it needs.
struct DeviceOptions {
  enum class Kind { Emulator, Bmrt };
  Kind kind = Kind::Emulator;
  /// Path of libbmrt.so; empty: the environment variable WEFT_BMRT_LIB.
  std::string bmrtLibrary;
  /// Seconds that each run may take, and loading on libbmrt; 0: 300 on libbmrt,
  /// any time on the emulator.
  double timeLimitSeconds = 0;
  /// Threads that the emulator uses; 0: one a processor.
  unsigned threads = 0;
  /// Which commands of the two engines go first on the emulator where their
  /// waits leave it open: always the same, or as orderSeed says
  /// (emulator::adversarialOrder). Outputs depend on it where waits are
  /// missing.
  enum class Order { Program, Adversarial };
  Order order = Order::Program;
  uint64_t orderSeed = 0;
};

/// Makes stage `stage` of `net` ready. `model` is shared, `net` belongs to it.
Result<std::unique_ptr<Device>> openDevice(const DeviceOptions &options,
                                           const Bmodel &model,
                                           const NetSpec &net, size_t stage);

} // namespace weft::rt

#endif // WEFT_RUNTIME_DEVICE_DEVICE_H
