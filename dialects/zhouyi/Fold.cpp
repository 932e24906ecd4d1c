//===- Fold.cpp - functions of known operands ----------------------------===//

#include "dialects/zhouyi/Fold.h"
#include "dialects/zhouyi/Constants.h"
#include "runtime/zhouyi/Execute.h"
#include "runtime/zhouyi/Types.h"

using namespace mlir;
using namespace weft;
using namespace weft::zhouyi;
using catalog::Argument;

namespace {
/// A call with what is known of its operands.
class KnownCall {
public:
  KnownCall(const catalog::FunctionOp &function, ArrayRef<Attribute> operands)
      : function(function), operands(operands), call(function.call()) {}

  /// The constant in a slot; null if the slot has none.
  DenseElementsAttr constant(StringRef slot) const;
  /// Whether all lanes of an integer slot are `number`.
  bool isAll(StringRef slot, int64_t number) const;
  /// Known lanes of the mask; none if it is left out or not known.
  std::optional<MaskLanes> mask() const;
  bool isGiven(std::string_view slot) const {
    return call[slot].kind != Argument::Kind::None;
  }
  /// The result; null if it is not known in all lanes.
  Attribute result() const;

  const catalog::FunctionOp &function;
  ArrayRef<Attribute> operands;
  catalog::Call call;
};
} // namespace

DenseElementsAttr KnownCall::constant(StringRef slot) const {
  std::optional<unsigned> index = function.operandIndex(slot);
  if (!index)
    return {};
  return dyn_cast_if_present<DenseElementsAttr>(operands[*index]);
}

std::optional<MaskLanes> KnownCall::mask() const {
  const Argument &argument = call["mask"];
  if (argument.kind != Argument::Kind::Mask)
    return std::nullopt;
  if (isKnown(argument)) {
    rt::Result<MaskLanes> lanes = knownMask(argument, maskLanesOf(call));
    return lanes ? std::optional(*lanes) : std::nullopt;
  }
  if (DenseElementsAttr lanes = constant("mask"))
    return lanesOf(lanes);
  return std::nullopt;
}

bool KnownCall::isAll(StringRef slot, int64_t number) const {
  const Argument &argument = call[{slot.data(), slot.size()}];
  if (argument.kind == Argument::Kind::Integer)
    return argument.integer == number;
  DenseElementsAttr lanes = constant(slot);
  return lanes && lanes.isSplat() &&
         mlir::isa<IntegerType>(lanes.getElementType()) &&
         lanes.getSplatValue<APInt>() ==
             APInt(64, uint64_t(number))
                 .trunc(lanes.getElementType().getIntOrFloatBitWidth());
}

Attribute KnownCall::result() const {
  for (const catalog::Slot &slot : function.function().slots) {
    const Argument &argument = call[slot.name];
    StringRef name(slot.name.data(), slot.name.size());
    if (argument.kind == Argument::Kind::Pointer ||
        (function.value(name) && !constant(name)))
      return {};
  }
  if (!catalog::problemOf(call).empty()) // not verified yet
    return {};
  Kernel kernel(call);
  std::vector<Lanes> lanes(kernel.operands().size());
  std::vector<const Lanes *> given;
  for (auto [operand, contents] : llvm::zip(kernel.operands(), lanes)) {
    DenseElementsAttr value =
        constant(StringRef(operand.slot.data(), operand.slot.size()));
    if (value) {
      contents.type = *vectorTypeOf(value.getType());
      contents.bytes = bytesOf(value);
    }
    given.push_back(value ? &contents : nullptr);
  }
  std::optional<MaskLanes> known = mask();
  rt::Result<Lanes> result =
      execute(kernel, given, known && kernel.takesMask() ? &*known : nullptr);
  if (!result || llvm::is_contained(result->defined, uint8_t(0)))
    return {};
  return denseVector(typeOf(result->type, function.operation()->getContext()),
                     result->bytes);
}

//===----------------------------------------------------------------------===//
// Functions that do nothing
//===----------------------------------------------------------------------===//

/// The operand in a slot, if it has the type of the result.
static Value operandAsResult(const KnownCall &known, StringRef slot) {
  Value value = known.function.value(slot);
  Operation *op = known.function.operation();
  return value && value.getType() == op->getResult(0).getType() ? value
                                                                : Value();
}

/// x where all lanes are x. Floats are left alone: -0.0 + 0.0 is 0.0, and a NaN
/// that goes through arithmetic loses its bits (choice NanIsCanonical).
static Value unchanged(const KnownCall &known) {
  std::string_view name = known.function.function().name;
  Value x = operandAsResult(known, "x"), y = operandAsResult(known, "y");
  bool isFloat =
      (x ? x : y) &&
      mlir::isa<FloatType>(
          cast<mlir::VectorType>((x ? x : y).getType()).getElementType());
  if (isFloat)
    return {};
  if ((name == "vadd" || name == "vsub") && x && known.isAll("y", 0))
    return x;
  if (name == "vadd" && y && known.isAll("x", 0))
    return y;
  if ((name == "vmul" || name == "vdiv") && x && known.isAll("y", 1))
    return x;
  if (name == "vmul" && y && known.isAll("x", 1))
    return y;
  if (name == "vabs" && x && !catalog::isSigned(known.call["x"].vector.type))
    return x;
  return {};
}

/// The lowest or highest number that a bound of clip has; std::nullopt if it is
/// not known.
static std::optional<int64_t> boundOf(const KnownCall &known, StringRef slot,
                                      bool isLow) {
  const Argument &argument = known.call[{slot.data(), slot.size()}];
  if (argument.kind == Argument::Kind::Integer)
    return argument.integer;
  DenseElementsAttr lanes = known.constant(slot);
  if (!lanes || !mlir::isa<IntegerType>(lanes.getElementType()))
    return std::nullopt;
  bool isSigned = lanes.getElementType().isSignedInteger();
  std::optional<int64_t> bound;
  for (const APInt &lane : lanes.getValues<APInt>()) {
    int64_t number =
        isSigned ? lane.getSExtValue() : int64_t(lane.getZExtValue());
    // The weakest: the highest low bound, the lowest high one.
    bool isWeaker = !bound || (isLow ? number > *bound : number < *bound);
    if (isWeaker)
      bound = number;
  }
  return bound;
}

/// The x of a clip to all of an integer type.
static Value wholeClip(const KnownCall &known) {
  if (known.function.function().name != "clip")
    return {};
  catalog::DataType type = known.call["x"].vector.type;
  if (catalog::isFloat(type))
    return {};
  std::optional<int64_t> low = boundOf(known, "min_val", true);
  std::optional<int64_t> high = boundOf(known, "max_val", false);
  if (low && high && *low <= lowestOf(type) && *high >= highestOf(type))
    return operandAsResult(known, "x");
  return {};
}

/// What a function of no active lane gives: acc, r or x, or a constant r.
static OpFoldResult nothingActive(const KnownCall &known) {
  const catalog::Operation &function = known.function.function();
  if (function.slotIndex("acc") >= 0)
    return operandAsResult(known, "acc");
  if (function.name == "clip")
    return operandAsResult(known, "x");
  if (!known.isGiven("r"))
    return {};
  if (Value r = operandAsResult(known, "r"))
    return r;
  if (!known.call["r"].isNumber())
    return {};
  auto type = cast<mlir::VectorType>(
      known.function.operation()->getResult(0).getType());
  catalog::VectorType result = *vectorTypeOf(type);
  uint32_t bits = constantBits(known.call["r"], result.type);
  std::vector<uint8_t> bytes;
  for (unsigned lane = 0; lane < result.lanes; ++lane)
    for (unsigned byte = 0; byte < catalog::bytesOf(result.type); ++byte)
      bytes.push_back(uint8_t(bits >> (8 * byte)));
  return denseVector(type, bytes);
}

LogicalResult zhouyi::foldFunction(const catalog::FunctionOp &function,
                                   ArrayRef<Attribute> operands,
                                   SmallVectorImpl<OpFoldResult> &results) {
  if (!function.function().result)
    return failure();
  KnownCall known(function, operands);
  if (Attribute result = known.result()) {
    results.push_back(result);
    return success();
  }
  std::optional<MaskLanes> mask = known.mask();
  bool isUnmasked =
      !known.isGiven("mask") || (mask && !llvm::is_contained(*mask, 0));
  Value same = wholeClip(known);
  // Inactive lanes are r's, or undefined.
  if (!same && isUnmasked)
    same = unchanged(known);
  if (same) {
    results.push_back(same);
    return success();
  }
  if (!mask || llvm::is_contained(*mask, 1))
    return failure();
  OpFoldResult inactive = nothingActive(known);
  if (!inactive)
    return failure();
  results.push_back(inactive);
  return success();
}
