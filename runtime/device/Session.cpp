#include "runtime/device/Session.h"
#include "runtime/device/StageChoice.h"
#include "runtime/device/TensorConversion.h"
#include "runtime/status/Quote.h"

#include <cstring>

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
    : model(model), theStage(&stage), theDevice(std::move(device)),
      storedInputs(stage.inputs.size()) {}

/// The input as its user sees it; `stored` holds its stored form.
static numeric::HostTensor userInput(const TensorSpec &tensor,
                                     const InputElements &input,
                                     const uint8_t *stored) {
  numeric::HostTensor result(tensor.type, tensor.shape);
  if (input.type != tensor.type)
    fromStored(tensor, stored, result.bytes());
  else if (result.sizeBytes())
    std::memcpy(result.bytes(), input.data, result.sizeBytes());
  return result;
}

/// Runs the whole stage: pads what has fewer entries, and crops.
Status Session::runPadded(const std::vector<InputElements> &inputs,
                          const std::vector<uint8_t *> &outputs,
                          int64_t entries) {
  if (entries < 1 || entries > batchSize(*theStage))
    return failf(Code::InvalidArgument,
                 "a run with %lld entries of the batch; the stage takes 1 to "
                 "%lld",
                 static_cast<long long>(entries),
                 static_cast<long long>(batchSize(*theStage)));
  std::vector<InputElements> padded = inputs;
  std::vector<std::vector<uint8_t>> buffers(inputs.size() + outputs.size());
  for (size_t i = 0; i < inputs.size(); ++i) {
    const TensorSpec &tensor = theStage->inputs[i];
    if (tensor.batchAxis < 0)
      continue;
    size_t bytes = numeric::elementBytes(inputs[i].type);
    buffers[i].resize(size_t(tensor.elements) * bytes);
    padBatch(tensor, bytes, entries, inputs[i].data, buffers[i].data());
    padded[i].data = buffers[i].data();
  }
  std::vector<uint8_t *> full = outputs;
  for (size_t i = 0; i < outputs.size(); ++i) {
    const TensorSpec &tensor = theStage->outputs[i];
    if (tensor.batchAxis < 0)
      continue;
    std::vector<uint8_t> &buffer = buffers[inputs.size() + i];
    buffer.resize(tensor.bytes());
    full[i] = buffer.data();
  }
  WEFT_TRY(run(padded, full));
  for (size_t i = 0; i < outputs.size(); ++i)
    if (theStage->outputs[i].batchAxis >= 0) {
      cropBatch(theStage->outputs[i], entries, full[i], outputs[i]);
      shapes[i] = shapeFor(theStage->outputs[i], entries);
    }
  return Status::ok();
}

Status Session::launch(const std::vector<InputElements> &inputs) {
  assert(inputs.size() == storedInputs.size());
  std::vector<ByteSpan> in;
  std::vector<MutableBytes> out(theStage->outputs.size()); // stay there
  for (size_t i = 0; i < inputs.size(); ++i) {
    const TensorSpec &tensor = theStage->inputs[i];
    // What needs no conversion is not copied.
    if (inputs[i].type == tensor.storedType &&
        tensor.type == tensor.storedType && tensor.elements != 0) {
      in.push_back({inputs[i].data, size_t(tensor.storedBytes)});
      continue;
    }
    storedInputs[i].resize(tensor.storedBytes);
    WEFT_TRY(
        toStored(tensor, inputs[i].type, inputs[i].data, storedInputs[i].data())
            .withContext("input " + quoteName(tensor.name)));
    in.push_back({storedInputs[i].data(), storedInputs[i].size()});
  }
  bool usesHost = theStage->usesHost();
  host = {};
  for (size_t i = 0; usesHost && i < inputs.size(); ++i)
    host.inputs.push_back(
        userInput(theStage->inputs[i], inputs[i], in[i].data));
  WEFT_TRY(theDevice->run(in, out, usesHost ? &host : nullptr));
  shapes.clear();
  for (size_t i = 0; i < theStage->outputs.size(); ++i)
    shapes.push_back(theStage->outputs[i].fromHost
                         ? host.outputs[i].shape()
                         : theStage->outputs[i].shape);
  return Status::ok();
}

Status Session::run(const std::vector<InputElements> &inputs,
                    const std::vector<uint8_t *> &outputs, int64_t entries) {
  assert(outputs.size() == theStage->outputs.size());
  if (entries != 0)
    return runPadded(inputs, outputs, entries);
  WEFT_TRY(launch(inputs));
  for (size_t i = 0; i < outputs.size(); ++i) {
    if (!theStage->outputs[i].fromHost)
      fromStored(theStage->outputs[i], theDevice->storedOutput(i), outputs[i]);
    else if (size_t size = host.outputs[i].sizeBytes())
      std::memcpy(outputs[i], host.outputs[i].bytes(), size);
  }
  return Status::ok();
}

Result<std::vector<numeric::HostTensor>>
Session::run(const std::vector<InputElements> &inputs, int64_t entries) {
  std::vector<numeric::HostTensor> results;
  if (entries == 0) {
    WEFT_TRY(launch(inputs));
    for (size_t i = 0; i < theStage->outputs.size(); ++i) {
      const TensorSpec &output = theStage->outputs[i];
      if (output.fromHost) {
        results.push_back(std::move(host.outputs[i]));
        continue;
      }
      results.emplace_back(output.type, output.shape);
      fromStored(output, theDevice->storedOutput(i), results.back().bytes());
    }
    return results;
  }
  std::vector<uint8_t *> outputs;
  for (const TensorSpec &tensor : theStage->outputs)
    results.emplace_back(tensor.type, shapeFor(tensor, entries));
  for (numeric::HostTensor &tensor : results)
    outputs.push_back(tensor.bytes());
  WEFT_TRY(run(inputs, outputs, entries));
  return results;
}

} // namespace weft::rt
