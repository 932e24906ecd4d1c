//===- DmaParts.h - what commands of dma and hau are made of ----*- C++ -*-===//

#ifndef WEFT_RUNTIME_PPL_COMMANDS_DMAPARTS_H
#define WEFT_RUNTIME_PPL_COMMANDS_DMAPARTS_H

#include "runtime/ppl/commands/CommandFields.h"

namespace weft::commands {

/// The part of a tensor with its strides; the tensor itself if it is all of it.
Operand partOf(const Expansion &e, const Operand &tensor, const Dims &offset,
               const Dims &shape);

/// The same bytes with another shape and other strides.
Operand seenAs(const Expansion &e, const Operand &tensor, const Dims &shape,
               const Dims &strides);

/// Rows that a list names, and into rows that a list names. `fill` is what rows
/// get that the list does not name.
void gatherRows(Expansion &e, const Operand &dst, const Operand &rows,
                const Operand &index, double fill);
void scatterRows(Expansion &e, const Operand &dst, const Operand &rows,
                 const Operand &index);

/// The commands of dma.mask_select and dma.nonzero, to any memory but local.
void selectMasked(Expansion &e, const Operand &dst, const Operand &src,
                  const Operand &mask);
void listNonzero(Expansion &e, const Operand &dst, const Operand &src,
                 int64_t base);

} // namespace weft::commands

#endif // WEFT_RUNTIME_PPL_COMMANDS_DMAPARTS_H
