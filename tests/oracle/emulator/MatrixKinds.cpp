/// Data movement.
#include "tests/oracle/emulator/CommandKinds.h"

namespace weft::oracle {
namespace {

constexpr uint64_t kGlobal = 0x100000000, kLocal = 0x08000000;

Command transposeCommand(Random &random, unsigned func, Precision p) {
  Command c =
      tiuCommand(random.coin(4) ? Form::TRANS_BC : Form::sTRANS_BC, 5, func);
  Places places(random);
  unsigned channels = unsigned(random.in(1, 64)),
           columns = unsigned(random.in(1, 64));
  c.set(Field::res0_prec, unsigned(p)).set(Field::res0_addr, places.result());
  c.set(Field::opd0_addr, places.operand(0));
  if (c.form == Form::TRANS_BC)
    c.set(Field::opd0_prec, unsigned(p));
  if (func <= 1) {
    setResult(c, unsigned(random.in(1, 2)), channels, unsigned(random.in(1, 3)),
              columns);
    return c.set(Field::opd0_c, columns).set(Field::opd0_w, channels);
  }
  if (func <= 3) {
    setResult(c, unsigned(random.in(1, 2)), channels, unsigned(random.in(1, 3)),
              columns);
    c.set(Field::opd0_c, func == 3 ? 1 : channels).set(Field::opd0_w, columns);
    return c.set(Field::opd0_addr, uint64_t(random.in(0, 63)) << 18);
  }
  uint64_t offset = 0x09000000 + uint64_t(random.in(0, 40)) * 64;
  // Wrapping around the last lane has no model: the vendor always starts in
  // lane 0.
  c.set(Field::res0_addr, places.result() & 0x3ffff);
  if (func == 4)
    setResult(c, 1, channels, 1, columns);
  else
    setResult(c, 1, unsigned(random.in(1, 90)), 1, 1);
  c.set(Field::opd0_c, *isa::get(c.form, Field::res0_c, c.bytes.data()));
  return c.set(Field::opd0_w, func == 4 ? columns : 1)
      .set(Field::opd0_addr, offset);
}

/// Gathers with indices 0..7 into tables of at least 8 entries.
Command gatherCommand(Random &random, unsigned func, Precision p, bool wide) {
  Command c = tiuCommand(Form::sSG, 6, func);
  Places places(random);
  unsigned channels = unsigned(random.in(1, 70)),
           listed = unsigned(random.in(8, 40));
  unsigned images = unsigned(random.in(1, 2)),
           table = unsigned(random.in(8, 40));
  c.set(Field::res0_prec, unsigned(p)).set(Field::opd0_prec, unsigned(p));
  c.set(Field::opd1_prec, wide ? unsigned(Precision::Int16) : 0);
  c.set(Field::opd0_h, 1).set(Field::opd0_w, table);
  bool shared = func == 0 || func == 3,
       scatters = func == 3 || func == 6 || func == 14;
  setResult(c, images, channels, 1,
            scatters                 ? listed
            : func == 8 || func == 9 ? table
                                     : listed);
  unsigned entries = scatters || func == 8 || func == 9 ? table : listed;
  c.set(Field::opd1_c, shared ? entries : channels)
      .set(Field::opd1_w, shared ? 1 : entries);
  if (!shared && func != 9)
    c.set(Field::opd0_str, random.coin(3) ? 4 : 0);
  c.set(Field::res0_addr, places.result())
      .set(Field::opd0_addr, places.operand(0));
  c.set(Field::opd1_addr, places.operand(1))
      .set(Field::res1_addr, places.result(1));
  if (random.coin(3) && !scatters && func < 8) {
    c.set(Field::opd3_const, 1).set(Field::opd2_addr, random.bits());
    c.set(Field::opd0_w,
          uint64_t(random.in(4, 8))); // some indices are out of range
  }
  return c;
}

Command lineCommand(Random &random, unsigned func, Precision p) {
  Command c = tiuCommand(Form::sSGL, 6, func);
  Places places(random);
  c.set(Field::res0_prec, unsigned(p));
  c.set(Field::opd1_prec, unsigned(Precision::Int16))
      .set(Field::opd0_str, random.coin() ? 3 : 4);
  setResult(c, unsigned(random.in(1, 2)), unsigned(random.in(1, 70)),
            unsigned(random.in(8, 12)), unsigned(random.in(1, 20)));
  c.set(Field::opd0_h, uint64_t(random.in(8, 12)));
  c.set(Field::res0_addr, places.result())
      .set(Field::opd0_addr, places.operand(0));
  return c.set(Field::opd1_addr, places.operand(1));
}

void setAddress(Command &c, bool source, uint64_t address) {
  bool matrix = c.form == Form::DMA_matrix;
  c.set(source
            ? (matrix ? Field::src_start_addr_h32 : Field::src_start_addr_l32)
            : (matrix ? Field::dst_start_addr_h32 : Field::dst_start_addr_l32),
        address & 0xffffffff);
  c.set(source ? (matrix ? Field::src_start_addr_l8 : Field::src_start_addr_h8)
               : (matrix ? Field::dst_start_addr_l8 : Field::dst_start_addr_h8),
        address >> 32);
}

/// Source in one half of a memory, destination in the other; local sides in
/// random lanes.
void setEnds(Command &c, Random &random, bool fromLocal, bool toLocal) {
  Places places(random);
  setAddress(c, true,
             fromLocal ? kLocal + places.operand(0)
                       : kGlobal + uint64_t(random.in(0, 4096)) * 64);
  setAddress(c, false,
             toLocal ? kLocal + places.result()
                     : kGlobal + 0x80000 + uint64_t(random.in(0, 99)) * 64);
}

Command tensorCommand(Random &random, unsigned func, bool fromLocal,
                      bool toLocal) {
  Command c = gdmaCommand(Form::DMA_tensor, 0, func);
  setEnds(c, random, fromLocal, toLocal);
  uint64_t n = uint64_t(random.in(1, 3)), ch = uint64_t(random.in(1, 70));
  uint64_t h = uint64_t(random.in(1, 6)), w = uint64_t(random.in(1, 20));
  if (func == 1)
    ch = uint64_t(random.in(1, 6));
  c.set(Field::src_data_format, uint64_t(random.in(0, 5)));
  c.set(Field::src_nsize, n).set(Field::src_csize, func == 3 ? 1 : ch);
  c.set(Field::src_hsize, h).set(Field::src_wsize, w).set(Field::nchw_copy, 1);
  uint64_t plane = h * w + uint64_t(random.in(0, 9));
  auto strides = [&](bool local, Field sn, Field sc, Field sh, Field sw,
                     uint64_t images, uint64_t channels) {
    c.set(sn, local ? plane * 4 : plane * channels)
        .set(sc, plane)
        .set(sh, w)
        .set(sw, 1);
    (void)images;
  };
  c.set(Field::stride_enable, random.coin() || func == 3);
  bool transposes = func == 1;
  strides(fromLocal, Field::src_nstride, Field::src_cstride, Field::src_hstride,
          Field::src_wstride, n, ch);
  strides(toLocal, Field::dst_nstride, Field::dst_cstride, Field::dst_hstride,
          Field::dst_wstride, transposes ? ch : n, transposes ? n : ch);
  if (func == 3)
    c.set(Field::dst_csize, ch);
  if (func == 0 && random.coin(3)) { // destination sizes given, another shape
    c.set(Field::nchw_copy, 0).set(Field::stride_enable, 1);
    c.set(Field::dst_nsize, n)
        .set(Field::dst_csize, ch)
        .set(Field::dst_hsize, w)
        .set(Field::dst_wsize, h);
    c.set(Field::dst_hstride, h);
  }
  if (func == 0 && random.coin(5))
    c.set(Field::localmem_mask_l32, random.bits())
        .set(Field::localmem_mask_h32, random.bits());
  return c;
}

Command fillCommand(Random &random, bool toLocal) {
  Command c = gdmaCommand(Form::DMA_tensor, 0, 0);
  setEnds(c, random, true, toLocal);
  setAddress(c, true, 0);
  c.set(Field::src_data_format, uint64_t(random.in(0, 5)))
      .set(Field::fill_constant_en, 1);
  c.set(Field::constant_value, random.bits());
  uint64_t n = uint64_t(random.in(1, 2)), ch = uint64_t(random.in(1, 70));
  uint64_t h = uint64_t(random.in(1, 6)), w = uint64_t(random.in(1, 20));
  c.set(Field::dst_nsize, n)
      .set(Field::dst_csize, ch)
      .set(Field::dst_hsize, h)
      .set(Field::dst_wsize, w);
  uint64_t plane = h * w + 3;
  c.set(Field::stride_enable, 1)
      .set(Field::dst_nstride, toLocal ? plane * 2 : plane * ch);
  return c.set(Field::dst_cstride, plane)
      .set(Field::dst_hstride, w)
      .set(Field::dst_wstride, 1);
}

Command matrixCommand(Random &random, unsigned func, bool load) {
  Command c = gdmaCommand(Form::DMA_matrix, 1, func);
  setEnds(c, random, !load, load);
  uint64_t rows = uint64_t(random.in(1, 20)),
           columns = uint64_t(random.in(1, 60));
  c.set(Field::src_data_format, uint64_t(random.in(0, 5)))
      .set(Field::stride_enable, 1);
  uint64_t localRows = func ? columns : rows,
           localColumns = func ? rows : columns;
  uint64_t width = uint64_t(random.in(1, int64_t(localColumns)));
  uint64_t channels = (localColumns + width - 1) / width,
           stride = (width + 63) / 64 * 64;
  if (load) {
    c.set(Field::src_hsize, rows)
        .set(Field::src_wsize, columns)
        .set(Field::src_hstride, columns + 3);
    c.set(Field::dst_nsize, localRows)
        .set(Field::dst_csize, channels)
        .set(Field::dst_wsize, width);
    c.set(Field::dst_nstride, stride * 2).set(Field::dst_cstride, stride);
  } else {
    c.set(Field::dst_hsize, rows)
        .set(Field::dst_wsize, columns)
        .set(Field::dst_hstride, columns + 3);
    c.set(Field::src_nsize, localRows)
        .set(Field::src_csize, channels)
        .set(Field::src_wsize, width);
    c.set(Field::src_nstride, stride * 2).set(Field::src_cstride, stride);
  }
  return c;
}

Command generalCommand(Random &random, unsigned func, bool fromLocal,
                       bool toLocal) {
  Command c = gdmaCommand(Form::DMA_general, 3, func);
  setEnds(c, random, fromLocal, toLocal);
  c.set(Field::src_data_format, uint64_t(random.in(0, 5)));
  c.set(Field::move_length, uint64_t(random.in(1, 3000)));
  if (func == 1)
    c.set(Field::dst_csize, uint64_t(random.in(1, 64)));
  return c;
}

Command cwCommand(Random &random, bool fromLocal, bool toLocal) {
  Command c = gdmaCommand(Form::DMA_cw_transpose, 4, 0);
  setEnds(c, random, fromLocal, toLocal);
  c.set(Field::src_data_format, uint64_t(random.in(0, 5)))
      .set(Field::nchw_copy, 1);
  c.set(Field::src_nsize, uint64_t(random.in(1, 2)))
      .set(Field::src_csize, uint64_t(random.in(1, 70)));
  c.set(Field::src_hsize, uint64_t(random.in(1, 5)))
      .set(Field::src_wsize, uint64_t(random.in(1, 70)));
  return c;
}

Command rowsCommand(Random &random, bool scatters) {
  Command c = gdmaCommand(scatters ? Form::DMA_scatter : Form::DMA_gather,
                          scatters ? 8 : 7, 0);
  setEnds(c, random, false, false);
  uint64_t rows = uint64_t(random.in(8, 12)), w = uint64_t(random.in(1, 20));
  uint64_t listed = uint64_t(random.in(1, 8)), ch = uint64_t(random.in(1, 4));
  uint64_t from = scatters ? listed : rows, to = scatters ? rows : listed;
  c.set(Field::src_data_format, uint64_t(random.in(0, 5)))
      .set(Field::stride_enable, 1);
  c.set(Field::src_csize, ch)
      .set(Field::src_hsize, from)
      .set(Field::src_wsize, w);
  c.set(Field::src_cstride, from * w).set(Field::src_hstride, w);
  c.set(Field::dst_csize, ch)
      .set(Field::dst_hsize, to)
      .set(Field::dst_wsize, w);
  c.set(Field::dst_cstride, to * w).set(Field::dst_hstride, w);
  c.set(Field::index_csize, 1)
      .set(Field::index_hsize, listed)
      .set(Field::index_hstride, 1);
  c.set(Field::index_start_addr_l32, uint64_t(random.in(0, 99)) * 64)
      .set(Field::index_start_addr_h8, 1);
  return c.set(Field::constant_value, random.bits());
}

Command packCommand(Random &random, bool nonzero, bool fromLocal) {
  Command c = gdmaCommand(nonzero ? Form::DMA_nonzero : Form::DMA_masked_select,
                          nonzero ? 5 : 2, 0);
  setEnds(c, random, fromLocal, false);
  c.set(Field::src_nsize, uint64_t(random.in(1, 2)))
      .set(Field::src_csize, uint64_t(random.in(1, 20)));
  c.set(Field::src_hsize, uint64_t(random.in(1, 5)))
      .set(Field::src_wsize, uint64_t(random.in(1, 9)));
  if (nonzero)
    return c.set(Field::index_data_format, 4)
        .set(Field::dst_nstride_base_i, uint64_t(random.in(0, 9)));
  c.set(Field::src_data_format, random.pick<uint64_t>({0, 1, 2, 3, 4}));
  return c.set(Field::mask_start_addr_l32, 0x08008000);
}

} // namespace

void addMatrixKinds(std::vector<Kind> &kinds) {
  using P = Precision;
  for (unsigned func = 0; func < 6; ++func)
    for (P p : {P::Int8, P::Int16, P::Fp32})
      kinds.push_back({"transbc_" + std::to_string(func) + "_" +
                           std::to_string(unsigned(p)),
                       Contents::Bytes, [=](Random &r) {
                         return transposeCommand(r, func, p);
                       }});
  for (unsigned func : {0u, 3u, 5u, 6u, 8u, 13u, 14u})
    for (P p : {P::Int8, P::Int16, P::Fp32})
      for (bool wide : {false, true}) {
        kinds.push_back(
            {"sg_" + std::to_string(func) + "_" + std::to_string(unsigned(p)) +
                 (wide ? "_u16" : "_u8"),
             wide ? Contents::SmallIndex16 : Contents::SmallIndex8,
             [=](Random &r) { return gatherCommand(r, func, p, wide); }});
      }
  for (unsigned func : {17u, 18u})
    for (P p : {P::Int8, P::Fp32})
      kinds.push_back(
          {"sgl_" + std::to_string(func) + "_" + std::to_string(unsigned(p)),
           Contents::SmallIndex16,
           [=](Random &r) { return lineCommand(r, func, p); }});
}

void addGdmaKinds(std::vector<Kind> &kinds) {
  const char *const ends[] = {"s2s", "s2l", "l2s", "l2l"};
  for (unsigned end = 0; end < 4; ++end) {
    bool fromLocal = end & 2, toLocal = end & 1;
    std::string name = std::string("_") + ends[end];
    kinds.push_back({"dma_copy" + name, Contents::Bytes, [=](Random &r) {
                       return tensorCommand(r, 0, fromLocal, toLocal);
                     }});
    kinds.push_back({"dma_nc" + name, Contents::Bytes, [=](Random &r) {
                       return tensorCommand(r, 1, fromLocal, toLocal);
                     }});
    kinds.push_back({"dma_cw" + name, Contents::Bytes, [=](Random &r) {
                       return cwCommand(r, fromLocal, toLocal);
                     }});
    kinds.push_back({"dma_general" + name, Contents::Bytes, [=](Random &r) {
                       return generalCommand(r, 0, fromLocal, toLocal);
                     }});
    if (toLocal) {
      kinds.push_back({"dma_broadcast" + name, Contents::Bytes, [=](Random &r) {
                         return tensorCommand(r, 3, fromLocal, true);
                       }});
      kinds.push_back(
          {"dma_general_broadcast" + name, Contents::Bytes,
           [=](Random &r) { return generalCommand(r, 1, fromLocal, true); }});
    }
  }
  for (bool local : {false, true}) {
    kinds.push_back({local ? "dma_fill_local" : "dma_fill_global",
                     Contents::Bytes,
                     [=](Random &r) { return fillCommand(r, local); }});
    kinds.push_back({local ? "dma_nonzero_l2s" : "dma_nonzero_s2s",
                     Contents::SmallIndex8,
                     [=](Random &r) { return packCommand(r, true, local); }});
    kinds.push_back({local ? "dma_select_l2s" : "dma_select_s2s",
                     Contents::SmallIndex8,
                     [=](Random &r) { return packCommand(r, false, local); }});
    for (unsigned func : {0u, 1u})
      kinds.push_back({std::string("dma_matrix") + (func ? "_transposed" : "") +
                           (local ? "_load" : "_store"),
                       Contents::Bytes, [=](Random &r) {
                         return matrixCommand(r, func, local);
                       }});
    kinds.push_back({local ? "dma_scatter" : "dma_gather",
                     Contents::SmallIndex8,
                     [=](Random &r) { return rowsCommand(r, local); }});
  }
}

} // namespace weft::oracle
