//===- LoadBound.h - which products wait for their weights ------*- C++ -*-===//

#ifndef WEFT_PASSES_QUANTIZE_LOADBOUND_H
#define WEFT_PASSES_QUANTIZE_LOADBOUND_H

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "llvm/ADT/DenseSet.h"

namespace weft {
struct Chip;
}

namespace weft::quantize {

/// The products of `func`, of the top dialect, where the loads of weights in 16
/// bits take longer than the products: of a product and its neighbours in the
/// order of the graph, as loads run ahead while others compute. There fewer
/// bytes save time.
llvm::DenseSet<mlir::Operation *> findLoadBound(mlir::func::FuncOp func,
                                                const Chip &chip);

} // namespace weft::quantize

#endif // WEFT_PASSES_QUANTIZE_LOADBOUND_H
