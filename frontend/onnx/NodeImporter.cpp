//===- NodeImporter.cpp - what an import function works with --------------===//

#include "frontend/onnx/NodeImporter.h"

#include "dialects/Evaluate.h"
#include "dialects/Refusal.h"
#include "dialects/top/Constant.h"
#include "dialects/top/LargeConstant.h"
#include "dialects/top/Move.h"
#include "frontend/onnx/HostOp.h"
#include "mlir/IR/Matchers.h"
#include "mlir/IR/Verifier.h"
#include "llvm/ADT/StringExtras.h"
#include <cmath>

using namespace mlir;
using namespace weft;
using namespace weft::onnx;

void NodeImporter::selectOutput(unsigned i) {
  auto name = cast<NameLoc>(location);
  auto place = cast<FileLineColLoc>(name.getChildLoc());
  location =
      NameLoc::get(name.getName(), FileLineColLoc::get(place.getFilename(),
                                                       place.getLine(), i));
}

InFlightDiagnostic NodeImporter::error() { return emitError(location); }

InFlightDiagnostic NodeImporter::unsupported() {
  return weft::unsupported(location);
}

LogicalResult NodeImporter::checkTable(ArrayRef<int64_t> sizes) {
  constexpr int64_t kMostNumbers = int64_t(1) << 25;
  std::optional<int64_t> count = countElements(sizes);
  if (count && *count <= kMostNumbers)
    return success();
  return unsupported() << node.opType << " that needs a table of "
                       << formatShape(sizes) << " numbers; there may be "
                       << kMostNumbers << ", use smaller tensors";
}

LogicalResult NodeImporter::checkParts(int64_t count, StringRef what,
                                       int64_t most) {
  if (count <= most)
    return success();
  return unsupported() << node.opType << " with " << count << " " << what
                       << ", each of which is an operation of its own; there "
                          "may be "
                       << most;
}

//===----------------------------------------------------------------------===//
// Operands
//===----------------------------------------------------------------------===//

Value NodeImporter::optionalOperand(unsigned i) const {
  return i < operands.size() ? operands[i] : Value();
}

FailureOr<Value> NodeImporter::operand(unsigned i) {
  if (Value value = optionalOperand(i))
    return value;
  error() << "input " << i << " is left out; " << node.opType << " needs it";
  return failure();
}

FailureOr<SmallVector<int64_t>> NodeImporter::constantInts(unsigned i,
                                                           StringRef what) {
  FailureOr<Value> value = operand(i);
  if (failed(value))
    return failure();
  RankedTensorType type = typeOf(*value);
  if (type.getRank() > 1 || !type.getElementType().isIntOrIndex()) {
    error() << what << " ('" << node.inputs[i] << "') is a "
            << formatShape(type.getShape()) << " tensor of "
            << dataTypeName(onnxTypeOf(type.getElementType()))
            << "; it must be a list of integers";
    return failure();
  }
  if (auto values = constantIntsOf(*value))
    return std::move(*values);
  unsupported() << what << " ('" << node.inputs[i]
                << "') is computed from the model's inputs; it must be "
                   "constant, fold the model or give fixed sizes with --shape";
  return failure();
}

FailureOr<double> NodeImporter::constantNumber(unsigned i, StringRef what) {
  FailureOr<Value> value = operand(i);
  if (failed(value))
    return failure();
  auto numbers = constantNumbersOf(*value);
  if (numbers && numbers->size() == 1)
    return numbers->front();
  if (numbers)
    error() << what << " ('" << node.inputs[i] << "') has " << numbers->size()
            << " values; it must have one";
  else
    unsupported() << what << " ('" << node.inputs[i]
                  << "') is not constant; make it an initializer";
  return failure();
}

//===----------------------------------------------------------------------===//
// Attributes
//===----------------------------------------------------------------------===//

const NodeAttribute *NodeImporter::checkedAttribute(StringRef name,
                                                    NodeAttribute::Kind kind,
                                                    StringRef kindName,
                                                    bool &wrong) {
  const NodeAttribute *attribute = node.find(name);
  wrong = attribute && attribute->kind != kind;
  if (wrong)
    error() << "attribute '" << name << "' is of type " << attribute->kindName
            << "; it must be " << kindName;
  return attribute;
}

FailureOr<int64_t> NodeImporter::intAttribute(StringRef name, int64_t fallback,
                                              int64_t min, int64_t max) {
  bool wrong = false;
  const NodeAttribute *attribute =
      checkedAttribute(name, NodeAttribute::Kind::Int, "INT", wrong);
  if (wrong)
    return failure();
  int64_t value = attribute ? attribute->intValue : fallback;
  if (value >= min && value <= max)
    return value;
  InFlightDiagnostic message = error();
  message << name << " is " << value << ", must be ";
  if (max == INT64_MAX)
    message << ">= " << min;
  else
    message << min << " to " << max;
  return failure();
}

FailureOr<bool> NodeImporter::flagAttribute(StringRef name, bool fallback) {
  FailureOr<int64_t> value = intAttribute(name, fallback, 0, 1);
  if (failed(value))
    return failure();
  return *value != 0;
}

FailureOr<double> NodeImporter::floatAttribute(StringRef name,
                                               double fallback) {
  bool wrong = false;
  const NodeAttribute *attribute =
      checkedAttribute(name, NodeAttribute::Kind::Float, "FLOAT", wrong);
  if (wrong)
    return failure();
  if (!attribute)
    return fallback;
  if (std::isfinite(attribute->floatValue))
    return static_cast<double>(attribute->floatValue);
  error() << name << " is " << std::to_string(attribute->floatValue)
          << ", must be a finite number";
  return failure();
}

FailureOr<SmallVector<int64_t>> NodeImporter::intsAttribute(StringRef name,
                                                            int64_t size,
                                                            int64_t fallback,
                                                            int64_t min) {
  bool wrong = false;
  const NodeAttribute *attribute =
      checkedAttribute(name, NodeAttribute::Kind::Ints, "INTS", wrong);
  if (wrong)
    return failure();
  if (!attribute)
    return SmallVector<int64_t>(std::max<int64_t>(size, 0), fallback);
  const std::vector<int64_t> &values = attribute->ints;
  if (size >= 0 && static_cast<int64_t>(values.size()) != size) {
    error() << name << " has " << values.size() << " values, must have "
            << size;
    return failure();
  }
  for (size_t i = 0; i < values.size(); ++i) {
    if (values[i] >= min)
      continue;
    InFlightDiagnostic message = error();
    message << name << "[" << i << "] is " << values[i]
            << ", must be >= " << min;
    if (name == "pads")
      message << "; crop with Slice before the node";
    return failure();
  }
  return SmallVector<int64_t>(values.begin(), values.end());
}

FailureOr<std::string>
NodeImporter::wordAttribute(StringRef name, StringRef fallback,
                            ArrayRef<StringRef> allowed) {
  bool wrong = false;
  const NodeAttribute *attribute =
      checkedAttribute(name, NodeAttribute::Kind::String, "STRING", wrong);
  if (wrong)
    return failure();
  if (!attribute)
    return fallback.str();
  if (llvm::is_contained(allowed, attribute->stringValue))
    return attribute->stringValue;
  error() << name << " is '" << attribute->stringValue << "', must be "
          << llvm::join(allowed, ", ");
  return failure();
}

FailureOr<int64_t> NodeImporter::normalizeAxis(int64_t axis, int64_t rank,
                                               bool endAllowed) {
  int64_t last = endAllowed ? rank : rank - 1;
  if (axis >= -rank && axis <= last)
    return axis < 0 ? axis + rank : axis;
  error() << "axis is " << axis << ", must be " << -rank << " to " << last
          << " for a tensor of rank " << rank;
  return failure();
}

FailureOr<int64_t> NodeImporter::axisAttribute(int64_t fallback, int64_t rank) {
  FailureOr<int64_t> axis = intAttribute("axis", fallback);
  return failed(axis) ? axis : normalizeAxis(*axis, rank);
}

FailureOr<SmallVector<int64_t>> NodeImporter::axesAttribute(int64_t rank) {
  FailureOr<SmallVector<int64_t>> axes = intsAttribute("axes", -1, 0);
  if (failed(axes))
    return failure();
  if (!hasAttribute("axes"))
    for (int64_t axis = 0; axis < rank; ++axis)
      axes->push_back(axis);
  for (int64_t &axis : *axes) {
    FailureOr<int64_t> normal = normalizeAxis(axis, rank);
    if (failed(normal))
      return failure();
    axis = *normal;
  }
  return axes;
}

FailureOr<SmallVector<int64_t>>
NodeImporter::normalizeAxes(ArrayRef<int64_t> axes, int64_t rank) {
  SmallVector<int64_t> result;
  for (int64_t axis : axes) {
    FailureOr<int64_t> normal = normalizeAxis(axis, rank);
    if (failed(normal))
      return failure();
    if (llvm::is_contained(result, *normal)) {
      error() << "axis " << *normal << " is named twice in axes";
      return failure();
    }
    result.push_back(*normal);
  }
  llvm::sort(result);
  return result;
}

//===----------------------------------------------------------------------===//
// Results
//===----------------------------------------------------------------------===//

LogicalResult NodeImporter::checkSize(RankedTensorType type) {
  std::optional<SmallVector<int64_t>> largest = largestShape(type);
  if (largest && countElements(*largest))
    return success();
  error() << "the result has the shape " << formatShape(type.getShape())
          << "; there may be at most " << kMaxElements << " elements";
  return failure();
}

/// A splat that is larger than what it was made of takes its bytes later on.
static bool takeSplat(top::FoldBudget &budget, Operation *op,
                      ElementsAttr value) {
  auto bytes = [](Type type) {
    auto tensor = cast<RankedTensorType>(type);
    return uint64_t(tensor.getNumElements()) *
           numeric::elementBytes(*hostElementType(tensor.getElementType()));
  };
  uint64_t read = 0;
  for (Value operand : op->getOperands())
    read += bytes(operand.getType());
  uint64_t made = bytes(value.getType());
  return made <= read || budget.takeBytes(made);
}

/// The value of an op whose operands are all constant: what its folder makes of
/// them, or else its evaluator. Null if neither can, or if that would take too
/// much.
ElementsAttr NodeImporter::fold(Operation *op,
                                ArrayRef<mlir::Attribute> constants) {
  SmallVector<OpFoldResult> folded;
  if (succeeded(op->fold(constants, folded)) && folded.size() == 1)
    if (auto value = dyn_cast<mlir::Attribute>(folded.front())) {
      auto elements = dyn_cast<ElementsAttr>(value);
      return elements && takeSplat(budget, op, elements) ? elements : nullptr;
    }
  auto evaluable = dyn_cast<EvaluateOpInterface>(op);
  if (!evaluable || op->getNumResults() != 1 || !budget.take(op))
    return nullptr;
  std::vector<numeric::HostTensor> tensors;
  for (mlir::Attribute constant : constants) {
    auto tensor = toHostTensor(cast<ElementsAttr>(constant), location);
    if (failed(tensor))
      return nullptr;
    tensors.push_back(std::move(*tensor));
  }
  SmallVector<const numeric::HostTensor *> pointers;
  for (const numeric::HostTensor &tensor : tensors)
    pointers.push_back(&tensor);
  SmallVector<numeric::HostTensor> results;
  if (failed(evaluable.evaluate(pointers, results)) || results.size() != 1)
    return nullptr;
  // A size that depended on data is known now.
  auto type = RankedTensorType::get(results.front().shape(),
                                    typeOf(op->getResult(0)).getElementType());
  return toElementsAttr(std::move(results.front()), type,
                        node.outputs.empty() ? "" : node.outputs.front());
}

/// The constant that a tensor without elements is.
static ElementsAttr emptyConstant(RankedTensorType type) {
  return toElementsAttr(*makeHostTensor(type), type, "empty");
}

FailureOr<Value> NodeImporter::finish(Operation *op) {
  if (failed(checkSize(typeOf(op->getResult(0)))) ||
      failed(mlir::verify(op))) { // both report
    op->erase();
    return failure();
  }
  auto isEmpty = [](Value value) {
    return typeOf(value).hasStaticShape() &&
           typeOf(value).getNumElements() == 0;
  };
  if (op->getNumResults() == 1 && isEmpty(op->getResult(0))) {
    ElementsAttr empty = emptyConstant(typeOf(op->getResult(0)));
    op->erase();
    return constant(empty);
  }
  // What reads a large matrix may want it as the file has it; if not, it is
  // folded by a pass.
  if (isa<top::TransposeOp>(op) && typeOf(op->getResult(0)).getRank() == 2 &&
      typeOf(op->getResult(0)).hasStaticShape() &&
      typeOf(op->getResult(0)).getNumElements() >= top::kLargeElements)
    return op->getResult(0);
  SmallVector<mlir::Attribute> constants;
  for (Value operand : op->getOperands()) {
    ElementsAttr constant;
    if (isEmpty(operand))
      constant = emptyConstant(typeOf(operand));
    else if (!matchPattern(operand, m_Constant(&constant)))
      return op->getResult(0);
    constants.push_back(constant);
  }
  ElementsAttr value = fold(op, constants);
  RankedTensorType type = typeOf(op->getResult(0));
  if (!value || (type.hasStaticShape() && value.getType() != type))
    return op->getResult(0);
  op->erase();
  return constant(value);
}

FailureOr<SmallVector<Value>>
NodeImporter::createHost(StringRef kernel, ArrayRef<Value> hostOperands,
                         ArrayRef<Type> types,
                         ArrayRef<NamedAttribute> parameters) {
  for (Type type : types)
    if (failed(checkSize(cast<RankedTensorType>(type))))
      return failure();
  auto op = createHostOp(builder, location, kernel, hostOperands, types,
                         builder.getDictionaryAttr(parameters));
  if (op->getNumResults() != 1)
    return SmallVector<Value>(op->getResults());
  FailureOr<Value> result = finish(op);
  if (failed(result))
    return failure();
  return SmallVector<Value>{*result};
}

Value NodeImporter::constant(ElementsAttr value) {
  return builder.create<top::ConstantOp>(location, value.getType(), value);
}

Value NodeImporter::intConstant(ArrayRef<int64_t> values,
                                ArrayRef<int64_t> shape) {
  auto type = RankedTensorType::get(shape, builder.getI64Type());
  return constant(DenseElementsAttr::get(type, values));
}

Value NodeImporter::scalar(double value, Type elementType) {
  auto type = RankedTensorType::get({}, elementType);
  if (auto floatType = dyn_cast<FloatType>(elementType)) {
    APFloat number(value);
    bool losesInfo = false;
    number.convert(floatType.getFloatSemantics(), APFloat::rmNearestTiesToEven,
                   &losesInfo);
    return constant(DenseElementsAttr::get(type, number));
  }
  APInt number(elementType.getIntOrFloatBitWidth(),
               static_cast<uint64_t>(static_cast<int64_t>(value)));
  return constant(DenseElementsAttr::get(type, number));
}

FailureOr<Value> NodeImporter::reshape(Value value, ArrayRef<int64_t> shape) {
  RankedTensorType type = typeOf(value);
  if (type.getShape() == shape)
    return value;
  return createTyped<top::ReshapeOp>(type.clone(shape), value);
}

bool NodeImporter::wantsOutput(unsigned i) const {
  return i < node.outputs.size() && !node.outputs[i].empty();
}

LogicalResult NodeImporter::setOutput(unsigned i, Value value) {
  if (i < outputs.size())
    outputs[i] = value;
  return success();
}
