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
    return func == pord::Depthwise || func == pord::DepthwiseRelu ||
           func == pord::RoiDepthwise;
  }
  bool isAverage() const {
    return func == pord::AvgPool || func == pord::RoiAvgPool;
  }
  bool isMax() const {
    return func == pord::MaxPool || func == pord::RoiMaxPool;
  }
  /// One region of interest a result column, instead of a sliding window.
  bool hasRegions() const { return func >= pord::RoiDepthwise; }
};

/// The samples of a kernel window that lies at (h0, w0) and takes rows and
/// columns up to h1 and w1; the exception value stands for the others.
struct Region {
  uint16_t w0, h0, w1, h1;
};
static_assert(sizeof(Region) == 8, "four 16-bit numbers in local memory");

Status readTypes(const Decoded &c, PoolCommand &pool) {
  pool.func = c.func;
  pool.input = {precisionOf(c, Field::opd0_prec), c.get(Field::opd0_sign) != 0};
  pool.kernel = {pool.input.precision, c.get(Field::opd1_sign) != 0};
  pool.result = {precisionOf(c, Field::res0_prec), pool.input.isSigned};
  Precision in = pool.input.precision, out = pool.result.precision;
  if (pool.hasRegions() && !c.get(Field::opd2_const))
    return unsupported(c, "an exception value that is not a constant");
  if (!isKnown(in) || !isKnown(out) || in == Precision::Int16 ||
      in == Precision::Int32)
    return unsupported(c, "these element types");
  bool same = in == out;
  bool fits = pool.input.isFloat() || pool.func == pord::MaxPool
                  ? same
                  : !pool.result.isFloat();
  if (!fits)
    return unsupported(c, "a result of another type");
  if (pool.isDepthwise())
    pool.result.isSigned = pool.input.isSigned || pool.kernel.isSigned ||
                           (c.get(Field::opd2_sign) != 0 && !pool.hasRegions());
  unsigned rounding = get32(c, Field::opd2_n_str);
  if (rounding >= numeric::kRoundingModes)
    return failf(Code::BadCommand, "rounding code %u; the machine has 0 to 6",
                 rounding);
  pool.rounding = static_cast<Rounding>(rounding);
  return Status::ok();
}

/// Regions have neither padding nor strides: the fields of a window but for the
/// sizes have no meaning.
Status readRegionWindow(const Decoded &c, Window &window) {
  readWindowSizes(c, window);
  if (window.inputH == 0 || window.inputW == 0 || window.kernelH == 0 ||
      window.kernelW == 0 || window.outputW == 0)
    return failf(Code::BadCommand,
                 "regions: input %u x %u, window %u x %u, %u results; none may "
                 "be 0",
                 window.inputH, window.inputW, window.kernelH, window.kernelW,
                 window.outputW);
  if (window.outputH != 1)
    return failf(Code::BadCommand, "regions: %u rows of results instead of 1",
                 window.outputH);
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
  pool.rotates = c.get(Field::kernel_rotate) && !pool.hasRegions();
  if (pool.isDepthwise() && !pool.kernelIsConstant)
    WEFT_TRY(viewLocal(machine, "operand 1", pool.kernelBits,
                       pool.input.precision,
                       {1, out.c, window.kernelH, window.kernelW},
                       Layout::Compact, pool.kernelView));
  if (pool.hasRegions())
    return Status::ok(); // operands 2 and 3 are not bias and padding
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

/// Where the samples of an output lie.
class PoolPlan {
public:
  Status make(const Machine &machine, const Decoded &c,
              const PoolCommand &pool);

  size_t lanes() const {
    return regions.empty() ? layout.lanes() : regions.size();
  }
  /// Samples of a channel and the room behind them.
  size_t samples() const {
    return regions.empty() ? layout.samples(1)
                           : offsets.size() * roundUpLanes(lanes());
  }
  const std::vector<uint32_t> &positionOffsets() const {
    return regions.empty() ? layout.positionOffsets() : offsets;
  }
  template <class T>
  std::pair<uint32_t, uint32_t> gatherPixels(T *sums) const {
    if (regions.empty())
      return layout.gatherPixels(sums, 0, layout.lanes());
    return {0, uint32_t(regions.size())};
  }

  PlaneLayout layout;          ///< of sliding windows
  std::vector<Region> regions; ///< or of regions, one an output

private:
  std::vector<uint32_t> offsets;
};

Status PoolPlan::make(const Machine &machine, const Decoded &c,
                      const PoolCommand &pool) {
  if (!pool.hasRegions())
    return layout.make(pool.window, 1);
  const Window &window = pool.window;
  const LocalView &input = pool.inputView;
  LocalView view;
  WEFT_TRY(viewLocal(machine, "operand 3", c.get(Field::opd3_addr), 2,
                     {1, window.outputW, 1, 4}, {0, 4, 0, 1}, view));
  uint32_t rows = input.lanes.rows(input.lane0, input.shape.c);
  uint64_t room =
      (input.lanes.bytes - input.offset - (input.shape.n - 1) * input.stride.n -
       (rows - 1) * input.stride.c) /
      input.bytes;
  for (uint32_t i = 0; i < window.outputW; ++i) {
    Region r = loadAs<Region>(view.at(0, i));
    uint64_t lastH = std::min<uint64_t>(r.h1, r.h0 + window.kernelH - 1),
             lastW = std::min<uint64_t>(r.w1, r.w0 + window.kernelW - 1);
    bool isEmpty = r.h1 < r.h0 || r.w1 < r.w0;
    if (!isEmpty && lastH * window.inputW + lastW >= room)
      return failf(Code::BadCommand,
                   "region %u (rows %u to %u, columns %u to %u) leaves local "
                   "memory; the input has %u rows and %u columns",
                   i, r.h0, r.h1, r.w0, r.w1, window.inputH, window.inputW);
    regions.push_back(r);
  }
  for (uint32_t p = 0; p < window.positions(); ++p)
    offsets.push_back(uint32_t(p * roundUpLanes(lanes())));
  return Status::ok();
}

/// Buffers of a worker for one channel after the other.
template <class T>
struct ChannelRoom {
  int64_t *wide; ///< integers only
  T *input, *planes, *sums, *kernel;

  ChannelRoom(const PoolCommand &pool, const PoolPlan &layout,
              uint8_t *scratch) {
    wide = reinterpret_cast<int64_t *>(scratch);
    planes = reinterpret_cast<T *>(wide + wideSums(layout));
    sums = planes + layout.samples();
    kernel = sums + roundUpLanes(layout.lanes());
    input = kernel + pool.window.positions();
  }
  static size_t bytes(const PoolCommand &pool, const PoolPlan &layout) {
    return wideSums(layout) * sizeof(int64_t) +
           sizeof(T) * (layout.samples() + roundUpLanes(layout.lanes()) +
                        pool.window.positions() + pool.window.samples());
  }

private:
  static size_t wideSums(const PoolPlan &layout) {
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

/// The samples of all regions in one channel.
template <class T, class Read>
void loadRegions(const PoolCommand &pool, const PoolPlan &plan,
                 const uint8_t *plane, T exception, T *to, Read read) {
  const Window &window = pool.window;
  std::fill_n(to, plan.samples(), exception);
  for (size_t i = 0; i < plan.regions.size(); ++i) {
    const Region &r = plan.regions[i];
    for (uint32_t kh = 0; kh < window.kernelH && r.h0 + kh <= r.h1; ++kh)
      for (uint32_t kw = 0; kw < window.kernelW && r.w0 + kw <= r.w1; ++kw) {
        size_t at = size_t(r.h0 + kh) * window.inputW + r.w0 + kw;
        read(plane + at * pool.inputView.bytes,
             to + plan.positionOffsets()[kh * window.kernelW + kw] + i, 1);
      }
  }
}

/// Loads the planes of one channel. read(address, to, count) and number(bits)
/// give the elements.
template <class T, class Read, class Number>
void loadPlanes(const PoolCommand &pool, const PoolPlan &plan, uint32_t n,
                uint32_t ch, const ChannelRoom<T> &room, Read read,
                Number number) {
  const LocalView &view = pool.inputView;
  if (pool.hasRegions())
    return loadRegions(pool, plan, view.at(n, ch), number(pool.biasBits),
                       room.planes, read);
  const PlaneLayout &layout = plan.layout;
  T *to = layout.isInput() ? room.planes : room.input;
  read(view.at(n, ch), to, pool.window.samples());
  if (!layout.isInput())
    layout.fill(room.input, number(padBitsOf(pool, ch, false)),
                number(padBitsOf(pool, ch, true)), room.planes);
}

template <class T>
WindowTerms<T> termsOf(const PoolPlan &layout, const ChannelRoom<T> &room) {
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
/// the bias and +0. Depthwise convolution by sliding windows adds the
/// accumulators in the reverse order, which only a NaN can tell.
void sumTerms(const PoolCommand &pool, const WindowTerms<float> &terms,
              const float *kernel, float bias, float *out) {
  bool averages = pool.isAverage();
  float even = averages ? -0.0f : 0.0f;
  std::fill_n(out, terms.lanes, averages ? -0.0f : bias);
  if (pool.input.precision != Precision::Fp32)
    return roundedProducts(terms, kernel, pool.input.precision, even, out);
  FloatProducts task;
  task.oddIsFirst = !averages && !pool.hasRegions();
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
  if (pool.isDepthwise() && !pool.hasRegions())
    loadFloats(pool.biasIsConstant ? bytesOf(pool.biasBits)
                                   : pool.biasView.at(0, ch),
               0, precision, &bias, 1);
  if (pool.rotates)
    std::reverse(kernel, kernel + positions);
}

/// Function 2 clips integers only; floats keep their sign.
void floatChannel(const PoolCommand &pool, const PoolPlan &layout, uint32_t n,
                  uint32_t ch, uint8_t *scratch) {
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
  if (pool.isMax()) {
    largestTerms(precision, terms, room.sums);
    auto [pixel, count] = layout.gatherPixels(room.sums);
    return storeChosen(to + size_t(pixel) * bytes, bytes, precision, room.sums,
                       count);
  }
  float bias;
  floatKernel(pool, ch, room.kernel, bias);
  sumTerms(pool, terms, room.kernel, bias, room.sums);
  auto [pixel, count] = layout.gatherPixels(room.sums);
  storeFloats(to + size_t(pixel) * bytes, bytes, precision, room.sums, count);
}

/// From the exact sum, and a bias or 0, to the stored integer.
int64_t finishInteger(const PoolCommand &pool, int64_t sum, int64_t bias) {
  ElementKind kind = pool.result;
  uint32_t total = uint32_t(sum + bias); // wraps
  sum = kind.isSigned ? int64_t(int32_t(total)) : int64_t(total);
  if (pool.hasRegions()) // only bytes saturate
    return kind.bits() == 8 ? numeric::saturate(sum, 8, kind.isSigned) : sum;
  if (pool.func == pord::AvgPool) {
    sum =
        numeric::shiftRightRounded(sum, pool.biasBits & 0x1f, Rounding::HalfUp);
    return numeric::saturate(sum, kind.bits(), kind.isSigned);
  }
  unsigned shift = (pool.shiftBits >> 8) & 0x1f;
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
  if (pool.isAverage())
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
  if (!pool.isDepthwise() || pool.hasRegions())
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

void integerChannel(const PoolCommand &pool, const PoolPlan &layout, uint32_t n,
                    uint32_t ch, uint8_t *scratch) {
  ChannelRoom<int32_t> room(pool, layout, scratch);
  bool isMax = pool.isMax(), isSigned = pool.input.isSigned;
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
  auto [pixel, count] = layout.gatherPixels(room.wide);
  for (uint32_t i = 0; i < count && !isMax; ++i)
    room.wide[i] = finishInteger(pool, room.wide[i], bias);
  unsigned bytes = pool.resultView.bytes;
  storeIntegers(pool.resultView.at(n, ch) + size_t(pixel) * bytes, bytes,
                pool.result.precision, room.wide, count);
}

class PoolKernel final : public Kernel {
public:
  explicit PoolKernel(const Decoded &command) : command(command) {}

  Status prepare(Machine &machine) {
    WEFT_TRY(readTypes(command, pool));
    WEFT_TRY(pool.hasRegions() ? readRegionWindow(command, pool.window)
                               : readWindow(command, pool.window));
    WEFT_TRY(readViews(machine, command, pool));
    return pool.hasRegions() ? Status::ok() : plan.make(machine, command, pool);
  }

  Status run(Machine &machine) override {
    if (pool.hasRegions()) { // they lie in memory
      plan = PoolPlan();
      WEFT_TRY(plan.make(machine, command, pool));
    }
    Shape4 shape = pool.resultView.shape;
    bool isFloat = pool.input.isFloat();
    Workers &workers = machine.workers();
    workers.reserveScratch(isFloat ? ChannelRoom<float>::bytes(pool, plan)
                                   : ChannelRoom<int32_t>::bytes(pool, plan));
    size_t planes = size_t(shape.n) * shape.c;
    double cost = double(planes) * double(plan.lanes()) *
                  (3 + pool.window.positions() / 4);
    workers.forEach(planes, cost, [&](size_t item, unsigned worker) {
      uint32_t n = uint32_t(item / shape.c), ch = uint32_t(item % shape.c);
      (isFloat ? floatChannel : integerChannel)(pool, plan, n, ch,
                                                workers.scratch(worker));
    });
    return Status::ok();
  }

private:
  Decoded command;
  PoolCommand pool;
  PoolPlan plan;
};

} // namespace

Status preparePool(Machine &machine, const Decoded &command,
                   KernelPtr &kernel) {
  return prepareAs<PoolKernel>(machine, command, kernel);
}

} // namespace weft::emulator::tiu
