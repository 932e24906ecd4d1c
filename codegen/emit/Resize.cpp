//===- Resize.cpp - emission of the Resize family -------------------------===//

#include "dialects/tpu/Resize.h"

#include "codegen/emit/Emit.h"
#include "dialects/ppl/Memory.h"
#include "dialects/ppl/Ppl.h"

using namespace mlir;
using namespace weft;
using namespace weft::emit;

/// Every fh-th row and fw-th column of the result is one input: a copy with
/// strides for each.
static LogicalResult emitInterleave(Operation *operation, OpEmitter &emitter) {
  auto op = llvm::cast<tpu::InterleaveOp>(operation);
  int64_t high = op.getFactors()[0], wide = op.getFactors()[1];
  Value result = emitter.result();
  auto type = llvm::cast<ppl::TensorViewType>(result.getType());
  ppl::Strides strides = ppl::stridesOf(type, /*lane=*/0, emitter.chip);
  ArrayRef<int64_t> shape = type.getShape();
  auto phase = ppl::TensorViewType::get(
      {shape[0], shape[1], shape[2] / high, shape[3] / wide},
      type.getElementType(), type.getMemory(),
      {strides.n, strides.c, strides.h * high, strides.w * wide});
  for (int64_t y = 0; y < high; ++y)
    for (int64_t x = 0; x < wide; ++x) {
      Value target = emitter.builder.create<ppl::ViewOp>(
          emitter.loc(), phase, result, ArrayRef<int64_t>{0, 0, y, x}, 0);
      emitter.copy(target, emitter.operand(
                               op.getInputs().size() == 1 ? 0 : y * wide + x));
    }
  return success();
}

void weft::emit::registerResize(EmitTable &table) {
  table.local["tpu.interleave"] = emitInterleave;
}
