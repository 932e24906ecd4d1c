//===- Cycles.h - what one command costs ----------------------*- C++ -*-===//
//
// The cost model of the machine: clock cycles of one TIU or GDMA command, from
// its register fields alone. Formulas and constants are those that reproduce
// the figures of the vendor's own cost model (docs/cycles.md says how closely);
// a command whose kind those figures do not show takes the formula of its
// nearest measured kin, and says so.
//
// Timeline rules that belong to these figures: each engine runs its commands
// in order and back to back; a command starts in the cycle after both the
// command before it on its own engine and the other engine's command that its
// `cmd_id_dep` names (0 = none) have ended:
//   start = max(end of predecessor, end of dependency), end = start + cycles.
// Nothing is added between commands, and the engines do not slow each other
// down. total_cycles is the largest end.
//
//===----------------------------------------------------------------------===//

#ifndef WEFT_RUNTIME_CYCLES_CYCLES_H
#define WEFT_RUNTIME_CYCLES_CYCLES_H

#include "runtime/chips/Chip.h"
#include "runtime/isa/Decode.h"
#include <cstdint>
#include <string_view>

namespace weft::cycles {

/// Between which memories a GDMA command moves; "global" is everything that is
/// neither local nor static memory of the TIU (DDR and L2).
enum class Direction : uint8_t {
  None, ///< not a moving command
  GlobalToLocal,
  LocalToGlobal,
  GlobalToGlobal,
  LocalToLocal,
};

/// What speaks for a cost.
enum class Evidence : uint8_t {
  /// The vendor's timelines show commands of this function, precision and
  /// direction, and the formula gives their figures.
  Measured,
  /// They do not, but the vendor's encoder library gave the formula's figure
  /// for random commands of this function, precision and direction.
  Probed,
  /// The formula of the nearest measured kin, nothing else.
  Kin,
};

/// The largest cost given: far beyond any real command (9 days at 1 GHz), far
/// enough from 2^64 that sums over a model do not wrap.
inline constexpr uint64_t kMostCycles = uint64_t(1) << 48;

/// The cost of one command.
struct CommandCost {
  /// Clock cycles that the engine is busy; 0 only for system commands (end,
  /// nop, barriers), which the timelines leave out.
  uint64_t cycles = 0;
  /// False: the vendor's timelines show no command of this function, precision
  /// (GDMA: element width) and direction; `kin` is the nearest that they show.
  bool measured = false;
  Evidence evidence = Evidence::Kin;
  /// The type that the evidence is about: operand 0's, the result's where the
  /// form has no such field, the source's of a GDMA command. A code that names
  /// no type is Int4, the type that nothing speaks for.
  isa::Precision precision = isa::Precision::Int8;
  /// Mnemonic and precision of the nearest measured kin (`arith.add fp16`), the
  /// command's own if `measured`; empty for system commands. Lives for ever.
  std::string_view kin;
  /// GDMA only: where from and to, and the bytes moved (each element once).
  Direction direction = Direction::None;
  uint64_t bytes = 0;
  /// TIU only: multiply-accumulate steps of convolution, depthwise
  /// convolution and matrix products; 0 for all else.
  uint64_t macs = 0;
};

/// The cost of a command that decoded, on a chip that has costs. Never fails:
/// every field combination has a finite cost, and work costs at least one
/// cycle.
CommandCost estimate(const isa::Decoded &command, const Chip &chip);

/// A box of elements on one side of a DMA command: sizes, and distances in
/// elements.
struct DmaBox {
  uint64_t n = 1, c = 1, h = 1, w = 1;
  uint64_t nStride = 0, cStride = 0, hStride = 0, wStride = 1;
};

/// The DMA functions that move whole boxes.
enum class DmaFunction : uint8_t { Copy, NcTranspose, Matrix, MatrixTranspose };

/// A moving DMA command as far as its cost goes; addresses do not matter. Both
/// boxes have the same sizes (n and c exchanged by NcTranspose). Of a matrix
/// the side in DRAM has h rows of w columns, the side in local memory n rows
/// of c channels of w columns.
struct DmaShape {
  DmaFunction function = DmaFunction::Copy;
  Direction direction = Direction::GlobalToLocal;
  unsigned elementBytes = 1; ///< 1, 2 or 4
  DmaBox from, to;

  bool isMatrix() const {
    return function == DmaFunction::Matrix ||
           function == DmaFunction::MatrixTranspose;
  }
};

/// The instruction that does a function.
struct DmaOpcode {
  isa::GdmaType type;
  unsigned func;
};
DmaOpcode opcodeOf(DmaFunction function);

/// The type that stands for all of 1, 2 or 4 bytes: the engine only moves.
isa::Precision movedPrecision(unsigned elementBytes);

/// What `estimate` says of that command, without making it: at least 1.
uint64_t dmaCycles(const DmaShape &shape, const Chip &chip);

/// What speaks for the cost of such a command.
Evidence dmaEvidence(const DmaShape &shape, const Chip &chip);

/// What a moving DMA command pays for besides its bytes.
struct DmaLimits {
  /// Cycles of its bytes at the full rate of its direction; 0 if it is no copy
  /// of boxes.
  uint64_t fullRateCycles = 0;
  uint64_t runBytes = 0; ///< that follow each other on both sides
  unsigned channels = 0; ///< of DRAM that its planes reach; 0: not paid for
};
DmaLimits dmaLimits(const isa::Decoded &command, const Chip &chip);

/// Multiply-accumulate steps that the convolution unit of the whole chip does
/// in a cycle at most, for the roofline and utilisation; 0 if it lacks the
/// type.
uint64_t macsPerCycle(isa::Precision precision, const Chip &chip);

/// Bytes that DRAM moves in a cycle at most, both ways together: 2^36 bytes a
/// second, the base of the vendor's bandwidth figures. No command gets that
/// much: tensor loads come to 54.02, matrix loads to 58, general copies to 64.
double dmaBytesPerCycle(const Chip &chip);

/// Bytes that tensors get on their way from DRAM in a cycle, at full rate. A
/// bound that code can come near: stores get less (44 * 10^9 / 2^30).
double loadBytesPerCycle(const Chip &chip);

/// Clock cycles a second of the engines: turns cycles into seconds.
uint64_t cyclesPerSecond(const Chip &chip);

/// `dram to local` and so on, for reports.
std::string_view directionName(Direction direction);

} // namespace weft::cycles

#endif // WEFT_RUNTIME_CYCLES_CYCLES_H
