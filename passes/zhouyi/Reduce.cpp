//===- Reduce.cpp - the Reduce family on vectors --------------------------===//

#include "dialects/tpu/Reduce.h"

#include "passes/zhouyi/Emitter.h"
#include "passes/zhouyi/TwoSum.h"

using namespace mlir;
using namespace weft;
using namespace weft::zhouyi;
using tpu::ReduceKind;

/// One step for kinds that keep the element type. The newer operand comes
/// first, as ties and NaN are decided by the definition.
static Value combine(Code &code, ReduceKind kind, Value sum, Value x) {
  switch (kind) {
  case ReduceKind::Sum:
    return code.vadd(sum, x);
  case ReduceKind::Prod:
    return code.vmul(sum, x);
  case ReduceKind::Max:
    return code.max(x, sum);
  case ReduceKind::Min:
    return code.min(x, sum);
  }
  llvm_unreachable("covered switch");
}

static std::optional<Refusal> refuseReduce(tpu::ReduceOp op) {
  Type element = storedElement(op.getInput());
  if (op.getKind() == ReduceKind::Prod &&
      (llvm::isa<FloatType>(element) || element.getIntOrFloatBitWidth() == 8))
    return Refusal(op, inWords("a product along an axis of ", element), "");
  return std::nullopt;
}

static LogicalResult emitReduce(tpu::ReduceOp op, Emitter &emitter) {
  Code &code = emitter.code;
  ReduceKind kind = op.getKind();
  Type element = emitter.stored(op.getInput());
  bool isFloat = llvm::isa<FloatType>(element);
  ArrayRef<int64_t> in = op.getInput().getType().getShape(),
                    out = op.getOutput().getType().getShape();
  Stream input = dense(emitter.pointer(op.getInput()), in);
  int64_t step = input.strides[op.getAxis()], size = in[op.getAxis()];
  bool isWide = isFloat && kind == ReduceKind::Sum;
  overPlaces(
      code, out, input, dense(emitter.result(op.getOutput()), out), kByteLanes,
      [&](Read read, int64_t) {
        Value first = read(0, {}, 0);
        SmallVector<Value> start{first};
        if (isWide)
          start.push_back(code.numberLike(first, 0));
        if (size == 1)
          return first;
        SmallVector<Value> sum =
            code.loop(size - 1, start, [&](Value k, ArrayRef<Value> carried) {
              Value x = read(0, {{k, step}}, step);
              if (!isWide)
                return SmallVector<Value>{combine(code, kind, carried[0], x)};
              TwoSum next = TwoSum{carried[0], carried[1]}.plus(code, x);
              return SmallVector<Value>{next.high, next.low};
            });
        return isWide ? TwoSum{sum[0], sum[1]}.value(code) : sum[0];
      });
  return success();
}

static std::optional<Refusal> refusePosition(tpu::ArgReduceOp op) {
  return Refusal(op, "the machine's functions find no position", "");
}

static std::optional<Refusal> refuseRunning(tpu::CumulativeOp op) {
  return Refusal(op, "running sums on the machine", "");
}

void zhouyi::addReduce(EmitTable &table) {
  table.add<tpu::ReduceOp>(emitReduce, refuseReduce);
  table.refuse<tpu::ArgReduceOp>(refusePosition);
  table.refuse<tpu::CumulativeOp>(refuseRunning);
}
