//===- TensorLayout.h - where elements of a ppl tensor lie ----*- C++ -*-===//

#ifndef WEFT_DIALECTS_PPL_TENSORLAYOUT_H
#define WEFT_DIALECTS_PPL_TENSORLAYOUT_H

#include "dialects/ppl/Ppl.h"
#include "runtime/chips/Chip.h"

namespace weft::ppl {

/// Distances of neighbours along n, c, h, w in elements. In local memory `c` is
/// the step between rows of lanes: channels c and c + lanes.
struct Strides {
  int64_t n, c, h, w;
};

/// The machine's code of an element type; std::nullopt for types it does not
/// have.
std::optional<isa::Precision> precisionOf(mlir::Type type);
/// Bits of one element in memory; 0 for types that no tensor has.
unsigned elementBitsOf(mlir::Type type);
/// Bytes of one element, rounded up.
unsigned elementBytesOf(TensorViewType type);

/// Strides of a tensor that starts in `lane` (0 for memories without lanes).
Strides stridesOf(TensorViewType type, unsigned lane, const Chip &chip);

/// Bytes from the first to the last element, inside one lane for local memory
/// (an upper bound over the lanes), else in all. Not rounded up to the
/// alignment.
uint64_t extentBytes(TensorViewType type, unsigned lane, const Chip &chip);

/// What the start address must be a multiple of, in bytes.
unsigned startAlignment(TensorViewType type, const Chip &chip);

/// The chip of the `ppl.net` around `op`; outside of one, the first chip of the
/// table.
const Chip &chipOf(mlir::Operation *op);

} // namespace weft::ppl

#endif // WEFT_DIALECTS_PPL_TENSORLAYOUT_H
