/// Tensor copies, fills and transposes, matrices and linear copies.
#include "runtime/emulator/Rows.h"
#include "runtime/emulator/gdma/Gdma.h"

namespace weft::emulator::gdma {
namespace {

namespace fn = isa::gdma;

/// Walks the elements of a place in n, c, h, w order.
class Cursor {
public:
  explicit Cursor(const Place &place) : place(place) {}
  uint8_t *next() {
    uint8_t *at = place.at(n, c, h, w);
    const Shape4 &shape = place.shape;
    if (++w == shape.w) {
      w = 0;
      if (++h == shape.h) {
        h = 0;
        if (++c == shape.c) {
          c = 0;
          ++n;
        }
      }
    }
    return at;
  }

private:
  const Place &place;
  uint32_t n = 0, c = 0, h = 0, w = 0;
};

bool sameShape(const Shape4 &a, const Shape4 &b) {
  return a.n == b.n && a.c == b.c && a.h == b.h && a.w == b.w;
}

void copyPlaces(const Place &from, const Place &to) {
  const Shape4 &shape = to.shape;
  if (!sameShape(from.shape, shape)) { // a reshape on the way
    Cursor source(from), target(to);
    for (uint64_t i = count(shape); i > 0; --i) {
      const uint8_t *in = source.next();
      uint8_t *out = target.next();
      if (in && out)
        std::memcpy(out, in, to.bytes);
    }
    return;
  }
  for (uint32_t n = 0; n < shape.n; ++n)
    for (uint32_t c = 0; c < shape.c; ++c)
      for (uint32_t h = 0; h < shape.h; ++h) {
        const uint8_t *in = from.at(n, c, h);
        uint8_t *out = to.at(n, c, h);
        if (in && out)
          copyElements(out, to.stride.w, in, from.stride.w, to.bytes, shape.w);
      }
}

void fillPlace(const Place &to, uint32_t bits) {
  const Shape4 &shape = to.shape;
  for (uint32_t n = 0; n < shape.n; ++n)
    for (uint32_t c = 0; c < shape.c; ++c)
      for (uint32_t h = 0; h < shape.h; ++h)
        if (uint8_t *out = to.at(n, c, h))
          copyElements(out, to.stride.w,
                       reinterpret_cast<const uint8_t *>(&bits), 0, to.bytes,
                       shape.w);
}

Strides4 stridesOf(const Machine &machine, const Decoded &c, bool source,
                   uint64_t address, unsigned bytes, const Shape4 &shape) {
  if (c.get(Field::stride_enable)) {
    Strides4 strides = source ? sourceStrides(c) : targetStrides(c);
    // A broadcast moves whole rows; the vendor leaves its w strides at 0.
    if (static_cast<isa::GdmaType>(c.type) == isa::GdmaType::Tensor &&
        c.func == fn::TensorBroadcast)
      strides.w = 1;
    return strides;
  }
  return defaultStrides(machine.chip(), address, bytes, shape);
}

} // namespace

Status copy(Machine &machine, const Decoded &c) {
  unsigned bytes = formatBytes(c);
  if (bytes == 0)
    return failf(Code::BadCommand, "data format %u; the engine moves 0 to 5",
                 get32(c, Field::src_data_format));
  uint64_t source = sourceAddress(c), target = targetAddress(c);
  bool fills = c.get(Field::fill_constant_en),
       sameSizes = c.get(Field::nchw_copy);
  Shape4 from = sourceShape(c), to = sameSizes ? from : targetShape(c);
  if (c.func == fn::TensorNcTranspose)
    to = {from.c, from.n, from.h, from.w};
  else if (c.func == fn::TensorBroadcast)
    to = {from.n, get32(c, Field::dst_csize), from.h, from.w};
  else if (c.func != fn::TensorCopy)
    return failf(Code::Unsupported,
                 "unsupported: the emulator has no model of %.*s",
                 int(c.mnemonic.size()), c.mnemonic.data());
  Place in, out;
  WEFT_TRY(makePlace(machine, c, "destination", target, bytes, to,
                     stridesOf(machine, c, false, target, bytes, to), true,
                     out));
  if (fills) {
    fillPlace(out, get32(c, Field::constant_value));
    return Status::ok();
  }
  if (c.func == fn::TensorBroadcast)
    from.c = 1;
  WEFT_TRY(makePlace(machine, c, "source", source, bytes, from,
                     stridesOf(machine, c, true, source, bytes, from), false,
                     in));
  if (c.func == fn::TensorNcTranspose) {
    for (uint32_t n = 0; n < from.n; ++n)
      for (uint32_t ch = 0; ch < from.c; ++ch)
        for (uint32_t h = 0; h < from.h; ++h) {
          const uint8_t *row = in.at(n, ch, h);
          uint8_t *to = out.at(ch, n, h);
          if (row && to)
            copyElements(to, out.stride.w, row, in.stride.w, bytes, from.w);
        }
    return Status::ok();
  }
  if (c.func == fn::TensorBroadcast) {
    for (uint32_t n = 0; n < to.n; ++n)
      for (uint32_t ch = 0; ch < to.c; ++ch)
        for (uint32_t h = 0; h < to.h; ++h) {
          const uint8_t *row = in.at(n, 0, h);
          uint8_t *place = out.at(n, ch, h);
          if (row && place)
            copyElements(place, out.stride.w, row, in.stride.w, bytes, to.w);
        }
    return Status::ok();
  }
  if (count(from) != count(to))
    return failf(
        Code::BadCommand, "source has %llu elements and destination %llu",
        (unsigned long long)count(from), (unsigned long long)count(to));
  copyPlaces(in, out);
  return Status::ok();
}

Status matrix(Machine &machine, const Decoded &c) {
  unsigned bytes = formatBytes(c);
  uint64_t source = sourceAddress(c), target = targetAddress(c);
  bool load = isLocal(machine.chip(), target),
       transposed = c.func == fn::MatrixTranspose;
  if (load == isLocal(machine.chip(), source))
    return failf(Code::BadCommand,
                 "a matrix moves between local memory and global memory");
  // The flat side is h x w with a row stride; the local side n rows of c
  // channels of w columns.
  uint32_t rows = get32(c, load ? Field::src_hsize : Field::dst_hsize);
  uint32_t columns = get32(c, load ? Field::src_wsize : Field::dst_wsize);
  uint32_t n = get32(c, load ? Field::dst_nsize : Field::src_nsize);
  uint32_t channels = get32(c, load ? Field::dst_csize : Field::src_csize);
  uint32_t width = get32(c, load ? Field::dst_wsize : Field::src_wsize);
  uint32_t localRows = transposed ? columns : rows,
           localColumns = transposed ? rows : columns;
  uint64_t rowStride = c.get(load ? Field::src_hstride : Field::dst_hstride);
  Shape4 localShape = {n ? n : localRows, channels, 1, width};
  if (localShape.n != localRows || uint64_t(channels) * width < localColumns)
    return failf(
        Code::BadCommand,
        "a %ux%u matrix does not fit %u rows of %u channels of %u columns",
        localRows, localColumns, localShape.n, channels, width);
  Strides4 localStride = {c.get(load ? Field::dst_nstride : Field::src_nstride),
                          c.get(load ? Field::dst_cstride : Field::src_cstride),
                          0, 1};
  if (!c.get(Field::stride_enable)) {
    localStride = defaultStrides(machine.chip(), load ? target : source,
                                 bytes ? bytes : 1, localShape);
    rowStride = columns;
  }
  Place flat, local;
  WEFT_TRY(makePlace(machine, c, "matrix in global memory",
                     load ? source : target, bytes, {1, 1, rows, columns},
                     {0, 0, rowStride, 1}, !load, flat));
  WEFT_TRY(makePlace(machine, c, "matrix in local memory",
                     load ? target : source, bytes, localShape, localStride,
                     load, local));
  for (uint32_t i = 0; i < localRows; ++i)
    for (uint32_t j = 0; j < localColumns; ++j) {
      uint8_t *inner = local.at(i, j / width, 0, j % width);
      uint8_t *outer = transposed ? flat.at(0, 0, j, i) : flat.at(0, 0, i, j);
      if (inner)
        std::memcpy(load ? inner : outer, load ? outer : inner, bytes);
    }
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
  auto write = [&](uint8_t *to) {
    if (fills)
      for (uint64_t i = 0; i < length; ++i)
        std::memcpy(to + i * bytes, &bits, bytes);
    else
      std::memmove(to, from, total);
  };
  if (c.func == fn::GeneralCopy) {
    uint8_t *to = nullptr;
    WEFT_TRY(flatBytes(machine, "destination", target, total, true, to));
    write(to);
    return Status::ok();
  }
  if (length > kLaneBytes)
    return failf(Code::BadCommand, "a row of %llu elements does not fit a lane",
                 (unsigned long long)length);
  uint32_t lanes = get32(c, Field::dst_csize);
  Place out;
  if (!isLocal(machine.chip(), target))
    return failf(Code::BadCommand, "a broadcast goes to local memory");
  WEFT_TRY(makePlace(machine, c, "destination", target, bytes,
                     {1, lanes, 1, uint32_t(length)}, {0, 0, 0, 1}, true, out));
  for (uint32_t lane = 0; lane < lanes; ++lane)
    if (uint8_t *to = out.at(0, lane, 0))
      write(to);
  return Status::ok();
}

Status cwTranspose(Machine &machine, const Decoded &c) {
  unsigned bytes = formatBytes(c);
  uint64_t source = sourceAddress(c), target = targetAddress(c);
  Shape4 from = sourceShape(c), to = {from.n, from.w, from.h, from.c};
  Place in, out;
  unsigned size = bytes ? bytes : 1;
  WEFT_TRY(makePlace(machine, c, "destination", target, bytes, to,
                     stridesOf(machine, c, false, target, size, to), true,
                     out));
  bool fills = c.get(Field::fill_constant_en);
  if (fills) {
    fillPlace(out, get32(c, Field::constant_value));
    return Status::ok();
  }
  WEFT_TRY(makePlace(machine, c, "source", source, bytes, from,
                     stridesOf(machine, c, true, source, size, from), false,
                     in));
  for (uint32_t n = 0; n < from.n; ++n)
    for (uint32_t w = 0; w < from.w; ++w)
      for (uint32_t h = 0; h < from.h; ++h)
        for (uint32_t ch = 0; ch < from.c; ++ch) {
          const uint8_t *value = in.at(n, ch, h, w);
          uint8_t *place = out.at(n, w, h, ch);
          if (value && place)
            std::memcpy(place, value, bytes);
        }
  return Status::ok();
}

} // namespace weft::emulator::gdma
