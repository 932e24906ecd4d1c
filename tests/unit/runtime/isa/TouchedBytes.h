//===- TouchedBytes.h - the bytes of an access on copies of memory --------===//

#ifndef WEFT_TESTS_UNIT_RUNTIME_ISA_TOUCHEDBYTES_H
#define WEFT_TESTS_UNIT_RUNTIME_ISA_TOUCHEDBYTES_H

#include "runtime/isa/LaneBytes.h"

#include <cstring>

namespace weft::test {

/// Gives `visit(offset in local memory, bytes)` every run of bytes that an
/// access touches there; none for other memories.
template <typename Visit>
void visitLocalBytes(const isa::Access &access, const Chip &chip, Visit visit) {
  if (access.memory != isa::Memory::Local)
    return;
  uint64_t steps = 0;
  for (const isa::LaneBytes &piece : isa::laneBytesOf(access, chip)) {
    uint64_t at = 0;
    while (auto run = piece.bytes.firstIn({at, chip.laneBytes}, steps)) {
      for (uint32_t lane = piece.firstLane; lane < piece.endLane; ++lane)
        visit(size_t(lane) * chip.laneBytes + run->begin,
              size_t(run->end - run->begin));
      at = run->end;
    }
  }
}

/// Sets the bytes of `local` that the access touches to 1.
inline void markBytes(const isa::Access &access, const Chip &chip,
                      uint8_t *local) {
  visitLocalBytes(access, chip, [&](size_t at, size_t bytes) {
    std::memset(local + at, 1, bytes);
  });
}

inline void copyBytes(const isa::Access &access, const Chip &chip,
                      const uint8_t *from, uint8_t *to) {
  visitLocalBytes(access, chip, [&](size_t at, size_t bytes) {
    std::memcpy(to + at, from + at, bytes);
  });
}

} // namespace weft::test

#endif // WEFT_TESTS_UNIT_RUNTIME_ISA_TOUCHEDBYTES_H
