//===- Round.cpp - rounds of pipelined loops, barriers --------------------===//

#include "dialects/ppl/Round.h"
#include "dialects/ppl/Function.h"

#include "mlir/IR/Builders.h"

using namespace mlir;
using namespace weft;
using namespace weft::ppl;

#define WEFT_REGISTER PplDialect::registerRound
#define WEFT_OPS "dialects/ppl/Round.cpp.inc"
#include "dialects/OpDefinitions.inc"

LogicalResult RoundOp::verify() {
  if ((*this)->getParentOfType<RoundOp>()) // (C1)
    return emitOpError() << "lies in another round; pipeline the inner loop "
                            "only";
  for (Operation &op : getBody().front()) // (C2)
    if (!FunctionOp(&op) && !mlir::isa<BarrierOp>(op))
      return emitOpError() << "holds '" << op.getName()
                           << "', must hold functions of PPL only";
  return success();
}
