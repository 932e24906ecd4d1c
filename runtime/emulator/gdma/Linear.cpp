/// Matrices and linear copies.
#include "runtime/emulator/Rows.h"
#include "runtime/emulator/Workers.h"
#include "runtime/emulator/gdma/Gdma.h"

#include <algorithm>

namespace weft::emulator::gdma {

namespace fn = isa::gdma;

/// The two sides of a matrix command: flat, h x w with a row stride; local, n
/// rows of c channels of w columns. The short form has one field for both
/// directions.
struct MatrixFields {
  uint32_t rows, columns, n, channels, width;
  uint64_t rowStride;
  Strides4 localStride;
};

static MatrixFields matrixFields(const Decoded &c, bool load) {
  MatrixFields m;
  auto pick = [&](Field both, Field toLocal, Field fromLocal) {
    return c.get(c.has(both) ? both : load ? toLocal : fromLocal);
  };
  m.rows = uint32_t(
      pick(Field::src_hsize_or_dst_hsize, Field::src_hsize, Field::dst_hsize));
  m.columns = uint32_t(
      pick(Field::src_wsize_or_dst_wsize, Field::src_wsize, Field::dst_wsize));
  m.n = uint32_t(
      pick(Field::dst_nsize_or_src_nsize, Field::dst_nsize, Field::src_nsize));
  m.channels = uint32_t(
      pick(Field::dst_csize_or_src_csize, Field::dst_csize, Field::src_csize));
  m.width = uint32_t(
      pick(Field::dst_wsize_or_src_wsize, Field::dst_wsize, Field::src_wsize));
  m.rowStride = pick(Field::src_hstride_or_dst_hstride, Field::src_hstride,
                     Field::dst_hstride);
  m.localStride = {pick(Field::dst_nstride_or_src_nstride, Field::dst_nstride,
                        Field::src_nstride),
                   pick(Field::dst_cstride_or_src_cstride, Field::dst_cstride,
                        Field::src_cstride),
                   0, 1};
  return m;
}

Status matrix(Machine &machine, const Decoded &c) {
  WEFT_TRY(refuseFill(c));
  unsigned bytes = formatBytes(c);
  const Chip &chip = machine.chip();
  uint64_t source = sourceAddress(c), target = targetAddress(c);
  // Between two places of local memory the destination counts as flat.
  bool load = isLocal(chip, target) && !isLocal(chip, source),
       transposed = c.func == fn::MatrixTranspose;
  if (!load && !isLocal(chip, source))
    return failf(Code::BadCommand, "a matrix moves to or from local memory");
  MatrixFields m = matrixFields(c, load);
  uint32_t localRows = transposed ? m.columns : m.rows,
           localColumns = transposed ? m.rows : m.columns;
  Shape4 localShape = {m.n ? m.n : localRows, m.channels, 1, m.width};
  if (localShape.n != localRows ||
      uint64_t(m.channels) * m.width < localColumns)
    return failf(
        Code::BadCommand,
        "a %ux%u matrix does not fit %u rows of %u channels of %u columns",
        localRows, localColumns, localShape.n, m.channels, m.width);
  if (!c.get(Field::stride_enable)) {
    m.localStride = defaultStrides(machine, load ? target : source,
                                   bytes ? bytes : 1, localShape);
    m.rowStride = m.columns;
  }
  Place flat, local;
  WEFT_TRY(makePlace(machine, c, "matrix in flat memory",
                     load ? source : target, bytes, {1, 1, m.rows, m.columns},
                     {0, 0, m.rowStride, 1}, !load, flat));
  WEFT_TRY(makePlace(machine, c, "matrix in local memory",
                     load ? target : source, bytes, localShape, m.localStride,
                     load, local));
  uint64_t step = transposed ? flat.stride.h : bytes;
  auto moveRow = [&](uint32_t i) {
    for (uint32_t ch = 0, first = 0; first < localColumns;
         ++ch, first += m.width) {
      uint32_t run = std::min(m.width, localColumns - first);
      uint8_t *inner = local.at(i, ch, 0);
      uint8_t *outer =
          transposed ? flat.at(0, 0, first, i) : flat.at(0, 0, i, first);
      if (!inner || !outer)
        continue;
      if (load)
        copyElements(inner, bytes, outer, step, bytes, run);
      else
        copyElements(outer, step, inner, bytes, bytes, run);
    }
  };
  // Rows that do not meet are shared by the workers.
  uint32_t laneRows = local.lanes.rows(local.lane0, m.channels);
  bool apart = load ? m.localStride.c >= m.width &&
                          m.localStride.n >= m.localStride.c * laneRows
                    : !flat.isLocal && m.rowStride >= m.columns;
  constexpr uint32_t blockRows = 16;
  uint32_t blocks = (localRows + blockRows - 1) / blockRows;
  machine.workers().forEach(
      apart ? blocks : 1, double(m.rows) * m.columns * bytes / 4,
      [&](size_t block, unsigned) {
        uint32_t begin = apart ? uint32_t(block) * blockRows : 0;
        uint32_t end =
            apart ? std::min(localRows, begin + blockRows) : localRows;
        for (uint32_t i = begin; i < end; ++i)
          moveRow(i);
      });
  return Status::ok();
}

Status general(Machine &machine, const Decoded &c) {
  unsigned bytes = formatBytes(c);
  uint64_t length = c.get(Field::move_length), total = length * bytes;
  uint64_t target = targetAddress(c);
  if (bytes == 0 || length == 0)
    return failf(Code::BadCommand,
                 "a linear copy of %llu elements of format %u",
                 (unsigned long long)length, get32(c, Field::src_data_format));
  bool fills = c.get(Field::fill_constant_en);
  uint32_t bits = get32(c, Field::constant_value);
  uint8_t *from = nullptr;
  if (!fills)
    WEFT_TRY(
        flatBytes(machine, "source", sourceAddress(c), total, false, from));
  auto write = [&](uint8_t *to, uint64_t at, uint64_t count) {
    if (fills)
      for (uint64_t i = 0; i < count; i += bytes)
        std::memcpy(to + at + i, &bits, bytes);
    else
      std::memmove(to + at, from + at, count);
  };
  const Chip &chip = machine.chip();
  if (c.func == fn::GeneralCopy) {
    uint8_t *to = nullptr;
    WEFT_TRY(flatBytes(machine, "destination", target, total, true, to));
    if (!isLocal(chip, target)) {
      write(to, 0, total);
      return Status::ok();
    }
    uint64_t mask = localMask(c), place = target - chip.localMemoryBase;
    for (uint64_t at = 0; at < total;) {
      const Lanes &lanes = machine.lanes();
      uint64_t run = std::min<uint64_t>(
          total - at, lanes.bytes - lanes.offsetAt(place + at));
      if (mask >> lanes.laneAt(place + at) & 1)
        write(to, at, run);
      at += run;
    }
    return Status::ok();
  }
  if (length > chip.laneBytes)
    return failf(Code::BadCommand, "a row of %llu elements does not fit a lane",
                 (unsigned long long)length);
  uint32_t lanes = get32(c, Field::dst_csize);
  Place out;
  if (!isLocal(chip, target))
    return failf(Code::BadCommand, "a broadcast goes to local memory");
  WEFT_TRY(makePlace(machine, c, "destination", target, bytes,
                     {1, lanes, 1, uint32_t(length)}, {0, 0, 0, 1}, true, out));
  for (uint32_t lane = 0; lane < lanes; ++lane)
    if (uint8_t *to = out.at(0, lane, 0))
      write(to, 0, total);
  return Status::ok();
}

} // namespace weft::emulator::gdma
