//===- BatchAxis.h - is a graph independent along its batch? ----*- C++ -*-===//
//
// A net may be run with a larger batch than it was given, zeros filled in and
// the surplus results dropped, if every entry of the outputs depends on the
// same entry of the inputs alone. `findBatchAxes` proves it op by op;
// `graphDigest` lets a caller see that the graph is the same one for every size
// of the batch.
//
//===----------------------------------------------------------------------===//

#ifndef WEFT_PASSES_TOP_BATCHAXIS_H
#define WEFT_PASSES_TOP_BATCHAXIS_H

#include "mlir/Dialect/Func/IR/FuncOps.h"

#include <array>
#include <optional>
#include <string>
#include <vector>

namespace weft::top {

/// The axis of the batch for the arguments, then for the results of all ops in
/// their order; -1 for values that do not depend on it.
using BatchAxes = std::vector<int>;

/// Follows the batch from axis 0 of the arguments for which `isBatched` through
/// the ops of `main`. std::nullopt if an op may mix entries, or is not known;
/// then `obstacle` names it ("node 'Reshape_3' (top.reshape) ..."). The batch
/// must have more than one entry, or nothing can be told apart.
std::optional<BatchAxes> findBatchAxes(mlir::func::FuncOp main,
                                       const std::vector<bool> &isBatched,
                                       std::string &obstacle);

/// A number for the whole graph, bytes of constants included, names left out,
/// with the sizes along `axes` replaced by a mark. std::nullopt if `axes` has
/// another number of values or one of these sizes is not `batch`.
std::optional<uint64_t> graphDigest(mlir::func::FuncOp main,
                                    const BatchAxes &axes, int64_t batch);

/// The axes of the results of `main`.
std::vector<int> resultAxes(mlir::func::FuncOp main, const BatchAxes &axes);

} // namespace weft::top

#endif // WEFT_PASSES_TOP_BATCHAXIS_H
