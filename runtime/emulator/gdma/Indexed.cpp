/// Masked select, nonzero, gather and scatter of rows.
#include "runtime/emulator/Rows.h"
#include "runtime/emulator/gdma/Gdma.h"

namespace weft::emulator::gdma {

/// Calls body(pointer) for every element of a place in n, c, h, w order.
template <class Body>
static void eachElement(const Place &place, Body body) {
  for (uint32_t n = 0; n < place.shape.n; ++n)
    for (uint32_t c = 0; c < place.shape.c; ++c)
      for (uint32_t h = 0; h < place.shape.h; ++h)
        for (uint32_t w = 0; w < place.shape.w; ++w)
          body(place.at(n, c, h, w), n, c, h, w);
}

static bool isZero(const uint8_t *at, unsigned bytes) {
  for (unsigned i = 0; i < bytes; ++i)
    if (at[i])
      return false;
  return true;
}

Status maskedSelect(Machine &machine, const Decoded &c) {
  unsigned bytes = formatBytes(c),
           maskBytes = formatBytes(c, Field::mask_data_format);
  uint64_t source = sourceAddress(c), mask = thirdAddress(c);
  Shape4 shape = sourceShape(c);
  const Chip &chip = machine.chip();
  Place in, select;
  WEFT_TRY(makePlace(machine, c, "source", source, bytes, shape,
                     defaultStrides(chip, source, bytes ? bytes : 1, shape),
                     false, in));
  WEFT_TRY(
      makePlace(machine, c, "mask", mask, maskBytes, shape,
                defaultStrides(chip, mask, maskBytes ? maskBytes : 1, shape),
                false, select));
  uint64_t selected = 0;
  eachElement(select,
              [&](const uint8_t *at, uint32_t, uint32_t, uint32_t, uint32_t) {
                selected += at && !isZero(at, maskBytes);
              });
  uint8_t *to = nullptr;
  if (selected)
    WEFT_TRY(flatBytes(machine, "destination", targetAddress(c),
                       selected * bytes, true, to));
  eachElement(select, [&](const uint8_t *at, uint32_t n, uint32_t ch,
                          uint32_t h, uint32_t w) {
    const uint8_t *value = in.at(n, ch, h, w);
    if (!at || !value || isZero(at, maskBytes))
      return;
    std::memcpy(to, value, bytes);
    to += bytes;
  });
  return Status::ok();
}

Status nonZero(Machine &machine, const Decoded &c) {
  unsigned bytes = formatBytes(c);
  uint64_t source = sourceAddress(c);
  Shape4 shape = sourceShape(c);
  Place in;
  WEFT_TRY(makePlace(
      machine, c, "source", source, bytes, shape,
      defaultStrides(machine.chip(), source, bytes ? bytes : 1, shape), false,
      in));
  uint64_t found = 0;
  eachElement(in, [&](const uint8_t *at, uint32_t, uint32_t, uint32_t,
                      uint32_t) { found += at && !isZero(at, bytes); });
  uint8_t *to = nullptr;
  if (found)
    WEFT_TRY(flatBytes(machine, "destination", targetAddress(c), found * 4,
                       true, to));
  uint32_t index = get32(c, Field::dst_nstride_base_i);
  eachElement(in,
              [&](const uint8_t *at, uint32_t, uint32_t, uint32_t, uint32_t) {
                if (at && !isZero(at, bytes)) {
                  storeAs(to, index);
                  to += 4;
                }
                ++index;
              });
  return Status::ok();
}

Status gatherScatter(Machine &machine, const Decoded &c) {
  bool scatters = c.type == unsigned(isa::GdmaType::Scatter);
  unsigned bytes = formatBytes(c);
  const Chip &chip = machine.chip();
  Shape4 from = {1, get32(c, Field::src_csize), get32(c, Field::src_hsize),
                 get32(c, Field::src_wsize)};
  Shape4 to = {1, get32(c, Field::dst_csize), get32(c, Field::dst_hsize),
               from.w};
  if (to.c == 0) // the vendor leaves it out
    to.c = from.c;
  Shape4 list = {1, get32(c, Field::index_csize), get32(c, Field::index_hsize),
                 1};
  uint64_t source = sourceAddress(c), target = targetAddress(c),
           index = thirdAddress(c);
  Strides4 fromStride = {0, c.get(Field::src_cstride),
                         c.get(Field::src_hstride), 1};
  Strides4 toStride = {0, c.get(Field::dst_cstride), c.get(Field::dst_hstride),
                       1};
  Strides4 listStride = {0, c.get(Field::index_cstride),
                         c.get(Field::index_hstride), 1};
  if (!c.get(Field::stride_enable)) {
    fromStride = defaultStrides(chip, source, bytes ? bytes : 1, from);
    toStride = defaultStrides(chip, target, bytes ? bytes : 1, to);
    listStride = defaultStrides(chip, index, 4, list);
  }
  Place in, out, indices;
  bool fills = c.get(Field::fill_constant_en);
  WEFT_TRY(makePlace(machine, c, "destination", target, bytes, to, toStride,
                     true, out));
  WEFT_TRY(makePlace(machine, c, "index", index, 4, list, listStride, false,
                     indices));
  if (!fills || !scatters)
    WEFT_TRY(makePlace(machine, c, "source", source, bytes, from, fromStride,
                       false, in));
  uint32_t channels = scatters ? from.c : to.c;
  if ((list.c != 1 && list.c != channels) ||
      (from.c != 1 && to.c != 1 && from.c != to.c) ||
      list.h > (scatters ? from.h : to.h))
    return failf(Code::BadCommand,
                 "gather of %ux%u rows by %ux%u indices into %ux%u rows",
                 from.c, from.h, list.c, list.h, to.c, to.h);
  uint32_t fill = get32(c, Field::constant_value);
  for (uint32_t ch = 0; ch < to.c; ++ch)
    for (uint32_t i = 0; i < list.h; ++i) {
      const uint8_t *at = indices.at(0, list.c == 1 ? 0 : ch, i);
      if (!at)
        continue;
      uint32_t row = loadAs<uint32_t>(at);
      bool inside = row < (scatters ? to.h : from.h);
      if (scatters && !inside)
        continue;
      uint8_t *place = out.at(0, ch, scatters ? row : i);
      const uint8_t *value =
          inside ? in.at(0, from.c == 1 ? 0 : ch, scatters ? i : row)
                 : reinterpret_cast<const uint8_t *>(&fill);
      if (place && value)
        copyElements(place, bytes, value, inside ? bytes : 0, bytes, from.w);
    }
  return Status::ok();
}

} // namespace weft::emulator::gdma
