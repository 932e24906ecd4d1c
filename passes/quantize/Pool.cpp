//===- Pool.cpp - pooling to tpu ------------------------------------------===//

#include "dialects/top/Pool.h"

#include "dialects/tpu/Pool.h"
#include "passes/quantize/Lowering.h"

using namespace mlir;
using namespace weft;
using namespace weft::quantize;

static Answer<> planPool(top::PoolOp op, Lowering &lowering) {
  if (mlir::isa<IntegerType>(topElement(op.getInput())))
    return Refusal(op, "pooling of integers", "cast them to floats");
  OpBuilder &b = lowering.builder;
  SmallVector<int64_t, 4> kernel(op.getKernel()), strides(op.getStrides()),
      pads(op.getPads());
  if (kernel.size() > 2)
    return Refusal(op, inWords("pooling over ", kernel.size(), " axes"),
                   "1 and 2 are supported");
  if (kernel.size() == 1) { // the axis becomes w of a single row
    kernel.insert(kernel.begin(), 1);
    strides.insert(strides.begin(), 1);
    pads = {0, pads[0], 0, pads[1]};
  }
  bool average = op.getKind() == top::PoolKind::Avg;
  bool padded = llvm::any_of(pads, [](int64_t pad) { return pad != 0; });
  if (average && padded && !op.getCountIncludePad())
    return Refusal(op, "average pooling that leaves padding out of the mean",
                   "use count_include_pad=1 or pad 0");
  // The pooling unit rounds every partial sum to its type: a mean of hundreds
  // of values needs f32. The largest of codes is the code of the largest.
  Value form = lowering.firstForm(op.getInput());
  Type element = average ? lowering.f32()
                 : tpu::isQuantized(form)
                     ? tpu::elementOf(form)
                     : lowering.elementwiseType(op.getInput());
  Value input = lowering.inFloat(op.getInput(), element);
  auto type = lowering.tensor(lowering.shapeOf(op.getOutput()), element);
  lowering.define(
      op.getOutput(),
      b.create<tpu::PoolOp>(
          op.getLoc(), type,
          tpu::PoolKindAttr::get(op.getContext(), average ? tpu::PoolKind::Avg
                                                          : tpu::PoolKind::Max),
          input, b.getDenseI64ArrayAttr(kernel),
          b.getDenseI64ArrayAttr(strides), b.getDenseI64ArrayAttr(pads),
          average && padded ? b.getUnitAttr() : UnitAttr(), IntegerAttr(),
          IntegerAttr()));
  return Yes();
}

void weft::quantize::registerPoolLowering(LoweringTable &table) {
  table.add<top::PoolOp>(planPool);
}
