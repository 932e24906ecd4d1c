/// Tensor copies, fills and transposes, matrices and linear copies.
#include "runtime/emulator/Rows.h"
#include "runtime/emulator/gdma/Gdma.h"
#include "runtime/emulator/gdma/Runs.h"

namespace weft::emulator::gdma {
namespace {

namespace fn = isa::gdma;

/// The 4-bank functions write four copies, two banks apart, in the upper half
/// of a lane; the destination address names the first (the vendor's emulator
/// checks that).
struct FourBanks {
  explicit FourBanks(const Chip &chip)
      : begin(chip.laneBytes / 2), step(chip.laneBytes / chip.banks * 2) {}
  uint32_t begin, step;
};

Strides4 stridesOf(const Machine &machine, const Decoded &c, bool source,
                   uint64_t address, unsigned bytes, const Shape4 &shape) {
  if (c.get(Field::stride_enable)) {
    Strides4 strides = source ? sourceStrides(c) : targetStrides(c);
    // Only the plain copy has w strides.
    if (static_cast<isa::GdmaType>(c.type) != isa::GdmaType::Tensor ||
        c.func != fn::TensorCopy)
      strides.w = 1;
    return strides;
  }
  return defaultStrides(machine, address, bytes, shape);
}

/// The shape of what a tensor command writes.
Shape4 writtenShape(const Decoded &c, const Shape4 &from) {
  switch (c.func) {
  case fn::TensorNcTranspose:
    return {from.c, from.n, from.h, from.w};
  case fn::TensorBroadcast:
  case fn::TensorFourBankBroadcast:
    return targetShape(c);
  default:
    return c.get(Field::nchw_copy) ? from : targetShape(c);
  }
}

/// The lane mask of a broadcast, as the vendor's emulator asks for it: the lane
/// of the first channel lets the first element of each image through, that of
/// the last channel the others as well.
void applyBroadcastMask(Place &out) {
  uint64_t last = out.lane0 + out.shape.c - 1;
  bool first = out.laneMask >> out.lane0 & 1, others = out.laneMask >> last & 1;
  out.laneMask = first ? ~uint64_t(0) : 0;
  if (!others)
    out.shape.h = out.shape.w = 1;
}

Status moveTensor(Machine &machine, const Decoded &c, const Place &in,
                  const Place &out) {
  if (c.func == fn::TensorNcTranspose)
    copySwapped(in, out, AxisSwap::NC);
  else if (c.func == fn::TensorBroadcast ||
           c.func == fn::TensorFourBankBroadcast)
    copyToAllChannels(in, out);
  else if (count(in.shape) != count(out.shape))
    return failf(Code::BadCommand,
                 "source has %llu elements and destination %llu",
                 (unsigned long long)count(in.shape),
                 (unsigned long long)count(out.shape));
  else
    copyElementwise(machine.workers(), in, out);
  return Status::ok();
}

} // namespace

Status copy(Machine &machine, const Decoded &c) {
  unsigned bytes = formatBytes(c);
  if (bytes == 0)
    return failf(Code::BadCommand, "data format %u; the engine moves 0 to 5",
                 get32(c, Field::src_data_format));
  bool fills = c.get(Field::fill_constant_en);
  // Collect and distribute are C/W transposes under another name.
  if (c.func == fn::TensorCollect || c.func == fn::TensorDistribute)
    return cwTranspose(machine, c);
  uint64_t source = sourceAddress(c), target = targetAddress(c);
  bool fourBanks =
      c.func == fn::TensorFourBankCopy || c.func == fn::TensorFourBankBroadcast;
  Shape4 from = sourceShape(c), to = writtenShape(c, from);
  Place in, out;
  WEFT_TRY(makePlace(machine, c, "destination", target, bytes, to,
                     stridesOf(machine, c, false, target, bytes, to), true,
                     out));
  const FourBanks banks(machine.chip());
  if (fourBanks && (!out.isLocal || out.offset < banks.begin ||
                    out.offset + out.reach > banks.begin + banks.step))
    return failf(Code::BadCommand,
                 "a 4-bank copy writes lane offsets 0x%x to 0x%x (and three "
                 "copies behind), not 0x%x of %llu bytes",
                 banks.begin, banks.begin + banks.step,
                 machine.lanes().offsetAt(target),
                 (unsigned long long)out.reach);
  bool broadcasts =
      c.func == fn::TensorBroadcast || c.func == fn::TensorFourBankBroadcast;
  if (broadcasts && (!out.isLocal || out.lane0 + to.c > machine.lanes().count))
    return failf(Code::BadCommand,
                 "a broadcast goes to local memory and ends at the last lane; "
                 "not %u channels from address 0x%llx on",
                 to.c, (unsigned long long)target);
  if (broadcasts)
    applyBroadcastMask(out);
  if (fourBanks)
    WEFT_TRY(refuseFill(c));
  if (fills) {
    fillElements(out, get32(c, Field::constant_value));
    return Status::ok();
  }
  if (broadcasts)
    from = {to.n, 1, to.h, to.w};
  WEFT_TRY(makePlace(machine, c, "source", source, bytes, from,
                     stridesOf(machine, c, true, source, bytes, from), false,
                     in));
  for (unsigned bank = 0; bank < (fourBanks ? 4u : 1u); ++bank) {
    WEFT_TRY(moveTensor(machine, c, in, out));
    out.offset += banks.step;
  }
  return Status::ok();
}

Status cwTranspose(Machine &machine, const Decoded &c) {
  WEFT_TRY(refuseFill(c));
  unsigned bytes = formatBytes(c);
  uint64_t source = sourceAddress(c), target = targetAddress(c);
  Shape4 from = sourceShape(c), to = {from.n, from.w, from.h, from.c};
  // Default strides come from the sizes of the result unless nchw_copy is set.
  Shape4 given = targetShape(c);
  if (static_cast<isa::GdmaType>(c.type) == isa::GdmaType::CwTranspose &&
      !c.get(Field::nchw_copy) && !c.get(Field::stride_enable) &&
      !sameShape(given, to))
    return failf(Code::BadCommand,
                 "destination sizes %ux%ux%ux%u of the transpose of "
                 "%ux%ux%ux%u; set them, or nchw_copy",
                 given.n, given.c, given.h, given.w, from.n, from.c, from.h,
                 from.w);
  Place in, out;
  unsigned size = bytes ? bytes : 1;
  WEFT_TRY(makePlace(machine, c, "destination", target, bytes, to,
                     stridesOf(machine, c, false, target, size, to), true,
                     out));
  WEFT_TRY(makePlace(machine, c, "source", source, bytes, from,
                     stridesOf(machine, c, true, source, size, from), false,
                     in));
  copySwapped(in, out, AxisSwap::CW);
  return Status::ok();
}

} // namespace weft::emulator::gdma
