//===- ascend_a2.h - the numbers of an Ascend A2 core ---------*- C++ -*-===//

#ifndef WEFT_RUNTIME_CHIPS_ASCEND_A2_H
#define WEFT_RUNTIME_CHIPS_ASCEND_A2_H

#include "runtime/chips/Chip.h"

namespace weft::chips {

/// A cube core of an Ascend A2 or A3 as its moves into L1 see it. Documented
/// numbers come with their source; the others are assumptions, and so is their
/// sum: see docs/ascend/planning.md.
inline constexpr Chip ascend_a2 = [] {
  Chip chip = {};
  chip.name = "ASCEND_A2";
  chip.targetName = "ascend-a2";
  chip.cores = 1;
  // L1: 512 KiB, l1_size = 524288 of the platform file Ascend910B1.ini that
  // comes with CANN, as public repositories quote it. The last 128 bytes are
  // left alone by public kernel libraries.
  chip.cube.l1Bytes = 512 * 1024;
  chip.cube.reservedL1Bytes = 128;
  chip.cube.blockBytes = 32; // the document of the move
  // The same platform file: cube_freq = 1850 (MHz), ddr_rate = 32. Its unit is
  // not said; as bytes a cycle and core, 24 cores give 1.42 TB/s, which fits
  // the 1.6 TB/s published for the memory of a chip.
  chip.cube.cyclesPerSecond = 1'850'000'000;
  chip.cube.readBytes = 32;
  // Assumption: L1 takes what the L2 cache gives (l2_read_rate = 110 there),
  // rounded up to whole blocks, a power of two of them.
  chip.cube.writeBytes = 128;
  // The vendor's guide for operators says that ND to NZ is slow where rows are
  // no multiple of 256 bytes, and that misaligned reads reach 70 % at worst: a
  // row of 512 bytes across three bursts of 256 is read at 67 %.
  chip.cube.burstBytes = 256;
  chip.cube.rowCycles = 1; // assumption: one row is started in a cycle
  // Assumption from the guide's "transfers of 16 KB come near the peak", near
  // read as 90 %: 16 KB take 512 cycles.
  chip.cube.startCycles = 57;
  return chip;
}();

} // namespace weft::chips

#endif // WEFT_RUNTIME_CHIPS_ASCEND_A2_H
