//===- OpsBefore.cpp - the ops that only one reads ------------------------===//

#include "passes/tpu/OpsBefore.h"

using namespace mlir;
using namespace weft::tpu;

OpsBefore weft::tpu::opsBefore(Operation *last,
                               llvm::function_ref<bool(Operation *)> belongs) {
  OpsBefore found;
  SmallVector<Operation *> makers{last};
  auto isInside = [&](Operation *user) { return found.ops.contains(user); };
  while (!makers.empty()) {
    // The latest first: whoever reads what it gives has been seen.
    auto latest = llvm::max_element(makers, [](Operation *a, Operation *b) {
      return a->isBeforeInBlock(b);
    });
    Operation *op = *latest;
    makers.erase(latest);
    if (found.ops.contains(op))
      continue;
    if (op != last && !llvm::all_of(op->getUsers(), isInside)) {
      found.sources.insert(op->getResult(0));
      continue;
    }
    found.ops.insert(op);
    for (Value operand : op->getOperands())
      if (Operation *maker = operand.getDefiningOp(); maker && belongs(maker))
        makers.push_back(maker);
      else
        found.sources.insert(operand);
  }
  return found;
}
