//===- Function.h - the functions of Zhouyi as ops --------------*- C++ -*-===//
//
// The functions of the set `zhouyi` of runtime/catalog as ops of this dialect,
// see dialects/catalog/FunctionOps.h.
//
//===----------------------------------------------------------------------===//

#ifndef WEFT_DIALECTS_ZHOUYI_FUNCTION_H
#define WEFT_DIALECTS_ZHOUYI_FUNCTION_H

#include "dialects/catalog/FunctionOps.h"
#include "dialects/zhouyi/Zhouyi.h"

namespace weft::zhouyi {

/// The machine whose rules hold for `op`: the target of the program around it,
/// else the first vector machine.
const Chip &chipOf(mlir::Operation *op);

/// A function op with its parts by slot.
class FunctionOp : public catalog::FunctionOp {
public:
  /// Null if `op` is no function of Zhouyi.
  explicit FunctionOp(mlir::Operation *op);
};

/// The type of the catalog for a vector; std::nullopt for masks and others.
std::optional<catalog::VectorType> vectorTypeOf(mlir::Type type);
/// The vector of IR for a type of the catalog.
mlir::VectorType typeOf(const catalog::VectorType &type,
                        mlir::MLIRContext *context);

/// Lanes that the mask of a legal call has: those of x and y, of vfmae and
/// vfmao those of acc.
unsigned maskLanesOf(const catalog::Call &call);

} // namespace weft::zhouyi

#endif // WEFT_DIALECTS_ZHOUYI_FUNCTION_H
