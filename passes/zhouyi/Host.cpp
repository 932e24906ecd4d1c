//===- Host.cpp - the Host family beside the vectors ----------------------===//
//
// The kernels of the host read and write the program's memory. A value that
// goes back to the machine is written in the machine's type at once; one that
// only the host reads lies in scratch in the host's type.
//
//===----------------------------------------------------------------------===//

#include "dialects/tpu/Host.h"

#include "dialects/zhouyi/Program.h"
#include "passes/zhouyi/Emitter.h"
#include "runtime/numeric/SmallFloats.h"

using namespace mlir;
using namespace weft;
using namespace weft::zhouyi;

/// The elements of a host tensor in memory: what is smaller than a byte has one
/// of its own, bools and floats of 8 and 4 bits as bits.
static Type hostElement(Emitter &emitter, Value value) {
  Type element = tpu::elementOf(value);
  auto integer = dyn_cast<IntegerType>(element);
  if (integer && integer.getWidth() < 8)
    return emitter.code.integer(8, integer.getWidth() > 1 &&
                                       !integer.isUnsigned());
  std::optional<numeric::ElementType> type = hostElementType(element);
  if (type && numeric::isSmallFloat(*type))
    return emitter.code.integer(8, false);
  return storedElement(element);
}

/// True if memory can hold the elements.
static bool isHeld(Value value) {
  return hostElementType(tpu::elementOf(value)).has_value();
}

static InFlightDiagnostic refuseElement(Operation *op, Value value) {
  return unsupported(op->getLoc()) << "a tensor of " << tpu::elementOf(value)
                                   << " in the program's memory";
}

static LogicalResult emitToHost(tpu::ToHostOp op, Emitter &emitter) {
  emitter.place(op.getOutput(), emitter.pointer(op.getInput()));
  return success();
}

static LogicalResult emitHostConstant(tpu::HostConstantOp op,
                                      Emitter &emitter) {
  if (!isHeld(op.getOutput()))
    return refuseElement(op, op.getOutput());
  FailureOr<numeric::HostTensor> tensor =
      toHostTensor(op.getValue(), op.getLoc());
  if (failed(tensor))
    return failure();
  ArrayRef<char> raw(reinterpret_cast<const char *>(tensor->bytes()),
                     tensor->sizeBytes());
  emitter.place(op.getOutput(),
                emitter.weight(hostElement(emitter, op.getOutput()), raw,
                               "host_constant"));
  return success();
}

/// Where the kernel writes a result: the place of the machine's tensor that is
/// made of it, if all are of one type.
static Value hostResult(Value value, Emitter &emitter) {
  tpu::FromHostOp first;
  for (Operation *user : value.getUsers())
    if (auto back = dyn_cast<tpu::FromHostOp>(user)) {
      if (!first)
        first = back;
      else if (emitter.stored(first.getOutput()) !=
               emitter.stored(back.getOutput()))
        return {};
    }
  if (first)
    return emitter.result(first.getOutput());
  auto type = cast<RankedTensorType>(value.getType());
  return emitter.scratch(hostElement(emitter, value), type.getNumElements(),
                         "host");
}

static LogicalResult emitFromHost(tpu::FromHostOp op, Emitter &emitter) {
  if (emitter.pointer(op.getOutput()))
    return success(); // the kernel has written it
  Value source = emitter.pointer(op.getInput());
  if (elementOf(source) != emitter.stored(op.getOutput()))
    return unsupported(op.getLoc())
           << "a tensor of the host that the machine reads in "
              "two types";
  copyDense(emitter.code, source, emitter.result(op.getOutput()),
            op.getOutput().getType().getNumElements());
  return success();
}

static LogicalResult emitHost(tpu::HostOp op, Emitter &emitter) {
  SmallVector<Value> inputs, outputs;
  SmallVector<Attribute> inputTypes, outputTypes;
  auto isStatic = [](Value value) {
    return cast<RankedTensorType>(value.getType()).hasStaticShape() &&
           cast<RankedTensorType>(value.getType()).getNumElements() > 0;
  };
  for (Value input : op.getInputs()) {
    if (!isStatic(input))
      return unsupported(op.getLoc())
             << "an operand whose size depends on data";
    inputs.push_back(emitter.pointer(input));
    inputTypes.push_back(TypeAttr::get(input.getType()));
  }
  for (Value output : op.getOutputs()) {
    if (!isHeld(output))
      return refuseElement(op, output);
    Value pointer = isStatic(output) ? hostResult(output, emitter) : Value();
    if (!pointer)
      return unsupported(op.getLoc())
             << "a result of '" << op.getKernel()
             << "' whose size depends on data or that is read "
                "in two types";
    emitter.place(output, pointer);
    outputs.push_back(pointer);
    outputTypes.push_back(TypeAttr::get(output.getType()));
  }
  OpBuilder &builder = emitter.code.builder;
  builder.create<HostCallOp>(
      op.getLoc(), op.getKernelAttr(), inputs, outputs, op.getParametersAttr(),
      builder.getArrayAttr(inputTypes), builder.getArrayAttr(outputTypes),
      op.getReasonAttr(), op.getAbsentAttr());
  return success();
}

static std::optional<Refusal> refuseCustom(tpu::CustomOp op) {
  return Refusal(op, "a kernel of a plugin on this machine", "");
}

void zhouyi::addHost(EmitTable &table) {
  table.add<tpu::ToHostOp>(emitToHost);
  table.add<tpu::FromHostOp>(emitFromHost);
  table.add<tpu::HostOp>(emitHost);
  table.add<tpu::HostConstantOp>(emitHostConstant);
  table.refuse<tpu::CustomOp>(refuseCustom);
}
