//===- Session.h - run a program with the user's tensors --------*- C++ -*-===//

#ifndef WEFT_RUNTIME_ZHOUYI_SESSION_H
#define WEFT_RUNTIME_ZHOUYI_SESSION_H

#include "runtime/device/LayerCapture.h"
#include "runtime/device/Session.h"
#include "runtime/zhouyi/Machine.h"

namespace weft::zhouyi {

/// What rt::Session is for a bmodel: a machine, and the conversion between the
/// user's tensors and those in its memory.
class Session {
public:
  /// The codes of Machine::make.
  static rt::Result<Session> open(std::shared_ptr<const Program> program);

  /// In the order of the model.
  const std::vector<rt::TensorSpec> &inputs() const { return theInputs; }
  const std::vector<rt::TensorSpec> &outputs() const { return theOutputs; }
  Machine &machine() { return theMachine; }

  /// Those of rt::Device.
  void setInputsRead(std::function<void()> callback) {
    inputsRead = std::move(callback);
  }
  void setTimeLimit(double seconds) { timeLimitSeconds = seconds; }
  void setCancelled(bool value) { stop->setCancelled(value); }

  /// Runs once. Input i has inputs()[i].elements elements, output i takes
  /// outputs()[i].bytes() bytes. The message of a bad input begins with its
  /// name. With `layers`, the values of scratch buffers that have one are taken
  /// when the last instruction that writes the buffer has run; in the order in
  /// which they are complete.
  rt::Status run(const std::vector<rt::InputElements> &inputs,
                 const std::vector<uint8_t *> &outputs,
                 std::vector<rt::CapturedValue> *layers = nullptr);
  /// The same into new tensors.
  rt::Result<std::vector<numeric::HostTensor>>
  run(const std::vector<rt::InputElements> &inputs,
      std::vector<rt::CapturedValue> *layers = nullptr);

private:
  explicit Session(Machine machine);
  rt::Status launch(const std::vector<rt::InputElements> &inputs,
                    std::vector<rt::CapturedValue> *layers);

  Machine theMachine;
  std::function<void()> inputsRead;
  double timeLimitSeconds = 0;
  std::unique_ptr<rt::Stop> stop = std::make_unique<rt::Stop>();
  std::vector<rt::TensorSpec> theInputs, theOutputs;
  std::vector<const Buffer *> inputBuffers, outputBuffers;
};

} // namespace weft::zhouyi

#endif // WEFT_RUNTIME_ZHOUYI_SESSION_H
