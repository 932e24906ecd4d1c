/// Random commands of the DMA engine: copies, transposes, broadcasts, fills,
/// matrices and linear copies between all memories.
#include "tests/oracle/emulator/GdmaKinds.h"
#include "tests/unit/runtime/isa/FirstTable.h"

#include <algorithm>

namespace weft::oracle {

bool Side::isLocal() const { return area == Area::Local; }
unsigned Side::lane() const {
  return isLocal() ? unsigned((address - kLocalBase) / kLaneStride) : 0;
}

Side drawSide(Random &random, bool source, std::initializer_list<Area> areas) {
  Side side;
  side.area = random.pick(areas);
  // The engine wants addresses aligned to elements, the rules to rows of 64
  // bytes where the strides are default ones.
  uint64_t shift = random.coin(4) ? uint64_t(random.in(0, 255)) * 4
                                  : uint64_t(random.in(0, 15)) * 64;
  switch (side.area) {
  case Area::Local:
    side.address = kLocalBase + (source ? 0 : 0x10000) + shift +
                   (random.coin() ? 0 : uint64_t(random.in(0, 63)) << 18);
    side.room = 0xf000;
    break;
  case Area::Static:
    side.address = kStaticBase + (source ? 0 : 0x2000) + shift;
    side.room = 0x1800;
    break;
  case Area::Global:
  case Area::L2:
    side.address = (side.area == Area::L2 ? kL2Base : kGlobalBase) +
                   (source ? 0 : 0x80000) + shift;
    side.room = 0x60000;
    break;
  }
  return side;
}

static uint64_t reachOf(const Side &side, const Box &box, const Steps &steps) {
  uint64_t channels =
      side.isLocal() ? (side.lane() + box.c - 1) / 64 : box.c - 1;
  return (box.n - 1) * steps.n + channels * steps.c + (box.h - 1) * steps.h +
         (box.w - 1) * steps.w + 1;
}

Steps continuousSteps(const Side &side, const Box &box, unsigned bytes) {
  uint64_t plane = uint64_t(box.h) * box.w, row = 64 / bytes;
  if (!side.isLocal())
    return {plane * box.c, plane, box.w, 1};
  plane = (plane + row - 1) / row * row;
  return {(side.lane() + box.c + 63) / 64 * plane, plane, box.w, 1};
}

Steps drawSteps(Random &random, const Side &side, const Box &box,
                unsigned bytes, bool mayRepeat) {
  auto gap = [&] { return uint64_t(random.coin() ? 0 : random.in(0, 9)); };
  uint64_t channels = side.isLocal() ? (side.lane() + box.c + 63) / 64 : box.c;
  Steps steps;
  // Neighbours are at most 128 bytes apart.
  steps.w = random.coin(4)
                ? uint64_t(random.in(2, random.coin(4) ? 128 / bytes : 5))
                : 1;
  steps.h = box.w * steps.w + gap();
  uint64_t plane = box.h * steps.h + gap();
  if (random.coin(3)) { // images inside channels
    steps.n = plane;
    steps.c = box.n * plane + gap();
  } else {
    steps.c = plane;
    steps.n = channels * plane + gap();
  }
  if (mayRepeat && random.coin(4))
    *random.pick({&steps.n, &steps.c, &steps.h}) = 0;
  return steps;
}

bool fits(const Side &side, const Box &box, const Steps &steps,
          unsigned bytes) {
  return reachOf(side, box, steps) * bytes <= side.room;
}

Box drawBox(Random &random, unsigned bytes, uint64_t room) {
  Box box = {unsigned(random.in(1, 3)), unsigned(random.in(1, 80)),
             unsigned(random.in(1, 8)),
             unsigned(random.in(1, random.coin(4) ? 200 : 30))};
  if (random.coin(20)) // one long row
    box = {1, unsigned(random.in(1, 3)), 1, unsigned(random.in(200, 9000))};
  // Strides may take four times the elements, and a local row is padded.
  while (uint64_t(box.n) * box.c * box.h * std::max(box.w, 16u) * bytes * 4 >
         room) {
    unsigned *largest =
        std::max({&box.n, &box.c, &box.h, &box.w},
                 [](const unsigned *a, const unsigned *b) { return *a < *b; });
    *largest = (*largest + 1) / 2;
  }
  return box;
}

void setAddress(Command &c, bool source, uint64_t address) {
  bool swapped = isa::hasField(c.form, Field::src_start_addr_h32);
  Field low = source    ? swapped ? Field::src_start_addr_h32
                                  : Field::src_start_addr_l32
              : swapped ? Field::dst_start_addr_h32
                        : Field::dst_start_addr_l32,
        high = source    ? swapped ? Field::src_start_addr_l8
                                   : Field::src_start_addr_h8
               : swapped ? Field::dst_start_addr_l8
                         : Field::dst_start_addr_h8;
  c.set(low, address & 0xffffffff).set(high, address >> 32);
}

void setSource(Command &c, const Side &side, const Box &box,
               const Steps &steps) {
  setAddress(c, true, side.address);
  c.set(Field::src_nsize, box.n).set(Field::src_csize, box.c);
  c.set(Field::src_hsize, box.h).set(Field::src_wsize, box.w);
  if (c.get(Field::stride_enable))
    c.set(Field::src_nstride, steps.n)
        .set(Field::src_cstride, steps.c)
        .set(Field::src_hstride, steps.h)
        .set(Field::src_wstride, steps.w);
}

void setTarget(Command &c, const Side &side, const Box &box, const Steps &steps,
               bool withSizes) {
  setAddress(c, false, side.address);
  if (withSizes)
    c.set(Field::dst_nsize, box.n)
        .set(Field::dst_csize, box.c)
        .set(Field::dst_hsize, box.h)
        .set(Field::dst_wsize, box.w);
  if (c.get(Field::stride_enable))
    c.set(Field::dst_nstride, steps.n)
        .set(Field::dst_cstride, steps.c)
        .set(Field::dst_hstride, steps.h)
        .set(Field::dst_wstride, steps.w);
}

unsigned drawFormat(Command &c, Random &random, Field field) {
  // This chip's emulator has no decompression: the bit changes nothing.
  if (isa::hasField(c.form, Field::decompress_enable))
    c.set(Field::decompress_enable, random.coin(32));
  uint64_t format = uint64_t(random.in(0, 5));
  c.set(field, format);
  return isa::elementBytes(Precision(format));
}

void drawMask(Command &c, Random &random) {
  if (random.coin(5) && isa::hasField(c.form, Field::localmem_mask_l32))
    c.set(Field::localmem_mask_l32, random.bits())
        .set(Field::localmem_mask_h32, random.bits());
}

namespace {

Box swapNC(const Box &b) { return {b.c, b.n, b.h, b.w}; }
Box swapCW(const Box &b) { return {b.n, b.w, b.h, b.c}; }

/// The same number of elements in another shape.
Box reshaped(Random &random, const Box &b) {
  return random.pick({Box{b.n, b.c, b.w, b.h}, Box{b.c, b.n, b.h, b.w},
                      Box{1, b.n * b.c, b.h, b.w}, Box{b.n, b.c, b.h * b.w, 1},
                      Box{1, b.n, b.c, b.h * b.w}, Box{b.h, b.w, b.n, b.c}});
}

/// Tries strides until both sides fit; continuous ones always do.
void drawBothSteps(Command &c, Random &random, const Side &in, const Box &from,
                   const Side &out, const Box &to, unsigned bytes,
                   bool withSizes) {
  bool strided = !random.coin(4);
  Steps source = continuousSteps(in, from, bytes),
        target = continuousSteps(out, to, bytes);
  for (unsigned tries = 0; strided && tries < 4; ++tries) {
    Steps a = drawSteps(random, in, from, bytes, true),
          b = drawSteps(random, out, to, bytes, false);
    if (fits(in, from, a, bytes) && fits(out, to, b, bytes)) {
      source = a;
      target = b;
      break;
    }
  }
  c.set(Field::stride_enable, strided);
  setSource(c, in, from, source);
  setTarget(c, out, to, target, withSizes);
}

// The rules know no copies from or to static memory; the emulators do.
const std::initializer_list<Area> kEverywhere = {
    Area::Local,  Area::Global, Area::L2,    Area::Static, Area::Local,
    Area::Global, Area::L2,     Area::Local, Area::Global, Area::Local};

/// 0 copy, 1 N/C transpose, 2 collect, 4 distribute (both: C/W transpose), 3
/// broadcast, 5 and 6 copy and broadcast to four banks.
Command tensorCommand(Random &random, unsigned func) {
  bool broadcast = func == 3 || func == 6, banks = func >= 5,
       transposesCW = func == 2 || func == 4;
  Command c = gdmaCommand(Form::DMA_tensor, 0, func);
  unsigned bytes = drawFormat(c, random, Field::src_data_format);
  Side in = drawSide(random, true, kEverywhere),
       out = broadcast || banks ? drawSide(random, false, {Area::Local})
                                : drawSide(random, false, kEverywhere);
  if (banks) {
    out.address += 0x10000;
    out.room = 0x7000;
  }
  Box from = drawBox(random, bytes, std::min(in.room, out.room)), to = from;
  if (func == 1)
    to = swapNC(from);
  if (transposesCW)
    to = swapCW(from);
  if (broadcast) {
    to.c = std::min(to.c, 64 - out.lane());
    from.c = 1;
  }
  bool reshapes = (func == 0 || func == 5) && random.coin(3),
       sameSizes = !reshapes && !broadcast && random.coin();
  if (reshapes)
    to = reshaped(random, from);
  // Sizes of the result are read by copies without nchw_copy; broadcasts read
  // the channels.
  bool withSizes = func == 0 || func == 5 || broadcast || random.coin();
  c.set(Field::nchw_copy, sameSizes);
  drawBothSteps(c, random, in, from, out, to, bytes, withSizes || !sameSizes);
  drawMask(c, random);
  if ((func == 0 || func == 1 || func == 3) && random.coin(5))
    c.set(Field::fill_constant_en, 1).set(Field::constant_value, random.bits());
  return c;
}

Command cwCommand(Random &random) {
  Command c = gdmaCommand(Form::DMA_cw_transpose, 4, 0);
  unsigned bytes = drawFormat(c, random, Field::src_data_format);
  Side in = drawSide(random, true, kEverywhere),
       out = drawSide(random, false, kEverywhere);
  Box from = drawBox(random, bytes, std::min(in.room, out.room)),
      to = swapCW(from);
  bool ownSizes = random.coin(); // else default strides need them
  c.set(Field::nchw_copy, ownSizes);
  drawBothSteps(c, random, in, from, out, to, bytes,
                !ownSizes || random.coin());
  drawMask(c, random);
  return c;
}

/// A matrix h x w in flat memory, n rows of c channels of w in local memory.
struct MatrixDraw {
  unsigned rows, columns, localRows, channels, width;
  uint64_t rowStep, nStep, cStep;
};

MatrixDraw drawMatrix(Random &random, bool transposed, const Side &local,
                      unsigned bytes) {
  MatrixDraw m;
  m.rows = unsigned(random.in(1, 20));
  m.columns = unsigned(random.in(1, 90));
  if (random.coin(4))
    std::swap(m.rows, m.columns);
  m.localRows = transposed ? m.columns : m.rows;
  unsigned localColumns = transposed ? m.rows : m.columns;
  m.width = unsigned(random.in(1, int64_t(localColumns)));
  m.channels = (localColumns + m.width - 1) / m.width;
  m.rowStep = m.columns + uint64_t(random.coin() ? 0 : random.in(0, 7));
  uint64_t row = 64 / bytes;
  m.cStep = random.coin() ? (m.width + row - 1) / row * row
                          : m.width + uint64_t(random.in(0, 5));
  m.nStep = (local.lane() + m.channels + 63) / 64 * m.cStep +
            (random.coin() ? 0 : uint64_t(random.in(0, 5)));
  return m;
}

/// Where a command keeps the sizes of a matrix and of its local side.
struct MatrixFields {
  Field rows, columns, rowStep, localRows, channels, width, nStep, cStep;
};
constexpr MatrixFields kLoadedMatrix = {
    Field::src_hsize, Field::src_wsize, Field::src_hstride, Field::dst_nsize,
    Field::dst_csize, Field::dst_wsize, Field::dst_nstride, Field::dst_cstride};
constexpr MatrixFields kStoredMatrix = {
    Field::dst_hsize, Field::dst_wsize, Field::dst_hstride, Field::src_nsize,
    Field::src_csize, Field::src_wsize, Field::src_nstride, Field::src_cstride};
constexpr MatrixFields kShortMatrix = {
    Field::src_hsize_or_dst_hsize,     Field::src_wsize_or_dst_wsize,
    Field::src_hstride_or_dst_hstride, Field::dst_nsize_or_src_nsize,
    Field::dst_csize_or_src_csize,     Field::dst_wsize_or_src_wsize,
    Field::dst_nstride_or_src_nstride, Field::dst_cstride_or_src_cstride};

void setMatrix(Command &c, const MatrixDraw &m, const MatrixFields &fields) {
  c.set(fields.rows, m.rows)
      .set(fields.columns, m.columns)
      .set(fields.rowStep, m.rowStep)
      .set(fields.localRows, m.localRows)
      .set(fields.channels, m.channels)
      .set(fields.width, m.width)
      .set(fields.nStep, m.nStep)
      .set(fields.cStep, m.cStep);
}

Command matrixCommand(Random &random, unsigned func) {
  bool isLong = !random.coin(4);
  Command c =
      gdmaCommand(isLong ? Form::DMA_matrix : Form::sDMA_matrix, 1, func);
  unsigned bytes = drawFormat(c, random, Field::src_data_format);
  bool load = random.coin();
  Side in = drawSide(random, true, {load ? Area::Global : Area::Local}),
       out = drawSide(random, false, {load ? Area::Local : Area::Global});
  Side &flat = load ? in : out;
  if (random.coin(4)) {
    flat.address += kL2Base - kGlobalBase;
    flat.area = Area::L2;
  }
  MatrixDraw m = drawMatrix(random, func == 1, load ? out : in, bytes);
  c.set(Field::stride_enable, !random.coin(4));
  setAddress(c, true, in.address);
  setAddress(c, false, out.address);
  setMatrix(c, m,
            !isLong ? kShortMatrix
            : load  ? kLoadedMatrix
                    : kStoredMatrix);
  drawMask(c, random);
  return c;
}

Command generalCommand(Random &random, unsigned func) {
  Command c = gdmaCommand(
      random.coin(4) ? Form::sDMA_general : Form::DMA_general, 3, func);
  unsigned bytes = drawFormat(c, random, Field::src_data_format);
  Side in = drawSide(random, true, kEverywhere),
       out = func == 1 ? drawSide(random, false, {Area::Local})
                       : drawSide(random, false, kEverywhere);
  uint64_t most = std::min<uint64_t>(std::min(in.room, out.room) / bytes, 9000);
  setAddress(c, true, in.address);
  setAddress(c, false, out.address);
  c.set(Field::move_length, uint64_t(random.in(1, int64_t(most))));
  if (func == 1)
    c.set(Field::dst_csize, uint64_t(random.in(1, 64 - int64_t(out.lane()))));
  drawMask(c, random);
  if (random.coin(4))
    c.set(Field::fill_constant_en, 1).set(Field::constant_value, random.bits());
  return c;
}

Command systemCommand(Random &random, unsigned func) {
  return gdmaCommand(Form::sDMA_sys, 6, func)
      .set(Field::constant_value, random.bits());
}

} // namespace

void addGdmaKinds(std::vector<Kind> &kinds) {
  auto add = [&](const std::string &name, auto make) {
    kinds.push_back({name, Contents::Bytes, make});
  };
  const char *const tensors[] = {"copy",           "nc",         "collect",
                                 "broadcast",      "distribute", "4bank_copy",
                                 "4bank_broadcast"};
  for (unsigned func = 0; func < 7; ++func)
    add(std::string("dma_tensor_") + tensors[func],
        [=](Random &random) { return tensorCommand(random, func); });
  add("dma_cw_transpose", cwCommand);
  for (unsigned func : {0u, 1u}) {
    add(func ? "dma_matrix_transposed" : "dma_matrix",
        [=](Random &random) { return matrixCommand(random, func); });
    add(func ? "dma_general_broadcast" : "dma_general",
        [=](Random &random) { return generalCommand(random, func); });
    add(func ? "dma_sys_nop" : "dma_sys_end",
        [=](Random &random) { return systemCommand(random, func); });
  }
  addGdmaIndexKinds(kinds);
}

} // namespace weft::oracle
