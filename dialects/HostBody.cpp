//===- HostBody.cpp - graphs in calls of control kernels ------------------===//

#include "dialects/HostBody.h"

#include "dialects/Evaluate.h"
#include "runtime/host/Body.h"

#include "mlir/IR/Builders.h"
#include "llvm/ADT/DenseMap.h"

using namespace mlir;
using namespace weft;

bool weft::hasBodyKernel(Operation *op) {
  if (!host::hasKernel(hostKernelName(op).str()))
    return false;
  auto isHeld = [](Type type) { return succeeded(hostResultType(type)); };
  return llvm::all_of(op->getOperandTypes(), isHeld) &&
         llvm::all_of(op->getResultTypes(), isHeld);
}

static ArrayAttr typeList(Builder &builder, TypeRange types) {
  SmallVector<Type> list(types.begin(), types.end());
  return builder.getTypeArrayAttr(list);
}

DictionaryAttr weft::hostBody(MLIRContext *context, Block &block,
                              ArrayRef<Value> inputs, ArrayRef<Value> results) {
  Builder builder(context);
  DenseMap<Value, int64_t> numbers;
  auto define = [&](Value value) {
    numbers.try_emplace(value, int64_t(numbers.size()));
  };
  for (Value input : inputs)
    define(input);
  SmallVector<Attribute> calls;
  for (Operation &op : block) {
    SmallVector<int64_t> operands;
    for (std::optional<unsigned> slot : hostOperandSlots(&op))
      operands.push_back(slot ? numbers.at(op.getOperand(*slot)) : -1);
    for (Value result : op.getResults())
      define(result);
    calls.push_back(builder.getDictionaryAttr({
        builder.getNamedAttr("kernel",
                             builder.getStringAttr(hostKernelName(&op))),
        builder.getNamedAttr("node",
                             builder.getStringAttr(nodeNameOf(op.getLoc()))),
        builder.getNamedAttr("operands",
                             builder.getDenseI64ArrayAttr(operands)),
        builder.getNamedAttr("parameters", hostParameters(&op)),
        builder.getNamedAttr("types", typeList(builder, op.getResultTypes())),
    }));
  }
  SmallVector<int64_t> outputs;
  for (Value result : results)
    outputs.push_back(numbers.at(result));
  return builder.getDictionaryAttr({
      builder.getNamedAttr("calls", builder.getArrayAttr(calls)),
      builder.getNamedAttr("inputs", typeList(builder, TypeRange(inputs))),
      builder.getNamedAttr("outputs", builder.getDenseI64ArrayAttr(outputs)),
      builder.getNamedAttr("results", typeList(builder, TypeRange(results))),
  });
}

namespace {
/// Reads a dictionary; reports what it lacks.
class BodyReader {
public:
  BodyReader(DictionaryAttr body, Location location)
      : dictionary(body), location(location) {}

  FailureOr<host::Body> read();

private:
  /// Entry `name` of `from`; reports.
  template <typename T>
  T entry(DictionaryAttr from, StringRef name) {
    auto found = from.getAs<T>(name);
    if (!found)
      emitError(location) << "a graph for the host without '" << name
                          << "' of the right type; see dialects/HostBody.h";
    return found;
  }
  LogicalResult readTypes(DictionaryAttr from, StringRef name,
                          std::vector<host::ResultType> &types);
  LogicalResult readCall(Attribute attribute);

  DictionaryAttr dictionary;
  Location location;
  host::Body body;
  host::ValueId next = 0;
};
} // namespace

LogicalResult BodyReader::readTypes(DictionaryAttr from, StringRef name,
                                    std::vector<host::ResultType> &types) {
  auto list = entry<ArrayAttr>(from, name);
  if (!list)
    return failure();
  for (Attribute attribute : list) {
    auto type = dyn_cast<TypeAttr>(attribute);
    FailureOr<host::ResultType> held;
    if (type)
      held = hostResultType(type.getValue());
    if (failed(held))
      return emitError(location) << "a graph for the host with a value of "
                                 << attribute << ", which the host cannot hold";
    types.push_back(std::move(*held));
  }
  return success();
}

LogicalResult BodyReader::readCall(Attribute attribute) {
  auto call = dyn_cast<DictionaryAttr>(attribute);
  if (!call)
    return emitError(location) << "a graph for the host with a call "
                               << attribute << "; it must be a dictionary";
  auto kernel = entry<StringAttr>(call, "kernel");
  auto node = entry<StringAttr>(call, "node");
  auto operands = entry<DenseI64ArrayAttr>(call, "operands");
  auto parameters = entry<DictionaryAttr>(call, "parameters");
  if (!kernel || !node || !operands || !parameters)
    return failure();
  host::CallStep step;
  step.kernel = kernel.str();
  step.node = node.str();
  for (int64_t operand : operands.asArrayRef())
    step.operands.push_back(operand < 0 ? host::kAbsent
                                        : host::ValueId(operand));
  if (failed(readTypes(call, "types", step.types)))
    return failure();
  for (size_t i = 0; i < step.types.size(); ++i)
    step.results.push_back(next++);
  FailureOr<host::Attributes> attributes = hostAttributes(parameters, location);
  if (failed(attributes))
    return failure();
  step.attributes = std::move(*attributes);
  body.program.steps.push_back(std::move(step));
  return success();
}

FailureOr<host::Body> BodyReader::read() {
  if (failed(readTypes(dictionary, "inputs", body.inputs)) ||
      failed(readTypes(dictionary, "results", body.results)))
    return failure();
  auto calls = entry<ArrayAttr>(dictionary, "calls");
  auto outputs = entry<DenseI64ArrayAttr>(dictionary, "outputs");
  if (!calls || !outputs)
    return failure();
  for (; next < body.inputs.size(); ++next)
    body.program.steps.push_back(host::InputStep{next, next});
  for (Attribute call : calls)
    if (failed(readCall(call)))
      return failure();
  for (auto [index, output] : llvm::enumerate(outputs.asArrayRef()))
    body.program.steps.push_back(
        host::OutputStep{host::ValueId(output), uint32_t(index)});
  if (rt::Status status = host::checkBody(body); !status)
    return emitError(location)
           << "a graph for the host that cannot run: " << status.message();
  return std::move(body);
}

FailureOr<numeric::HostTensor> weft::hostBodyBytes(DictionaryAttr dictionary,
                                                   Location location) {
  FailureOr<host::Body> body = BodyReader(dictionary, location).read();
  if (failed(body))
    return failure();
  return host::bodyTensor(*body);
}
