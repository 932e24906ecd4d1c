//===- Resize.cpp - interleaved images to tpu -----------------------------===//

#include "dialects/top/Resize.h"

#include "dialects/tpu/Resize.h"
#include "passes/quantize/Lowering.h"

using namespace mlir;
using namespace weft;
using namespace weft::quantize;

/// Commands of one interleaving; beyond, DRAM is the better place.
constexpr int64_t kMostPhases = 1024;

static Answer<> planInterleave(top::InterleaveOp op, Lowering &lowering) {
  int64_t phases = op.getFactors()[0] * op.getFactors()[1];
  if (phases > kMostPhases)
    return Refusal(
        op,
        inWords("a resize by the factors ", op.getFactors()[0], " and ",
                op.getFactors()[1], ", ", phases, " copies"),
        inWords("there may be ", kMostPhases, ", resize in two steps"));
  SmallVector<Value> inputs;
  bool single = op.getInputs().size() == 1; // any type, only moved
  Type element =
      single ? Type() : lowering.joinedType(op.getInputs(), op.getOutput());
  for (Value input : op.getInputs())
    inputs.push_back(lowering.reshaped(
        op.getLoc(),
        single ? lowering.firstForm(input) : lowering.inFloat(input, element),
        cast<RankedTensorType>(input.getType()).getShape()));
  auto type = lowering.tensor(
      op.getType().getShape(),
      cast<RankedTensorType>(inputs.front().getType()).getElementType());
  lowering.define(op.getOutput(),
                  lowering.builder.create<tpu::InterleaveOp>(
                      op.getLoc(), type, inputs, op.getFactors()));
  return Yes();
}

void weft::quantize::registerResizeLowering(LoweringTable &table) {
  table.add<top::InterleaveOp>(planInterleave);
}
