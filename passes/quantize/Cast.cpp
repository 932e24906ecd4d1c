//===- Cast.cpp - changes of element type to tpu --------------------------===//

#include "dialects/top/Cast.h"

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

static Answer<> planCast(top::CastOp op, Lowering &lowering) {
  Type from = topElement(op.getInput()), to = topElement(op.getOutput());
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
