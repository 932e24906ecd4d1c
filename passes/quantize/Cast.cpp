//===- Cast.cpp - changes of element type to tpu --------------------------===//

#include "dialects/top/Cast.h"

#include "passes/quantize/Elements.h"

using namespace mlir;
using namespace weft;
using namespace weft::quantize;

static LogicalResult lowerCast(top::CastOp op, Lowering &lowering) {
  Type from = topElement(op.getInput()), to = topElement(op.getOutput());
  bool wholes = isa<IntegerType>(from) || isa<IntegerType>(to);
  FailureOr<Value> form;
  if (wholes) {
    // A float is truncated as it is, not as a 16-bit program would round it.
    Type element = isa<FloatType>(from) ? lowering.formType(op.getInput())
                                        : storedElement(from);
    if (isa<quant::QuantizedType>(element))
      element = lowering.f32();
    form = lowering.inOwnView(op.getInput(), element, op);
    if (failed(form))
      return failure();
    Elements elements(lowering, op.getLoc());
    // An integer's float is the machine's f32 in a 16-bit program, which its
    // readers narrow as they need it.
    bool isF32 = isa<FloatType>(to) &&
                 storedElement(to).getIntOrFloatBitWidth() > 8 &&
                 lowering.choices.precision != Precision::F32;
    form = castElements(*form, from, isF32 ? lowering.f32() : to, elements);
    if (!*form)
      return unsupported(op)
             << "a cast of " << from << " to " << to << "; cast by way of f32";
  } else {
    Type element = storedElement(to);
    if (!isa<Float16Type, BFloat16Type, Float32Type>(element) ||
        !isa<Float16Type, BFloat16Type, Float32Type>(storedElement(from)))
      return unsupported(op) << "a cast of " << from << " to " << to
                             << "; use f16, bf16 or f32";
    // In a 16-bit program the model's own narrow types add nothing: values are
    // that narrow already.
    if (lowering.choices.precision != Precision::F32)
      element = lowering.computeType();
    form = lowering.inOwnView(op.getInput(), element, op);
    if (failed(form))
      return failure();
  }
  lowering.define(op.getOutput(), *form);
  return success();
}

/// The same bits under another type, where the chip holds both as ONNX does.
static LogicalResult lowerBitCast(top::BitCastOp op, Lowering &lowering) {
  Type from = topElement(op.getInput()), to = topElement(op.getOutput());
  if (from.isInteger(1)) // 0 and 1 in a byte
    from = storedElement(from);
  for (Type type : {from, to})
    if (storedElement(type) != type ||
        lowering.choices.precision != Precision::F32)
      return unsupported(op) << "the bits of " << from << " as " << to
                             << "; use types of 8 to 32 bits and "
                                "--precision f32";
  FailureOr<Value> form = lowering.inOwnView(op.getInput(), from, op);
  if (failed(form))
    return failure();
  lowering.define(op.getOutput(),
                  Elements(lowering, op.getLoc()).bits(*form, to));
  return success();
}

void weft::quantize::registerCastLowering(LoweringTable &table) {
  table.add<top::CastOp>(lowerCast);
  table.add<top::BitCastOp>(lowerBitCast);
}
