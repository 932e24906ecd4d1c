/// sCONV.
#include "runtime/emulator/DotKernels.h"
#include "runtime/emulator/FloatOrder.h"
#include "runtime/emulator/tiu/Window.h"
#include "runtime/numeric/Rounding.h"

#include <algorithm>
#include <limits>

namespace weft::emulator::tiu {
namespace {

struct ConvCommand {
  Window window;
  ElementKind input, weight, result;
  LocalView inputView, weightView, resultView, third, pads;
  uint32_t inputChannels = 1, outputChannels = 1;
  unsigned pack = 1; ///< channels of a weight block
  size_t terms = 0; ///< of one output, with the zero channels of the last block
  bool weightIsConstant = false, thirdIsConstant = false, padIsConstant = false;
  uint32_t weightBits = 0, thirdBits = 0, padBits = 0, insertBits = 0;
  bool addsResult = false, rotates = false;
  unsigned func = 0;

  uint32_t blocks() const { return (inputChannels + pack - 1) / pack; }
};

Status readTypes(const Decoded &c, ConvCommand &conv) {
  conv.func = c.func;
  conv.input = {precisionOf(c, Field::opd0_prec), c.get(Field::opd0_sign) != 0};
  conv.weight = {conv.input.precision, c.get(Field::opd1_sign) != 0};
  conv.result = {precisionOf(c, Field::res0_prec),
                 true}; // signed whatever the operands are
  Precision in = conv.input.precision, out = conv.result.precision;
  bool known = isKnown(in) && isKnown(out);
  bool fits = false;
  if (known && in == Precision::Fp32)
    fits = out == Precision::Fp32;
  else if (known && conv.input.isFloat())
    fits = out == Precision::Fp32 || out == in;
  else if (known && in == Precision::Int8)
    fits = !conv.result.isFloat();
  if (!fits)
    return unsupported(c, "these element types");
  if (conv.func != isa::conv::Normal &&
      (in != Precision::Int8 || out != Precision::Int8))
    return unsupported(c, "a requantised result that is not int8");
  conv.pack = in == Precision::Fp32 ? 1 : kEuBytes / isa::elementBytes(in);
  return Status::ok();
}

Status readViews(const Machine &machine, const Decoded &c, ConvCommand &conv) {
  const Window &window = conv.window;
  Shape4 out = resultShape(c);
  Shape4 in = {out.n, conv.inputChannels, window.inputH, window.inputW};
  unsigned layout = get32(c, Field::opd0_str), bytes = conv.input.bytes();
  if (layout != unsigned(Layout::Aligned) && layout != unsigned(Layout::Free))
    return failf(Code::BadCommand,
                 "operand 0 has layout code %u; CONV takes 0 or 3", layout);
  Strides4 strides = {c.get(Field::opd0_n_str), c.get(Field::opd0_c_str),
                      c.get(Field::opd0_h_str), c.get(Field::opd0_w_str)};
  if (layout == unsigned(Layout::Aligned))
    strides = localStrides(Layout::Aligned, in, bytes,
                           get32(c, Field::opd0_addr) / kLaneBytes);
  WEFT_TRY(viewLocal(machine, "operand 0", c.get(Field::opd0_addr), bytes, in,
                     strides, conv.inputView));
  WEFT_TRY(viewLocal(machine, "result", c.get(Field::res0_addr),
                     conv.result.precision, out, Layout::Aligned,
                     conv.resultView));
  uint64_t terms = uint64_t(conv.blocks()) * window.positions() * conv.pack;
  if (terms > (1u << 20))
    return failf(Code::BadCommand,
                 "a kernel of %llu weights an output; at most 1048576",
                 (unsigned long long)terms);
  uint64_t outputs = uint64_t(out.n) * out.c * window.pixels();
  if (outputs > kMaxMacs / terms)
    return failf(
        Code::BadCommand,
        "%llu outputs of %llu products are more than the emulator takes",
        (unsigned long long)outputs, (unsigned long long)terms);
  // What exceeds local memory can only be a constant or a broadcast; keep
  // buffers small.
  uint64_t inputs =
      uint64_t(conv.inputChannels) * window.inputH * window.inputW;
  if (terms * out.c > (1u << 24) || inputs > (1u << 24))
    return failf(Code::BadCommand,
                 "weights or input are larger than local memory");
  conv.terms = terms;
  if (!conv.weightIsConstant)
    WEFT_TRY(viewLocal(machine, "operand 1", conv.weightBits, bytes,
                       {1, out.c, 1, uint32_t(terms)}, {0, terms, 0, 1},
                       conv.weightView));
  bool usesThird = conv.input.isFloat() || conv.func != isa::conv::Normal ||
                   !conv.thirdIsConstant;
  Precision third = conv.input.isFloat()             ? Precision::Fp32
                    : conv.func == isa::conv::Normal ? Precision::Int8
                                                     : Precision::Int16;
  if (usesThird && !conv.thirdIsConstant)
    WEFT_TRY(viewLocal(machine, "operand 2", conv.thirdBits, third,
                       {1, out.c, 1, 1}, Layout::Compact, conv.third));
  if (!conv.padIsConstant && conv.func == isa::conv::Normal)
    WEFT_TRY(viewLocal(machine, "operand 3", conv.padBits, conv.input.precision,
                       {1, conv.inputChannels, 1, 2}, Layout::Compact,
                       conv.pads));
  return Status::ok();
}

/// Input planes of one image, each followed by its pad and insert values.
template <class T>
struct Planes {
  std::vector<T> values;
  size_t stride = 0;
  const T *plane(uint32_t channel) const {
    return values.data() + channel * stride;
  }
};

/// Reads `count` elements as T (float, or int16 for int8 data).
void readElements(const uint8_t *from, uint64_t step, ElementKind kind,
                  float *to, size_t count) {
  loadFloats(from, step, kind.precision, to, unsigned(count));
}
void readElements(const uint8_t *from, uint64_t step, ElementKind kind,
                  int16_t *to, size_t count) {
  if (kind.isSigned)
    for (size_t i = 0; i < count; ++i)
      to[i] = static_cast<int8_t>(from[i * step]);
  else
    for (size_t i = 0; i < count; ++i)
      to[i] = from[i * step];
}

template <class T>
void loadPlanes(const ConvCommand &conv, uint32_t n, Planes<T> &planes) {
  const Window &window = conv.window;
  const LocalView &view = conv.inputView;
  planes.stride = size_t(window.padSlot()) + 2;
  planes.values.resize(planes.stride * conv.inputChannels);
  uint32_t rows = view.planeIsOneRow() ? 1 : window.inputH;
  size_t length = view.planeIsOneRow() ? window.padSlot() : window.inputW;
  for (uint32_t ch = 0; ch < conv.inputChannels; ++ch) {
    T *plane = planes.values.data() + ch * planes.stride;
    for (uint32_t h = 0; h < rows; ++h)
      readElements(view.at(n, ch, h), view.stride.w, conv.input,
                   plane + h * length, length);
    const uint8_t *pad = reinterpret_cast<const uint8_t *>(&conv.padBits);
    const uint8_t *insert = reinterpret_cast<const uint8_t *>(&conv.insertBits);
    uint32_t zero = 0;
    if (conv.func != isa::conv::Normal) // operand 3 is the shift
      pad = insert = reinterpret_cast<const uint8_t *>(&zero);
    else if (!conv.padIsConstant)
      pad = conv.pads.at(0, ch), insert = pad + conv.pads.bytes;
    readElements(pad, 0, conv.input, plane + window.padSlot(), 1);
    readElements(insert, 0, conv.input, plane + window.insertSlot(), 1);
  }
}

/// Weights of output channel `oc` in the order of the terms.
template <class T>
void loadWeights(const ConvCommand &conv, uint32_t oc, T *to) {
  uint32_t positions = conv.window.positions();
  if (conv.weightIsConstant) {
    readElements(reinterpret_cast<const uint8_t *>(&conv.weightBits), 0,
                 conv.weight, to, conv.terms);
  } else {
    readElements(conv.weightView.at(0, oc), conv.weightView.bytes, conv.weight,
                 to, conv.terms);
  }
  if (conv.rotates)
    for (uint32_t block = 0; block < conv.blocks(); ++block)
      for (uint32_t p = 0; p < positions / 2; ++p)
        std::swap_ranges(to + (size_t(block) * positions + p) * conv.pack,
                         to + (size_t(block) * positions + p + 1) * conv.pack,
                         to + (size_t(block) * positions + positions - 1 - p) *
                                  conv.pack);
}

/// Writes the terms of `count` pixels from `first`: columns[k * step + j].
template <class T>
void gatherColumns(const ConvCommand &conv, const Planes<T> &planes,
                   uint32_t first, unsigned count, size_t step, T *columns) {
  const Window &window = conv.window;
  uint32_t index[kVector];
  for (uint32_t kh = 0; kh < window.kernelH; ++kh)
    for (uint32_t kw = 0; kw < window.kernelW; ++kw) {
      bool consecutive = window.indices(first, count, kh, kw, index);
      for (uint32_t ch = 0; ch < conv.inputChannels; ++ch) {
        size_t block = size_t(ch / conv.pack) * window.positions() +
                       kh * window.kernelW + kw;
        T *to = columns + (block * conv.pack + ch % conv.pack) * step;
        const T *plane = planes.plane(ch);
        if (consecutive)
          std::memcpy(to, plane + index[0], count * sizeof(T));
        else
          for (unsigned j = 0; j < count; ++j)
            to[j] = plane[index[j]];
      }
    }
}

/// The sums of kVector outputs, from their start values to the stored numbers.
class FloatSums {
public:
  explicit FloatSums(const ConvCommand &conv) : conv(conv) {
    blocks.blocks = conv.terms / conv.pack;
    blocks.tailBlocks = conv.window.positions();
    blocks.tailUsed = (conv.inputChannels - 1) % conv.pack + 1;
  }

  /// `scalars` are weights and `vectors` inputs, or the other way round.
  void run(bool scalarsAreWeights, const float *scalars, const float *vectors,
           const float *bias, const float *old, float *out) const {
    if (conv.input.precision == Precision::Fp32) {
      float second[kVector];
      std::fill(second, second + kVector, 0.0f);
      std::copy(bias, bias + kVector, out);
      if (conv.addsResult) {
        std::copy(old, old + kVector, second);
        dotFloat(scalars, vectors, conv.terms, out, second);
      } else {
        dotFloat(scalars, vectors, conv.terms, second, out);
      }
      for (unsigned j = 0; j < kVector; ++j) {
        out[j] = out[j] + second[j];
        if (isNaN(out[j]))
          out[j] =
              ordered(scalarsAreWeights, scalars, vectors + j, bias[j], old[j]);
      }
      return;
    }
    for (unsigned j = 0; j < kVector; ++j) {
      out[j] = bias[j];
      if (conv.addsResult)
        out[j] = addOrdered(out[j], old[j]);
    }
    if (conv.input.precision == Precision::Fp16)
      dotFp16(scalars, vectors, blocks, out);
    else
      dotBf16(scalars, vectors, blocks, out);
  }

private:
  /// One fp32 output in the machine's order of operands.
  float ordered(bool scalarsAreWeights, const float *scalars,
                const float *vectors, float bias, float old) const {
    TwoSums sums;
    if (conv.addsResult)
      sums = {bias, old};
    else
      sums = {0.0f, bias};
    if (scalarsAreWeights)
      sums.add(vectors, kVector, scalars, 1, conv.terms);
    else
      sums.add(scalars, 1, vectors, kVector, conv.terms);
    return conv.addsResult ? addOrdered(sums.odd, sums.even)
                           : addOrdered(sums.even, sums.odd);
  }

  const ConvCommand &conv;
  HalfBlocks blocks;
};

float biasOf(const ConvCommand &conv, uint32_t oc) {
  return conv.thirdIsConstant ? numeric::floatFromBits(conv.thirdBits)
                              : loadAs<float>(conv.third.at(0, oc));
}

/// Outputs of one image with pixels in the vector: one output channel after the
/// other.
void floatByPixels(const ConvCommand &conv, uint32_t n,
                   const Planes<float> &planes) {
  FloatSums sums(conv);
  uint32_t pixels = conv.window.pixels();
  std::vector<float> columns(conv.terms * kVector),
      weights(conv.terms * conv.outputChannels);
  for (uint32_t oc = 0; oc < conv.outputChannels; ++oc)
    loadWeights(conv, oc, weights.data() + oc * conv.terms);
  float bias[kVector], old[kVector] = {}, out[kVector];
  unsigned bytes = conv.resultView.bytes;
  for (uint32_t first = 0; first < pixels; first += kVector) {
    unsigned count = std::min<uint32_t>(kVector, pixels - first);
    gatherColumns(conv, planes, first, count, kVector, columns.data());
    for (uint32_t oc = 0; oc < conv.outputChannels; ++oc) {
      uint8_t *to = conv.resultView.at(n, oc) + size_t(first) * bytes;
      std::fill(bias, bias + kVector, biasOf(conv, oc));
      if (conv.addsResult)
        loadFloats(to, bytes, conv.result.precision, old, count);
      sums.run(true, weights.data() + oc * conv.terms, columns.data(), bias,
               old, out);
      storeSums(to, bytes, conv.result.precision, out, count);
    }
  }
}

/// Outputs of one image with output channels in the vector: one pixel after the
/// other.
void floatByChannels(const ConvCommand &conv, uint32_t n,
                     const Planes<float> &planes) {
  FloatSums sums(conv);
  uint32_t pixels = conv.window.pixels();
  std::vector<float> column(conv.terms), weights(conv.terms * kVector),
      row(conv.terms);
  float bias[kVector] = {}, old[kVector] = {}, out[kVector];
  unsigned bytes = conv.resultView.bytes;
  for (uint32_t first = 0; first < conv.outputChannels; first += kVector) {
    unsigned count = std::min<uint32_t>(kVector, conv.outputChannels - first);
    for (unsigned j = 0; j < count; ++j) {
      loadWeights(conv, first + j, row.data());
      bias[j] = biasOf(conv, first + j);
      for (size_t k = 0; k < conv.terms; ++k)
        weights[k * kVector + j] = row[k];
    }
    for (uint32_t pixel = 0; pixel < pixels; ++pixel) {
      gatherColumns(conv, planes, pixel, 1, 1, column.data());
      for (unsigned j = 0; j < count && conv.addsResult; ++j)
        loadFloats(conv.resultView.at(n, first + j) + size_t(pixel) * bytes,
                   bytes, conv.result.precision, &old[j], 1);
      sums.run(false, column.data(), weights.data(), bias, old, out);
      for (unsigned j = 0; j < count; ++j)
        storeSums(conv.resultView.at(n, first + j) + size_t(pixel) * bytes,
                  bytes, conv.result.precision, &out[j], 1);
    }
  }
}

/// Rule of the requantised functions or of the plain saturated result.
struct IntegerFinish {
  const ConvCommand &conv;
  unsigned shift;

  int64_t operator()(int64_t sum, uint32_t oc) const {
    const ElementKind &kind = conv.result;
    if (conv.func == isa::conv::Normal)
      return numeric::saturate(sum, kind.bits(), kind.isSigned);
    int16_t bias = conv.thirdIsConstant ? int16_t(conv.thirdBits)
                                        : loadAs<int16_t>(conv.third.at(0, oc));
    sum = numeric::shiftRightRounded(sum + bias, shift,
                                     numeric::Rounding::HalfUp);
    if (conv.func == isa::conv::RequantisedRelu)
      return numeric::clampTo(sum, 0, 255);
    return numeric::saturate(sum, 8, kind.isSigned);
  }
};

void integerImage(const ConvCommand &conv, uint32_t n,
                  const Planes<int16_t> &planes) {
  uint32_t pixels = conv.window.pixels();
  std::vector<int16_t> columns(conv.terms * kVector),
      weights(conv.terms * conv.outputChannels);
  for (uint32_t oc = 0; oc < conv.outputChannels; ++oc) {
    int16_t *row = weights.data() + oc * conv.terms;
    loadWeights(conv, oc, row);
    ElementKind kind = {Precision::Int8, conv.weight.isSigned};
    int64_t zeroPoint = 0;
    if (conv.func == isa::conv::Normal)
      loadIntegers(conv.thirdIsConstant
                       ? reinterpret_cast<const uint8_t *>(&conv.thirdBits)
                       : conv.third.at(0, oc),
                   0, kind, &zeroPoint, 1);
    for (size_t k = 0; k < conv.terms && zeroPoint; ++k)
      row[k] = int16_t(row[k] - zeroPoint);
  }
  IntegerFinish finish{conv, conv.padBits & 0x1f};
  unsigned bytes = conv.resultView.bytes;
  int64_t sums[kVector];
  for (uint32_t first = 0; first < pixels; first += kVector) {
    unsigned count = std::min<uint32_t>(kVector, pixels - first);
    gatherColumns(conv, planes, first, count, kVector, columns.data());
    for (uint32_t oc = 0; oc < conv.outputChannels; ++oc) {
      uint8_t *to = conv.resultView.at(n, oc) + size_t(first) * bytes;
      std::fill(sums, sums + kVector, 0);
      if (conv.addsResult)
        loadIntegers(to, bytes, conv.result, sums, count);
      dotInteger(weights.data() + oc * conv.terms, columns.data(), conv.terms,
                 sums);
      for (unsigned j = 0; j < count; ++j)
        sums[j] = finish(sums[j], oc);
      storeIntegers(to, bytes, conv.result.precision, sums, count);
    }
  }
}

} // namespace

Status conv(Machine &machine, const Decoded &c) {
  ConvCommand conv;
  WEFT_TRY(readTypes(c, conv));
  WEFT_TRY(readWindow(c, conv.window));
  conv.inputChannels = get32(c, Field::opd0_c);
  conv.outputChannels = get32(c, Field::res0_c);
  conv.weightIsConstant = c.get(Field::opd1_const);
  conv.thirdIsConstant = c.get(Field::opd2_const);
  conv.padIsConstant = c.get(Field::opd3_const);
  conv.weightBits = get32(c, Field::opd1_addr);
  conv.thirdBits = get32(c, Field::opd2_addr);
  conv.padBits = get32(c, Field::opd3_addr);
  conv.insertBits = get32(c, Field::res1_addr);
  conv.addsResult = c.get(Field::res_add);
  conv.rotates = c.get(Field::kernel_rotate);
  WEFT_TRY(readViews(machine, c, conv));
  uint32_t images = get32(c, Field::res0_n);
  if (!conv.input.isFloat()) {
    Planes<int16_t> planes;
    for (uint32_t n = 0; n < images; ++n) {
      loadPlanes(conv, n, planes);
      integerImage(conv, n, planes);
    }
    return Status::ok();
  }
  // Few pixels would leave most of the vector empty; output channels fill it
  // then.
  bool byChannels = conv.window.pixels() < kVector / 2 &&
                    conv.outputChannels > conv.window.pixels();
  Planes<float> planes;
  for (uint32_t n = 0; n < images; ++n) {
    loadPlanes(conv, n, planes);
    if (byChannels)
      floatByChannels(conv, n, planes);
    else
      floatByPixels(conv, n, planes);
  }
  return Status::ok();
}

} // namespace weft::emulator::tiu
