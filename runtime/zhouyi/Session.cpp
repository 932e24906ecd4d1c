#include "runtime/zhouyi/Session.h"
#include "runtime/device/TensorConversion.h"
#include "runtime/status/Quote.h"

#include <cstring>
#include <map>

using namespace weft;
using namespace weft::zhouyi;
using numeric::HostTensor;
using rt::Result;
using rt::Status;

Session::Session(Machine machine) : theMachine(std::move(machine)) {
  for (const Buffer &buffer : theMachine.program().buffers) {
    if (buffer.role == BufferRole::Input) {
      inputBuffers.push_back(&buffer);
      theInputs.push_back(*buffer.value);
    } else if (buffer.role == BufferRole::Output) {
      outputBuffers.push_back(&buffer);
      theOutputs.push_back(*buffer.value);
    }
  }
}

Result<Session> Session::open(std::shared_ptr<const Program> program) {
  Result<Machine> machine = Machine::make(std::move(program));
  if (!machine)
    return machine.status();
  return Session(*std::move(machine));
}

//===----------------------------------------------------------------------===//
// Values inside the program
//===----------------------------------------------------------------------===//

namespace {
/// Which instruction of Program::body writes a buffer last.
class LastWriters {
public:
  explicit LastWriters(const Program &program) : program(program) {
    for (size_t i = 0; i < program.body.size(); ++i) {
      top = i;
      visit(program.body[i]);
    }
  }
  /// The buffers with a value that are complete after an instruction.
  std::map<size_t, std::vector<const Buffer *>> values() const {
    std::map<size_t, std::vector<const Buffer *>> complete;
    for (const auto &[index, instruction] : last)
      if (const Buffer &buffer = program.buffers[index];
          buffer.role == BufferRole::Scratch && buffer.value)
        complete[instruction].push_back(&buffer);
    return complete;
  }

private:
  void visit(const Instruction &instruction) {
    if (const auto *loop = std::get_if<Loop>(&instruction.what))
      for (const Instruction &inner : loop->body)
        visit(inner);
    else if (const auto *store = std::get_if<Store>(&instruction.what))
      last[store->to.buffer] = top;
    else if (const auto *apply = std::get_if<Apply>(&instruction.what)) {
      for (const Operand &operand : apply->operands)
        if (operand.kind == Operand::Kind::Address)
          last[operand.address.buffer] = top;
    } else if (const auto *step = std::get_if<HostStep>(&instruction.what)) {
      for (const host::Step &one : step->program.steps)
        if (const auto *put = std::get_if<host::StoreStep>(&one))
          visit(put->to);
    }
  }
  /// The host names bytes: it writes the buffers that begin with them and hold
  /// a value of that size. Others that share the bytes hold other values.
  void visit(const host::Place &place) {
    for (size_t i = 0; i < program.buffers.size(); ++i) {
      const Buffer &buffer = program.buffers[i];
      if (buffer.address == place.address && buffer.value &&
          buffer.value->storedBytes == place.bytes())
        last[i] = top;
    }
  }

  const Program &program;
  size_t top = 0;
  std::map<size_t, size_t> last;
};
} // namespace

/// The stored elements of a buffer's value, row-major.
static HostTensor readValue(const Buffer &buffer, const uint8_t *memory) {
  const rt::TensorSpec &spec = *buffer.value;
  HostTensor stored(spec.storedType, spec.shape);
  if (buffer.strides.empty()) {
    if (stored.sizeBytes())
      std::memcpy(stored.bytes(), memory, stored.sizeBytes());
    return stored;
  }
  size_t size = numeric::elementBytes(spec.storedType);
  std::vector<int64_t> index(spec.shape.size());
  for (int64_t i = 0; i < stored.elements(); ++i) {
    int64_t from = 0;
    for (size_t axis = 0; axis < index.size(); ++axis)
      from += index[axis] * buffer.strides[axis];
    std::memcpy(stored.bytes() + size_t(i) * size, memory + size_t(from) * size,
                size);
    for (size_t axis = index.size();
         axis-- > 0 && ++index[axis] == spec.shape[axis];)
      index[axis] = 0;
  }
  return stored;
}

static rt::CapturedValue capture(const Buffer &buffer, const uint8_t *memory) {
  const rt::TensorSpec &spec = *buffer.value;
  rt::CapturedValue value;
  value.name = spec.name;
  value.storedType = spec.storedType;
  value.onnxType = spec.type;
  value.scale = spec.scale;
  value.zeroPoint = int32_t(spec.zeroPoint);
  value.complete = true;
  value.tensor = value.stored = readValue(buffer, memory);
  if (!spec.isQuantized() && !numeric::isFloatType(spec.storedType))
    return value;
  HostTensor reals(numeric::ElementType::F32, spec.shape);
  for (int64_t i = 0; i < reals.elements(); ++i)
    reals.as<float>()[i] = static_cast<float>(
        (value.tensor.toDouble(i) - spec.zeroPoint) * double(spec.scale));
  value.tensor = std::move(reals);
  return value;
}

//===----------------------------------------------------------------------===//
// The run
//===----------------------------------------------------------------------===//

Status Session::launch(const std::vector<rt::InputElements> &inputs,
                       std::vector<rt::CapturedValue> *layers) {
  for (size_t i = 0; i < inputs.size(); ++i)
    WEFT_TRY(rt::toStored(theInputs[i], inputs[i].type, inputs[i].data,
                          theMachine.memory(*inputBuffers[i]))
                 .withContext("input " + rt::quoteName(theInputs[i].name)));
  if (inputsRead)
    inputsRead();
  stop->begin(timeLimitSeconds);
  rt::StopScope scope(stop.get());
  WEFT_TRY(stop->status());
  if (!layers)
    return theMachine.run();
  layers->clear();
  auto complete = LastWriters(theMachine.program()).values();
  return theMachine.run([&](size_t instruction) {
    auto found = complete.find(instruction);
    if (found == complete.end())
      return;
    for (const Buffer *buffer : found->second)
      layers->push_back(capture(*buffer, theMachine.memory(*buffer)));
  });
}

Status Session::run(const std::vector<rt::InputElements> &inputs,
                    const std::vector<uint8_t *> &outputs,
                    std::vector<rt::CapturedValue> *layers) {
  WEFT_TRY(launch(inputs, layers));
  for (size_t i = 0; i < outputs.size(); ++i)
    rt::fromStored(theOutputs[i], theMachine.memory(*outputBuffers[i]),
                   outputs[i]);
  return Status::ok();
}

Result<std::vector<HostTensor>>
Session::run(const std::vector<rt::InputElements> &inputs,
             std::vector<rt::CapturedValue> *layers) {
  WEFT_TRY(launch(inputs, layers));
  std::vector<HostTensor> results;
  for (size_t i = 0; i < theOutputs.size(); ++i) {
    results.emplace_back(theOutputs[i].type, theOutputs[i].shape);
    rt::fromStored(theOutputs[i], theMachine.memory(*outputBuffers[i]),
                   results.back().bytes());
  }
  return results;
}
