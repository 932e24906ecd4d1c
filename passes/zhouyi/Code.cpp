//===- Code.cpp - loops of vector operations ------------------------------===//

#include "passes/zhouyi/Code.h"

#include "dialects/zhouyi/Vector.h"

#include <limits>

using namespace mlir;
using namespace weft;
using namespace weft::zhouyi;

Type zhouyi::elementOf(Value value) {
  if (auto pointer = dyn_cast<PtrType>(value.getType()))
    return pointer.getElementType();
  return cast<VectorType>(value.getType()).getElementType();
}

int64_t zhouyi::lanesOf(Value vector) {
  return cast<VectorType>(vector.getType()).getNumElements();
}

Value Code::atHead(llvm::function_ref<Value(Builder &)> make) {
  OpBuilder::InsertionGuard guard(builder);
  if (lastOfHead)
    builder.setInsertionPointAfter(lastOfHead);
  else
    builder.setInsertionPointToStart(body);
  Value value = make(functions);
  if (value)
    lastOfHead = value.getDefiningOp();
  return value;
}

//===----------------------------------------------------------------------===//
// Control and memory
//===----------------------------------------------------------------------===//

void Code::loop(int64_t count, llvm::function_ref<void(Value)> body) {
  if (count == 1)
    return body(Value());
  if (count > 1)
    functions.loop(count, body);
}

SmallVector<Value> Code::loop(
    int64_t count, ArrayRef<Value> start,
    llvm::function_ref<SmallVector<Value>(Value, ArrayRef<Value>)> body) {
  if (count == 0)
    return SmallVector<Value>(start);
  if (count == 1)
    return body(Value(), start);
  return functions.loop(count, start, [&](Value index, ValueRange carried) {
    return body(index, SmallVector<Value>(carried));
  });
}

namespace {
/// The strides of loops that are loops.
struct Terms {
  explicit Terms(ArrayRef<Stride> strides) {
    for (const Stride &stride : strides)
      if (stride.index && stride.step) {
        indices.push_back(stride.index);
        steps.push_back(stride.step);
      }
  }
  SmallVector<Value, 4> indices;
  SmallVector<int64_t, 4> steps;
};
} // namespace

Value Code::offset(Value pointer, ArrayRef<Stride> strides, int64_t add) {
  Terms terms(strides);
  if (terms.indices.empty() && add == 0)
    return pointer;
  return functions.offset(pointer, terms.indices, terms.steps, add);
}

Value Code::pointerTo(Value pointer, Type element) {
  return elementOf(pointer) == element
             ? pointer
             : functions.reinterpret(pointer, element);
}

Value Code::load(Value pointer, int64_t lanes, int64_t stride, Value mask) {
  return functions.load(pointer, lanes, mask ? Mask(mask) : Mask(), stride);
}

void Code::store(Value value, Value pointer, int64_t stride, Value mask) {
  // A refusal is counted by failed().
  (void)functions.store(value, pointer, mask ? Mask(mask) : Mask(), stride);
}

Value Code::tail(ArrayRef<Stride> strides, int64_t limit, int64_t lanes) {
  Terms terms(strides);
  return functions.tailMask(terms.indices, terms.steps, limit, lanes);
}

//===----------------------------------------------------------------------===//
// Vectors
//===----------------------------------------------------------------------===//

Value Code::constant(ElementsAttr value) {
  Value &known = constants[value];
  if (!known)
    known = atHead([&](zhouyi::Builder &b) -> Value {
      return b.ops().create<ConstantOp>(b.location(), value.getType(), value);
    });
  return known;
}

Value Code::number(Type element, int64_t lanes, double value) {
  if (llvm::isa<IntegerType>(element))
    return integerNumber(element, lanes, int64_t(value));
  auto type = VectorType::get(lanes, element);
  return constant(DenseElementsAttr::get(
      type, Attribute(builder.getFloatAttr(element, value))));
}

Value Code::integerNumber(Type element, int64_t lanes, int64_t value) {
  auto type = VectorType::get(lanes, element);
  llvm::APInt bits(64, static_cast<uint64_t>(value), true);
  bits = bits.trunc(element.getIntOrFloatBitWidth());
  return constant(DenseElementsAttr::get(type, ArrayRef<llvm::APInt>(bits)));
}

Value Code::numberLike(Value like, double value) {
  return number(elementOf(like), lanesOf(like), value);
}

Value Code::oddLanes(int64_t lanes) {
  SmallVector<bool> odd;
  for (int64_t i = 0; i < lanes; ++i)
    odd.push_back(i % 2);
  auto type = VectorType::get(lanes, builder.getI1Type());
  return constant(DenseElementsAttr::get(type, ArrayRef<bool>(odd)));
}

Value Code::bits(Value vector, Type element) {
  return elementOf(vector) == element ? vector
                                      : functions.reinterpret(vector, element);
}

Value Code::cast(Value vector, Type element) {
  return elementOf(vector) == element ? vector
                                      : functions.cast(vector, element);
}

//===----------------------------------------------------------------------===//
// Functions
//===----------------------------------------------------------------------===//

Value Code::vadd(Value x, Value y, bool saturate) {
  Options options;
  options.saturate = saturate;
  return functions.vadd(x, y, options);
}
Value Code::vsub(Value x, Value y, bool saturate) {
  Options options;
  options.saturate = saturate;
  return functions.vsub(x, y, options);
}
Value Code::vmul(Value x, Value y) { return functions.vmul(x, y); }
Value Code::vdiv(Value x, Value y) { return functions.vdiv(x, y); }
Value Code::vabs(Value x) { return functions.vabs(x); }
Value Code::vrint(Value x) { return functions.vrint(x); }
Value Code::clip(Value x, Value low, Value high) {
  return functions.clip(x, low, high);
}
Value Code::fma(Value acc, Value x, Value y) {
  return functions.fma(acc, x, y);
}
Value Code::vqdpa(Value acc, Value x, Value y) {
  return functions.vqdpa(acc, x, y);
}
Value Code::vfmae(Value acc, Value x, Value y) {
  return functions.vfmae(acc, x, y);
}
Value Code::vfmao(Value acc, Value x, Value y) {
  return functions.vfmao(acc, x, y);
}

/// vmull and vmulh give pairs of words; the low ones become 0, and the sums of
/// neighbours are then the high ones, in order.
Value Code::highProduct(Value x, Value y) {
  Value zero = integerNumber(s32(), kWordLanes, 0);
  auto highWords = [&](Value pairs) {
    Options options;
    options.mask = oddLanes(kWordLanes);
    options.r = zero;
    return functions.vadd(pairs, zero, options);
  };
  return functions.vaddh(highWords(functions.vmull(x, y)),
                         highWords(functions.vmulh(x, y)));
}

/// The largest value of the type of `like`.
static double highest(Value like) {
  Type element = zhouyi::elementOf(like);
  auto integer = dyn_cast<IntegerType>(element);
  if (!integer)
    return std::numeric_limits<double>::infinity();
  unsigned bits = integer.getWidth() - (integer.isUnsigned() ? 0 : 1);
  return double((int64_t(1) << bits) - 1);
}

static double lowest(Value like) {
  Type element = zhouyi::elementOf(like);
  auto integer = dyn_cast<IntegerType>(element);
  if (!integer)
    return -std::numeric_limits<double>::infinity();
  return integer.isUnsigned() ? 0.0
                              : -double(int64_t(1) << (integer.getWidth() - 1));
}

Value Code::max(Value x, Value y) {
  return clip(x, y, numberLike(x, highest(x)));
}
Value Code::min(Value x, Value y) {
  return clip(x, numberLike(x, lowest(x)), y);
}
Value Code::clip(Value x, double low, double high) {
  return clip(x, numberLike(x, low), numberLike(x, high));
}
Value Code::relu(Value x) { return clip(x, 0.0, highest(x)); }
