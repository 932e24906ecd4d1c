//===- RecipeEmitter.h - recipes as ppl functions ---------------*- C++ -*-===//

#ifndef WEFT_CODEGEN_EMIT_RECIPEEMITTER_H
#define WEFT_CODEGEN_EMIT_RECIPEEMITTER_H

#include "codegen/emit/Emit.h"

namespace weft::emit {

/// The calls of the op's recipe on its tiles.
void emitRecipe(mlir::Operation *op, OpEmitter &emitter);

/// The constants of the op's recipe for its whole result, in their order. Fails
/// if one has no bytes.
mlir::LogicalResult packRecipe(mlir::Operation *op, const Chip &chip,
                               std::vector<PackedBytes> &packed);

} // namespace weft::emit

#endif // WEFT_CODEGEN_EMIT_RECIPEEMITTER_H
