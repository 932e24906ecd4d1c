//===- HostCall.cpp - from an op to a host kernel -------------------------===//

#include "dialects/HostCall.h"

#include "dialects/Evaluate.h"
#include "dialects/HostBody.h"

#include "mlir/IR/Builders.h"
#include "mlir/IR/BuiltinAttributes.h"
#include "llvm/ADT/StringExtras.h"

using namespace mlir;
using namespace weft;
using numeric::HostTensor;

RankedTensorType weft::boundedType(ArrayRef<int64_t> shape,
                                   ArrayRef<int64_t> largest, Type element) {
  SmallVector<int64_t> sizes(shape);
  bool isStatic = true;
  for (int64_t &size : sizes)
    if (size == host::kUnknownSize) {
      size = ShapedType::kDynamic;
      isStatic = false;
    }
  if (isStatic)
    return RankedTensorType::get(sizes, element);
  return RankedTensorType::get(
      sizes, element, Builder(element.getContext()).getI64ArrayAttr(largest));
}

std::optional<SmallVector<int64_t>> weft::largestShape(RankedTensorType type) {
  if (type.hasStaticShape())
    return SmallVector<int64_t>(type.getShape());
  auto list = dyn_cast_if_present<ArrayAttr>(type.getEncoding());
  if (!list || int64_t(list.size()) != type.getRank())
    return std::nullopt;
  SmallVector<int64_t> largest;
  for (auto [size, attribute] : llvm::zip(type.getShape(), list)) {
    auto bound = dyn_cast<IntegerAttr>(attribute);
    if (!bound || !bound.getType().isSignlessInteger(64) ||
        bound.getInt() < 0 ||
        (!ShapedType::isDynamic(size) && size != bound.getInt()))
      return std::nullopt;
    largest.push_back(bound.getInt());
  }
  return largest;
}

FailureOr<host::ResultType> weft::hostResultType(Type type) {
  auto tensor = dyn_cast<RankedTensorType>(type);
  if (!tensor)
    return failure();
  auto element = hostElementType(tensor.getElementType());
  auto largest = largestShape(tensor);
  if (!element || !largest)
    return failure();
  host::ResultType result;
  result.type = *element;
  for (int64_t size : tensor.getShape())
    result.shape.push_back(ShapedType::isDynamic(size) ? host::kUnknownSize
                                                       : size);
  result.largest.assign(largest->begin(), largest->end());
  if (!host::canHold(result))
    return failure();
  return result;
}

/// `#top<unary_kind relu>` and `#top.unary_kind<relu>` are the text "relu".
static std::optional<std::string> kindText(Attribute attribute) {
  std::string text;
  llvm::raw_string_ostream(text) << attribute;
  StringRef spelling = StringRef(text).rtrim('>');
  spelling = spelling.substr(spelling.find_last_of(" <") + 1);
  bool isWord = !spelling.empty() && llvm::all_of(spelling, [](char c) {
    return llvm::isAlnum(c) || c == '_';
  });
  return isWord ? std::optional(spelling.str()) : std::nullopt;
}

/// An array of integers, floats or texts.
static std::optional<host::Attribute> hostArray(ArrayAttr array) {
  std::vector<int64_t> integers;
  std::vector<double> numbers;
  std::vector<std::string> texts;
  for (Attribute element : array) {
    if (auto integer = dyn_cast<IntegerAttr>(element))
      integers.push_back(integer.getValue().getSExtValue());
    else if (auto number = dyn_cast<FloatAttr>(element))
      numbers.push_back(number.getValueAsDouble());
    else if (auto text = dyn_cast<StringAttr>(element))
      texts.push_back(text.str());
  }
  if (texts.size() == array.size() && !array.empty())
    return texts;
  if (numbers.size() == array.size() && !array.empty())
    return numbers;
  if (integers.size() == array.size())
    return integers;
  return std::nullopt;
}

static std::vector<int64_t> toVector(ArrayRef<int64_t> values) {
  return values.vec();
}

static std::optional<host::Attribute> hostAttribute(Attribute attribute,
                                                    Location location) {
  if (auto boolean = dyn_cast<BoolAttr>(attribute))
    return int64_t(boolean.getValue());
  if (auto integer = dyn_cast<IntegerAttr>(attribute))
    return integer.getValue().getBitWidth() == 64 ||
                   !integer.getType().isUnsignedInteger()
               ? integer.getValue().getSExtValue()
               : int64_t(integer.getValue().getZExtValue());
  if (auto number = dyn_cast<FloatAttr>(attribute))
    return number.getValueAsDouble();
  if (auto text = dyn_cast<StringAttr>(attribute))
    return text.str();
  if (auto list = dyn_cast<DenseI64ArrayAttr>(attribute))
    return toVector(list.asArrayRef());
  if (auto list = dyn_cast<DenseI32ArrayAttr>(attribute))
    return std::vector<int64_t>(list.asArrayRef().begin(),
                                list.asArrayRef().end());
  if (auto list = dyn_cast<DenseBoolArrayAttr>(attribute))
    return std::vector<int64_t>(list.asArrayRef().begin(),
                                list.asArrayRef().end());
  if (auto list = dyn_cast<DenseF64ArrayAttr>(attribute))
    return list.asArrayRef().vec();
  if (auto list = dyn_cast<DenseF32ArrayAttr>(attribute))
    return std::vector<double>(list.asArrayRef().begin(),
                               list.asArrayRef().end());
  if (auto array = dyn_cast<ArrayAttr>(attribute))
    return hostArray(array);
  if (auto type = dyn_cast<TypeAttr>(attribute)) {
    auto element = hostElementType(type.getValue());
    return element ? std::optional<host::Attribute>(
                         numeric::elementTypeName(*element))
                   : std::nullopt;
  }
  if (auto body = dyn_cast<DictionaryAttr>(attribute)) {
    FailureOr<HostTensor> bytes = hostBodyBytes(body, location);
    return succeeded(bytes) ? std::optional<host::Attribute>(*bytes)
                            : std::nullopt;
  }
  if (auto elements = dyn_cast<ElementsAttr>(attribute)) {
    FailureOr<HostTensor> tensor = toHostTensor(elements, location);
    return succeeded(tensor) ? std::optional<host::Attribute>(*tensor)
                             : std::nullopt;
  }
  if (isa<UnitAttr>(attribute))
    return int64_t(1);
  if (std::optional<std::string> kind = kindText(attribute))
    return *kind;
  return std::nullopt;
}

/// Attributes that say something of an op that is not for its kernel.
static bool isKernelAttribute(StringRef name) {
  return !name.contains('.') && name != "operandSegmentSizes" &&
         name != "resultSegmentSizes";
}

FailureOr<host::Attributes> weft::hostAttributes(DictionaryAttr attributes,
                                                 Location location) {
  host::Attributes result;
  for (NamedAttribute named : attributes) {
    StringRef name = named.getName();
    if (!isKernelAttribute(name))
      continue;
    std::optional<host::Attribute> value =
        hostAttribute(named.getValue(), location);
    if (!value)
      return emitError(location)
             << "attribute '" << name << "' of value " << named.getValue()
             << " has no form that a host kernel reads; use an integer, a "
                "float, a text, or an array of one of these";
    result.set(name.str(), std::move(*value));
  }
  return result;
}

StringRef weft::hostKernelName(Operation *op) {
  if (op->getName().stripDialect() == "host")
    if (auto kernel = op->getAttrOfType<StringAttr>("kernel"))
      return kernel.getValue();
  return op->getName().stripDialect();
}

SmallVector<std::optional<unsigned>>
weft::operandSlots(size_t inputs, ArrayRef<int64_t> absent) {
  SmallVector<std::optional<unsigned>> slots(inputs + absent.size());
  unsigned next = 0;
  for (auto [number, slot] : llvm::enumerate(slots))
    if (!llvm::is_contained(absent, int64_t(number)))
      slot = next++;
  return slots;
}

SmallVector<std::optional<unsigned>> weft::hostOperandSlots(Operation *op) {
  SmallVector<std::optional<unsigned>> slots;
  unsigned next = 0;
  if (auto segments =
          op->getAttrOfType<DenseI32ArrayAttr>("operandSegmentSizes")) {
    for (int32_t size : segments.asArrayRef()) {
      if (size == 0)
        slots.push_back(std::nullopt);
      for (int32_t i = 0; i < size; ++i)
        slots.push_back(next++);
    }
  } else if (auto absent = op->getAttrOfType<DenseI64ArrayAttr>("absent")) {
    slots = operandSlots(op->getNumOperands(), absent.asArrayRef());
  } else {
    for (; next < op->getNumOperands(); ++next)
      slots.push_back(next);
  }
  while (!slots.empty() && !slots.back())
    slots.pop_back();
  return slots;
}

DictionaryAttr weft::hostParameters(Operation *op) {
  if (op->getName().stripDialect() == "host")
    if (auto parameters = op->getAttrOfType<DictionaryAttr>("parameters"))
      return parameters;
  SmallVector<NamedAttribute> kept;
  for (NamedAttribute named : op->getAttrDictionary()) {
    if (!isKernelAttribute(named.getName().getValue()))
      continue;
    Attribute value = named.getValue();
    bool isKind = value.getDialect().getNamespace() != "builtin";
    if (std::optional<std::string> kind =
            isKind ? kindText(value) : std::nullopt)
      value = StringAttr::get(op->getContext(), *kind);
    kept.emplace_back(named.getName(), value);
  }
  return DictionaryAttr::get(op->getContext(), kept);
}

LogicalResult weft::verifyAbsent(Operation *op, ArrayRef<int64_t> absent,
                                 size_t inputs) {
  int64_t last = -1, slots = int64_t(inputs + absent.size());
  for (int64_t slot : absent) {
    if (slot <= last || slot >= slots)
      return op->emitOpError()
             << "names input " << slot
             << " as left out; inputs must ascend below " << slots;
    last = slot;
  }
  return success();
}

LogicalResult weft::verifyHostCall(Operation *op, StringRef kernel,
                                   size_t inputs,
                                   std::optional<ArrayRef<int64_t>> absent) {
  if (!host::hasKernel(kernel))
    return op->emitOpError() << "names the kernel '" << kernel
                             << "'; there is no such host kernel";
  return verifyAbsent(op, absent.value_or(ArrayRef<int64_t>()), inputs);
}

LogicalResult weft::verifyGivesResults(Operation *op) {
  if (op->getNumResults() == 0)
    return op->emitOpError() << "has no result; it needs one";
  return success();
}

LogicalResult weft::evaluateOnHost(Operation *op,
                                   ArrayRef<const HostTensor *> operands,
                                   SmallVectorImpl<HostTensor> &results) {
  host::Call call;
  call.kernel = hostKernelName(op).str();
  if (!host::hasKernel(call.kernel))
    return op->emitOpError() << "cannot be evaluated: there is no host kernel '"
                             << call.kernel << "'";
  FailureOr<host::Attributes> attributes =
      hostAttributes(hostParameters(op), op->getLoc());
  if (failed(attributes))
    return failure();
  call.attributes = std::move(*attributes);
  for (std::optional<unsigned> slot : hostOperandSlots(op))
    call.operands.push_back(slot ? operands[*slot] : nullptr);
  for (Type type : op->getResultTypes()) {
    FailureOr<host::ResultType> result = hostResultType(type);
    if (failed(result))
      return op->emitOpError()
             << "has a result of type " << type
             << ", which the host cannot hold; it needs bounded sizes, an "
                "ONNX element type, and at most "
             << host::kMostElements << " elements";
    call.results.push_back(std::move(*result));
  }
  std::vector<HostTensor> computed;
  if (rt::Status status = host::run(call, computed); !status)
    return op->emitOpError() << status.message();
  for (HostTensor &tensor : computed)
    results.push_back(std::move(tensor));
  return success();
}
