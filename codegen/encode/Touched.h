//===- Touched.h - which bytes a command touches ----------------*- C++ -*-===//

#ifndef WEFT_CODEGEN_ENCODE_TOUCHED_H
#define WEFT_CODEGEN_ENCODE_TOUCHED_H

#include "codegen/encode/Hazards.h"
#include "runtime/catalog/Catalog.h"
#include "runtime/chips/Chip.h"

#include <vector>

namespace weft::codegen {

struct Command;

/// Bytes of one memory. Local memory counts as bundles of lanes one behind the
/// other, each of Chip::laneBytes: pieces of a transfer that fill different
/// lanes at the same offset do not meet. Lanes of a bundle are not told apart.
struct TouchedBytes {
  catalog::Memory memory;
  ByteRange range;
};

struct Touched {
  std::vector<TouchedBytes> reads, writes;
};

/// An upper bound of what `command` touches: in local memory what its words say
/// (isa::accessesOf), in DRAM the box of a planned command or its tensors.
Touched touchedBy(const Command &command, const Chip &chip);

/// Of a tensor whose address is known.
std::vector<TouchedBytes> touchedBytesOf(const catalog::Tensor &tensor,
                                         const Chip &chip);

/// The byte ranges that `tensor` covers, of a lane or of another memory (an
/// upper bound over its lanes).
std::vector<ByteRange> rangesOf(const catalog::Tensor &tensor,
                                const Chip &chip);

} // namespace weft::codegen

#endif // WEFT_CODEGEN_ENCODE_TOUCHED_H
