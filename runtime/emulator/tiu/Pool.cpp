/// sPorD: pooling and depthwise convolution.
#include "runtime/emulator/DotKernels.h"
#include "runtime/emulator/FloatOrder.h"
#include "runtime/emulator/tiu/Window.h"
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

/// Input plane of a channel with its pad and insert values behind it.
template <class T, class Read>
void loadPlane(const PoolCommand &pool, uint32_t n, uint32_t ch,
               std::vector<T> &plane, Read read) {
  const LocalView &view = pool.inputView;
  uint32_t samples = pool.window.padSlot();
  plane.resize(size_t(samples) + 2);
  read(view.at(n, ch), view.bytes, plane.data(), samples);
  static const uint32_t zero = 0;
  const uint8_t *pad =
      pool.padIsConstant ? bytesOf(pool.padBits) : pool.padView.at(0, ch);
  read(pad, 0, plane.data() + samples, 1);
  const uint8_t *insert = pool.padIsConstant ? bytesOf(zero) : pad + view.bytes;
  read(insert, 0, plane.data() + samples + 1, 1);
}

/// terms[k * kVector + j] = input of output pixel first + j at kernel position
/// k.
template <class T>
void gatherTerms(const Window &window, const std::vector<T> &plane,
                 uint32_t first, unsigned count, std::vector<T> &terms) {
  uint32_t index[kVector];
  for (uint32_t kh = 0; kh < window.kernelH; ++kh)
    for (uint32_t kw = 0; kw < window.kernelW; ++kw) {
      window.indices(first, count, kh, kw, index);
      T *to = terms.data() + (size_t(kh) * window.kernelW + kw) * kVector;
      for (unsigned j = 0; j < count; ++j)
        to[j] = plane[index[j]];
    }
}

/// Half-precision sums: two accumulators, every product and every sum rounded.
void dotRounded(Precision precision, const float *scalars, const float *vectors,
                size_t terms, float *first, float *second) {
  float product[kVector];
  for (size_t k = 0; k < terms; ++k) {
    float *sum = k & 1 ? second : first;
    for (unsigned j = 0; j < kVector; ++j)
      product[j] = scalars[k] * vectors[k * kVector + j];
    roundFloats(precision, product, kVector);
    for (unsigned j = 0; j < kVector; ++j)
      sum[j] = sum[j] + product[j];
    roundFloats(precision, sum, kVector);
  }
}

/// The search starts at the lowest finite number, and a term replaces what it
/// is not less than: the last of equal zeros wins, a NaN stays until the next
/// term. fp32 terms lose their subnormals, 16-bit ones keep them.
void maxTerms(Precision precision, const float *vectors, size_t terms,
              float *out) {
  float lowest = precision == Precision::Fp16 ? numeric::halfToFloat(0xfbff)
                 : precision == Precision::Bf16
                     ? numeric::bf16ToFloat(0xff7f)
                     : numeric::floatFromBits(0xff7fffff);
  for (unsigned j = 0; j < kVector; ++j)
    out[j] = lowest;
  // Masks, because a maximum instruction would flush subnormals.
  for (size_t k = 0; k < terms; ++k)
    for (unsigned j = 0; j < kVector; ++j) {
      float term = vectors[k * kVector + j];
      uint32_t old = numeric::floatBits(out[j]), now = numeric::floatBits(term);
      uint32_t keeps = out[j] > term ? ~uint32_t(0) : 0;
      out[j] = numeric::floatFromBits((old & keeps) | (now & ~keeps));
    }
  if (precision != Precision::Fp32)
    return;
  for (unsigned j = 0; j < kVector; ++j) {
    uint32_t bits = numeric::floatBits(out[j]);
    if ((bits & 0x7f800000u) == 0)
      out[j] = numeric::floatFromBits(bits & 0x80000000u);
  }
}

void floatKernel(const PoolCommand &pool, uint32_t ch,
                 std::vector<float> &kernel, float &bias) {
  size_t positions = kernel.size();
  Precision precision = pool.input.precision;
  bias = 0;
  if (!pool.isDepthwise() || pool.kernelIsConstant)
    std::fill(kernel.begin(), kernel.end(),
              floatConstant(pool.kernelBits, precision));
  else
    loadFloats(pool.kernelView.at(0, ch), pool.kernelView.bytes, precision,
               kernel.data(), unsigned(positions));
  if (pool.isDepthwise())
    loadFloats(pool.biasIsConstant ? bytesOf(pool.biasBits)
                                   : pool.biasView.at(0, ch),
               0, precision, &bias, 1);
  if (pool.rotates)
    std::reverse(kernel.begin(), kernel.end());
}

/// Average pooling has no bias and starts from -0; depthwise sums start from
/// the bias and +0. Average pooling adds the accumulators in their order,
/// depthwise convolution in the other one, which only a NaN can tell.
void sumTerms(const PoolCommand &pool, const std::vector<float> &kernel,
              const float *terms, float bias, float *out) {
  Precision precision = pool.input.precision;
  bool averages = !pool.isDepthwise();
  float even[kVector], odd[kVector];
  std::fill(even, even + kVector, averages ? -0.0f : 0.0f);
  std::fill(odd, odd + kVector, averages ? -0.0f : bias);
  if (precision == Precision::Fp32)
    dotFloat(kernel.data(), terms, kernel.size(), even, odd);
  else
    dotRounded(precision, kernel.data(), terms, kernel.size(), even, odd);
  for (unsigned j = 0; j < kVector; ++j) {
    out[j] = even[j] + odd[j];
    if (!isNaN(out[j]) || precision != Precision::Fp32)
      continue;
    TwoSums sums;
    if (!averages)
      sums.odd = bias;
    sums.add(terms + j, kVector, kernel.data(), 1, kernel.size());
    out[j] = averages ? addOrdered(sums.even, sums.odd)
                      : addOrdered(sums.odd, sums.even);
  }
}

/// Function 2 clips integers only; floats keep their sign.
void floatChannel(const PoolCommand &pool, uint32_t n, uint32_t ch,
                  std::vector<float> &plane, std::vector<float> &terms,
                  std::vector<float> &kernel) {
  Precision precision = pool.input.precision;
  loadPlane(pool, n, ch, plane,
            [&](const uint8_t *from, uint64_t step, float *to, uint32_t count) {
              loadFloats(from, step, precision, to, count);
            });
  float bias;
  floatKernel(pool, ch, kernel, bias);
  float first[kVector];
  uint32_t pixels = pool.window.pixels();
  unsigned bytes = pool.resultView.bytes;
  for (uint32_t begin = 0; begin < pixels; begin += kVector) {
    unsigned count = std::min<uint32_t>(kVector, pixels - begin);
    gatherTerms(pool.window, plane, begin, count, terms);
    uint8_t *to = pool.resultView.at(n, ch) + size_t(begin) * bytes;
    if (pool.func == pord::MaxPool) {
      maxTerms(precision, terms.data(), kernel.size(), first);
      storeChosen(to, bytes, precision, first, count);
    } else {
      sumTerms(pool, kernel, terms.data(), bias, first);
      storeFloats(to, bytes, precision, first, count);
    }
  }
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

void integerChannel(const PoolCommand &pool, uint32_t n, uint32_t ch,
                    std::vector<int16_t> &plane, std::vector<int16_t> &terms,
                    std::vector<int16_t> &kernel) {
  auto read = [](ElementKind kind) {
    return [kind](const uint8_t *from, uint64_t step, int16_t *to,
                  uint32_t count) {
      for (uint32_t i = 0; i < count; ++i)
        to[i] = kind.isSigned ? int16_t(static_cast<int8_t>(from[i * step]))
                              : int16_t(from[i * step]);
    };
  };
  loadPlane(pool, n, ch, plane, read(pool.input));
  int64_t bias = 0;
  if (pool.func == pord::AvgPool)
    std::fill(kernel.begin(), kernel.end(), int16_t(pool.kernelBits & 0xff));
  else if (pool.isDepthwise() && pool.kernelIsConstant)
    std::fill(kernel.begin(), kernel.end(),
              int16_t(integerConstant(pool.kernelBits, pool.kernel)));
  else if (pool.isDepthwise())
    read(pool.kernel)(pool.kernelView.at(0, ch), 1, kernel.data(),
                      uint32_t(kernel.size()));
  if (pool.isDepthwise())
    bias = pool.biasIsConstant ? int32_t(pool.biasBits)
                               : loadAs<int32_t>(pool.biasView.at(0, ch));
  if (pool.rotates)
    std::reverse(kernel.begin(), kernel.end());
  uint32_t pixels = pool.window.pixels();
  unsigned bytes = pool.resultView.bytes;
  int64_t sums[kVector];
  for (uint32_t begin = 0; begin < pixels; begin += kVector) {
    unsigned count = std::min<uint32_t>(kVector, pixels - begin);
    gatherTerms(pool.window, plane, begin, count, terms);
    if (pool.func == pord::MaxPool) {
      for (unsigned j = 0; j < count; ++j) {
        int16_t largest = terms[j];
        for (size_t k = 1; k < kernel.size(); ++k)
          largest = std::max(largest, terms[k * kVector + j]);
        sums[j] = largest;
      }
    } else {
      std::fill(sums, sums + kVector, 0);
      dotInteger(kernel.data(), terms.data(), kernel.size(), sums);
      for (unsigned j = 0; j < count; ++j)
        sums[j] = finishInteger(pool, sums[j], bias);
    }
    storeIntegers(pool.resultView.at(n, ch) + size_t(begin) * bytes, bytes,
                  pool.result.precision, sums, count);
  }
}

} // namespace

Status poolOrDepthwise(Machine &machine, const Decoded &c) {
  PoolCommand pool;
  WEFT_TRY(readTypes(c, pool));
  WEFT_TRY(readWindow(c, pool.window));
  WEFT_TRY(readViews(machine, c, pool));
  Shape4 shape = pool.resultView.shape;
  size_t positions = pool.window.positions();
  if (pool.input.isFloat()) {
    std::vector<float> plane, terms(positions * kVector), kernel(positions);
    for (uint32_t n = 0; n < shape.n; ++n)
      for (uint32_t ch = 0; ch < shape.c; ++ch)
        floatChannel(pool, n, ch, plane, terms, kernel);
  } else {
    std::vector<int16_t> plane, terms(positions * kVector), kernel(positions);
    for (uint32_t n = 0; n < shape.n; ++n)
      for (uint32_t ch = 0; ch < shape.c; ++ch)
        integerChannel(pool, n, ch, plane, terms, kernel);
  }
  return Status::ok();
}

} // namespace weft::emulator::tiu
