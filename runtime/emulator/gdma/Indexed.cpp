/// Masked select, nonzero, gather and scatter of rows.
#include "runtime/emulator/Rows.h"
#include "runtime/emulator/gdma/Gdma.h"
#include "runtime/status/Stop.h"

#include <algorithm>
#include <vector>

namespace weft::emulator::gdma {

/// Calls body(pointer) for every element of a place in n, c, h, w order.
template <class Body>
static void eachElement(const Place &place, Body body) {
  constexpr uint64_t kBetweenStops = 1 << 16;
  uint64_t done = 0;
  for (uint32_t n = 0; n < place.shape.n; ++n)
    for (uint32_t c = 0; c < place.shape.c; ++c)
      for (uint32_t h = 0; h < place.shape.h; ++h)
        for (uint32_t w = 0; w < place.shape.w; ++w) {
          if (++done % kBetweenStops == 0 && rt::stopRequested())
            return;
          body(place.at(n, c, h, w), n, c, h, w);
        }
}

/// fp32 is compared as a number, subnormals flushed; the halves by their bits,
/// so that their minus zero is not zero.
static bool isZero(const uint8_t *at, Precision precision) {
  switch (precision) {
  case Precision::Int8:
    return *at == 0;
  case Precision::Int16:
  case Precision::Fp16:
  case Precision::Bf16:
    return loadAs<uint16_t>(at) == 0;
  case Precision::Fp32:
    return (loadAs<uint32_t>(at) & 0x7f800000) == 0;
  default:
    return loadAs<uint32_t>(at) == 0;
  }
}

Status refuseFill(const Decoded &c) {
  if (!c.get(Field::fill_constant_en))
    return Status::ok();
  return failf(Code::BadCommand, "%.*s has no fill, but fill_constant_en is 1",
               int(c.mnemonic.size()), c.mnemonic.data());
}

/// Writes what was found. It is collected before, because the destination may
/// lie over the source or the mask.
static Status writePacked(Machine &machine, const Decoded &c,
                          const std::vector<uint8_t> &packed) {
  if (packed.empty())
    return Status::ok();
  uint8_t *to = nullptr;
  WEFT_TRY(flatBytes(machine, "destination", targetAddress(c), packed.size(),
                     true, to));
  std::memcpy(to, packed.data(), packed.size());
  return Status::ok();
}

Status maskedSelect(Machine &machine, const Decoded &c) {
  WEFT_TRY(refuseFill(c));
  unsigned bytes = formatBytes(c),
           maskBytes = formatBytes(c, Field::mask_data_format);
  auto maskKind = static_cast<Precision>(c.get(Field::mask_data_format));
  uint64_t source = sourceAddress(c), mask = thirdAddress(c);
  Shape4 shape = sourceShape(c);
  Place in, select;
  WEFT_TRY(makePlace(machine, c, "source", source, bytes, shape,
                     defaultStrides(machine, source, bytes ? bytes : 1, shape),
                     false, in));
  WEFT_TRY(
      makePlace(machine, c, "mask", mask, maskBytes, shape,
                defaultStrides(machine, mask, maskBytes ? maskBytes : 1, shape),
                false, select));
  std::vector<uint8_t> packed;
  eachElement(select, [&](const uint8_t *at, uint32_t n, uint32_t ch,
                          uint32_t h, uint32_t w) {
    const uint8_t *value = in.at(n, ch, h, w);
    if (at && value && !isZero(at, maskKind))
      packed.insert(packed.end(), value, value + bytes);
  });
  return writePacked(machine, c, packed);
}

Status nonZero(Machine &machine, const Decoded &c) {
  unsigned bytes = formatBytes(c),
           indexBytes = formatBytes(c, Field::index_data_format);
  auto kind = static_cast<Precision>(c.get(Field::src_data_format));
  if (isa::isFloat(static_cast<Precision>(c.get(Field::index_data_format))) ||
      indexBytes == 0)
    return failf(Code::BadCommand,
                 "indices of format %u; they are int8, int16 or int32",
                 get32(c, Field::index_data_format));
  WEFT_TRY(refuseFill(c));
  uint64_t source = sourceAddress(c);
  Shape4 shape = sourceShape(c);
  Place in;
  WEFT_TRY(makePlace(machine, c, "source", source, bytes, shape,
                     defaultStrides(machine, source, bytes ? bytes : 1, shape),
                     false, in));
  std::vector<uint8_t> packed;
  uint32_t index = get32(c, Field::dst_nstride_base_i);
  eachElement(in,
              [&](const uint8_t *at, uint32_t, uint32_t, uint32_t, uint32_t) {
                const auto *value = reinterpret_cast<const uint8_t *>(&index);
                if (at && !isZero(at, kind))
                  packed.insert(packed.end(), value, value + indexBytes);
                ++index;
              });
  return writePacked(machine, c, packed);
}

Status gatherScatter(Machine &machine, const Decoded &c) {
  bool scatters = c.type == unsigned(isa::GdmaType::Scatter);
  unsigned bytes = formatBytes(c);
  WEFT_TRY(refuseFill(c));
  Shape4 from = {1, get32(c, Field::src_csize), get32(c, Field::src_hsize),
                 get32(c, Field::src_wsize)};
  Shape4 list = {1, get32(c, Field::index_csize), 1, 1};
  // The list has a row for each row gathered, or each row to scatter; the
  // fields dst_csize, dst_wsize and index_hsize are not read.
  uint32_t channels = std::max(from.c, list.c);
  Shape4 to = {1, channels, get32(c, Field::dst_hsize), from.w};
  list.h = scatters ? from.h : to.h;
  if ((list.c != 1 && list.c != channels) ||
      (from.c != 1 && from.c != channels))
    return failf(Code::BadCommand,
                 "%u channels of rows and %u channels of indices; one of them "
                 "must be 1 if they differ",
                 from.c, list.c);
  uint64_t source = sourceAddress(c), target = targetAddress(c),
           index = thirdAddress(c);
  Strides4 fromStride = {0, c.get(Field::src_cstride),
                         c.get(Field::src_hstride), 1};
  Strides4 toStride = {0, c.get(Field::dst_cstride), c.get(Field::dst_hstride),
                       1};
  Strides4 listStride = {0, c.get(Field::index_cstride),
                         c.get(Field::index_hstride), 1};
  if (!c.get(Field::stride_enable)) {
    fromStride = defaultStrides(machine, source, bytes ? bytes : 1, from);
    toStride = defaultStrides(machine, target, bytes ? bytes : 1, to);
    listStride = defaultStrides(machine, index, 4, list);
  }
  Place in, out, indices;
  WEFT_TRY(makePlace(machine, c, "destination", target, bytes, to, toStride,
                     true, out));
  WEFT_TRY(makePlace(machine, c, "index", index, 4, list, listStride, false,
                     indices));
  WEFT_TRY(makePlace(machine, c, "source", source, bytes, from, fromStride,
                     false, in));
  uint32_t fill = get32(c, Field::constant_value);
  for (uint32_t ch = 0; ch < channels; ++ch)
    for (uint32_t i = 0; i < list.h; ++i) {
      if (i % 256 == 0 && rt::stopRequested())
        return Status::ok(); // whoever runs the command says why
      uint32_t row = loadAs<uint32_t>(indices.at(0, list.c == 1 ? 0 : ch, i));
      bool inside = row < (scatters ? to.h : from.h);
      if (scatters && !inside)
        continue;
      uint8_t *place = out.at(0, ch, scatters ? row : i);
      const uint8_t *value =
          inside ? in.at(0, from.c == 1 ? 0 : ch, scatters ? i : row)
                 : reinterpret_cast<const uint8_t *>(&fill);
      if (place)
        copyElements(place, bytes, value, inside ? bytes : 0, bytes, from.w);
    }
  return Status::ok();
}

} // namespace weft::emulator::gdma
