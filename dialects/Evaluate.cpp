//===- Evaluate.cpp - computing ops and graphs on host tensors
//--------------===//

#include "dialects/Evaluate.h"
#include "dialects/ConstantBlobs.h"
#include "runtime/status/Stop.h"

#include "mlir/Dialect/Quant/QuantTypes.h"
#include "mlir/IR/AsmState.h"
#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/DialectResourceBlobManager.h"

#include <cstring>

using namespace mlir;
using namespace weft;
using numeric::ElementType;
using numeric::HostTensor;

#include "dialects/EvaluateInterface.cpp.inc"
#include "dialects/EvaluateTypes.cpp.inc"

/// Constants up to this size are printed and uniqued by value, larger ones are
/// resources.
static constexpr int64_t kLargestDenseElements = 1024;

std::string weft::nodeNameOf(Location location) {
  std::string name;
  location->walk([&](Location inner) {
    auto named = dyn_cast<NameLoc>(inner);
    if (!named)
      return WalkResult::advance();
    name = named.getName().str();
    return WalkResult::interrupt();
  });
  return name;
}

std::optional<ElementType> weft::hostElementType(Type type) {
  if (auto quantized = dyn_cast<quant::QuantizedType>(type)) {
    // The storage type is signless; the quantized type knows the sign.
    unsigned width = quantized.getStorageTypeIntegralWidth();
    bool isSigned = quantized.isSigned();
    if (width == 8)
      return isSigned ? ElementType::I8 : ElementType::U8;
    if (width == 16)
      return isSigned ? ElementType::I16 : ElementType::U16;
    if (width == 4)
      return isSigned ? ElementType::I4 : ElementType::U4;
    return std::nullopt;
  }
  if (type.isF32())
    return ElementType::F32;
  if (type.isF16())
    return ElementType::F16;
  if (type.isBF16())
    return ElementType::BF16;
  if (type.isF64())
    return ElementType::F64;
  if (type.isFloat8E4M3FN())
    return ElementType::F8E4M3FN;
  if (type.isFloat8E4M3FNUZ())
    return ElementType::F8E4M3FNUZ;
  if (type.isFloat8E5M2())
    return ElementType::F8E5M2;
  if (type.isFloat8E5M2FNUZ())
    return ElementType::F8E5M2FNUZ;
  if (auto hostType = dyn_cast<HostTypeInterface>(type))
    return hostType.getHostType();
  auto integer = dyn_cast<IntegerType>(type);
  if (!integer)
    return std::nullopt;
  bool isUnsigned = integer.isUnsigned();
  switch (integer.getWidth()) {
  case 1:
    return ElementType::Bool;
  case 2:
    return isUnsigned ? ElementType::U2 : ElementType::I2;
  case 4:
    return isUnsigned ? ElementType::U4 : ElementType::I4;
  case 8:
    return isUnsigned ? ElementType::U8 : ElementType::I8;
  case 16:
    return isUnsigned ? ElementType::U16 : ElementType::I16;
  case 32:
    return isUnsigned ? ElementType::U32 : ElementType::I32;
  case 64:
    return isUnsigned ? ElementType::U64 : ElementType::I64;
  default:
    return std::nullopt;
  }
}

FailureOr<HostTensor> weft::makeHostTensor(Type type) {
  auto tensor = dyn_cast<RankedTensorType>(type);
  if (!tensor || !tensor.hasStaticShape())
    return failure();
  std::optional<ElementType> element = hostElementType(tensor.getElementType());
  std::vector<int64_t> shape = tensor.getShape().vec();
  if (!element || !numeric::elementCount(shape))
    return failure();
  return HostTensor(*element, std::move(shape));
}

/// Copies raw row-major bytes into `tensor`; one element is repeated.
static bool copyRaw(HostTensor &tensor, ArrayRef<char> raw, bool isSplat) {
  size_t unit = numeric::elementBytes(tensor.type());
  if (isSplat) {
    if (raw.size() < unit)
      return false;
    for (size_t at = 0; at < tensor.sizeBytes(); at += unit)
      std::memcpy(tensor.bytes() + at, raw.data(), unit);
    return true;
  }
  if (raw.size() != tensor.sizeBytes())
    return false;
  // Piece by piece: a constant in a mapped file would be in memory twice.
  constexpr size_t kPieceBytes = 1 << 20;
  PagesBehind read(raw);
  for (size_t at = 0, size; at < raw.size(); at += size) {
    size = std::min(kPieceBytes, raw.size() - at);
    std::memcpy(tensor.bytes() + at, raw.data() + at, size);
    read.reach(at + size);
  }
  return true;
}

/// Integers below 8 bits as host tensors keep them, sign- or zero-extended;
/// attributes leave the upper bits open.
static void extendNarrowIntegers(HostTensor &tensor, unsigned width) {
  unsigned shift = 8 - width;
  bool isSigned = numeric::isSignedType(tensor.type());
  for (size_t i = 0; i < tensor.sizeBytes(); ++i) {
    auto bits = uint8_t(tensor.bytes()[i] << shift);
    tensor.bytes()[i] =
        isSigned ? uint8_t(int8_t(bits) >> shift) : uint8_t(bits >> shift);
  }
}

FailureOr<HostTensor> weft::toHostTensor(ElementsAttr value,
                                         Location location) {
  FailureOr<HostTensor> tensor = makeHostTensor(value.getType());
  if (failed(tensor))
    return emitError(location) << "a constant of type " << value.getType()
                               << " cannot be evaluated; it needs a static "
                                  "shape and an ONNX element type";
  bool copied = false;
  if (auto dense = dyn_cast<DenseElementsAttr>(value)) {
    if (tensor->type() == ElementType::Bool) {
      int64_t i = 0;
      for (bool bit : dense.getValues<bool>())
        tensor->bytes()[i++] = bit;
      copied = true;
    } else {
      copied = copyRaw(*tensor, dense.getRawData(), dense.isSplat());
    }
  } else if (auto resource = dyn_cast<DenseResourceElementsAttr>(value)) {
    if (AsmResourceBlob *blob = resource.getRawHandle().getBlob())
      copied = copyRaw(*tensor, blob->getData(), /*isSplat=*/false);
  }
  if (!copied)
    return emitError(location)
           << "the bytes of a constant of type " << value.getType()
           << " are missing or of the wrong size; is the resource section of "
              "the file complete?";
  if (auto integer = dyn_cast<IntegerType>(value.getElementType());
      integer && integer.getWidth() > 1 && integer.getWidth() < 8)
    extendNarrowIntegers(*tensor, integer.getWidth());
  return tensor;
}

ElementsAttr weft::toElementsAttr(HostTensor tensor, RankedTensorType type,
                                  StringRef name) {
  assert(hostElementType(type.getElementType()) == tensor.type() &&
         type.getShape() == ArrayRef<int64_t>(tensor.shape()));
  if (tensor.type() == ElementType::Bool) {
    SmallVector<bool> bits(tensor.bytes(), tensor.bytes() + tensor.elements());
    return DenseElementsAttr::get(type, bits);
  }
  ArrayRef<char> raw(reinterpret_cast<const char *>(tensor.bytes()),
                     tensor.sizeBytes());
  // Dense attributes know only MLIR's own types.
  if (tensor.elements() <= kLargestDenseElements &&
      type.getElementType().isIntOrFloat())
    return DenseElementsAttr::getFromRawBuffer(type, raw);
  std::string unique = blobName(name, raw);
  return DenseResourceElementsAttr::get(type, unique,
                                        blobOf(std::move(tensor).takeBytes()));
}

namespace {

/// One evaluation of a block.
class BlockEvaluation {
public:
  BlockEvaluation(Block &block, ValueTensors &values, ValueObserver observe,
                  const EvaluationAids &aids)
      : block(block), values(values), observe(observe), aids(aids) {}

  LogicalResult run();
  /// Null if the value was not evaluated.
  const HostTensor *find(Value value) const;

private:
  LogicalResult evaluate(Operation &op);
  /// Reports the results of `op` that carry ONNX names.
  void observeResults(Operation &op);
  void observeResult(StringRef name, Value result);
  /// Drops what nobody after `op` reads.
  void dropOperands(Operation &op);

  Block &block;
  ValueTensors &values;
  ValueObserver observe;
  const EvaluationAids &aids;
};

} // namespace

const HostTensor *BlockEvaluation::find(Value value) const {
  auto found = values.find(value);
  if (found != values.end())
    return &found->second;
  if (!aids.constants)
    return nullptr;
  auto constant = aids.constants->find(value);
  return constant == aids.constants->end() ? nullptr : &constant->second;
}

LogicalResult BlockEvaluation::evaluate(Operation &op) {
  if (op.getNumOperands() == 0 && op.getNumResults() > 0 &&
      find(op.getResult(0)))
    return success();
  auto evaluable = dyn_cast<EvaluateOpInterface>(op);
  if (!evaluable)
    return op.emitOpError() << "cannot be evaluated on the host";
  SmallVector<const HostTensor *> operands;
  for (Value operand : op.getOperands()) {
    operands.push_back(find(operand));
    if (!operands.back())
      return op.emitOpError() << "uses a value that was not evaluated";
  }
  SmallVector<HostTensor> results;
  bool isDone =
      aids.accelerator && aids.accelerator->evaluate(&op, operands, results);
  if (!isDone && failed(evaluable.evaluate(operands, results)))
    return failure();
  // What was left early is no result.
  if (rt::Status status = rt::stopStatus(); !status)
    return op.emitError() << status.message();
  assert(results.size() == op.getNumResults());
  for (auto [value, tensor] : llvm::zip(op.getResults(), results))
    values[value] = std::move(tensor);
  return success();
}

void BlockEvaluation::observeResult(StringRef name, Value result) {
  if (observe)
    observe(name, *find(result));
  // Constants that are shared stay as they are.
  auto own = values.find(result);
  if (!aids.replace || own == values.end())
    return;
  [[maybe_unused]] ElementType type = own->second.type();
  [[maybe_unused]] std::vector<int64_t> shape = own->second.shape();
  aids.replace(name, own->second);
  assert(own->second.type() == type && own->second.shape() == shape);
}

void BlockEvaluation::observeResults(Operation &op) {
  Attribute names = op.getAttr(kValueAttr);
  if (auto name = dyn_cast_if_present<StringAttr>(names)) {
    if (op.getNumResults() == 1)
      observeResult(name.getValue(), op.getResult(0));
    return;
  }
  auto list = dyn_cast_if_present<ArrayAttr>(names);
  if (!list)
    return;
  for (auto [result, attribute] : llvm::zip(op.getResults(), list))
    if (auto name = dyn_cast<StringAttr>(attribute))
      observeResult(name.getValue(), result);
}

void BlockEvaluation::dropOperands(Operation &op) {
  for (Value operand : op.getOperands()) {
    bool usedLater = llvm::any_of(operand.getUsers(), [&](Operation *user) {
      Operation *ancestor = block.findAncestorOpInBlock(*user);
      return !ancestor || op.isBeforeInBlock(ancestor);
    });
    if (!usedLater)
      values.erase(operand);
  }
}

LogicalResult BlockEvaluation::run() {
  for (Operation &op : block.without_terminator()) {
    if (failed(evaluate(op)))
      return failure();
    if (observe || aids.replace)
      observeResults(op);
    dropOperands(op);
  }
  return success();
}

LogicalResult weft::evaluateConstants(Block &block, ValueTensors &constants) {
  for (Operation &op : block.without_terminator()) {
    auto evaluable = dyn_cast<EvaluateOpInterface>(op);
    if (op.getNumOperands() != 0 || !evaluable)
      continue;
    SmallVector<HostTensor> results;
    if (failed(evaluable.evaluate({}, results)))
      return failure();
    for (auto [value, tensor] : llvm::zip(op.getResults(), results))
      constants[value] = std::move(tensor);
  }
  return success();
}

LogicalResult weft::evaluateBlock(Block &block, ValueTensors &values,
                                  ValueObserver observe,
                                  const EvaluationAids &aids) {
  return BlockEvaluation(block, values, observe, aids).run();
}

LogicalResult weft::evaluateFunction(func::FuncOp function,
                                     ArrayRef<HostTensor> inputs,
                                     SmallVectorImpl<HostTensor> &outputs,
                                     ValueObserver observe,
                                     const EvaluationAids &aids) {
  if (function.isExternal() || !function.getBody().hasOneBlock())
    return function.emitError() << "function '" << function.getName()
                                << "' must have one block to be evaluated";
  if (inputs.size() != function.getNumArguments())
    return function.emitError()
           << "function '" << function.getName() << "' has "
           << function.getNumArguments() << " inputs but " << inputs.size()
           << " were given";
  ValueTensors values;
  for (auto [index, argument] : llvm::enumerate(function.getArguments())) {
    auto type = dyn_cast<RankedTensorType>(argument.getType());
    const HostTensor &input = inputs[index];
    if (!type || hostElementType(type.getElementType()) != input.type() ||
        type.getShape() != ArrayRef<int64_t>(input.shape()))
      return function.emitError()
             << "input " << index << " is " << argument.getType() << " but "
             << numeric::elementTypeName(input.type()) << " of shape "
             << numeric::shapeText(input.shape()) << " was given";
    values[argument] = input;
  }
  Block &body = function.getBody().front();
  BlockEvaluation evaluation(body, values, observe, aids);
  if (failed(evaluation.run()))
    return failure();
  for (Value result : body.getTerminator()->getOperands())
    outputs.push_back(*evaluation.find(result));
  return success();
}

LogicalResult weft::evaluateNamed(func::FuncOp function,
                                  const NamedTensors &inputs,
                                  NamedTensors &outputs, ValueObserver observe,
                                  const EvaluationAids &aids) {
  SmallVector<HostTensor> arguments, results;
  for (unsigned i = 0; i < function.getNumArguments(); ++i) {
    auto name = function.getArgAttrOfType<StringAttr>(i, kNameAttr);
    if (!name)
      return function.emitError() << "input " << i << " has no 'top.name'";
    auto found = inputs.find(name.str());
    if (found == inputs.end())
      return function.emitError() << "input " << name << " is missing";
    arguments.push_back(found->second);
  }
  for (const auto &[name, tensor] : inputs) {
    bool known = false;
    for (unsigned i = 0; i < function.getNumArguments() && !known; ++i)
      known = function.getArgAttrOfType<StringAttr>(i, kNameAttr) ==
              StringRef(name);
    if (!known)
      return function.emitError() << "the model has no input '" << name << "'";
  }
  if (failed(evaluateFunction(function, arguments, results, observe, aids)))
    return failure();
  for (auto [index, tensor] : llvm::enumerate(results)) {
    auto name = function.getResultAttrOfType<StringAttr>(index, kNameAttr);
    if (!name)
      return function.emitError() << "output " << index << " has no 'top.name'";
    outputs[name.str()] = std::move(tensor);
  }
  return success();
}
