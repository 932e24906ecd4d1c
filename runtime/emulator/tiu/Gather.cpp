/// sSG and sSGL: gather, scatter, mask select and nonzero inside lanes.
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
  bool fills =
      false; ///< out-of-range reads give `fill`; without it they are errors
  uint32_t fill = 0;
};

Status outOfRange(uint64_t index, uint64_t limit) {
  return failf(Code::BadCommand,
               "index %llu is out of range (below %llu) and the command has no "
               "fill value",
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
  g.func = c.func;
  g.result = resultShape(c);
  g.precision = precisionOf(c, Field::res0_prec);
  g.index.precision = precisionOf(c, Field::opd1_prec);
  if (!isKnown(g.precision))
    return unsupported(c, "int4 elements");
  g.bytes = isa::elementBytes(g.precision);
  g.fills = c.get(Field::opd3_const);
  g.fill = get32(c, Field::opd2_addr);
  if (g.index.precision != Precision::Int8 &&
      g.index.precision != Precision::Int16 &&
      g.index.precision != Precision::Int32)
    return failf(Code::BadCommand, "an index of a float type");
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
  if (twoAxes)
    g.index.precision = Precision::Int32;
  WEFT_TRY(viewLocal(machine, "operand 1", c.get(Field::opd1_addr),
                     g.index.precision, {1, count, 1, 1}, Layout::Compact,
                     g.indices));
  const Shape4 &indexed = scatters ? target : table,
               &listed = scatters ? table : target;
  uint64_t limit = uint64_t(indexed.h) * indexed.w,
           length = uint64_t(listed.h) * listed.w;
  if (count > length)
    return failf(Code::BadCommand, "%u indices for %llu elements", count,
                 (unsigned long long)length);
  for (uint32_t i = 0; i < count; ++i) {
    uint32_t raw = readIndex(g, g.indices.at(0, i));
    bool inside = raw < limit;
    uint64_t at = raw;
    if (twoAxes) {
      inside = raw >> 16 < indexed.h && (raw & 0xffff) < indexed.w;
      at = uint64_t(raw >> 16) * indexed.w + (raw & 0xffff);
    }
    if (!inside && !g.fills)
      return outOfRange(raw, limit);
    if (!inside && scatters)
      continue;
    for (uint32_t n = 0; n < g.result.n; ++n)
      for (uint32_t ch = 0; ch < g.result.c; ++ch) {
        uint64_t from = scatters ? i : at, to = scatters ? at : i;
        const uint8_t *value = inside
                                   ? g.source.at(n, ch) + from * g.bytes
                                   : reinterpret_cast<const uint8_t *>(&g.fill);
        std::memcpy(g.output.at(n, ch) + to * g.bytes, value, g.bytes);
      }
  }
  return Status::ok();
}

/// The table of a batch-broadcast form: (1, c, 1, w), or one per lane.
Status viewTable(Machine &machine, const Decoded &c, GatherCommand &g,
                 Shape4 shape, bool lineAligned) {
  // SGL says 3 for a table per channel, SG 0.
  bool perLane = get32(c, Field::opd0_str) >= (lineAligned ? 4u : 3u);
  uint64_t address = c.get(Field::opd0_addr);
  if (perLane)
    shape.c = shape.c < kLanes ? shape.c : kLanes;
  Strides4 strides = localStrides(Layout::Aligned, shape, g.bytes,
                                  uint32_t(address / kLaneBytes));
  if (lineAligned) {
    uint64_t row = kEuBytes / g.bytes, line = (shape.w + row - 1) / row * row;
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
  for (uint32_t n = 0; n < g.result.n; ++n)
    for (uint32_t ch = 0; ch < g.result.c; ++ch) {
      const uint8_t *table = g.source.at(0, ch), *list = g.indices.at(n, ch);
      uint8_t *out = g.output.at(n, ch);
      for (uint32_t i = 0; i < listed; ++i) {
        uint32_t index = readIndex(g, list + size_t(i) * g.indices.bytes);
        if (index >= limit && !g.fills)
          return outOfRange(index, limit);
        if (scatters && index < limit)
          std::memcpy(out + size_t(index) * g.bytes,
                      table + size_t(i) * g.bytes, g.bytes);
        else if (!scatters)
          std::memcpy(out + size_t(i) * g.bytes,
                      index < limit
                          ? table + size_t(index) * g.bytes
                          : reinterpret_cast<const uint8_t *>(&g.fill),
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
        std::memcpy(out + size_t(found++) * g.bytes, value, g.bytes);
      }
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
  uint64_t row = kEuBytes / g.bytes, line = (shape.w + row - 1) / row * row;
  uint64_t address = c.get(Field::res0_addr);
  uint64_t rows =
      (address / kLaneBytes % kLanes + shape.c + kLanes - 1) / kLanes;
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
        if (index >= limit && !g.fills)
          return outOfRange(index, limit);
        if (index >= limit && scatters)
          continue;
        uint8_t *to = g.output.at(n, ch, scatters ? index : i);
        if (index < limit)
          std::memcpy(to, g.source.at(0, ch, scatters ? i : index),
                      size_t(shape.w) * g.bytes);
        else
          for (uint32_t w = 0; w < shape.w; ++w)
            std::memcpy(to + size_t(w) * g.bytes, &g.fill, g.bytes);
      }
  return Status::ok();
}

} // namespace

Status gather(Machine &machine, const Decoded &c) {
  GatherCommand g;
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
    return channelIndex(machine, c, g);
  case sg::MaskSelect:
    return maskSelect(machine, c, g);
  case sg::GatherLine:
  case sg::ScatterLine:
    return lines(machine, c, g);
  default:
    return unsupported(c, "any operands");
  }
}

} // namespace weft::emulator::tiu
