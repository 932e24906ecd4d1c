//===- Sequence.h - recipes of sequences ------------------------*- C++ -*-===//

#ifndef WEFT_DIALECTS_TPU_RECIPE_SEQUENCE_H
#define WEFT_DIALECTS_TPU_RECIPE_SEQUENCE_H

#include "dialects/tpu/recipe/Recipe.h"
#include "dialects/tpu/sequence/Sequence.h"

namespace weft::tpu {

/// The calls of `sequence` on the operands and the result of the op, with its
/// coefficients as the only constant.
void buildSequence(RecipeBuilder &r, const Sequence &sequence);

} // namespace weft::tpu

#endif // WEFT_DIALECTS_TPU_RECIPE_SEQUENCE_H
