//===- Function.h - the functions of Ascend as ops --------------*- C++ -*-===//
//
// The functions of the set `ascend` of runtime/catalog as ops of this dialect,
// see dialects/catalog/FunctionOps.h. Canonicalization removes moves of nothing
// (with a warning), clears the matrix strides of one matrix and merges
// neighbours into one move where there is one that does the same.
//
//===----------------------------------------------------------------------===//

#ifndef WEFT_DIALECTS_ASCEND_FUNCTION_H
#define WEFT_DIALECTS_ASCEND_FUNCTION_H

#include "dialects/ascend/Memory.h"
#include "dialects/catalog/FunctionOps.h"
#include "runtime/ascend/Move.h"

namespace weft::ascend {

/// The machine whose rules hold for `op`: the one that the attribute
/// `ascend.target` of the module names, else the first with moves.
const Chip &chipOf(mlir::Operation *op);

/// The move of an op; addresses are those in the memories that its operands are
/// views of. std::nullopt for other ops.
std::optional<Nd2Nz> moveOf(mlir::Operation *op);

/// Makes the op of a legal move between two memories, with a view of each that
/// covers what the move reads and writes. `element` has the move's width.
mlir::Operation *createMove(mlir::OpBuilder &builder, mlir::Location loc,
                            const Nd2Nz &move, mlir::Value l1,
                            mlir::Value global, mlir::Type element);

} // namespace weft::ascend

#endif // WEFT_DIALECTS_ASCEND_FUNCTION_H
