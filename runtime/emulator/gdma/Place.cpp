/// Where the two sides of a transfer lie.
#include "runtime/emulator/gdma/Gdma.h"

#include <cinttypes>

namespace weft::emulator::gdma {

unsigned formatBytes(const Decoded &c, Field field) {
  uint64_t code = c.get(field);
  return code > 5 ? 0 : isa::elementBytes(static_cast<Precision>(code));
}

bool isLocal(const Chip &chip, uint64_t address) {
  return address >= chip.localMemoryBase &&
         address - chip.localMemoryBase < chip.localMemoryBytes();
}

uint64_t localMask(const Decoded &c) {
  return c.get(Field::localmem_mask_h32, 0xffffffff) << 32 |
         c.get(Field::localmem_mask_l32, 0xffffffff);
}

Shape4 sourceShape(const Decoded &c) {
  return {get32(c, Field::src_nsize), get32(c, Field::src_csize),
          get32(c, Field::src_hsize), get32(c, Field::src_wsize)};
}
Shape4 targetShape(const Decoded &c) {
  return {get32(c, Field::dst_nsize), get32(c, Field::dst_csize),
          get32(c, Field::dst_hsize), get32(c, Field::dst_wsize)};
}
Strides4 sourceStrides(const Decoded &c) {
  return {c.get(Field::src_nstride), c.get(Field::src_cstride),
          c.get(Field::src_hstride), c.get(Field::src_wstride)};
}
Strides4 targetStrides(const Decoded &c) {
  return {c.get(Field::dst_nstride), c.get(Field::dst_cstride),
          c.get(Field::dst_hstride), c.get(Field::dst_wstride)};
}

Strides4 defaultStrides(const Machine &machine, uint64_t address,
                        unsigned bytes, const Shape4 &shape) {
  const Chip &chip = machine.chip();
  const Lanes &lanes = machine.lanes();
  if (isLocal(chip, address))
    return localStrides(lanes, Layout::Aligned, shape, bytes,
                        lanes.laneAt(address - chip.localMemoryBase));
  uint64_t plane = uint64_t(shape.h) * shape.w;
  return {plane * shape.c, plane, shape.w, 1};
}

Status flatBytes(Machine &machine, const char *what, uint64_t address,
                 uint64_t bytes, bool write, uint8_t *&host) {
  const Chip &chip = machine.chip();
  struct Memory {
    const char *name;
    uint64_t base, bytes;
    uint8_t *host;
  };
  const Memory memories[] = {
      {"local", chip.localMemoryBase, chip.localMemoryBytes(), machine.local()},
      {"static", chip.staticMemoryBase, chip.staticMemoryBytes,
       machine.statics()},
      {"L2", chip.l2MemoryBase, chip.l2MemoryBytes, machine.l2()}};
  for (const Memory &memory : memories) {
    if (address < memory.base || address - memory.base >= memory.bytes)
      continue;
    if (bytes > memory.bytes - (address - memory.base))
      return failf(Code::BadCommand,
                   "%s: %" PRIu64 " bytes at 0x%" PRIx64
                   " leave %s memory of %" PRIu64 " bytes",
                   what, bytes, address, memory.name, memory.bytes);
    host = memory.host + (address - memory.base);
    return Status::ok();
  }
  host = machine.global(address, bytes, write);
  if (host)
    return Status::ok();
  bool readable = machine.global(address, bytes, false);
  return failf(Code::BadCommand,
               readable ? "%s: %" PRIu64 " bytes at 0x%" PRIx64
                          " are read-only (weights)"
                        : "%s: %" PRIu64 " bytes at 0x%" PRIx64
                          " are no memory of this program",
               what, bytes, address);
}

/// Distance from the first to the last element, in bytes; UINT64_MAX if absurd.
static uint64_t reach(const uint64_t (&terms)[4][2]) {
  uint64_t sum = 0;
  for (auto &term : terms) {
    uint64_t part;
    if (__builtin_mul_overflow(term[0], term[1], &part) || part >> 48)
      return UINT64_MAX;
    sum += part;
  }
  return sum;
}

Status makePlace(Machine &machine, const Decoded &c, const char *what,
                 uint64_t address, unsigned bytes, const Shape4 &shape,
                 const Strides4 &strides, bool write, Place &place) {
  const Chip &chip = machine.chip();
  if (bytes == 0)
    return failf(Code::BadCommand, "data format %u; the engine moves 0 to 5",
                 get32(c, Field::src_data_format));
  if (shape.n == 0 || shape.c == 0 || shape.h == 0 || shape.w == 0)
    return failf(Code::BadCommand, "%s has the empty shape %ux%ux%ux%u", what,
                 shape.n, shape.c, shape.h, shape.w);
  if (count(shape) > uint64_t(1) << 32)
    return failf(Code::BadCommand, "%s: %ux%ux%ux%u elements in one command",
                 what, shape.n, shape.c, shape.h, shape.w);
  place.shape = shape;
  place.bytes = bytes;
  place.stride = {strides.n * bytes, strides.c * bytes, strides.h * bytes,
                  strides.w * bytes};
  place.isLocal = isLocal(chip, address);
  uint64_t channels = shape.c - 1;
  if (place.isLocal) {
    uint64_t at = address - chip.localMemoryBase;
    place.lanes = machine.lanes();
    place.lane0 = place.lanes.laneAt(at);
    place.offset = place.lanes.offsetAt(at);
    // The mask guards writes; a masked lane is read all the same.
    if (write)
      place.laneMask = localMask(c);
    channels = (place.lane0 + channels) >> place.lanes.countBits;
  }
  uint64_t span = reach({{shape.n - 1, place.stride.n},
                         {channels, place.stride.c},
                         {shape.h - 1, place.stride.h},
                         {shape.w - 1, place.stride.w}});
  if (span != UINT64_MAX)
    span += bytes;
  place.reach = span;
  if (!place.isLocal)
    return flatBytes(machine, what, address, span, write, place.base);
  place.base = machine.local();
  if (span > chip.laneBytes - place.offset)
    return failf(
        Code::BadCommand,
        "%s (%ux%ux%ux%u at 0x%" PRIx64 ") does not fit the %u bytes of a lane",
        what, shape.n, shape.c, shape.h, shape.w, address, chip.laneBytes);
  return Status::ok();
}

} // namespace weft::emulator::gdma
