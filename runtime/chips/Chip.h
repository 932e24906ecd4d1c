//===- Chip.h - the numbers of a chip -------------------------*- C++ -*-===//

#ifndef WEFT_RUNTIME_CHIPS_CHIP_H
#define WEFT_RUNTIME_CHIPS_CHIP_H

#include "runtime/isa/Codes.h"
#include <cstdint>
#include <string_view>

namespace weft {

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

  constexpr uint64_t localMemoryBytes() const {
    return uint64_t(lanes) * laneBytes;
  }
  /// Input channels the convolution unit takes at once: weights are packed by
  /// this number.
  constexpr unsigned channelPack(isa::Precision precision) const {
    return precision == isa::Precision::Fp32
               ? 1
               : euBytes / isa::elementBytes(precision);
  }
};

} // namespace weft

#endif // WEFT_RUNTIME_CHIPS_CHIP_H
