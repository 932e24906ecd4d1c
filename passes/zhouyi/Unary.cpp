//===- Unary.cpp - the Unary family on vectors ----------------------------===//

#include "dialects/tpu/Unary.h"

#include "dialects/tpu/evaluate/Numbers.h"
#include "passes/zhouyi/Emitter.h"
#include "passes/zhouyi/Steps.h"

using namespace mlir;
using namespace weft;
using namespace weft::zhouyi;
using tpu::UnaryKind;

namespace {
/// One kind with its parameters, rounded to the element type.
struct Function {
  Code &code;
  UnaryKind kind;
  Type element;
  double alpha, beta;

  /// x * factor + offset, two roundings.
  Value linear(Value x, double factor, double offset) const {
    return code.vadd(code.vmul(x, code.numberLike(x, factor)),
                     code.numberLike(x, offset));
  }

  /// f of f32, rounded to the element type.
  template <typename F>
  Value inSingle(Value x, F f) const {
    return code.cast(f(code.cast(x, code.f32())), element);
  }

  /// Null for a kind that the functions cannot compute.
  Value operator()(Value x) const {
    switch (kind) {
    case UnaryKind::Abs:
      return code.vabs(x);
    case UnaryKind::Neg:
      return code.vsub(code.numberLike(x, 0), x);
    case UnaryKind::Relu:
      return code.relu(x);
    case UnaryKind::Clip:
      return code.min(code.max(x, code.numberLike(x, alpha)),
                      code.numberLike(x, beta));
    case UnaryKind::HardSigmoid:
      return code.clip(linear(x, alpha, beta), 0.0, 1.0);
    case UnaryKind::HardSwish: {
      double sixth = tpu::roundTo(element, 1.0f / 6);
      return code.vmul(x, code.clip(linear(x, sixth, 0.5), 0.0, 1.0));
    }
    case UnaryKind::LeakyRelu: {
      // One of x and alpha * x is above the other on either side of 0.
      Value scaled = code.vmul(x, code.numberLike(x, alpha));
      return alpha <= 1 ? code.max(x, scaled) : code.min(x, scaled);
    }
    case UnaryKind::Round:
      return code.vrint(x);
    case UnaryKind::Reciprocal:
      return inSingle(
          x, [&](Value y) { return code.vdiv(code.numberLike(y, 1), y); });
    case UnaryKind::Floor:
      return inSingle(x, [&](Value y) { return floorOf(code, y); });
    case UnaryKind::Ceil:
      return inSingle(x, [&](Value y) { return ceilOf(code, y); });
    default:
      return {};
    }
  }
};
} // namespace

static bool hasFunction(UnaryKind kind) {
  switch (kind) {
  case UnaryKind::Abs:
  case UnaryKind::Neg:
  case UnaryKind::Relu:
  case UnaryKind::Clip:
  case UnaryKind::HardSigmoid:
  case UnaryKind::HardSwish:
  case UnaryKind::LeakyRelu:
  case UnaryKind::Round:
  case UnaryKind::Reciprocal:
  case UnaryKind::Floor:
  case UnaryKind::Ceil:
    return true;
  default:
    return false;
  }
}

static std::optional<Refusal> refuseUnary(tpu::UnaryOp op) {
  if (hasFunction(op.getKind()))
    return std::nullopt;
  return Refusal(op,
                 inWords("the machine's functions cannot compute '",
                         tpu::stringifyUnaryKind(op.getKind()), "'"),
                 "");
}

static LogicalResult emitUnary(tpu::UnaryOp op, Emitter &emitter) {
  Type element = tpu::elementOf(op.getOutput());
  auto parameter = [&](FloatAttr value) {
    return value ? tpu::roundTo(element, value.getValueAsDouble()) : 0.0f;
  };
  Function function{emitter.code, op.getKind(), element,
                    parameter(op.getAlphaAttr()), parameter(op.getBetaAttr())};
  ArrayRef<int64_t> shape = op.getOutput().getType().getShape();
  overElements(emitter.code, shape,
               {dense(emitter.pointer(op.getInput()), shape)},
               dense(emitter.result(op.getOutput()), shape), kByteLanes,
               [&](ArrayRef<Value> in) { return function(in[0]); });
  return success();
}

void zhouyi::addUnary(EmitTable &table) {
  table.add<tpu::UnaryOp>(emitUnary, refuseUnary);
}
