//===- FoldBudget.h - what constant folding may take ------------*- C++ -*-===//
//
// A model of 100 bytes can ask for constants of any size (Range, Expand, chains
// of Concat) and for sums over them. What would take more memory or time than
// the model itself explains is not computed by the compiler: the ops stay in
// the graph.
//
//===----------------------------------------------------------------------===//

#ifndef WEFT_DIALECTS_TOP_FOLDBUDGET_H
#define WEFT_DIALECTS_TOP_FOLDBUDGET_H

#include "mlir/IR/Operation.h"

#include <cstdint>

namespace weft::top {

/// Of one import, or of one run of a pass. It counts bytes and operations, no
/// time, so that every machine folds the same.
class FoldBudget {
public:
  /// `ownBytes`: of the constants that the model brings. A large model may fold
  /// more: its graph transposes, casts and merges weights. `nodes`: of its
  /// graph, each of which may stand for a weight.
  explicit FoldBudget(uint64_t ownBytes, uint64_t nodes = 0);

  /// True if `op` may be evaluated; takes what that needs.
  bool take(mlir::Operation *op);
  /// The same for a constant of `bytes` that is made without an op.
  bool takeBytes(uint64_t bytes);
  /// The same for one value in all places: bytes of the program alone.
  bool takeFilled(uint64_t bytes);

private:
  uint64_t limitBytes; ///< at a time, and of all results
  uint64_t madeBytes = 0;
  uint64_t limitFilled; ///< of all constants of one number
  uint64_t filledBytes = 0;
  uint64_t limitWork;
  uint64_t doneWork = 0;
};

} // namespace weft::top

#endif // WEFT_DIALECTS_TOP_FOLDBUDGET_H
