/// sTRANS_BC: C/W transposes, copies between lanes, and static memory to lanes.
#include "runtime/emulator/tiu/Tiu.h"

#include <vector>

namespace weft::emulator::tiu {
namespace {

namespace ts = isa::tsbc;

/// result(n,c,h,w) = source(n,w,h,c).
Status transpose(Machine &machine, const Decoded &c, Precision precision,
                 const Shape4 &shape) {
  unsigned bytes = isa::elementBytes(precision);
  Shape4 from = {shape.n, get32(c, Field::opd0_c), shape.h,
                 get32(c, Field::opd0_w)};
  if (from.c != shape.w || from.w != shape.c)
    return failf(Code::BadCommand,
                 "transpose of %ux%u channels and columns into %ux%u", from.c,
                 from.w, shape.c, shape.w);
  LocalView in, out;
  WEFT_TRY(viewLocal(machine, "operand 0", c.get(Field::opd0_addr), precision,
                     from, Layout::Aligned, in));
  const Lanes &lanes = machine.lanes();
  uint32_t lane0 = lanes.laneAt(get32(c, Field::res0_addr));
  Strides4 strides = localStrides(lanes, Layout::Aligned, shape, bytes, lane0);
  if (c.func == ts::CwTranspose) { // the result is line aligned
    uint64_t line = lanes.alignedLine(shape.w, bytes);
    uint64_t rows = lanes.rows(lanes.lane(lane0), shape.c);
    strides = {rows * shape.h * line, shape.h * line, line, 1};
  }
  WEFT_TRY(viewLocal(machine, "result", c.get(Field::res0_addr), bytes, shape,
                     strides, out));
  std::vector<uint8_t> row(size_t(shape.w) * bytes);
  for (uint32_t n = 0; n < shape.n; ++n)
    for (uint32_t ch = 0; ch < shape.c; ++ch)
      for (uint32_t h = 0; h < shape.h; ++h) {
        for (uint32_t w = 0; w < shape.w; ++w)
          std::memcpy(&row[size_t(w) * bytes], in.at(n, w, h, ch), bytes);
        std::memcpy(out.at(n, ch, h), row.data(), row.size());
      }
  return Status::ok();
}

/// Copies to other lanes; LaneBroadcast reads channel 0 for every channel.
Status laneCopy(Machine &machine, const Decoded &c, Precision precision,
                const Shape4 &shape) {
  bool broadcast = c.func == ts::LaneBroadcast;
  Shape4 from = shape;
  if (broadcast)
    from.c = 1;
  LocalView in, out;
  WEFT_TRY(viewLocal(machine, "operand 0", c.get(Field::opd0_addr), precision,
                     from, Layout::Aligned, in));
  WEFT_TRY(viewLocal(machine, "result", c.get(Field::res0_addr), precision,
                     shape, Layout::Aligned, out));
  size_t plane = size_t(shape.h) * shape.w * in.bytes;
  for (uint32_t n = 0; n < shape.n; ++n)
    for (uint32_t ch = 0; ch < shape.c; ++ch)
      std::memmove(out.at(n, ch), in.at(n, broadcast ? 0 : ch), plane);
  return Status::ok();
}

Status fromStatic(Machine &machine, const Decoded &c, Precision precision,
                  const Shape4 &shape) {
  unsigned bytes = isa::elementBytes(precision);
  const Chip &chip = machine.chip();
  uint64_t offset = c.get(Field::opd0_addr);
  if (offset >= chip.staticMemoryBase)
    offset -= chip.staticMemoryBase;
  bool broadcast = c.func == ts::StaticBroadcast;
  uint64_t length = broadcast ? uint64_t(shape.n) * shape.h * shape.w : shape.c;
  if (offset > chip.staticMemoryBytes ||
      length * bytes > chip.staticMemoryBytes - offset)
    return failf(
        Code::BadCommand,
        "reads %llu bytes at offset %llu of static memory, which has %u",
        (unsigned long long)(length * bytes), (unsigned long long)offset,
        chip.staticMemoryBytes);
  if (broadcast && shape.c > chip.lanes)
    return failf(Code::BadCommand, "broadcast to %u lanes; there are %u",
                 shape.c, chip.lanes);
  LocalView out;
  WEFT_TRY(viewLocal(machine, "result", c.get(Field::res0_addr), precision,
                     shape, Layout::Compact, out));
  const uint8_t *from = machine.statics() + offset;
  for (uint32_t ch = 0; ch < shape.c; ++ch)
    if (broadcast)
      std::memcpy(out.at(0, ch), from, length * bytes);
    else
      std::memcpy(out.at(0, ch), from + size_t(ch) * bytes, bytes);
  return Status::ok();
}

} // namespace

Status transposeBroadcast(Machine &machine, const Decoded &c) {
  Precision precision = precisionOf(c, Field::res0_prec);
  if (!isKnown(precision))
    return unsupported(c, "int4 elements");
  Shape4 shape = resultShape(c);
  switch (c.func) {
  case ts::CwTranspose:
  case ts::WcTranspose:
    return transpose(machine, c, precision, shape);
  case ts::LaneCopy:
  case ts::LaneBroadcast:
    return laneCopy(machine, c, precision, shape);
  default:
    return fromStatic(machine, c, precision, shape);
  }
}

} // namespace weft::emulator::tiu
