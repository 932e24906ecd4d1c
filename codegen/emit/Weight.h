//===- Weight.h - constants of a program ------------------------*- C++ -*-===//

#ifndef WEFT_CODEGEN_EMIT_WEIGHT_H
#define WEFT_CODEGEN_EMIT_WEIGHT_H

#include "codegen/emit/Emit.h"

namespace weft::emit {

/// Puts a `ppl.weight` with `bytes` at `address`; gives the first address after
/// it.
int64_t addWeight(mlir::OpBuilder &builder, mlir::Location loc, int64_t address,
                  PackedBytes bytes);

} // namespace weft::emit

#endif // WEFT_CODEGEN_EMIT_WEIGHT_H
