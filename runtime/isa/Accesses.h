//===- Accesses.h - which memory a command touches ------------*- C++ -*-===//

#ifndef WEFT_RUNTIME_ISA_ACCESSES_H
#define WEFT_RUNTIME_ISA_ACCESSES_H

#include "runtime/chips/Chip.h"
#include "runtime/isa/Decode.h"

#include <array>
#include <string_view>
#include <vector>

namespace weft::isa {

/// `None` is where the chip has no memory.
enum class Memory : uint8_t { Local, Static, L2, Global, None };

/// How an operand lies in local memory, byte for byte; LaneBytes.h reads it.
struct LocalPlace {
  uint64_t offset = 0; ///< bytes inside the lane of the first element
  /// Bytes that go on in the next lane where one ends; sizes are {1, 1, 1,
  /// bytes}. Otherwise channel c lies in lane (firstLane + c) % Chip::lanes, in
  /// row (firstLane + c) / Chip::lanes, and the stride of c is from row to row.
  bool isLinear = false;
  unsigned bits = 8; ///< of an element
  /// n, c, h, w, strides in elements.
  std::array<uint64_t, 4> sizes = {1, 1, 1, 1}, strides = {0, 0, 0, 1};
};

/// The bytes between the first and the last one that an operand may touch;
/// bytes that strides skip count too, and so do tables and lists of which the
/// data decide how much is used. (Regions of interest may reach beyond their
/// plane; that is not followed.)
struct Access {
  /// Field names without their ending: "res0", "opd1"; "src", "dst", "index",
  /// "mask" of GDMA.
  std::string_view operand;
  Memory memory = Memory::Local;
  bool isWrite = false;
  /// Local: byte offsets inside a lane, at most Chip::laneBytes. Otherwise
  /// addresses as GDMA sees them.
  uint64_t begin = 0, end = 0;
  /// Local only: lanes (firstLane + 0 .. lanes - 1) % Chip::lanes.
  uint32_t firstLane = 0, lanes = 0;
  /// Local only: the same without the bytes that strides skip.
  LocalPlace place;
  /// The operand does not end in the memory (of a lane) in which it begins;
  /// `end` is cut off then for local memory.
  bool leavesMemory = false;
  /// GDMA only: bytes that travel, repetitions by a stride of 0 counted each
  /// time; 0 where the data decide (the result of masked select and nonzero).
  uint64_t movedBytes = 0;
};

/// What a command reads and writes, in operand order. Operands that are
/// constants are left out; a command that adds to its result also reads it.
/// Any field values are taken: ranges are cut off at the end of the lane.
/// Empty for system commands and for those without a known operand layout
/// (LAR, SEG).
std::vector<Access> accessesOf(const Decoded &command, const Chip &chip);

/// The addresses of a GDMA command, 40 bits each; the third is that of a mask
/// or of an index list.
uint64_t sourceAddress(const Decoded &command);
uint64_t targetAddress(const Decoded &command);
uint64_t thirdAddress(const Decoded &command);

/// Memory of an address as GDMA sees it.
Memory memoryOf(uint64_t address, const Chip &chip);

} // namespace weft::isa

#endif // WEFT_RUNTIME_ISA_ACCESSES_H
