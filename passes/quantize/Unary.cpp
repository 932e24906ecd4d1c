//===- Unary.cpp - functions of one operand to tpu ------------------------===//

#include "dialects/top/Unary.h"

#include "dialects/tpu/Cast.h"
#include "dialects/tpu/Unary.h"
#include "passes/quantize/Lowering.h"

using namespace mlir;
using namespace weft;
using namespace weft::quantize;

/// True for the functions that the machine builds from a series, which only f32
/// carries far enough.
static bool needsF32(tpu::UnaryKind kind) {
  switch (kind) {
  case tpu::UnaryKind::Sigmoid:
  case tpu::UnaryKind::Exp:
  case tpu::UnaryKind::Reciprocal:
  case tpu::UnaryKind::Floor: // rounding is a cast fp32 -> fp32
  case tpu::UnaryKind::Ceil:
  case tpu::UnaryKind::IsNaN: // cast to ui8, which takes f32
  case tpu::UnaryKind::IsInf:
    return true;
  default:
    return false;
  }
}

static LogicalResult lowerUnary(top::UnaryOp op, Lowering &lowering) {
  StringRef name = top::stringifyUnaryKind(op.getKind());
  std::optional<tpu::UnaryKind> kind = tpu::symbolizeUnaryKind(name);
  if (!kind)
    return unsupported(op)
           << "element-wise function '" << name
           << "'; build it from add, mul, exp, sigmoid and reciprocal";
  if (isa<IntegerType>(topElement(op.getInput())))
    return unsupported(op) << "element-wise function '" << name
                           << "' of integers; cast them to floats";
  OpBuilder &b = lowering.builder;
  Type element = needsF32(*kind) ? lowering.f32()
                                 : lowering.elementwiseType(op.getInput());
  FailureOr<Value> form = lowering.inOwnView(op.getInput(), element, op);
  if (failed(form))
    return failure();
  Value input = *form;
  const top::UnaryKindRow &row = top::unaryKindRow(op.getKind());
  FloatAttr alpha =
      row.alpha ? b.getF64FloatAttr(op.alphaOrDefault()) : FloatAttr();
  FloatAttr beta =
      row.beta ? b.getF64FloatAttr(op.betaOrDefault()) : FloatAttr();
  Value output = b.create<tpu::UnaryOp>(op.getLoc(), input.getType(), *kind,
                                        input, alpha, beta);
  if (cast<RankedTensorType>(op.getOutput().getType())
          .getElementType()
          .isInteger(1)) // is_nan, is_inf: 1.0 or 0.0
    output =
        b.create<tpu::CastOp>(op.getLoc(),
                              lowering.tensor(lowering.shapeOf(op.getOutput()),
                                              storedElement(b.getI1Type())),
                              output, IntegerAttr(), IntegerAttr(), tpu::RoundingAttr());
  lowering.define(op.getOutput(), output);
  return success();
}

void weft::quantize::registerUnaryLowering(LoweringTable &table) {
  table.add<top::UnaryOp>(lowerUnary, [](StringRef kind) {
    return tpu::symbolizeUnaryKind(kind).has_value();
  });
}
