//===- Softmax.cpp - recipes of the Softmax family ------------------------===//

#include "dialects/tpu/Softmax.h"

#include "dialects/tpu/recipe/Lines.h"

using namespace mlir;
using namespace weft;
using namespace weft::tpu;
using catalog::DataType;

Box SoftmaxOp::computedBox(const Box &wanted) {
  return withWholeAxis(wanted, getInput(), getAxis());
}

static void buildSoftmax(Operation *operation, RecipeBuilder &r) {
  unsigned axis = llvm::cast<SoftmaxOp>(operation).getAxis();
  Tile result = r.result(), input = r.operand(0);
  bool narrow = catalog::bitsOf(result.type) == 16;
  Dims lines = result.shape;
  lines[axis] = 1;
  ExpScratch exponential = addExpScratch(r, result.shape);
  Tile powers = r.scratch("powers", result.shape, DataType::Fp32),
       half = addHalf(r, powers, axis),
       statistics = r.scratch("statistics", lines, DataType::Fp32);
  if (narrow) {
    r.cast(powers, input);
    input = powers;
  }
  combineAxis(r, ReduceKind::Max, statistics, input, half, axis);
  r.binary("tiu.fsub", powers, input, statistics);
  buildExp(r, powers, powers, exponential);
  combineAxis(r, ReduceKind::Sum, statistics, powers, half, axis);
  Tile quotient = narrow ? powers : result;
  r.binary("tiu.fdiv", quotient, powers, statistics, kDivisionSteps);
  if (narrow)
    r.cast(result, quotient);
}

ArrayRef<Alternative> SoftmaxOp::recipes() {
  static const Alternative list[] = {{"exponentials", buildSoftmax}};
  return list;
}
