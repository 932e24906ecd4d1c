//===- Conv.cpp - evaluation of the Conv family ---------------------------===//

#include "dialects/tpu/Conv.h"

#include "dialects/tpu/evaluate/Numbers.h"

using namespace mlir;
using namespace weft;
using namespace weft::tpu;

namespace {
/// Shapes and window of one convolution.
struct Geometry {
  explicit Geometry(ConvOp op)
      : input(op.getInput().getType().getShape()),
        filter(op.getFilter().getType().getShape()),
        output(op.getOutput().getType().getShape()), strides(op.getStrides()),
        pads(op.getPads()), dilations(op.getDilations()), op(op) {}
  ArrayRef<int64_t> input, filter, output, strides, pads, dilations;
  ConvOp op;
};
} // namespace

/// Adds `weight` times a shifted, strided input plane to the accumulator plane;
/// positions outside the input hold `outside`. A 0 there adds nothing, whatever
/// the weight.
template <typename T>
static void addTap(const Geometry &g, int64_t ky, int64_t kx, T weight,
                   const T *plane, T outside, T *accumulator) {
  for (int64_t y = 0; y < g.output[2]; ++y) {
    int64_t row = y * g.strides[0] + ky * g.dilations[0] - g.pads[0];
    bool hasRow = row >= 0 && row < g.input[2];
    for (int64_t x = 0; x < g.output[3]; ++x) {
      int64_t column = x * g.strides[1] + kx * g.dilations[1] - g.pads[1];
      T &sum = accumulator[y * g.output[3] + x];
      if (hasRow && column >= 0 && column < g.input[3])
        sum += weight * plane[row * g.input[3] + column];
      else if (outside != T(0))
        sum += weight * outside;
    }
  }
}

/// The sums of products, n,oc,oh,ow. With integers exact; with doubles in the
/// order ic, kh, kw.
template <typename T>
static std::vector<T> accumulate(const Geometry &g, const std::vector<T> &input,
                                 const std::vector<T> &filter) {
  int64_t inPlane = g.input[2] * g.input[3],
          outPlane = g.output[2] * g.output[3];
  std::vector<T> sums(g.output[0] * g.output[1] * outPlane, T(0));
  T outside = T(zeroPointOf(elementOf(ConvOp(g.op).getInput())));
  for (int64_t n = 0; n < g.output[0]; ++n)
    for (int64_t oc = 0; oc < g.output[1]; ++oc) {
      int64_t group = ConvOp(g.op).groupOf(oc);
      for (int64_t ic = 0; ic < g.filter[1]; ++ic) {
        int64_t channel = group * g.filter[1] + ic;
        const T *plane = &input[(n * g.input[1] + channel) * inPlane];
        T *accumulator = &sums[(n * g.output[1] + oc) * outPlane];
        const T *taps =
            &filter[(oc * g.filter[1] + ic) * g.filter[2] * g.filter[3]];
        for (int64_t ky = 0; ky < g.filter[2]; ++ky)
          for (int64_t kx = 0; kx < g.filter[3]; ++kx)
            addTap(g, ky, kx, taps[ky * g.filter[3] + kx], plane, outside,
                   accumulator);
      }
    }
  return sums;
}

/// The elements of the window of result row `y` and column `x` in one plane, of
/// a convolution or an unfold.
template <typename Op>
static std::vector<double> windowAt(Op op, ArrayRef<int64_t> kernel,
                                    const double *plane, int64_t y, int64_t x) {
  ArrayRef<int64_t> in = op.getInput().getType().getShape();
  double outside = static_cast<double>(zeroPointOf(elementOf(op.getInput())));
  std::vector<double> elements;
  for (int64_t p = 0; p < kernel[0]; ++p)
    for (int64_t q = 0; q < kernel[1]; ++q) {
      int64_t row =
          y * op.getStrides()[0] + p * op.getDilations()[0] - op.getPads()[0];
      int64_t column =
          x * op.getStrides()[1] + q * op.getDilations()[1] - op.getPads()[1];
      bool isInside = row >= 0 && row < in[2] && column >= 0 && column < in[3];
      elements.push_back(isInside ? plane[row * in[3] + column] : outside);
    }
  return elements;
}

/// Every product and every sum rounded to the type of `op`, in the order of the
/// depthwise unit.
static LogicalResult evaluateNarrowSums(ConvOp op, Operands operands,
                                        Results &results) {
  Geometry g(op);
  Type element = elementOf(op.getOutput());
  std::vector<double> input = loadDoubles(*operands[0]),
                      filter = loadDoubles(*operands[1]),
                      bias(g.output[1], 0.0);
  if (op.getBias())
    bias = loadDoubles(*operands[2]);
  int64_t inPlane = g.input[2] * g.input[3],
          outPlane = g.output[2] * g.output[3],
          taps = g.filter[2] * g.filter[3];
  std::vector<float> output(g.output[0] * g.output[1] * outPlane);
  for (size_t i = 0; i < output.size(); ++i) {
    int64_t at = i % outPlane, plane = i / outPlane,
            channel = plane % g.output[1];
    float sums[2] = {0, static_cast<float>(bias[channel])};
    std::vector<double> window =
        windowAt(op, g.filter.drop_front(2), &input[plane * inPlane],
                 at / g.output[3], at % g.output[3]);
    for (int64_t tap = 0; tap < taps; ++tap) {
      float product =
          roundTo(element, window[tap] * filter[channel * taps + tap]);
      float &sum = sums[tap % 2];
      sum = roundTo(element, double(sum) + product);
    }
    float sum = roundTo(element, double(sums[0]) + sums[1]);
    output[i] = op.getRelu() && sum < 0 ? 0.0f : sum;
  }
  storeFloats(op.getOutput(), output, results);
  return success();
}

static LogicalResult evaluateFloat(ConvOp op, Operands operands,
                                   Results &results) {
  Geometry g(op);
  std::vector<double> sums =
      accumulate(g, loadDoubles(*operands[0]), loadDoubles(*operands[1]));
  std::vector<double> bias(g.output[1], 0.0);
  if (op.getBias())
    bias = loadDoubles(*operands[2]);
  Type element = elementOf(op.getOutput());
  int64_t plane = g.output[2] * g.output[3];
  std::vector<float> output(sums.size());
  for (size_t i = 0; i < sums.size(); ++i) {
    double value = sums[i] + bias[i / plane % g.output[1]];
    output[i] = roundTo(element, op.getRelu() && value < 0 ? 0.0 : value);
  }
  storeFloats(op.getOutput(), output, results);
  return success();
}

/// rq1 of the accumulator plus an int32 bias; the sum wraps at 32 bits, as that
/// of the machine does.
static LogicalResult evaluateFixedPoint(ConvOp op,
                                        const std::vector<int64_t> &sums,
                                        Operands operands, Results &results) {
  ArrayRef<int64_t> shape = op.getOutput().getType().getShape();
  int64_t plane = shape[2] * shape[3];
  std::vector<int64_t> bias(shape[1], 0);
  if (op.getBias())
    bias = loadIntegers(*operands[2]);
  Type element = elementOf(op.getOutput());
  IntegerRange range = rangeOf(element);
  std::vector<int64_t> output(sums.size());
  for (size_t i = 0; i < sums.size(); ++i) {
    int64_t channel = i / plane % shape[1];
    output[i] =
        requantize(static_cast<int32_t>(sums[i] + bias[channel]),
                   (*op.getMultipliers())[channel], (*op.getRshifts())[channel],
                   op.getRounding(), range, zeroPointOf(element));
  }
  storeStored(op.getOutput(), output, results);
  return success();
}

/// f32(f32(acc) * scale) + bias, each step rounded to f32; then rounded to the
/// float result type or, half to even, to the integers of the quantized one
/// (rq0).
static LogicalResult evaluateScaled(ConvOp op, const std::vector<int64_t> &sums,
                                    Operands operands, Results &results) {
  ArrayRef<int64_t> shape = op.getOutput().getType().getShape();
  int64_t plane = shape[2] * shape[3];
  std::vector<double> bias;
  if (op.getBias())
    bias = loadDoubles(*operands[2]);
  Type element = elementOf(op.getOutput());
  bool quantized = isQuantized(op.getOutput());
  std::vector<float> floats(quantized ? 0 : sums.size());
  std::vector<int64_t> integers(quantized ? sums.size() : 0);
  for (size_t i = 0; i < sums.size(); ++i) {
    int64_t channel = i / plane % shape[1];
    float value = static_cast<float>(sums[i]) * (*op.getScales())[channel];
    if (!bias.empty())
      value += static_cast<float>(bias[channel]);
    if (op.getRelu() && value < 0)
      value = 0;
    if (quantized) {
      IntegerRange range = rangeOf(element);
      integers[i] = numeric::roundToInteger(
          value, numeric::Rounding::HalfToEven, range.low, range.high);
    } else {
      floats[i] = roundTo(element, value);
    }
  }
  if (quantized)
    storeStored(op.getOutput(), integers, results);
  else
    storeFloats(op.getOutput(), floats, results);
  return success();
}

/// sat(rint(f32(acc + bias) * scale) + zero point), rounded to 16 bits first.
static LogicalResult evaluateRoundedFirst(ConvOp op,
                                          const std::vector<int64_t> &sums,
                                          Operands operands, Results &results) {
  ArrayRef<int64_t> shape = op.getOutput().getType().getShape();
  int64_t plane = shape[2] * shape[3];
  std::vector<int64_t> bias = loadIntegers(*operands[2]), output(sums.size());
  Type element = elementOf(op.getOutput());
  IntegerRange range = rangeOf(element);
  for (size_t i = 0; i < sums.size(); ++i) {
    int64_t channel = i / plane % shape[1],
            sum = static_cast<int32_t>(sums[i] + bias[channel]); // wraps
    float value = static_cast<float>(sum) * (*op.getScales())[channel];
    int64_t code = numeric::roundToInteger(value, numeric::Rounding::HalfToEven,
                                           INT16_MIN, INT16_MAX) +
                   zeroPointOf(element);
    output[i] = std::clamp<int64_t>(code, range.low, range.high);
  }
  storeStored(op.getOutput(), output, results);
  return success();
}

/// The filter less its zero points.
static std::vector<int64_t> loadFilter(ConvOp op, Operands operands) {
  std::vector<int64_t> filter = loadIntegers(*operands[1]);
  if (op.getFilterZeroPoints()) {
    ArrayRef<int32_t> zeroPoints = *op.getFilterZeroPoints();
    size_t size = filter.size() / zeroPoints.size();
    for (size_t i = 0; i < filter.size(); ++i)
      filter[i] -= zeroPoints[i / size];
  }
  return filter;
}

LogicalResult ConvOp::evaluate(Operands operands, Results &results) {
  if (!isQuantized(getInput()))
    return getNarrowSums() ? evaluateNarrowSums(*this, operands, results)
                           : evaluateFloat(*this, operands, results);
  Geometry g(*this);
  std::vector<int64_t> sums =
      accumulate(g, loadIntegers(*operands[0]), loadFilter(*this, operands));
  if (isRoundedFirst())
    return evaluateRoundedFirst(*this, sums, operands, results);
  return getScales() ? evaluateScaled(*this, sums, operands, results)
                     : evaluateFixedPoint(*this, sums, operands, results);
}

LogicalResult UnfoldOp::evaluate(Operands operands, Results &results) {
  ArrayRef<int64_t> in = getInput().getType().getShape(),
                    out = getOutput().getType().getShape();
  std::vector<double> input = loadDoubles(*operands[0]);
  int64_t taps = getKernel()[0] * getKernel()[1], plane = out[2] * out[3];
  std::vector<double> output(getOutput().getType().getNumElements());
  for (int64_t channel = 0; channel < in[0] * in[1]; ++channel)
    for (int64_t at = 0; at < plane; ++at) {
      std::vector<double> window =
          windowAt(*this, getKernel(), &input[channel * in[2] * in[3]],
                   at / out[3], at % out[3]);
      for (int64_t tap = 0; tap < taps; ++tap)
        for (int64_t i = 0; i < taps; ++i)
          output[(channel * taps + tap) * plane + at] +=
              window[i] * (i == tap ? 1.0 : 0.0);
    }
  if (isQuantized(getInput()))
    storeStored(getOutput(), {output.begin(), output.end()}, results);
  else
    storeFloats(getOutput(), {output.begin(), output.end()}, results);
  return success();
}
