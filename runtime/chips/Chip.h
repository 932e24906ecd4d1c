//===- Chip.h - the numbers of a chip -------------------------*- C++ -*-===//

#ifndef WEFT_RUNTIME_CHIPS_CHIP_H
#define WEFT_RUNTIME_CHIPS_CHIP_H

#include "runtime/isa/Codes.h"
#include <cstdint>
#include <string_view>

namespace weft {

namespace isa {
struct InstructionSet;
namespace rules {
struct RuleBook;
}
} // namespace isa
namespace cycles {
struct CostTable;
}

/// Bytes of DRAM after which the channels of the widest memory come round
/// again: most for dramChannels * dramPageBytes.
inline constexpr unsigned kMostDramWindowBytes = 4 * 4096;

/// How fast a chip is by its maker's own cost model, for runtime/cycles.
struct ChipRates {
  uint64_t cyclesPerSecond; ///< clock of both engines
  /// Bytes that DRAM gives in a second, both ways together; a bound only.
  uint64_t dramBytesPerSecond;
  unsigned dramChannels;   ///< over which pages are interleaved
  unsigned dramPageBytes;  ///< that lie in one channel
  unsigned shortestDmaRun; ///< bytes that a shorter run costs as well
  // Bytes per cycle of the DMA engine, by what it does.
  unsigned loadBytes;        ///< DRAM to local memory
  unsigned storeBytes;       ///< local memory to DRAM
  unsigned copyBytes;        ///< within DRAM, within local memory
  unsigned fillBytes;        ///< a constant
  unsigned simpleBytes;      ///< anything but tensors and matrices
  unsigned simpleLocalBytes; ///< the same within local memory
  /// Results of a lane in a cycle, of convolution and MM2 with 8 or 16 bits.
  unsigned packedResults;
};

/// A core that computes on vector registers.
struct VectorUnit {
  unsigned registerBytes = 0; ///< 0: the chip has none
};

/// The memory beside a matrix unit, which a move engine fills.
struct CubeMemory {
  unsigned l1Bytes = 0;         ///< 0: the chip has none
  unsigned reservedL1Bytes = 0; ///< at its end, not for programs
  unsigned blockBytes = 0; ///< what the engine writes at once (C0 elements)
  // Of the move engine, for its bandwidth model (runtime/ascend/Cost.h).
  uint64_t cyclesPerSecond = 0;
  unsigned readBytes = 0;   ///< from global memory in a cycle, at most
  unsigned writeBytes = 0;  ///< to L1 in a cycle, at most
  unsigned burstBytes = 0;  ///< aligned pieces in which global memory is read
  unsigned rowCycles = 0;   ///< at least, for each row of a move
  unsigned startCycles = 0; ///< from the start of a move to its first block
};

/// In what TIUs differ that have the same functions (runtime/ppl). The values
/// here are those of most chips.
struct TiuTraits {
  /// Shifts work on 64 bits: one to the left loses what leaves them, one to the
  /// right stops at 63. Otherwise they saturate and go on to 64.
  bool shiftsIn64Bits = false;
  /// A channel's row of requantisation numbers has shift and offset in one
  /// word; otherwise each has its own, in an order that depends on the
  /// direction.
  bool packsQuantRows = true;
  /// Offsets of requantisation are signed, whatever the quantised side is.
  bool hasSignedOffsets = false;
  /// The 16-bit channels that a convolution takes at once; 0: half of those of
  /// 8 bits.
  unsigned halfChannels = 0;
  unsigned vectorRegisters = 0; ///< that kernels can name
};

/// Everything that passes, verifiers and the emulator ask about a chip. Sizes
/// in bytes, addresses as the GDMA engine sees them (40 bits).
struct Chip {
  std::string_view name;       ///< as written in a bmodel: "BM1684X"
  std::string_view targetName; ///< as written on the command line: "bm1684x"
  unsigned cores;
  unsigned lanes;
  unsigned laneBytes; ///< local memory of one lane
  unsigned
      banks; ///< banks per lane; two engines in one bank slow each other down
  unsigned euBytes; ///< bytes a lane computes on at once; alignment of aligned
                    ///< tensors
  uint64_t localMemoryBase;
  uint64_t staticMemoryBase;
  unsigned staticMemoryBytes;
  uint64_t l2MemoryBase;
  unsigned l2MemoryBytes;
  uint64_t globalMemoryBase;
  uint64_t globalMemoryBytes; ///< what the largest card carries
  uint64_t addressEnd;        ///< behind the last address of the GDMA engine
  uint64_t weightBase;        ///< where weights start in basic mode
  unsigned maxGroupCommands;  ///< commands of one engine in one command group
  unsigned maxShape;          ///< largest size of one axis of a command
  unsigned maxWindowStep;     ///< largest pad, stride and dilation of a window
  unsigned maxDmaStepBytes; ///< most bytes between neighbours on the innermost
                            ///< axis of a DMA command
  ChipRates rates;
  VectorUnit vector = {};
  CubeMemory cube = {};
  TiuTraits tiu = {};

  // What its commands are, may be and cost; null for a chip that Weft makes no
  // commands for.
  const isa::InstructionSet *instructions = nullptr;
  const isa::rules::RuleBook *rules = nullptr;
  const cycles::CostTable *costs = nullptr;

  /// The chip whose functions of the kernel language this one has, by target
  /// name; empty: those of its own name.
  std::string_view functionsOf = {};

  /// True if Weft makes commands for it.
  constexpr bool hasCommands() const { return instructions != nullptr; }
  /// The name under which the rows of runtime/ppl know it.
  constexpr std::string_view kernelName() const {
    return functionsOf.empty() ? targetName : functionsOf;
  }

  constexpr uint64_t localMemoryBytes() const {
    return uint64_t(lanes) * laneBytes;
  }
  /// Input channels that the convolution unit takes at once, of elements of
  /// `bits` bits: weights are packed by this number.
  constexpr unsigned channelPack(unsigned bits) const {
    if (bits > 16)
      return 1;
    return bits == 16 && tiu.halfChannels ? tiu.halfChannels : lanes * 8 / bits;
  }
};

} // namespace weft

#endif // WEFT_RUNTIME_CHIPS_CHIP_H
