/// sSG and sSGL: gather, scatter, mask select and nonzero inside lanes. Nothing
/// keeps a program from laying a result over its operands, hence memmove.
#include "runtime/emulator/tiu/Tiu.h"

namespace weft::emulator::tiu {
namespace {

namespace sg = isa::sg;

struct GatherCommand {
  unsigned func = 0;
  Shape4 result;
  Precision precision = Precision::Int8;
  unsigned bytes = 1;
  ElementKind index{Precision::Int8, false};
  LocalView source, indices, output, counts;
  /// An index of all ones is none (opd3_const): it writes nothing, or, with a
  /// constant (opd2_const, opd2_addr), that. A scatter writes the constant to
  /// the place of the all-ones index, if the result has it.
  bool hasNone = false, fills = false;
  uint32_t fill = 0;

  bool isNone(uint32_t value) const {
    return hasNone && value == (index.bytes() == 1 ? 0xffu : 0xffffu);
  }
};

Status outOfRange(uint64_t index, uint64_t limit) {
  return failf(Code::BadCommand, "index %llu is out of range (below %llu)",
               (unsigned long long)index, (unsigned long long)limit);
}

uint32_t readIndex(const GatherCommand &g, const uint8_t *at) {
  if (g.index.precision == Precision::Int8)
    return *at;
  return g.index.precision == Precision::Int16 ? loadAs<uint16_t>(at)
                                               : loadAs<uint32_t>(at);
}

/// Views for opd0 and opd1 of the family `func`.
Status readTypes(const Decoded &c, GatherCommand &g) {
  g.index.precision = precisionOf(c, Field::opd1_prec);
  g.hasNone = c.get(Field::opd3_const);
  g.fills = g.hasNone && c.get(Field::opd2_const);
  g.fill = get32(c, Field::opd2_addr);
  bool isMask = c.func == sg::MaskSelect || c.func == sg::MaskSelectHzd;
  // 32-bit indices: the vendor's emulator reads their halves.
  if (g.index.precision != Precision::Int8 &&
      g.index.precision != Precision::Int16 &&
      !(isMask && g.index.precision == Precision::Int32))
    return failf(Code::BadCommand,
                 isMask ? "a mask of type %u; masks are int8, int16 or int32"
                        : "indices of type %u; indices are uint8 or uint16",
                 unsigned(g.index.precision));
  return Status::ok();
}

/// One index list for all channels, along w (0, 3) or along h and w (1, 4).
Status sharedIndex(Machine &machine, const Decoded &c, GatherCommand &g) {
  bool twoAxes = g.func == sg::GatherHw || g.func == sg::ScatterHw;
  bool scatters = g.func == sg::ScatterW || g.func == sg::ScatterHw;
  uint32_t count = get32(c, Field::opd1_c);
  Shape4 table = {g.result.n, g.result.c, get32(c, Field::opd0_h),
                  get32(c, Field::opd0_w)};
  Shape4 target = g.result;
  WEFT_TRY(viewLocal(machine, "operand 0", c.get(Field::opd0_addr), g.precision,
                     table, Layout::Aligned, g.source));
  WEFT_TRY(viewLocal(machine, "result", c.get(Field::res0_addr), g.precision,
                     target, Layout::Aligned, g.output));
  if (twoAxes && g.index.precision != Precision::Int16)
    return failf(Code::BadCommand, "pairs of indices are uint16");
  WEFT_TRY(viewLocal(machine, "operand 1", c.get(Field::opd1_addr),
                     twoAxes ? Precision::Int32 : g.index.precision,
                     {1, count, 1, 1}, Layout::Compact, g.indices));
  const Shape4 &indexed = scatters ? target : table,
               &listed = scatters ? table : target;
  uint64_t limit = uint64_t(indexed.h) * indexed.w,
           length = uint64_t(listed.h) * listed.w;
  if (count > length)
    return failf(Code::BadCommand, "%u indices for %llu elements", count,
                 (unsigned long long)length);
  for (uint32_t i = 0; i < count; ++i) {
    uint32_t raw = twoAxes ? loadAs<uint32_t>(g.indices.at(0, i))
                           : readIndex(g, g.indices.at(0, i));
    uint64_t at =
        twoAxes ? uint64_t(raw >> 16) * indexed.w + (raw & 0xffff) : raw;
    bool none =
        twoAxes ? g.isNone(raw >> 16) || g.isNone(raw & 0xffff) : g.isNone(raw);
    bool inside = twoAxes ? raw >> 16 < indexed.h && (raw & 0xffff) < indexed.w
                          : raw < limit;
    if (none && (!g.fills || (scatters && !inside)))
      continue;
    if (!none && !inside)
      return outOfRange(raw, limit);
    for (uint32_t n = 0; n < g.result.n; ++n)
      for (uint32_t ch = 0; ch < g.result.c; ++ch) {
        uint64_t from = scatters ? i : at, to = scatters ? at : i;
        const uint8_t *value = none ? reinterpret_cast<const uint8_t *>(&g.fill)
                                    : g.source.at(n, ch) + from * g.bytes;
        std::memmove(g.output.at(n, ch) + to * g.bytes, value, g.bytes);
      }
  }
  return Status::ok();
}

/// The table of a batch-broadcast form: (1, c, 1, w), or one per lane.
Status viewTable(Machine &machine, const Decoded &c, GatherCommand &g,
                 Shape4 shape, bool lineAligned) {
  // A table per channel is 3 in SGL, 0 in SG, all but 4 in the 4-bank gather.
  uint32_t code = get32(c, Field::opd0_str);
  bool perLane = lineAligned                    ? code != 3
                 : c.func == sg::GatherFourBank ? code == 4
                                                : code != 0;
  uint64_t address = c.get(Field::opd0_addr);
  const Lanes &lanes = machine.lanes();
  if (perLane)
    shape.c = std::min(shape.c, lanes.count);
  Strides4 strides = localStrides(lanes, Layout::Aligned, shape, g.bytes,
                                  lanes.laneAt(address));
  if (lineAligned) {
    uint64_t line = lanes.alignedLine(shape.w, g.bytes);
    strides = {0, shape.h * line, line, 1};
  }
  if (perLane)
    strides.c = 0;
  return viewLocal(machine, "operand 0", address, g.bytes, shape, strides,
                   g.source);
}

/// An index tensor per channel (5, 6 and the forms 13, 14 without bank
/// hazards).
Status channelIndex(Machine &machine, const Decoded &c, GatherCommand &g) {
  bool scatters = g.func == sg::ScatterPerChannel || g.func == sg::ScatterHzd;
  uint32_t tableWidth = get32(c, Field::opd0_w),
           plane = g.result.h * g.result.w;
  uint32_t listed = scatters ? tableWidth : plane,
           limit = scatters ? plane : tableWidth;
  WEFT_TRY(viewTable(machine, c, g, {1, g.result.c, 1, tableWidth}, false));
  WEFT_TRY(viewLocal(machine, "result", c.get(Field::res0_addr), g.precision,
                     g.result, Layout::Aligned, g.output));
  WEFT_TRY(viewLocal(machine, "operand 1", c.get(Field::opd1_addr),
                     g.index.precision, {g.result.n, g.result.c, 1, listed},
                     Layout::Aligned, g.indices));
  // The vendor's emulator gathers the first image only from four banks.
  uint32_t images = c.func == sg::GatherFourBank ? 1 : g.result.n;
  for (uint32_t n = 0; n < images; ++n)
    for (uint32_t ch = 0; ch < g.result.c; ++ch) {
      const uint8_t *table = g.source.at(0, ch), *list = g.indices.at(n, ch);
      uint8_t *out = g.output.at(n, ch);
      for (uint32_t i = 0; i < listed; ++i) {
        uint32_t index = readIndex(g, list + size_t(i) * g.indices.bytes);
        bool none = g.isNone(index), inside = index < limit;
        if (none && (!g.fills || (scatters && !inside)))
          continue;
        if (!none && !inside)
          return outOfRange(index, limit);
        uint32_t from = scatters ? i : index, to = scatters ? index : i;
        std::memmove(out + size_t(to) * g.bytes,
                     none ? reinterpret_cast<const uint8_t *>(&g.fill)
                          : table + size_t(from) * g.bytes,
                     g.bytes);
      }
    }
  return Status::ok();
}

/// Packs the elements under a non-zero mask (8).
Status maskSelect(Machine &machine, const Decoded &c, GatherCommand &g) {
  Shape4 shape = g.result;
  uint32_t width = get32(c, Field::opd0_w);
  WEFT_TRY(viewTable(machine, c, g, {1, shape.c, 1, width}, false));
  WEFT_TRY(viewLocal(machine, "operand 1", c.get(Field::opd1_addr),
                     g.index.precision, {shape.n, shape.c, 1, width},
                     Layout::Aligned, g.indices));
  WEFT_TRY(viewLocal(machine, "result", c.get(Field::res0_addr), g.precision,
                     {shape.n, shape.c, 1, width}, Layout::Aligned, g.output));
  WEFT_TRY(viewLocal(machine, "result 1", c.get(Field::res1_addr),
                     Precision::Int16, {shape.n, shape.c, 1, 1},
                     Layout::Compact, g.counts));
  for (uint32_t n = 0; n < shape.n; ++n)
    for (uint32_t ch = 0; ch < shape.c; ++ch) {
      const uint8_t *mask = g.indices.at(n, ch);
      uint8_t *out = g.output.at(n, ch);
      uint32_t found = 0;
      for (uint32_t i = 0; i < width; ++i) {
        if (readIndex(g, mask + size_t(i) * g.indices.bytes) == 0)
          continue;
        const uint8_t *value = g.source.at(0, ch) + size_t(i) * g.bytes;
        std::memmove(out + size_t(found++) * g.bytes, value, g.bytes);
      }
      storeAs(g.counts.at(n, ch), static_cast<uint16_t>(found));
    }
  return Status::ok();
}

/// Lists the positions of the elements that are not zero (9, 16).
Status nonZero(Machine &machine, const Decoded &c, GatherCommand &g) {
  Shape4 shape = g.result;
  ElementKind element{precisionOf(c, Field::opd0_prec), false};
  if (element.isFloat() || !isKnown(element.precision) ||
      (g.precision != Precision::Int16 && g.precision != Precision::Int32))
    return failf(Code::BadCommand,
                 "nonzero reads integers and writes int16 or int32");
  shape.h = 1;
  WEFT_TRY(viewLocal(machine, "operand 0", c.get(Field::opd0_addr),
                     element.precision, shape, Layout::Aligned, g.source));
  WEFT_TRY(viewLocal(machine, "result", c.get(Field::res0_addr), g.precision,
                     shape, Layout::Aligned, g.output));
  WEFT_TRY(viewLocal(machine, "result 1", c.get(Field::res1_addr),
                     Precision::Int16, {shape.n, shape.c, 1, 1},
                     Layout::Compact, g.counts));
  g.index = element;
  for (uint32_t n = 0; n < shape.n; ++n)
    for (uint32_t ch = 0; ch < shape.c; ++ch) {
      const uint8_t *value = g.source.at(n, ch);
      uint8_t *out = g.output.at(n, ch);
      uint32_t found = 0;
      for (uint32_t i = 0; i < shape.w; ++i)
        if (readIndex(g, value + size_t(i) * g.source.bytes) != 0)
          std::memmove(out + size_t(found++) * g.bytes, &i, g.bytes);
      storeAs(g.counts.at(n, ch), static_cast<uint16_t>(found));
    }
  return Status::ok();
}

/// Rows of a line-aligned table (17, 18).
Status lines(Machine &machine, const Decoded &c, GatherCommand &g) {
  bool scatters = g.func == sg::ScatterLine;
  uint32_t tableRows = get32(c, Field::opd0_h);
  Shape4 shape = g.result;
  uint32_t listed = scatters ? tableRows : shape.h,
           limit = scatters ? shape.h : tableRows;
  WEFT_TRY(viewTable(machine, c, g, {1, shape.c, tableRows, shape.w}, true));
  const Lanes &lanes = machine.lanes();
  uint64_t line = lanes.alignedLine(shape.w, g.bytes);
  uint64_t address = c.get(Field::res0_addr);
  uint64_t rows = lanes.rows(lanes.lane(lanes.laneAt(address)), shape.c);
  WEFT_TRY(viewLocal(machine, "result", address, g.bytes, shape,
                     {rows * shape.h * line, shape.h * line, line, 1},
                     g.output));
  WEFT_TRY(viewLocal(machine, "operand 1", c.get(Field::opd1_addr),
                     g.index.precision, {shape.n, shape.c, listed, 1},
                     Layout::Aligned, g.indices));
  for (uint32_t n = 0; n < shape.n; ++n)
    for (uint32_t ch = 0; ch < shape.c; ++ch)
      for (uint32_t i = 0; i < listed; ++i) {
        uint32_t index = readIndex(g, g.indices.at(n, ch, i));
        if (index >= limit)
          return outOfRange(index, limit);
        std::memmove(g.output.at(n, ch, scatters ? index : i),
                     g.source.at(0, ch, scatters ? i : index),
                     size_t(shape.w) * g.bytes);
      }
  return Status::ok();
}

} // namespace

Status gather(Machine &machine, const Decoded &c) {
  // The vendor's emulator takes these two and changes no memory.
  if (c.func == sg::GatherRecord || c.func == sg::ScatterPingPong)
    return Status::ok();
  GatherCommand g;
  g.func = c.func;
  g.result = resultShape(c);
  g.precision = precisionOf(c, Field::res0_prec);
  if (!isKnown(g.precision))
    return unsupported(c, "int4 elements");
  g.bytes = isa::elementBytes(g.precision);
  if (c.func == sg::NonZero || c.func == sg::NonZeroHzd)
    return nonZero(machine, c, g);
  WEFT_TRY(readTypes(c, g));
  switch (c.func) {
  case sg::GatherW:
  case sg::GatherHw:
  case sg::ScatterW:
  case sg::ScatterHw:
    return sharedIndex(machine, c, g);
  case sg::GatherPerChannel:
  case sg::ScatterPerChannel:
  case sg::GatherHzd:
  case sg::ScatterHzd:
  case sg::GatherFourBank:
    return channelIndex(machine, c, g);
  case sg::MaskSelect:
  case sg::MaskSelectHzd:
    return maskSelect(machine, c, g);
  case sg::GatherLine:
  case sg::ScatterLine:
    return lines(machine, c, g);
  default:
    return unsupported(c, "any operands");
  }
}

} // namespace weft::emulator::tiu
