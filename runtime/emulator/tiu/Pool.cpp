/// sPorD: pooling and depthwise convolution.
#include "runtime/emulator/FloatOrder.h"
#include "runtime/emulator/kernels/Pairs.h"
#include "runtime/emulator/kernels/Windows.h"
#include "runtime/emulator/tiu/Planes.h"
#include "runtime/numeric/Rounding.h"

#include <algorithm>

namespace weft::emulator::tiu {
namespace {

namespace pord = isa::pord;
using numeric::Rounding;

struct PoolCommand {
  Window window;
  unsigned func = 0;
  ElementKind input, kernel, result;
  LocalView inputView, kernelView, biasView, padView, resultView;
  bool kernelIsConstant = false, biasIsConstant = false, padIsConstant = false,
       rotates = false;
  uint32_t kernelBits = 0, biasBits = 0, padBits = 0, shiftBits = 0;
  Rounding rounding = Rounding::HalfToEven;

  bool isDepthwise() const {
    return func == pord::Depthwise || func == pord::DepthwiseRelu;
  }
};

Status readTypes(const Decoded &c, PoolCommand &pool) {
  pool.func = c.func;
  pool.input = {precisionOf(c, Field::opd0_prec), c.get(Field::opd0_sign) != 0};
  pool.kernel = {pool.input.precision, c.get(Field::opd1_sign) != 0};
  pool.result = {precisionOf(c, Field::res0_prec), pool.input.isSigned};
  Precision in = pool.input.precision, out = pool.result.precision;
  if (pool.func > pord::MaxPool || pool.func == 3)
    return unsupported(c, "regions of interest");
  if (!isKnown(in) || !isKnown(out) || in == Precision::Int16 ||
      in == Precision::Int32)
    return unsupported(c, "these element types");
  bool same = in == out;
  bool fits = pool.input.isFloat()         ? same
              : pool.func == pord::MaxPool ? same
                                           : !pool.result.isFloat();
  if (!fits)
    return unsupported(c, "a result of another type");
  if (pool.isDepthwise())
    pool.result.isSigned = pool.input.isSigned || pool.kernel.isSigned ||
                           c.get(Field::opd2_sign) != 0;
  unsigned rounding = get32(c, Field::opd2_n_str);
  if (rounding >= numeric::kRoundingModes)
    return failf(Code::BadCommand, "rounding code %u; the machine has 0 to 6",
                 rounding);
  pool.rounding = static_cast<Rounding>(rounding);
  return Status::ok();
}

Status readViews(const Machine &machine, const Decoded &c, PoolCommand &pool) {
  const Window &window = pool.window;
  Shape4 out = resultShape(c),
         in = {out.n, out.c, window.inputH, window.inputW};
  WEFT_TRY(viewLocal(machine, "operand 0", c.get(Field::opd0_addr),
                     pool.input.precision, in, Layout::Aligned,
                     pool.inputView));
  WEFT_TRY(viewLocal(machine, "result", c.get(Field::res0_addr),
                     pool.result.precision, out, Layout::Aligned,
                     pool.resultView));
  uint64_t positions = uint64_t(window.kernelH) * window.kernelW;
  uint64_t outputs = uint64_t(out.n) * out.c * window.pixels();
  if (positions > (1u << 20) || outputs > kMaxMacs / positions)
    return failf(
        Code::BadCommand,
        "a window of %llu for %llu outputs is more than the emulator takes",
        (unsigned long long)positions, (unsigned long long)outputs);
  pool.kernelIsConstant = c.get(Field::opd1_const);
  pool.biasIsConstant = c.get(Field::opd2_const);
  pool.padIsConstant = c.get(Field::opd3_const);
  pool.kernelBits = get32(c, Field::opd1_addr);
  pool.biasBits = get32(c, Field::opd2_addr);
  pool.padBits = get32(c, Field::opd3_addr);
  pool.shiftBits = get32(c, Field::res1_addr);
  pool.rotates = c.get(Field::kernel_rotate);
  if (pool.isDepthwise() && !pool.kernelIsConstant)
    WEFT_TRY(viewLocal(machine, "operand 1", pool.kernelBits,
                       pool.input.precision,
                       {1, out.c, window.kernelH, window.kernelW},
                       Layout::Compact, pool.kernelView));
  if (pool.isDepthwise() && !pool.biasIsConstant)
    WEFT_TRY(viewLocal(machine, "operand 2", pool.biasBits,
                       pool.input.isFloat() ? pool.input.precision
                                            : Precision::Int32,
                       {1, out.c, 1, 1}, Layout::Compact, pool.biasView));
  if (!pool.padIsConstant)
    WEFT_TRY(viewLocal(machine, "operand 3", pool.padBits, pool.input.precision,
                       {1, out.c, 1, 2}, Layout::Compact, pool.padView));
  return Status::ok();
}

const uint8_t *bytesOf(const uint32_t &bits) {
  return reinterpret_cast<const uint8_t *>(&bits);
}

/// Buffers of a worker for one channel after the other.
template <class T>
struct ChannelRoom {
  int64_t *wide; ///< integers only
  T *input, *planes, *sums, *kernel;

  ChannelRoom(const PoolCommand &pool, const PlaneLayout &layout,
              uint8_t *scratch) {
    wide = reinterpret_cast<int64_t *>(scratch);
    planes = reinterpret_cast<T *>(wide + wideSums(layout));
    sums = planes + layout.samples(1);
    kernel = sums + roundUpLanes(layout.lanes());
    input = kernel + pool.window.positions();
  }
  static size_t bytes(const PoolCommand &pool, const PlaneLayout &layout) {
    return wideSums(layout) * sizeof(int64_t) +
           sizeof(T) * (layout.samples(1) + roundUpLanes(layout.lanes()) +
                        pool.window.positions() + pool.window.padSlot());
  }

private:
  static size_t wideSums(const PlaneLayout &layout) {
    return std::is_same<T, float>::value ? 0 : roundUpLanes(layout.lanes());
  }
};

/// Bits of a pad, or insert, value in the input's type.
uint32_t padBitsOf(const PoolCommand &pool, uint32_t ch, bool inserted) {
  if (pool.padIsConstant)
    return inserted ? 0 : pool.padBits;
  uint32_t bits = 0;
  std::memcpy(&bits,
              pool.padView.at(0, ch) + (inserted ? pool.padView.bytes : 0),
              pool.padView.bytes);
  return bits;
}

/// Loads the planes of one channel. read(address, step, to, count) and
/// number(bits) give the elements.
template <class T, class Read, class Number>
void loadPlanes(const PoolCommand &pool, const PlaneLayout &layout, uint32_t n,
                uint32_t ch, const ChannelRoom<T> &room, Read read,
                Number number) {
  const LocalView &view = pool.inputView;
  T *to = layout.isInput() ? room.planes : room.input;
  read(view.at(n, ch), to, pool.window.padSlot());
  if (!layout.isInput())
    layout.fill(room.input, number(padBitsOf(pool, ch, false)),
                number(padBitsOf(pool, ch, true)), room.planes);
}

template <class T>
WindowTerms<T> termsOf(const PlaneLayout &layout, const ChannelRoom<T> &room) {
  WindowTerms<T> terms;
  terms.vectors = room.planes;
  terms.offsets = layout.positionOffsets().data();
  terms.terms = layout.positionOffsets().size();
  terms.lanes = roundUpLanes(layout.lanes());
  return terms;
}

/// The search starts at the lowest finite number. fp32 terms lose their
/// subnormals, 16-bit ones keep them.
void largestTerms(Precision precision, const WindowTerms<float> &terms,
                  float *out) {
  float lowest = precision == Precision::Fp16 ? numeric::halfToFloat(0xfbff)
                 : precision == Precision::Bf16
                     ? numeric::bf16ToFloat(0xff7f)
                     : numeric::floatFromBits(0xff7fffff);
  largestFloats(terms, lowest, out);
  if (precision != Precision::Fp32)
    return;
  for (size_t f = 0; f < terms.lanes; ++f) {
    uint32_t bits = numeric::floatBits(out[f]);
    if ((bits & 0x7f800000u) == 0)
      out[f] = numeric::floatFromBits(bits & 0x80000000u);
  }
}

/// Average pooling has no bias and starts from -0; depthwise sums start from
/// the bias and +0. Average pooling adds the accumulators in their order,
/// depthwise convolution in the other one, which only a NaN can tell.
void sumTerms(const PoolCommand &pool, const WindowTerms<float> &terms,
              const float *kernel, float bias, float *out) {
  bool averages = !pool.isDepthwise();
  float even = averages ? -0.0f : 0.0f;
  std::fill_n(out, terms.lanes, averages ? -0.0f : bias);
  if (pool.input.precision != Precision::Fp32)
    return roundedProducts(terms, kernel, pool.input.precision, even, out);
  FloatProducts task;
  task.oddIsFirst = !averages;
  task.rows = &kernel;
  task.rowCount = 1;
  task.vectors = terms.vectors;
  task.offsets = terms.offsets;
  task.terms = terms.terms;
  task.sums = &out;
  task.evenStart = even;
  task.lanes = terms.lanes;
  floatProducts(task);
}

void floatKernel(const PoolCommand &pool, uint32_t ch, float *kernel,
                 float &bias) {
  size_t positions = pool.window.positions();
  Precision precision = pool.input.precision;
  bias = 0;
  if (!pool.isDepthwise() || pool.kernelIsConstant)
    std::fill_n(kernel, positions, floatConstant(pool.kernelBits, precision));
  else
    loadFloats(pool.kernelView.at(0, ch), pool.kernelView.bytes, precision,
               kernel, unsigned(positions));
  if (pool.isDepthwise())
    loadFloats(pool.biasIsConstant ? bytesOf(pool.biasBits)
                                   : pool.biasView.at(0, ch),
               0, precision, &bias, 1);
  if (pool.rotates)
    std::reverse(kernel, kernel + positions);
}

/// Function 2 clips integers only; floats keep their sign.
void floatChannel(const PoolCommand &pool, const PlaneLayout &layout,
                  uint32_t n, uint32_t ch, uint8_t *scratch) {
  Precision precision = pool.input.precision;
  ChannelRoom<float> room(pool, layout, scratch);
  loadPlanes(
      pool, layout, n, ch, room,
      [&](const uint8_t *from, float *to, uint32_t count) {
        loadFloats(from, pool.inputView.bytes, precision, to, count);
      },
      [&](uint32_t bits) { return floatConstant(bits, precision); });
  WindowTerms<float> terms = termsOf(layout, room);
  unsigned bytes = pool.resultView.bytes;
  uint8_t *to = pool.resultView.at(n, ch);
  if (pool.func == pord::MaxPool) {
    largestTerms(precision, terms, room.sums);
    auto [pixel, count] = layout.gatherPixels(room.sums, 0, layout.lanes());
    return storeChosen(to + size_t(pixel) * bytes, bytes, precision, room.sums,
                       count);
  }
  float bias;
  floatKernel(pool, ch, room.kernel, bias);
  sumTerms(pool, terms, room.kernel, bias, room.sums);
  auto [pixel, count] = layout.gatherPixels(room.sums, 0, layout.lanes());
  storeFloats(to + size_t(pixel) * bytes, bytes, precision, room.sums, count);
}

/// From the exact sum to the stored integer.
int64_t finishInteger(const PoolCommand &pool, int64_t sum, int64_t bias) {
  ElementKind kind = pool.result;
  if (pool.func == pord::AvgPool) {
    sum =
        numeric::shiftRightRounded(sum, pool.biasBits & 0x1f, Rounding::HalfUp);
    return numeric::saturate(sum, kind.bits(), kind.isSigned);
  }
  sum += bias;
  unsigned shift = (pool.shiftBits >> 8) & 0x1f;
  if (kind.precision != Precision::Int32)
    sum = numeric::shiftRightRounded(sum, shift, pool.rounding);
  if (pool.func == pord::DepthwiseRelu) {
    sum = sum < 0 ? 0 : sum;
    kind.isSigned = false;
  }
  return numeric::saturate(sum, kind.bits(), kind.isSigned);
}

/// The kernel of a channel as pairs with zero; its bias.
int64_t integerKernel(const PoolCommand &pool, uint32_t ch, int32_t *kernel) {
  size_t positions = pool.window.positions();
  if (pool.func == pord::AvgPool)
    std::fill_n(kernel, positions, int32_t(pool.kernelBits & 0xff));
  else if (pool.kernelIsConstant)
    std::fill_n(
        kernel, positions,
        pairOf(int32_t(integerConstant(pool.kernelBits, pool.kernel)), 0));
  else
    pairBytes(pool.kernelView.at(0, ch), nullptr, 1, pool.kernel.isSigned,
              kernel, positions);
  if (pool.rotates)
    std::reverse(kernel, kernel + positions);
  if (!pool.isDepthwise())
    return 0;
  return pool.biasIsConstant ? int32_t(pool.biasBits)
                             : loadAs<int32_t>(pool.biasView.at(0, ch));
}

/// Exact sums of all lanes in room.wide.
void sumIntegers(const WindowTerms<int32_t> &terms,
                 const ChannelRoom<int32_t> &room) {
  // Sums of 32 bits hold 2^15 products of bytes; more go in parts.
  constexpr size_t part = size_t(1) << 15;
  Segment segments[64];
  PairProducts task;
  const int32_t *row = room.kernel;
  int32_t *sums = room.sums;
  task.rows = &row;
  task.rowCount = 1;
  task.vectors = terms.vectors;
  task.segments = segments;
  task.sums = &sums;
  task.lanes = terms.lanes;
  std::fill_n(room.wide, terms.lanes, 0);
  for (size_t begin = 0; begin < terms.terms; begin += part) {
    size_t end = std::min(begin + part, terms.terms);
    std::fill_n(sums, terms.lanes, 0);
    for (size_t k = begin; k < end;) {
      task.segmentCount = 0;
      for (; k < end && task.segmentCount < 64; ++k)
        segments[task.segmentCount++] = {uint32_t(k), terms.offsets[k], 1};
      pairProducts(task);
    }
    for (size_t f = 0; f < terms.lanes; ++f)
      room.wide[f] += sums[f];
  }
}

void integerChannel(const PoolCommand &pool, const PlaneLayout &layout,
                    uint32_t n, uint32_t ch, uint8_t *scratch) {
  ChannelRoom<int32_t> room(pool, layout, scratch);
  bool isMax = pool.func == pord::MaxPool, isSigned = pool.input.isSigned;
  ElementKind byte = {Precision::Int8, isSigned};
  // The maximum compares whole numbers; products take pairs with zero.
  loadPlanes(
      pool, layout, n, ch, room,
      [&](const uint8_t *from, int32_t *to, uint32_t count) {
        pairBytes(from, nullptr, 1, isSigned, to, count);
        for (uint32_t i = 0; i < count && isMax; ++i)
          to[i] = static_cast<int16_t>(to[i]);
      },
      [&](uint32_t bits) {
        int32_t value = int32_t(integerConstant(bits, byte));
        return isMax ? value : pairOf(value, 0);
      });
  WindowTerms<int32_t> terms = termsOf(layout, room);
  int64_t bias = 0;
  if (isMax) {
    largestIntegers(terms, room.sums);
    std::copy_n(room.sums, terms.lanes, room.wide);
  } else {
    bias = integerKernel(pool, ch, room.kernel);
    sumIntegers(terms, room);
  }
  auto [pixel, count] = layout.gatherPixels(room.wide, 0, layout.lanes());
  for (uint32_t i = 0; i < count && !isMax; ++i)
    room.wide[i] = finishInteger(pool, room.wide[i], bias);
  unsigned bytes = pool.resultView.bytes;
  storeIntegers(pool.resultView.at(n, ch) + size_t(pixel) * bytes, bytes,
                pool.result.precision, room.wide, count);
}

} // namespace

Status poolOrDepthwise(Machine &machine, const Decoded &c) {
  PoolCommand pool;
  WEFT_TRY(readTypes(c, pool));
  WEFT_TRY(readWindow(c, pool.window));
  WEFT_TRY(readViews(machine, c, pool));
  Shape4 shape = pool.resultView.shape;
  PlaneLayout layout;
  WEFT_TRY(layout.make(pool.window, 1));
  bool isFloat = pool.input.isFloat();
  Workers &workers = machine.workers();
  workers.reserveScratch(isFloat ? ChannelRoom<float>::bytes(pool, layout)
                                 : ChannelRoom<int32_t>::bytes(pool, layout));
  size_t planes = size_t(shape.n) * shape.c;
  double cost = double(planes) * double(layout.lanes()) *
                (3 + pool.window.positions() / 4);
  workers.forEach(planes, cost, [&](size_t item, unsigned worker) {
    uint32_t n = uint32_t(item / shape.c), ch = uint32_t(item % shape.c);
    (isFloat ? floatChannel : integerChannel)(pool, layout, n, ch,
                                              workers.scratch(worker));
  });
  return Status::ok();
}

} // namespace weft::emulator::tiu
