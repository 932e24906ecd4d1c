//===- Unary.cpp - functions of one operand to tpu ------------------------===//

#include "dialects/top/Unary.h"

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
  lowering.define(op.getOutput(),
                  b.create<tpu::UnaryOp>(op.getLoc(), input.getType(), *kind,
                                         input, alpha, beta));
  return success();
}

void weft::quantize::registerUnaryLowering(LoweringTable &table) {
  table.add<top::UnaryOp>(lowerUnary, [](StringRef kind) {
    return tpu::symbolizeUnaryKind(kind).has_value();
  });
}
