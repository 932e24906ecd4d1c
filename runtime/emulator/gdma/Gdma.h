/// Execution of GDMA commands.
#ifndef WEFT_RUNTIME_EMULATOR_GDMA_GDMA_H
#define WEFT_RUNTIME_EMULATOR_GDMA_GDMA_H

#include "runtime/emulator/Kernel.h"
#include "runtime/isa/Accesses.h"

namespace weft::emulator {

using isa::Decoded;
using isa::Field;

/// Bytes of global memory that a command reads and writes. Results whose size
/// depends on the data (masked select, nonzero) do not count. A count of more
/// than 2^45, far beyond every memory, is given as that (like
/// isa::Access::movedBytes).
constexpr uint64_t kMostTraffic = uint64_t(1) << 45;
struct Traffic {
  uint64_t readBytes = 0, writeBytes = 0;
};
Traffic gdmaTraffic(const Chip &chip, const Decoded &command);

namespace gdma {

Status copy(Machine &machine, const Decoded &command);
Status matrix(Machine &machine, const Decoded &command);
Status general(Machine &machine, const Decoded &command);
Status cwTranspose(Machine &machine, const Decoded &command);
Status maskedSelect(Machine &machine, const Decoded &command);
Status nonZero(Machine &machine, const Decoded &command);
Status gatherScatter(Machine &machine, const Decoded &command);

inline uint32_t get32(const Decoded &command, Field field) {
  return static_cast<uint32_t>(command.get(field));
}
using isa::sourceAddress;
using isa::targetAddress;
using isa::thirdAddress;
/// Bytes of an element; 0 for a code the engine does not move.
unsigned formatBytes(const Decoded &command,
                     Field field = Field::src_data_format);
bool isLocal(const Chip &chip, uint64_t address);
/// Fails for a function without a fill that is told to.
Status refuseFill(const Decoded &command);
/// The lanes that a command may write to.
uint64_t localMask(const Decoded &command);

Shape4 sourceShape(const Decoded &command);
Shape4 targetShape(const Decoded &command);
/// Strides of the command, in elements.
Strides4 sourceStrides(const Decoded &command);
Strides4 targetStrides(const Decoded &command);
inline uint64_t count(const Shape4 &s) {
  return uint64_t(s.n) * s.c * s.h * s.w;
}

inline bool sameShape(const Shape4 &a, const Shape4 &b) {
  return a.n == b.n && a.c == b.c && a.h == b.h && a.w == b.w;
}

/// One side of a transfer: a tensor in local memory (channels over lanes, mask
/// applied) or in flat memory (global, static, L2).
struct Place {
  uint8_t *base = nullptr;
  bool isLocal = false;
  Lanes lanes;
  uint32_t lane0 = 0, offset = 0;
  uint64_t laneMask = ~uint64_t(0);
  Shape4 shape;
  Strides4 stride; ///< bytes
  unsigned bytes = 1;
  uint64_t reach = 0; ///< bytes from the first to the end of the last element

  /// nullptr for a channel in a lane that the mask leaves out.
  uint8_t *at(uint32_t n, uint32_t c, uint32_t h, uint32_t w = 0) const {
    uint64_t inner = n * stride.n + h * stride.h + w * stride.w;
    if (!isLocal)
      return base + inner + c * stride.c;
    uint32_t position = lane0 + c, lane = lanes.lane(position);
    if (!(laneMask >> lane & 1))
      return nullptr;
    return base + lanes.start(lane) + offset + inner +
           lanes.row(position) * stride.c;
  }
};

/// Checks a side against its memory. `strides` in elements.
Status makePlace(Machine &machine, const Decoded &command, const char *what,
                 uint64_t address, unsigned elementBytes, const Shape4 &shape,
                 const Strides4 &strides, bool write, Place &place);
/// Default strides: continuous in flat memory, aligned in local memory.
Strides4 defaultStrides(const Machine &machine, uint64_t address,
                        unsigned elementBytes, const Shape4 &shape);
/// Host memory of `bytes` flat bytes; local memory counts as linear over the
/// lanes.
Status flatBytes(Machine &machine, const char *what, uint64_t address,
                 uint64_t bytes, bool write, uint8_t *&host);

} // namespace gdma
} // namespace weft::emulator

#endif
