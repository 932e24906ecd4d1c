//===- ascend_a2.h - the numbers of an Ascend A2 core ---------*- C++ -*-===//

#ifndef WEFT_RUNTIME_CHIPS_ASCEND_A2_H
#define WEFT_RUNTIME_CHIPS_ASCEND_A2_H

#include "runtime/chips/Chip.h"

namespace weft::chips {

/// A core of an Ascend A2 or A3 as its moves into L1 see it: 512 KiB of L1 and
/// blocks of 32 bytes, by the public documentation of the move.
inline constexpr Chip ascend_a2 = [] {
  Chip chip = {};
  chip.name = "ASCEND_A2";
  chip.targetName = "ascend-a2";
  chip.cores = 1;
  chip.cube.l1Bytes = 512 * 1024;
  chip.cube.blockBytes = 32;
  return chip;
}();

} // namespace weft::chips

#endif // WEFT_RUNTIME_CHIPS_ASCEND_A2_H
