//===- Quantize.cpp - QuantizeLinear and DequantizeLinear -----------------===//

#include "frontend/onnx/Quantize.h"
#include "dialects/top/Cast.h"
#include "dialects/top/Constant.h"
#include "frontend/onnx/Compose.h"
#include "frontend/onnx/Microsoft.h"
#include "frontend/onnx/OpRows.h"
#include "runtime/numeric/SmallFloats.h"

#include "llvm/ADT/Sequence.h"

using namespace mlir;
using namespace weft;
using namespace weft::onnx;
using numeric::ElementType;

/// `parameter` (a scale or a zero point) in a shape that broadcasts with a
/// tensor of `shape`: one value, one for each element of an axis, or one for
/// each block of `block` elements of it. Null, with a message, if it fits none.
static Value spread(Compose &c, Value parameter, ArrayRef<int64_t> shape,
                    int64_t axis, int64_t block, StringRef what) {
  ArrayRef<int64_t> given = c.shapeOf(parameter);
  int64_t rank = shape.size();
  if (c.n.typeOf(parameter).getNumElements() == 1 && block == 0)
    return c.reshape(parameter, {});
  auto refuse = [&] {
    c.n.error() << what << " is " << formatShape(given)
                << ", the quantized tensor " << formatShape(shape)
                << "; it must be one value, one for each element of axis "
                << axis << ", or with block_size one for each block";
    return Value();
  };
  if (block == 0) {
    if (given.size() != 1 || axis >= rank || given[0] != shape[axis])
      return refuse();
    SmallVector<int64_t> row(rank, 1);
    row[axis] = given[0];
    return c.reshape(parameter, row);
  }
  if (int64_t(given.size()) != rank || axis >= rank)
    return refuse();
  for (int64_t i = 0; i < rank; ++i) {
    int64_t wanted = i == axis ? (shape[i] + block - 1) / block : shape[i];
    if (given[i] != wanted)
      return refuse();
  }
  // Each value `block` times along the axis; the last block may be shorter.
  block = std::max<int64_t>(1, std::min(block, shape[axis]));
  SmallVector<int64_t> apart(given);
  apart.insert(apart.begin() + axis + 1, 1);
  SmallVector<int64_t> joined(given);
  joined[axis] *= block;
  Value rows = c.reshape(parameter, apart);
  SmallVector<Value> copies(block, rows);
  return c.sliceAxis(c.reshape(c.concat(copies, axis + 1), joined), axis, 0,
                     shape[axis]);
}

namespace {

/// What QuantizeLinear and DequantizeLinear share.
struct Quantization {
  Value input, scale, zeroPoint;
  int64_t axis = 0, block = 0;
  int64_t outputType = kUndefined, precision = kUndefined;
};

} // namespace

static FailureOr<Quantization> bind(NodeImporter &n) {
  Quantization q;
  FailureOr<Value> input = n.operand(0), scale = n.operand(1);
  FailureOr<int64_t> axis = n.intAttribute("axis", 1);
  FailureOr<int64_t> block = n.intAttribute("block_size", 0, 0, kMaxElements);
  FailureOr<int64_t> type = n.intAttribute("output_dtype", kUndefined);
  FailureOr<int64_t> precision = n.intAttribute("precision", kUndefined);
  if (failed(input) || failed(scale) || failed(axis) || failed(block) ||
      failed(type) || failed(precision))
    return failure();
  q.input = *input;
  q.scale = *scale;
  q.zeroPoint = n.optionalOperand(2);
  int64_t rank = n.typeOf(q.input).getRank();
  // One value for all needs no axis; ONNX's default is out of range then.
  bool needsAxis = *block || n.typeOf(q.scale).getNumElements() != 1;
  if (needsAxis && failed(axis = n.normalizeAxis(*axis, rank)))
    return failure();
  q.axis = *axis;
  q.block = *block;
  q.outputType = *type;
  q.precision = *precision;
  auto sameShape = [&](Value a, Value b) {
    bool single =
        n.typeOf(a).getNumElements() == 1 && n.typeOf(b).getNumElements() == 1;
    return single || n.typeOf(a).getShape() == n.typeOf(b).getShape();
  };
  if (q.zeroPoint && !sameShape(q.zeroPoint, q.scale)) {
    n.error() << "the zero point is "
              << formatShape(n.typeOf(q.zeroPoint).getShape()) << ", the scale "
              << formatShape(n.typeOf(q.scale).getShape())
              << "; both must have one shape";
    return failure();
  }
  return q;
}

/// The range of an integer type of at most 16 bits.
static std::optional<std::pair<double, double>> rangeOf(Type element) {
  auto integer = dyn_cast<IntegerType>(element);
  if (!integer || integer.getWidth() > 16 || integer.getWidth() < 2)
    return std::nullopt;
  double codes = double(1 << integer.getWidth());
  if (integer.isUnsigned())
    return std::pair(0.0, codes - 1);
  return std::pair(-codes / 2, codes / 2 - 1);
}

/// The type of the result; null, with a message, if there is no such form.
static Type quantizedType(NodeImporter &n, const Quantization &q) {
  int32_t wanted = q.outputType ? int32_t(q.outputType) : int32_t(kUint8);
  if (q.zeroPoint) {
    int32_t own = onnxTypeOf(n.typeOf(q.zeroPoint).getElementType());
    if (q.outputType && own != wanted) {
      n.error() << "output_dtype is " << dataTypeName(wanted)
                << ", the zero point " << dataTypeName(own)
                << "; both must be the same";
      return {};
    }
    wanted = own;
  }
  Type element = elementTypeOf(wanted, n.builder.getContext());
  bool fits = element && (rangeOf(element) ||
                          numeric::isSmallFloat(*hostElementType(element)));
  if (fits)
    return element;
  n.unsupported() << "quantization to " << dataTypeName(wanted)
                  << "; use an integer of 2 to 16 bits or a float of 4 to 8";
  return {};
}

/// What the rounded product a * b of f32 lacks (Dekker: both are split into
/// halves of 12 bits, whose products are exact).
static Value productError(Compose &c, Value a, Value b, Value product) {
  auto split = [&](Value value) {
    Value wide = c.mul(value, 4097);
    Value high = c.sub(wide, c.sub(wide, value));
    return std::pair(high, c.sub(value, high));
  };
  auto [highA, lowA] = split(a);
  auto [highB, lowB] = split(b);
  Value error = c.sub(c.mul(highA, highB), product);
  error = c.add(error, c.mul(highA, lowB));
  error = c.add(error, c.mul(lowA, highB));
  return c.add(error, c.mul(lowA, lowB));
}

Value weft::onnx::exactQuotient(Compose &c, Value value, Value divisor,
                                bool nearest) {
  if (!value || !divisor)
    return {};
  // Far beyond any quantized range, so that nothing becomes inf - inf.
  double limit = c.elementOf(value).isF16() ? 60000 : 1e6;
  Value quotient =
      c.clamp(c.binary(top::BinaryKind::Div, value, divisor), -limit, limit);
  Value product = c.mul(quotient, divisor);
  Value rest = c.sub(value, product);
  if (nearest)
    rest = c.sub(rest, productError(c, quotient, divisor, product));
  return c.add(quotient, c.binary(top::BinaryKind::Div, rest, divisor));
}

/// QuantizeLinear-10..: saturate(round(x / scale) + zero point), for float8
/// cast(x / scale).
static LogicalResult importQuantizeLinear(NodeImporter &n) {
  FailureOr<Quantization> q = bind(n);
  FailureOr<bool> saturate = n.flagAttribute("saturate", true);
  if (failed(q) || failed(saturate))
    return failure();
  Type element = quantizedType(n, *q);
  if (!element)
    return failure();
  Compose c(n);
  ArrayRef<int64_t> shape = c.shapeOf(q->input);
  Value scale = spread(c, q->scale, shape, q->axis, q->block, "the scale");
  Type compute = n.builder.getF32Type();
  if (q->precision == kFloat16)
    compute = n.builder.getF16Type();
  else if (q->precision == kBfloat16)
    compute = n.builder.getBF16Type();
  Value quotient =
      exactQuotient(c, c.cast(q->input, compute), c.cast(scale, compute));
  quotient = c.cast(quotient, n.builder.getF32Type());
  Value zero;
  if (q->zeroPoint && !(zero = c.cast(spread(c, q->zeroPoint, shape, q->axis,
                                             q->block, "the zero point"),
                                      n.builder.getF32Type())))
    return failure();
  auto range = rangeOf(element);
  if (!range) {
    if (zero && *hostElementType(element) == ElementType::F4E2M1)
      quotient = c.add(quotient, zero);
    if (!quotient)
      return failure();
    auto type = RankedTensorType::get(c.shapeOf(quotient), element);
    return n.setOutput(
        n.createTyped<top::CastOp>(type, quotient, *saturate, "up"));
  }
  Value rounded = c.unary(top::UnaryKind::Round, quotient);
  if (zero)
    rounded = c.add(rounded, zero);
  rounded = c.clamp(rounded, range->first, range->second);
  return c.finish(c.cast(rounded, element));
}

/// DequantizeLinear-10..: (x - zero point) * scale.
static LogicalResult importDequantizeLinear(NodeImporter &n) {
  FailureOr<Quantization> q = bind(n);
  if (failed(q))
    return failure();
  Compose c(n);
  ArrayRef<int64_t> shape = c.shapeOf(q->input);
  Type f32 = n.builder.getF32Type(), target = c.elementOf(q->scale);
  if (q->outputType)
    target = elementTypeOf(q->outputType, n.builder.getContext());
  if (!target || !isa<FloatType>(target))
    return n.unsupported() << "dequantization to "
                           << dataTypeName(q->outputType)
                           << "; use a float type";
  Value value = q->input;
  auto integer = dyn_cast<IntegerType>(c.elementOf(value));
  Value zero;
  if (q->zeroPoint && integer &&
      !(zero = spread(c, q->zeroPoint, shape, q->axis, q->block,
                      "the zero point")))
    return failure();
  if (zero && integer.getWidth() >= 32) // exact in integers only
    value = c.cast(c.sub(value, zero), f32);
  else if (zero)
    value = c.sub(c.cast(value, f32), c.cast(zero, f32));
  else
    value = c.cast(value, f32);
  Value scale = spread(c, q->scale, shape, q->axis, q->block, "the scale");
  return c.finish(c.cast(c.mul(value, c.cast(scale, f32)), target));
}

/// To uint8 by the range of the input, which is widened to hold 0. Where that
/// is 0 alone the scale is 1, as ONNX Runtime has it.
DynamicallyQuantized weft::onnx::quantizeDynamically(Compose &c, Value input) {
  SmallVector<int64_t> axes(
      llvm::to_vector(llvm::seq<int64_t>(0, c.shapeOf(input).size())));
  Value high = c.max(c.reduce(top::ReduceKind::Max, input, axes, false), 0);
  Value low = c.min(c.reduce(top::ReduceKind::Min, input, axes, false), 0);
  if (!high || !low)
    return {};
  Value range = c.sub(high, low);
  Value isZero =
      c.cast(c.binary(top::BinaryKind::Equal, range, c.number(0, range)),
             c.elementOf(range));
  Value scale = c.add(
      exactQuotient(c, range, c.number(255, high), /*nearest=*/true), isZero);
  Value zero = c.sub(c.number(0, low), exactQuotient(c, low, scale, true));
  zero = c.unary(top::UnaryKind::Round, c.clamp(zero, 0, 255));
  Value values =
      c.unary(top::UnaryKind::Round, exactQuotient(c, input, scale, true));
  values = c.clamp(c.add(values, zero), 0, 255);
  Type u8 = c.n.builder.getIntegerType(8, /*isSigned=*/false);
  return {c.cast(values, u8), scale, c.cast(zero, u8)};
}

/// DynamicQuantizeLinear-11.
static LogicalResult importDynamicQuantizeLinear(NodeImporter &n) {
  FailureOr<Value> input = n.operand(0);
  if (failed(input))
    return failure();
  Compose c(n);
  DynamicallyQuantized made = quantizeDynamically(c, *input);
  if (failed(c.finish(made.values, 0)) || failed(c.finish(made.scale, 1)))
    return failure();
  return c.finish(made.zeroPoint, 2);
}

void weft::onnx::registerQuantizeRows(OpRegistry &registry) {
  // As ONNX's of today were before opset 21 had 16 bits.
  registry.add("Quantize",
               {{"QuantizeLinear", 1, kLastOpset, importQuantizeLinear,
                 "to integers of 2 to 16 bits"},
                {"DequantizeLinear", 1, kLastOpset, importDequantizeLinear}},
               kMicrosoftDomain);
  registry.add("Quantize",
               {
                   {"QuantizeLinear", 10, kLastOpset, importQuantizeLinear,
                    "to integers of 2 to 16 bits, float8, float4"},
                   {"DequantizeLinear", 10, kLastOpset, importDequantizeLinear},
                   {"DynamicQuantizeLinear", 11, kLastOpset,
                    [](NodeImporter &n) {
                      return inSingle(n, importDynamicQuantizeLinear);
                    }},
               });
}
