//===- Cast.cpp - changes of element type to tpu --------------------------===//

#include "dialects/top/Cast.h"

#include "dialects/top/Binary.h"
#include "dialects/top/Constant.h"
#include "dialects/top/Conv.h"
#include "dialects/top/MatMul.h"
#include "dialects/top/Move.h"
#include "dialects/top/Pool.h"
#include "dialects/top/Quantization.h"
#include "dialects/top/Unary.h"
#include "dialects/tpu/Unary.h"
#include "passes/quantize/Elements.h"

using namespace mlir;
using namespace weft;
using namespace weft::quantize;

/// A float type of 16 bits and more.
static bool isWideFloat(Type type) {
  return mlir::isa<Float16Type, BFloat16Type, Float32Type>(storedElement(type));
}

/// A cast between floats that the machine has.
static Answer<Value> castFloats(top::CastOp op, Lowering &lowering) {
  // In a 16-bit program the model's own narrow types add nothing: values are
  // that narrow already.
  Type element = lowering.choices.precision == Precision::F32
                     ? storedElement(topElement(op.getOutput()))
                     : lowering.computeType();
  return lowering.inOwnView(op.getInput(), element, op);
}

/// A cast from or to integers, bools or floats of 8 bits and less.
static Answer<Value> castOthers(top::CastOp op, Lowering &lowering) {
  Type from = topElement(op.getInput()), to = topElement(op.getOutput());
  numeric::CastOptions options;
  options.saturate = op.getSaturate();
  options.rounding = *numeric::parseScaleRounding(op.getRoundMode());
  // A float is taken as it is, not as a 16-bit program would round it.
  Type element = isWideFloat(from) ? lowering.formType(op.getInput())
                                   : storedElement(from);
  if (mlir::isa<quant::QuantizedType>(element))
    element = lowering.f32();
  Answer<Value> form = lowering.inOwnView(op.getInput(), element, op);
  if (!form)
    return form.no();
  // The float of another type is the machine's f32 in a 16-bit program, which
  // its readers narrow as they need it.
  bool isF32 = isWideFloat(to) && lowering.choices.precision != Precision::F32;
  Elements elements(lowering, op.getLoc());
  return castElements(*form, from, isF32 ? lowering.f32() : to, options,
                      elements);
}

//===----------------------------------------------------------------------===//
// Quantization
//===----------------------------------------------------------------------===//

Value weft::quantize::exactQuotient(Value x, float scale, bool isBounded,
                                    Elements &e) {
  using tpu::BinaryKind;
  constexpr double kBeyondCodes = 1e6; // inf less inf would be no number
  double reciprocal = 1.0f / scale;
  Value guess = e.binary(BinaryKind::Mul, x, reciprocal);
  if (!isBounded) {
    guess = e.binary(BinaryKind::Max, guess, -kBeyondCodes);
    guess = e.binary(BinaryKind::Min, guess, kBeyondCodes);
  }
  Value rest = e.binary(BinaryKind::Sub, x,
                        e.binary(BinaryKind::Mul, guess, double(scale)));
  return e.binary(BinaryKind::Add, guess,
                  e.binary(BinaryKind::Mul, rest, reciprocal));
}

/// The integers that the codes `form` are already, if what they stand for is
/// `type` at `scale` and `zeroPoint`; null otherwise.
static Value integersOf(Value form, Type type, double scale, int64_t zeroPoint,
                        Lowering &lowering) {
  auto integer = dyn_cast<IntegerType>(type);
  if (!form || !tpu::isQuantized(form) || !integer || integer.getWidth() != 8)
    return {};
  Type codes = tpu::quantElement(lowering.builder.getContext(), scale,
                                 !integer.isUnsigned(), zeroPoint);
  return tpu::elementOf(form) == codes ? lowering.bits(form, type) : Value();
}

/// All steps at once: the last cast rounds and saturates.
static Answer<> planQuantization(const top::Quantization &q,
                                 Lowering &lowering) {
  top::CastOp op = q.result;
  if (Value integers =
          integersOf(lowering.firstForm(q.input), topElement(op.getOutput()),
                     q.multiplies ? 1 / q.scale.front() : q.scale.front(),
                     q.zeroPoint, lowering)) {
    lowering.define(op.getOutput(), integers);
    return Yes();
  }
  Answer<Value> form = lowering.inOwnView(q.input, lowering.f32(), op);
  if (!form)
    return form.no();
  Elements e(lowering, op.getLoc());
  float scale = q.scale.front();
  Value codes = q.multiplies
                    ? e.binary(tpu::BinaryKind::Mul, *form, double(scale))
                    : exactQuotient(*form, scale,
                                    lowering.isBoundedQuotient(q.result), e);
  if (q.zeroPoint != 0) {
    codes = e.unary(tpu::UnaryKind::Round, codes);
    codes = e.binary(tpu::BinaryKind::Add, codes, double(q.zeroPoint));
  }
  lowering.define(
      op.getOutput(),
      e.toNearest(codes, storedElement(topElement(op.getOutput()))));
  return Yes();
}

static Answer<> planCast(top::CastOp op, Lowering &lowering) {
  if (const top::Quantization *q = lowering.quantizationOf(op);
      q && q->isScalar())
    return planQuantization(*q, lowering);
  Type from = topElement(op.getInput()), to = topElement(op.getOutput());
  if (Value integers =
          integersOf(lowering.firstForm(op.getInput()), to, 1, 0, lowering)) {
    lowering.define(op.getOutput(), integers);
    return Yes();
  }
  Answer<Value> result = isWideFloat(from) && isWideFloat(to)
                             ? castFloats(op, lowering)
                             : castOthers(op, lowering);
  if (!result)
    return result.no();
  if (!*result)
    return Refusal(op, inWords("a cast of ", from, " to ", to),
                   "cast by way of f32");
  lowering.define(op.getOutput(), *result);
  return Yes();
}

/// The same bits under another type, where the chip holds both as ONNX does.
static Answer<> planBitCast(top::BitCastOp op, Lowering &lowering) {
  Type from = topElement(op.getInput()), to = topElement(op.getOutput());
  if (from.isInteger(1)) // 0 and 1 in a byte
    from = storedElement(from);
  for (Type type : {from, to})
    if (storedElement(type) != type ||
        lowering.choices.precision != Precision::F32)
      return Refusal(op, inWords("the bits of ", from, " as ", to),
                     "use types of 8 to 32 bits and --precision f32");
  Answer<Value> form = lowering.inOwnView(op.getInput(), from, op);
  if (!form)
    return form.no();
  lowering.define(op.getOutput(),
                  Elements(lowering, op.getLoc()).bits(*form, to));
  return Yes();
}

void weft::quantize::registerCastLowering(LoweringTable &table) {
  table.add<top::CastOp>(planCast);
  table.add<top::BitCastOp>(planBitCast);
}
