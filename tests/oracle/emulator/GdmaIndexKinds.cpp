/// Random DMA commands that data decides: masked select, nonzero, gather and
/// scatter of rows.
#include "tests/oracle/emulator/GdmaKinds.h"

#include <algorithm>
#include <cstring>

namespace weft::oracle {
namespace {

/// Zero and not, in every width; minus zero has a bit set.
uint32_t maskWord(Random &random, size_t) {
  if (random.coin())
    return random.coin(4) ? random.pick<uint32_t>({0x80000000, 0x8000, 0x80})
                          : 0;
  return random.coin() ? random.bits() : random.bits() & 0x01000100;
}

Command selectCommand(Random &random) {
  Command c = gdmaCommand(random.coin(4) ? Form::sDMA_masked_select
                                         : Form::DMA_masked_select,
                          2, 0);
  unsigned bytes = drawFormat(c, random, Field::src_data_format);
  if (random.coin(4)) // the rules want integers
    drawFormat(c, random, Field::mask_data_format);
  else
    c.set(Field::mask_data_format, random.pick<uint64_t>({0, 3, 4}));
  Side in = drawSide(random, true, {Area::Local, Area::Global, Area::L2}),
       mask = drawSide(random, true, {Area::Local, Area::Global, Area::L2}),
       out = drawSide(random, false, {Area::Global, Area::L2});
  Box box = drawBox(random, std::max(bytes, 4u), 0xf000);
  setSource(c, in, box, {});
  setAddress(c, false, out.address);
  // The mask starts away from the source, in the same lane.
  if (mask.isLocal() && in.isLocal())
    mask.address =
        in.address / kLaneStride * kLaneStride + mask.address % kLaneStride;
  c.set(Field::mask_start_addr_l32, mask.address & 0xffffffff)
      .set(Field::mask_start_addr_h8, mask.address >> 32);
  drawMask(c, random);
  return c;
}

Command nonZeroCommand(Random &random) {
  Command c = gdmaCommand(
      random.coin(4) ? Form::sDMA_nonzero : Form::DMA_nonzero, 5, 0);
  unsigned bytes = drawFormat(c, random, Field::src_data_format);
  c.set(Field::index_data_format, random.pick<uint64_t>({0, 3, 4}));
  Side in = drawSide(random, true, {Area::Local, Area::Global, Area::L2}),
       out = drawSide(random, false, {Area::Global, Area::L2});
  Box box = drawBox(random, std::max(bytes, 4u), 0xf000);
  setSource(c, in, box, {});
  setAddress(c, false, out.address);
  c.set(Field::dst_nstride_base_i,
        random.coin() ? random.bits() : uint64_t(random.in(0, 9)));
  drawMask(c, random);
  return c;
}

void pokeIndices(Command &c, Random &random, const Side &side,
                 unsigned channels, unsigned rows, const Steps &steps,
                 uint32_t limit) {
  for (unsigned ch = 0; ch < channels; ++ch)
    for (unsigned row = 0; row < rows; ++row) {
      uint32_t value = random.coin(8)
                           ? random.pick({limit, limit + 1, random.bits(), ~0u})
                           : uint32_t(random.in(0, int64_t(limit) - 1));
      std::vector<uint8_t> bytes(4);
      std::memcpy(bytes.data(), &value, 4);
      unsigned place = side.lane() + ch;
      uint64_t at = side.address + row * steps.h * 4 + ch * steps.c * 4;
      if (side.isLocal())
        at = kLocalBase + uint64_t(place % 64) * kLaneStride +
             side.address % kLaneStride + place / 64 * steps.c * 4 +
             row * steps.h * 4;
      c.pokeAt(at, bytes);
    }
}

Command rowsCommand(Random &random, bool scatters) {
  Command c = gdmaCommand(scatters ? Form::DMA_scatter : Form::DMA_gather,
                          scatters ? 8 : 7, 0);
  unsigned bytes = drawFormat(c, random, Field::src_data_format);
  auto areas = {Area::Local, Area::Global, Area::L2};
  Side in = drawSide(random, true, areas), out = drawSide(random, false, areas),
       list = drawSide(random, true, areas);
  if (list.isLocal()) // beside the source
    list.address = list.address / kLaneStride * kLaneStride + 0xc000;
  else
    list.address += 0x60000;
  unsigned table = unsigned(random.in(1, 12)),
           listed = unsigned(random.in(1, 12)), w = unsigned(random.in(1, 40)),
           channels = unsigned(random.in(1, 80));
  Box from = {1, random.coin(3) ? 1 : channels, scatters ? listed : table, w},
      to = {1, channels, scatters ? table : listed, w},
      index = {1, random.coin() ? 1 : channels, listed, 1};
  bool strided = random.coin();
  c.set(Field::stride_enable, strided);
  Steps source = continuousSteps(in, from, bytes),
        target = continuousSteps(out, to, bytes),
        steps = continuousSteps(list, index, 4);
  auto gap = [&] { return uint64_t(random.in(0, 5)); };
  if (strided) {
    source.h += gap();
    source.c = from.h * source.h + gap();
    target.h += gap();
    target.c = to.h * target.h + gap();
    steps.h = 1 + gap();
    steps.c = index.h * steps.h + gap();
    c.set(Field::src_cstride, source.c).set(Field::src_hstride, source.h);
    c.set(Field::dst_cstride, target.c).set(Field::dst_hstride, target.h);
    c.set(Field::index_cstride, steps.c).set(Field::index_hstride, steps.h);
  }
  setAddress(c, true, in.address);
  setAddress(c, false, out.address);
  c.set(Field::src_csize, from.c)
      .set(Field::src_hsize, from.h)
      .set(Field::src_wsize, w);
  c.set(Field::dst_csize, to.c).set(Field::dst_hsize, to.h);
  c.set(Field::dst_wsize, w);
  c.set(Field::index_csize, index.c).set(Field::index_hsize, index.h);
  c.set(Field::index_start_addr_l32, list.address & 0xffffffff)
      .set(Field::index_start_addr_h8, list.address >> 32);
  c.set(Field::constant_value, random.bits());
  drawMask(c, random);
  pokeIndices(c, random, list, index.c, listed, steps, table);
  return c;
}

} // namespace

void addGdmaIndexKinds(std::vector<Kind> &kinds) {
  kinds.push_back({"dma_masked_select", Contents::Bytes, selectCommand});
  kinds.back().word = maskWord;
  kinds.push_back({"dma_nonzero", Contents::Bytes, nonZeroCommand});
  kinds.back().word = maskWord;
  kinds.push_back({"dma_gather", Contents::Bytes,
                   [](Random &random) { return rowsCommand(random, false); }});
  kinds.push_back({"dma_scatter", Contents::Bytes,
                   [](Random &random) { return rowsCommand(random, true); }});
}

} // namespace weft::oracle
