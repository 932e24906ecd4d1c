//===- Fold.h - what functions are when operands are known ------*- C++ -*-===//
//
// Values are those of the catalog's evaluators. Lanes without a value are never
// given one where the program would have stopped on them: only calls whose
// lanes are all defined are folded.
//
//===----------------------------------------------------------------------===//

#ifndef WEFT_DIALECTS_ZHOUYI_FOLD_H
#define WEFT_DIALECTS_ZHOUYI_FOLD_H

#include "dialects/zhouyi/Function.h"

#include "mlir/IR/PatternMatch.h"

namespace weft::zhouyi {

/// Constants of constants; an operand where the function does nothing: x + 0,
/// x - 0, x * 1 and x / 1 of integers, the absolute value of unsigned integers,
/// clip to all of the type, and with a mask of no lane r, acc or the x of clip.
mlir::LogicalResult
foldFunction(const catalog::FunctionOp &function,
             llvm::ArrayRef<mlir::Attribute> operands,
             llvm::SmallVectorImpl<mlir::OpFoldResult> &results);

/// Known masks become constants, or none if they have all lanes; parameters
/// that change nothing (saturate = 0, an out_sign that the result has anyway)
/// go; constants with one number in all lanes become that number; a clip of a
/// clip becomes one.
void addFunctionPatterns(const catalog::Operation &function,
                         mlir::RewritePatternSet &patterns);

} // namespace weft::zhouyi

#endif // WEFT_DIALECTS_ZHOUYI_FOLD_H
