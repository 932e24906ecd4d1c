//===- Session.h - run one stage with the user's tensors --------*- C++ -*-===//

#ifndef WEFT_RUNTIME_DEVICE_SESSION_H
#define WEFT_RUNTIME_DEVICE_SESSION_H

#include "runtime/device/Device.h"
#include "runtime/numeric/HostTensor.h"

namespace weft::rt {

/// Elements given for one input, of any type that acceptsType() allows.
struct InputElements {
  numeric::ElementType type = numeric::ElementType::F32;
  const uint8_t *data = nullptr;
};

/// A device with buffers for the stored forms of a stage's inputs and outputs.
class Session {
public:
  static Result<Session> open(const DeviceOptions &options, const Bmodel &model,
                              const NetSpec &net, size_t stage);

  /// Runs once. One entry for every input and output in the stage's order;
  /// input i has stage().inputs[i].elements elements, output i takes
  /// stage().outputs[i].bytes() bytes; one whose size depends on data fills the
  /// beginning (outputShape). The message of a bad input begins with its name.
  ///
  /// `entries` from 1 to the stage's batch size: inputs and outputs with a
  /// batch axis have so many entries along it instead of all (StageChoice).
  Status run(const std::vector<InputElements> &inputs,
             const std::vector<uint8_t *> &outputs, int64_t entries = 0);
  /// The same into new tensors.
  Result<std::vector<numeric::HostTensor>>
  run(const std::vector<InputElements> &inputs, int64_t entries = 0);

  /// The shape of output `index` after the last successful run; null before,
  /// or if there is no such output.
  const std::vector<int64_t> *outputShape(size_t index) const {
    return index < shapes.size() ? &shapes[index] : nullptr;
  }

  const StageSpec &stage() const { return *theStage; }
  Device &device() { return *theDevice; }

private:
  Session(const Bmodel &model, const StageSpec &stage,
          std::unique_ptr<Device> device);
  /// Runs; outputs that lie in DRAM are in the device's memory, others in host.
  Status launch(const std::vector<InputElements> &inputs);
  /// The same with fewer entries of the batch: pads the inputs and crops.
  Status runPadded(const std::vector<InputElements> &inputs,
                   const std::vector<uint8_t *> &outputs, int64_t entries);

  Bmodel model; ///< keeps the stage alive
  const StageSpec *theStage;
  std::unique_ptr<Device> theDevice;
  /// Of inputs that are stored in another form than they were given.
  std::vector<std::vector<uint8_t>> storedInputs;
  HostTensors host;
  std::vector<std::vector<int64_t>> shapes; ///< of the outputs
};

} // namespace weft::rt

#endif // WEFT_RUNTIME_DEVICE_SESSION_H
