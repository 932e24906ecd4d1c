//===- WrittenBytes.h - which bytes of a memory were written ---*- C++ -*-===//

#ifndef WEFT_PASSES_PPL_WRITTENBYTES_H
#define WEFT_PASSES_PPL_WRITTENBYTES_H

#include "runtime/catalog/Catalog.h"

#include "llvm/ADT/BitVector.h"

#include <optional>

namespace weft::ppl {

/// The elements of a tensor of which no byte was ever written.
struct Unwritten {
  catalog::Dims first = {0, 0, 0, 0};
  int64_t elements = 0;
};

/// One bit a byte of a memory, or of the part of it that one tensor takes.
/// Tensors have addresses within it; padding between their elements does not
/// count. Two elements of 4 bits share the bit of their byte.
class WrittenBytes {
public:
  /// `bytes` in each of `lanes` lanes, fewer than 2^32 in all; one lane for
  /// memories without.
  WrittenBytes(uint64_t base, uint64_t bytes, unsigned lanes)
      : base(base), bytes(bytes), bits(bytes * lanes) {}

  void add(const catalog::Tensor &tensor, const Chip &chip);
  /// What is missing of a tensor; std::nullopt if all of it was written.
  std::optional<Unwritten> missingOf(const catalog::Tensor &tensor,
                                     const Chip &chip) const;

private:
  /// What reaches past the end of the memory, as wrong kernels may, counts as
  /// never written.
  bool isInside(uint64_t end) const { return end <= base + bytes; }

  uint64_t base, bytes;
  llvm::BitVector bits;
};

} // namespace weft::ppl

#endif // WEFT_PASSES_PPL_WRITTENBYTES_H
