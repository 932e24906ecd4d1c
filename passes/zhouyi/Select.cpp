//===- Select.cpp - the Select family on vectors --------------------------===//
//
// There is no compare and no choice among the functions: a difference clipped
// to 0 and 1 is the one, a + (b - a) * c modulo 2^n the other.
//
//===----------------------------------------------------------------------===//

#include "dialects/tpu/Select.h"

#include "dialects/tpu/evaluate/Numbers.h"
#include "passes/zhouyi/Emitter.h"
#include "passes/zhouyi/Steps.h"
#include "runtime/numeric/BitCast.h"
#include "runtime/numeric/Float16.h"

using namespace mlir;
using namespace weft;
using namespace weft::zhouyi;
using tpu::Relation;

/// x > y ? 1 : 0 of integers of one type: clamping keeps the sign.
static Value greaterInteger(Code &code, Value x, Value y) {
  return code.clip(code.vsub(x, y, /*saturate=*/true), 0.0, 1.0);
}

/// The same of floats, as f32; NaN where one is, or for equal infinities.
static Value greaterFloat(Code &code, Value x, Value y) {
  return stepOf(code,
                code.vsub(code.cast(x, code.f32()), code.cast(y, code.f32())));
}

static Value equalInteger(Code &code, Value x, Value y) {
  Value differs =
      code.vadd(greaterInteger(code, x, y), greaterInteger(code, y, x));
  return code.vsub(code.numberLike(differs, 1), differs);
}

static LogicalResult emitCompare(tpu::CompareOp op, Emitter &emitter) {
  Code &code = emitter.code;
  ArrayRef<int64_t> shape = op.getOutput().getType().getShape();
  Type element = emitter.stored(op.getLhs());
  bool isFloat = llvm::isa<FloatType>(element);
  double constant = 0;
  if (op.getConstantAttr())
    constant =
        isFloat ? tpu::roundTo(element, op.getConstantAttr().getValueAsDouble())
                : op.getConstantAttr().getValueAsDouble();
  SmallVector<Stream> operands{broadcast(emitter, op.getLhs(), op.getOutput())};
  if (op.getRhs())
    operands.push_back(broadcast(emitter, op.getRhs(), op.getOutput()));
  Relation relation = op.getRelation();
  Type bits = code.integer(element.getIntOrFloatBitWidth(), true);
  overElements(
      code, shape, operands, dense(emitter.result(op.getOutput()), shape),
      kByteLanes, [&](ArrayRef<Value> in) {
        Value x = in[0];
        Value y = in.size() > 1 ? in[1] : code.numberLike(x, constant);
        if (relation == Relation::Less)
          std::swap(x, y);
        Value holds = relation == Relation::Equal
                          ? equalInteger(code, isFloat ? code.bits(x, bits) : x,
                                         isFloat ? code.bits(y, bits) : y)
                      : isFloat ? greaterFloat(code, x, y)
                                : greaterInteger(code, x, y);
        return code.cast(holds, code.integer(8, false));
      });
  return success();
}

/// The bits of a constant of `element`.
static int64_t bitsOf(Type element, double value) {
  if (llvm::isa<IntegerType>(element))
    return int64_t(value);
  if (element.isF16())
    return numeric::floatToHalf(float(value));
  return numeric::floatBits(float(value));
}

static LogicalResult emitSelect(tpu::SelectOp op, Emitter &emitter) {
  Code &code = emitter.code;
  ArrayRef<int64_t> shape = op.getOutput().getType().getShape();
  Type element = tpu::elementOf(op.getOutput());
  unsigned width = tpu::elementBytes(element) * 8;
  Type plain = code.integer(width, false);
  Type wide = code.integer(std::max(width, 16u), false);
  SmallVector<Stream> operands{
      broadcast(emitter, op.getCondition(), op.getOutput())};
  for (Value side : {op.getOnTrue(), op.getOnFalse()})
    if (side) {
      operands.push_back(broadcast(emitter, side, op.getOutput()));
      operands.back().pointer = code.pointerTo(operands.back().pointer, plain);
    }
  Stream result =
      dense(code.pointerTo(emitter.result(op.getOutput()), plain), shape);
  overElements(
      code, shape, operands, result, kByteLanes, [&](ArrayRef<Value> in) {
        size_t next = 1;
        auto side = [&](Value tensor, FloatAttr constant) {
          if (tensor)
            return code.cast(in[next++], wide);
          int64_t number = bitsOf(element, constant.getValueAsDouble());
          return code.integerNumber(wide, lanesOf(in[0]), number);
        };
        Value yes = side(op.getOnTrue(), op.getTrueConstantAttr());
        Value no = side(op.getOnFalse(), op.getFalseConstantAttr());
        Value chosen = code.cast(code.clip(in[0], 0.0, 1.0), wide);
        Value value = code.vadd(no, code.vmul(code.vsub(yes, no), chosen));
        return code.cast(value, plain);
      });
  return success();
}

void zhouyi::addSelect(EmitTable &table) {
  table.add<tpu::CompareOp>(emitCompare);
  table.add<tpu::SelectOp>(emitSelect);
}
