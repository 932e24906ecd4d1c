//===- LaneBytes.h - the bytes of local memory that an access touches -----===//
//
// An Access gives the first and the last byte inside a lane; tensors that lie
// interleaved (pieces of a concatenation, rows of different lanes) overlap by
// that measure without sharing a byte. Here are the bytes themselves.
//
//===----------------------------------------------------------------------===//

#ifndef WEFT_RUNTIME_ISA_LANEBYTES_H
#define WEFT_RUNTIME_ISA_LANEBYTES_H

#include "runtime/isa/Accesses.h"

#include <cstdint>
#include <optional>
#include <vector>

namespace weft::isa {

/// Bytes [begin, end).
struct ByteRange {
  uint64_t begin = 0, end = 0;
};

/// Runs of bytes at regular distances inside one lane, as loops place them.
class BytePattern {
public:
  struct Loop {
    uint64_t count, step; ///< step in bits
  };
  /// Bits [begin * 8, begin * 8 + runBits), again at each step of the loops;
  /// cut off at the byte `limit`. Whole bytes count where runs end inside of
  /// one; where steps do too, everything from the first to the last byte.
  BytePattern(uint64_t begin, uint64_t runBits, std::vector<Loop> loops,
              uint64_t limit);

  /// From the first byte to behind the last.
  ByteRange bounds() const;
  /// How many runs the loops give, cut off ones included.
  uint64_t runs() const;
  /// The first bytes in `range`, up to the end of their run.
  std::optional<ByteRange> firstIn(ByteRange range, uint64_t &steps) const;
  /// Bytes that both have. `steps` grows by the work that it took, so that
  /// callers can bound it for commands of others.
  std::optional<ByteRange> firstCommon(const BytePattern &other,
                                       uint64_t &steps) const;

private:
  std::optional<ByteRange> firstIn(size_t loops, uint64_t base, ByteRange range,
                                   uint64_t &steps) const;
  std::optional<ByteRange> firstCommon(size_t loops, uint64_t base,
                                       const BytePattern &other,
                                       uint64_t &steps) const;
  /// Bytes from the first to behind the last of the innermost `loops` loops.
  uint64_t extent(size_t loops) const;

  uint64_t begin, run, limit; // bytes
  std::vector<Loop> loops;    // by step, the smallest first; steps in bytes
};

/// The same bytes in each of the lanes [firstLane, endLane).
struct LaneBytes {
  uint32_t firstLane, endLane;
  BytePattern bytes;
};

/// Which bytes of which lanes an access of local memory touches, in at most
/// three pieces that share no lane.
std::vector<LaneBytes> laneBytesOf(const Access &access, const Chip &chip);

} // namespace weft::isa

#endif // WEFT_RUNTIME_ISA_LANEBYTES_H
