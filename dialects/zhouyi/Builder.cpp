//===- Builder.cpp - programs of Zhouyi from C++ -------------------------===//

#include "dialects/zhouyi/Builder.h"
#include "dialects/zhouyi/Constants.h"
#include "dialects/zhouyi/Function.h"
#include "dialects/zhouyi/Memory.h"
#include "dialects/zhouyi/Program.h"
#include "dialects/zhouyi/Vector.h"
#include "runtime/zhouyi/Mask.h"

using namespace mlir;
using namespace weft;
using namespace weft::zhouyi;
using catalog::FunctionArgument;

Value zhouyi::Builder::fail(const Twine &message) {
  emitError(loc) << message;
  hasFailed = true;
  return {};
}

//===----------------------------------------------------------------------===//
// Functions
//===----------------------------------------------------------------------===//

FunctionArgument zhouyi::Builder::argument(const VectorOrNumber &operand) {
  if (!operand.isNumber)
    return {operand.value, {}};
  if (operand.isInteger)
    return {{}, builder.getI64IntegerAttr(operand.integer)};
  return {{}, builder.getF64FloatAttr(operand.real)};
}

FunctionArgument zhouyi::Builder::argument(const Mask &mask) {
  if (mask.value || !mask.isGiven)
    return {mask.value, {}};
  if (mask.isList)
    return {{}, builder.getDenseBoolArrayAttr(mask.lanes)};
  return {{}, builder.getStringAttr(mask.text)};
}

Value zhouyi::Builder::call(StringRef name,
                            ArrayRef<FunctionArgument> arguments) {
  const catalog::Operation *function =
      catalog::find({name.data(), name.size()}, catalog::Language::Zhouyi);
  if (!function)
    return fail("there is no function '" + name + "' of Zhouyi");
  if (arguments.size() > function->slots.size())
    return fail(name + " takes " + Twine(function->slots.size()) +
                " arguments, not " + Twine(arguments.size()));
  MLIRContext *context = builder.getContext();
  auto *dialect = context->getOrLoadDialect<ZhouyiDialect>();
  Block *block = builder.getInsertionBlock();
  Operation *op = catalog::createCheckedFunction(
      builder, loc,
      *dialect->getRegisteredInterface<catalog::FunctionDialect>(), *function,
      arguments, chipOf(block ? block->getParentOp() : nullptr));
  if (!op)
    hasFailed = true;
  return op && op->getNumResults() ? op->getResult(0) : Value();
}

Value zhouyi::Builder::callWith(StringRef name,
                                ArrayRef<VectorOrNumber> operands,
                                const Options &options) {
  bool areThere =
      isThere(options.r) && (!options.mask.isValue || options.mask.value);
  for (const VectorOrNumber &operand : operands)
    areThere &= isThere(operand);
  if (!areThere) // there was an error before
    return {};
  const catalog::Operation *function =
      catalog::find({name.data(), name.size()}, catalog::Language::Zhouyi);
  if (!function)
    return fail("there is no function '" + name + "' of Zhouyi");
  SmallVector<FunctionArgument> arguments(function->slots.size());
  for (auto [index, operand] : llvm::enumerate(operands))
    arguments[index] = argument(operand);
  auto set = [&](std::string_view slot, FunctionArgument given) {
    int index = function->slotIndex(slot);
    if (index >= 0)
      arguments[index] = given;
    return index >= 0;
  };
  if (options.mask.isGiven && !set("mask", argument(options.mask)))
    return fail(name + " takes no mask");
  if (options.saturate && !set("saturate", {{}, builder.getI64IntegerAttr(1)}))
    return fail(name + " has no saturate");
  if (!options.outSign.empty() &&
      !set("out_sign", {{}, builder.getStringAttr(options.outSign)}))
    return fail(name + " has no out_sign");
  if (options.r.isGiven && !set("r", argument(options.r)))
    return fail(name + " has no r");
  return call(name, arguments);
}

Value zhouyi::Builder::vadd(VectorOrNumber x, VectorOrNumber y,
                            Options options) {
  return callWith("vadd", {x, y}, options);
}
Value zhouyi::Builder::vaddh(VectorOrNumber x, VectorOrNumber y) {
  return callWith("vaddh", {x, y}, {});
}
Value zhouyi::Builder::vabs(VectorOrNumber x, Mask mask, bool saturate) {
  return callWith("vabs", {x}, {std::move(mask), saturate, {}, {}});
}
Value zhouyi::Builder::vsub(VectorOrNumber x, VectorOrNumber y,
                            Options options) {
  return callWith("vsub", {x, y}, options);
}
Value zhouyi::Builder::vsubh(VectorOrNumber x, VectorOrNumber y) {
  return callWith("vsubh", {x, y}, {});
}
Value zhouyi::Builder::vmul(VectorOrNumber x, VectorOrNumber y,
                            Options options) {
  return callWith("vmul", {x, y}, options);
}
Value zhouyi::Builder::vmull(VectorOrNumber x, VectorOrNumber y,
                             Options options) {
  return callWith("vmull", {x, y}, options);
}
Value zhouyi::Builder::vmulh(VectorOrNumber x, VectorOrNumber y,
                             Options options) {
  return callWith("vmulh", {x, y}, options);
}

/// Options of a function that has a mask and no more.
static Options only(Mask mask) { return Options().masked(std::move(mask)); }

Value zhouyi::Builder::vdiv(VectorOrNumber x, VectorOrNumber y, Mask mask) {
  return callWith("vdiv", {x, y}, only(std::move(mask)));
}
Value zhouyi::Builder::vmod(VectorOrNumber x, VectorOrNumber y, Mask mask) {
  return callWith("vmod", {x, y}, only(std::move(mask)));
}
Value zhouyi::Builder::vdot(VectorOrNumber x, VectorOrNumber y, Mask mask) {
  return callWith("vdot", {x, y}, only(std::move(mask)));
}
Value zhouyi::Builder::vqdot(VectorOrNumber x, VectorOrNumber y, Mask mask) {
  return callWith("vqdot", {x, y}, only(std::move(mask)));
}
Value zhouyi::Builder::vdpa(VectorOrNumber acc, VectorOrNumber x,
                            VectorOrNumber y, Mask mask) {
  return callWith("vdpa", {acc, x, y}, only(std::move(mask)));
}
Value zhouyi::Builder::vqdpa(VectorOrNumber acc, VectorOrNumber x,
                             VectorOrNumber y, Mask mask) {
  return callWith("vqdpa", {acc, x, y}, only(std::move(mask)));
}
Value zhouyi::Builder::vrpadd(VectorOrNumber x, Mask mask) {
  return callWith("vrpadd", {x}, only(std::move(mask)));
}

LogicalResult zhouyi::Builder::callIntoMemory(StringRef name, Value pointer,
                                              VectorOrNumber x,
                                              VectorOrNumber y) {
  bool failedBefore = std::exchange(hasFailed, false);
  bool areThere = pointer && isThere(x) && isThere(y);
  if (areThere)
    callWith(name, {pointer, x, y}, {});
  bool isMade = areThere && !hasFailed;
  hasFailed |= failedBefore;
  return success(isMade);
}

LogicalResult zhouyi::Builder::vmml(Value ptr, VectorOrNumber x,
                                    VectorOrNumber y) {
  return callIntoMemory("vmml", ptr, x, y);
}
LogicalResult zhouyi::Builder::vmma(Value accPtr, VectorOrNumber x,
                                    VectorOrNumber y) {
  return callIntoMemory("vmma", accPtr, x, y);
}
Value zhouyi::Builder::fma(VectorOrNumber acc, VectorOrNumber x,
                           VectorOrNumber y, Mask mask) {
  return callWith("fma", {acc, x, y}, only(std::move(mask)));
}
Value zhouyi::Builder::vfmae(VectorOrNumber acc, VectorOrNumber x,
                             VectorOrNumber y, Mask mask) {
  return callWith("vfmae", {acc, x, y}, only(std::move(mask)));
}
Value zhouyi::Builder::vfmao(VectorOrNumber acc, VectorOrNumber x,
                             VectorOrNumber y, Mask mask) {
  return callWith("vfmao", {acc, x, y}, only(std::move(mask)));
}
Value zhouyi::Builder::vrint(VectorOrNumber x, Mask mask) {
  return callWith("vrint", {x}, only(std::move(mask)));
}
Value zhouyi::Builder::clip(VectorOrNumber x, VectorOrNumber minVal,
                            VectorOrNumber maxVal, Mask mask) {
  return callWith("clip", {x, minVal, maxVal}, only(std::move(mask)));
}

//===----------------------------------------------------------------------===//
// Constants
//===----------------------------------------------------------------------===//

/// Appends the bytes of a number as an element; false if it does not fit.
static bool appendElement(Type element, bool isInteger, int64_t integer,
                          double real, std::vector<uint8_t> &bytes) {
  llvm::APInt bits;
  if (auto type = dyn_cast<FloatType>(element)) {
    APFloat value(isInteger ? double(integer) : real);
    bool losesInfo = false;
    value.convert(type.getFloatSemantics(), APFloat::rmNearestTiesToEven,
                  &losesInfo);
    bits = value.bitcastToAPInt();
  } else {
    auto whole = mlir::cast<IntegerType>(element);
    unsigned width = whole.getWidth();
    bool fits = isInteger &&
                (whole.isSigned()
                     ? llvm::isIntN(width, integer)
                     : integer >= 0 && llvm::isUIntN(width, uint64_t(integer)));
    if (!fits)
      return false;
    bits = APInt(64, uint64_t(integer)).trunc(width);
  }
  for (unsigned byte = 0; byte < bits.getBitWidth() / 8; ++byte)
    bytes.push_back(uint8_t(bits.extractBitsAsZExtValue(8, 8 * byte)));
  return true;
}

template <class Number>
static std::string spelt(Number number) {
  std::string text;
  llvm::raw_string_ostream(text) << number;
  return text;
}

Value zhouyi::Builder::makeVector(
    Type element, size_t lanes, function_ref<VectorOrNumber(size_t)> numberAt) {
  bool isType = mlir::VectorType::isValidElementType(element) && lanes > 0;
  auto type = isType ? mlir::VectorType::get(int64_t(lanes), element)
                     : mlir::VectorType();
  if (!type || !isVector(type))
    return fail("a vector of " + Twine(lanes) + " " + spelt(element) +
                "; must be 1 to " + Twine(kMaxLanes) +
                " lanes of si8, ui8, si16, ui16, si32, ui32, f16, bf16 or f32");
  std::vector<uint8_t> bytes;
  for (size_t lane = 0; lane < lanes; ++lane) {
    VectorOrNumber number = numberAt(lane);
    if (!appendElement(element, number.isInteger, number.integer, number.real,
                       bytes))
      return fail(
          (number.isInteger ? spelt(number.integer) : spelt(number.real)) +
          " is no value of " + spelt(element) +
          "; give one in the range of the type");
  }
  return builder.create<ConstantOp>(loc, denseVector(type, bytes));
}

Value zhouyi::Builder::splat(Type element, unsigned lanes,
                             VectorOrNumber number) {
  if (!number.isNumber)
    return fail("a constant vector needs a number");
  return makeVector(element, lanes, [&](size_t) { return number; });
}
Value zhouyi::Builder::vector(Type element, ArrayRef<int64_t> numbers) {
  return makeVector(element, numbers.size(),
                    [&](size_t lane) { return VectorOrNumber(numbers[lane]); });
}
Value zhouyi::Builder::vector(Type element, ArrayRef<double> numbers) {
  return makeVector(element, numbers.size(),
                    [&](size_t lane) { return VectorOrNumber(numbers[lane]); });
}

//===----------------------------------------------------------------------===//
// Masks
//===----------------------------------------------------------------------===//

bool zhouyi::Builder::maskValue(const Mask &mask, unsigned lanes,
                                Value &value) {
  value = mask.value;
  if (!mask.isGiven)
    return true;
  if (mask.isValue)
    return bool(mask.value); // null after an error
  MaskLanes list(mask.lanes.begin(), mask.lanes.end());
  rt::Result<MaskLanes> known =
      mask.isList ? listMask(list, lanes) : parseMask(mask.text, lanes);
  if (!known) {
    fail(known.status().message());
    return false;
  }
  value =
      builder.create<ConstantOp>(loc, denseMask(*known, builder.getContext()));
  return true;
}

Value zhouyi::Builder::constMask(Mask mask, unsigned lanes) {
  if (mask.isValue || !mask.isGiven)
    return fail("a constant mask needs a text or a list");
  Value value;
  maskValue(mask, lanes, value);
  return value;
}

Value zhouyi::Builder::tailMask(int64_t n, unsigned lanes) {
  rt::Result<MaskLanes> known = zhouyi::tailMask(n, lanes);
  if (!known)
    return fail(known.status().message());
  return builder.create<ConstantOp>(loc,
                                    denseMask(*known, builder.getContext()));
}

Value zhouyi::Builder::tailMask(Value n, unsigned lanes) {
  return n ? tailMask(ValueRange(n), {-1}, 0, lanes) : Value();
}

Value zhouyi::Builder::tailMask(ValueRange indices, ArrayRef<int64_t> steps,
                                int64_t limit, unsigned lanes) {
  if (llvm::is_contained(indices, Value()))
    return {};
  if (lanes < 1 || lanes > kMaxLanes)
    return fail("a mask of " + Twine(lanes) + " lanes; must be 1 to " +
                Twine(kMaxLanes));
  auto type = mlir::VectorType::get(int64_t(lanes), builder.getI1Type());
  return builder.create<TailMaskOp>(loc, type, indices, steps, limit);
}

//===----------------------------------------------------------------------===//
// Memory
//===----------------------------------------------------------------------===//

Value zhouyi::Builder::offset(Value pointer, int64_t add) {
  return offset(pointer, ValueRange(), {}, add);
}

Value zhouyi::Builder::offset(Value pointer, ValueRange indices,
                              ArrayRef<int64_t> steps, int64_t add) {
  if (!pointer || llvm::is_contained(indices, Value()))
    return {};
  if (indices.empty() && add == 0)
    return pointer;
  return builder.create<OffsetOp>(loc, pointer.getType(), pointer, indices,
                                  steps, add);
}

Value zhouyi::Builder::load(Value pointer, unsigned lanes, Mask mask,
                            int64_t stride) {
  Value lanesOn;
  if (!pointer || !maskValue(mask, lanes, lanesOn))
    return {};
  Type element = mlir::cast<PtrType>(pointer.getType()).getElementType();
  auto type = mlir::VectorType::get(int64_t(lanes), element);
  return builder.create<LoadOp>(loc, type, pointer, lanesOn, stride);
}

LogicalResult zhouyi::Builder::store(Value vector, Value pointer, Mask mask,
                                     int64_t stride) {
  if (!vector || !pointer)
    return failure();
  Value lanesOn;
  auto type = mlir::cast<mlir::VectorType>(vector.getType());
  if (!maskValue(mask, unsigned(type.getDimSize(0)), lanesOn))
    return failure();
  builder.create<StoreOp>(loc, vector, pointer, lanesOn, stride);
  return success();
}

Value zhouyi::Builder::reinterpret(Value source, Type element) {
  if (!source)
    return {};
  if (mlir::isa<PtrType>(source.getType()))
    return builder.createOrFold<ReinterpretOp>(loc, PtrType::get(element),
                                               source);
  auto type = mlir::cast<mlir::VectorType>(source.getType());
  int64_t bits = type.getDimSize(0) * type.getElementTypeBitWidth();
  int64_t width = element.getIntOrFloatBitWidth();
  if (bits % width)
    return fail("the " + Twine(bits) + " bits of " + spelt(Type(type)) +
                " are no whole number of " + spelt(element));
  return builder.createOrFold<ReinterpretOp>(
      loc, mlir::VectorType::get(bits / width, element), source);
}

Value zhouyi::Builder::cast(Value source, Type element) {
  if (!source)
    return {};
  auto type = mlir::cast<mlir::VectorType>(source.getType());
  return builder.createOrFold<CastOp>(loc, type.clone(element), source);
}

//===----------------------------------------------------------------------===//
// Loops
//===----------------------------------------------------------------------===//

SmallVector<Value> zhouyi::Builder::loop(int64_t count, ValueRange initial,
                                         Body body) {
  if (llvm::is_contained(initial, Value()))
    return SmallVector<Value>(initial.size());
  if (count < 1) {
    fail("a loop runs " + Twine(count) + " times; must be 1 or more");
    return SmallVector<Value>(initial.size());
  }
  auto number = [&](int64_t value) {
    return builder.create<arith::ConstantIndexOp>(loc, value);
  };
  Value low = number(0), high = number(count), step = number(1);
  auto made = builder.create<scf::ForOp>(loc, low, high, step, initial);
  OpBuilder::InsertionGuard guard(builder);
  Block *block = made.getBody();
  if (initial.empty()) // scf.for has ended its body itself
    block->getTerminator()->erase();
  builder.setInsertionPointToEnd(block);
  SmallVector<Value> given =
      body(made.getInductionVar(), made.getRegionIterArgs());
  bool fits = given.size() == initial.size();
  for (auto [before, after] : llvm::zip(initial, given))
    fits &= after && before.getType() == after.getType();
  if (!fits) {
    bool followsError = hasFailed && llvm::is_contained(given, Value());
    if (!followsError)
      fail("the body of a loop gives other values than it gets");
    given.assign(made.getRegionIterArgs().begin(),
                 made.getRegionIterArgs().end());
  }
  builder.create<scf::YieldOp>(loc, given);
  return SmallVector<Value>(made.getResults());
}

void zhouyi::Builder::loop(int64_t count,
                           function_ref<void(Value index)> body) {
  loop(count, ValueRange(), [&](Value index, ValueRange) {
    body(index);
    return SmallVector<Value>();
  });
}

//===----------------------------------------------------------------------===//
// Buffers
//===----------------------------------------------------------------------===//

static int64_t bytesOf(RankedTensorType stored) {
  return stored.getNumElements() * stored.getElementTypeBitWidth() / 8;
}

Value zhouyi::Builder::buffer(BufferKind kind, StringRef name,
                              RankedTensorType onnx, RankedTensorType stored,
                              double scale, int64_t zeroPoint,
                              StringRef value) {
  // An empty tensor has a byte, so that it has a place.
  int64_t bytes = std::max<int64_t>(::bytesOf(stored), 1);
  return builder.create<BufferOp>(
      loc, PtrType::get(stored.getElementType()), kind, name, bytes,
      value.empty() ? StringAttr() : builder.getStringAttr(value),
      TypeAttr::get(onnx), TypeAttr::get(stored), DenseI64ArrayAttr(),
      llvm::APFloat(float(scale)), zeroPoint, ElementsAttr());
}

Value zhouyi::Builder::input(StringRef name, RankedTensorType onnx,
                             RankedTensorType stored, double scale,
                             int64_t zeroPoint) {
  return buffer(BufferKind::Input, name, onnx, stored, scale, zeroPoint, {});
}
Value zhouyi::Builder::output(StringRef name, RankedTensorType onnx,
                              RankedTensorType stored, double scale,
                              int64_t zeroPoint) {
  return buffer(BufferKind::Output, name, onnx, stored, scale, zeroPoint, {});
}
Value zhouyi::Builder::scratch(StringRef name, StringRef value,
                               RankedTensorType onnx, RankedTensorType stored,
                               double scale, int64_t zeroPoint) {
  return buffer(BufferKind::Scratch, name, onnx, stored, scale, zeroPoint,
                value);
}

Value zhouyi::Builder::weight(StringRef name, ElementsAttr contents) {
  auto type = mlir::cast<ShapedType>(contents.getType());
  Type element = type.getElementType();
  if (element.isSignlessInteger() && element.getIntOrFloatBitWidth() > 1)
    element = si(element.getIntOrFloatBitWidth());
  int64_t bytes = std::max<int64_t>(
      type.getNumElements() * type.getElementTypeBitWidth() / 8, 1);
  return builder.create<BufferOp>(loc, PtrType::get(element),
                                  BufferKind::Weight, name, bytes, StringAttr(),
                                  TypeAttr(), TypeAttr(), DenseI64ArrayAttr(),
                                  llvm::APFloat(1.0f), 0, contents);
}

Value zhouyi::Builder::scratch(StringRef name, Type element, int64_t elements) {
  int64_t bytes =
      std::max<int64_t>(elements * element.getIntOrFloatBitWidth() / 8, 1);
  return builder.create<BufferOp>(
      loc, PtrType::get(element), BufferKind::Scratch, name, bytes,
      StringAttr(), TypeAttr(), TypeAttr(), DenseI64ArrayAttr(),
      llvm::APFloat(1.0f), 0, ElementsAttr());
}
