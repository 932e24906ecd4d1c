#include "runtime/device/Session.h"
#include "runtime/device/TensorConversion.h"
#include "runtime/status/Quote.h"

namespace weft::rt {

Result<Session> Session::open(const DeviceOptions &options, const Bmodel &model,
                              const NetSpec &net, size_t stage) {
  Result<std::unique_ptr<Device>> device =
      openDevice(options, model, net, stage);
  if (!device)
    return device.status();
  return Session(model, net.stages[stage], *std::move(device));
}

Session::Session(const Bmodel &model, const StageSpec &stage,
                 std::unique_ptr<Device> device)
    : model(model), theStage(&stage), theDevice(std::move(device)) {
  for (const TensorSpec &tensor : stage.inputs)
    storedInputs.emplace_back(tensor.storedBytes);
  for (const TensorSpec &tensor : stage.outputs)
    storedOutputs.emplace_back(tensor.storedBytes);
}

Status Session::run(const std::vector<InputElements> &inputs,
                    const std::vector<uint8_t *> &outputs) {
  assert(inputs.size() == storedInputs.size() &&
         outputs.size() == storedOutputs.size());
  std::vector<ByteSpan> in;
  std::vector<MutableBytes> out;
  for (size_t i = 0; i < inputs.size(); ++i) {
    const TensorSpec &tensor = theStage->inputs[i];
    // What needs no conversion is not copied.
    if (inputs[i].type == tensor.storedType &&
        tensor.type == tensor.storedType) {
      in.push_back({inputs[i].data, size_t(tensor.storedBytes)});
      continue;
    }
    WEFT_TRY(
        toStored(tensor, inputs[i].type, inputs[i].data, storedInputs[i].data())
            .withContext("input " + quoteName(tensor.name)));
    in.push_back({storedInputs[i].data(), storedInputs[i].size()});
  }
  for (std::vector<uint8_t> &buffer : storedOutputs)
    out.push_back({buffer.data(), buffer.size()});
  WEFT_TRY(theDevice->run(in, out));
  for (size_t i = 0; i < outputs.size(); ++i)
    fromStored(theStage->outputs[i], storedOutputs[i].data(), outputs[i]);
  return Status::ok();
}

Result<std::vector<numeric::HostTensor>>
Session::run(const std::vector<InputElements> &inputs) {
  std::vector<numeric::HostTensor> results;
  std::vector<uint8_t *> outputs;
  for (const TensorSpec &tensor : theStage->outputs)
    results.emplace_back(tensor.type, tensor.shape);
  for (numeric::HostTensor &tensor : results)
    outputs.push_back(tensor.bytes());
  WEFT_TRY(run(inputs, outputs));
  return results;
}

} // namespace weft::rt
