//===- Conv.cpp - host kernels of the Conv family -------------------------===//

#include "runtime/host/Windows.h"
#include "runtime/numeric/TensorValues.h"
#include "runtime/numeric/VectorClones.h"
#include "runtime/status/Stop.h"

#include <algorithm>

using namespace weft;
using namespace weft::host;
using rt::Status;

/// Sizes beyond this would overflow the index arithmetic.
static constexpr int64_t kLargestGeometry = int64_t(1) << 31;

static bool isWithin(const std::vector<int64_t> &values, size_t count,
                     int64_t smallest) {
  return values.size() == count &&
         std::all_of(values.begin(), values.end(), [&](int64_t value) {
           return value >= smallest && value <= kLargestGeometry;
         });
}

Status host::readWindow(const Call &call, const int64_t *kernel,
                        WindowGeometry &g) {
  const Shape &input = call.operand(0).shape();
  if (input.size() < 3 || input.size() > 5)
    return call.fail("an input of rank %zu; it must be 3, 4 or 5",
                     input.size());
  size_t spatial = input.size() - 2;
  const std::vector<int64_t> &strides = call.attributes.integers("strides");
  const std::vector<int64_t> &pads = call.attributes.integers("pads");
  std::vector<int64_t> dilations = call.attributes.integers("dilations");
  if (dilations.empty())
    dilations.assign(spatial, 1);
  if (!isWithin(strides, spatial, 1) || !isWithin(pads, 2 * spatial, 0) ||
      !isWithin(dilations, spatial, 1))
    return call.fail("strides, pads or dilations do not fit %zu spatial axes",
                     spatial);
  for (size_t s = 0; s < spatial; ++s) {
    size_t axis = 3 - spatial + s;
    if (kernel[s] < 1 || kernel[s] > kLargestGeometry ||
        input[s + 2] > kLargestGeometry)
      return call.fail("a kernel of size %lld on spatial axis %zu",
                       static_cast<long long>(kernel[s]), s);
    int64_t window = dilations[s] * (kernel[s] - 1) + 1;
    int64_t padded = input[s + 2] + pads[s] + pads[spatial + s];
    if (window > padded)
      return call.fail("the kernel spans %lld values on spatial axis %zu but "
                       "the padded input has %lld",
                       static_cast<long long>(window), s,
                       static_cast<long long>(padded));
    g.in[axis] = input[s + 2];
    g.out[axis] = (padded - window) / strides[s] + 1;
    g.kernel[axis] = kernel[s];
    g.stride[axis] = strides[s];
    g.dilation[axis] = dilations[s];
    g.pad[axis] = pads[s];
  }
  return Status::ok();
}

/// The output positions [begin, end) on `axis` whose input position for kernel
/// position `k` is inside.
static void insideRange(const WindowGeometry &g, int axis, int64_t k,
                        int64_t &begin, int64_t &end) {
  int64_t offset = k * g.dilation[axis] - g.pad[axis], stride = g.stride[axis];
  begin = offset >= 0 ? 0 : (-offset + stride - 1) / stride;
  int64_t last = g.in[axis] - 1 - offset;
  end = last < 0 ? 0 : std::min(g.out[axis], last / stride + 1);
  begin = std::min(begin, end);
}

namespace {
/// The output channels that are summed together: each number of the input is
/// read once for all of them.
constexpr int64_t kTogether = 4;
/// So many taps are added to all of a row before the next ones are: what they
/// read stays in the cache that is next to the core.
constexpr int64_t kTapsTogether = 64;

/// Where a convolution reads and writes.
struct ConvOperands {
  const WindowGeometry &g;
  const double *input;   ///< the channels of a group
  const double *weights; ///< by channel and place in the window, kTogether each
  double *sums;          ///< plane of the first output channel
  int64_t channels;      ///< of the group
};

/// A number of the window over one row.
struct Tap {
  const double *source;  ///< what output 0 of the row reads, outside or not
  const double *weights; ///< kTogether
  int64_t begin, end;    ///< of the outputs that read what is inside
};

using Lanes = double __attribute__((vector_size(4 * sizeof(double))));
/// The same at any element.
using LooseLanes = double
    __attribute__((vector_size(4 * sizeof(double)), aligned(alignof(double))));
} // namespace

/// Adds `count` taps, in their order, to the elements [begin, end), which are
/// inside of all of them, of kTogether rows, `plane` apart.
WEFT_VECTOR_CLONES
static void addInside(double *row, int64_t plane, const Tap *taps,
                      int64_t count, int64_t begin, int64_t end) {
  constexpr int64_t kLanes = sizeof(Lanes) / sizeof(double);
  auto at = [](double *from) { return reinterpret_cast<LooseLanes *>(from); };
  int64_t w = begin;
  for (; w + 2 * kLanes <= end; w += 2 * kLanes) {
    Lanes low[kTogether], high[kTogether]; // registers
    for (int64_t k = 0; k < kTogether; ++k) {
      low[k] = at(row + k * plane + w)[0];
      high[k] = at(row + k * plane + w)[1];
    }
    for (int64_t t = 0; t < count; ++t) {
      const auto *numbers =
          reinterpret_cast<const LooseLanes *>(taps[t].source + w);
      const Lanes first = numbers[0], second = numbers[1];
      for (int64_t k = 0; k < kTogether; ++k) {
        low[k] += first * taps[t].weights[k];
        high[k] += second * taps[t].weights[k];
      }
    }
    for (int64_t k = 0; k < kTogether; ++k) {
      at(row + k * plane + w)[0] = low[k];
      at(row + k * plane + w)[1] = high[k];
    }
  }
  for (int64_t k = 0; k < kTogether; ++k)
    for (int64_t rest = w; rest < end; ++rest)
      for (int64_t t = 0; t < count; ++t)
        row[k * plane + rest] += taps[t].weights[k] * taps[t].source[rest];
}

/// Adds to the elements [begin, end) of a row weight * numbers that lie
/// `stride` apart.
WEFT_VECTOR_CLONES
static void addRow(double *__restrict row, double weight, const double *source,
                   int64_t stride, int64_t begin, int64_t end) {
  if (stride == 1)
    for (int64_t w = begin; w < end; ++w)
      row[w] += weight * source[w];
  else
    for (int64_t w = begin; w < end; ++w)
      row[w] += weight * source[w * stride];
}

/// The taps of output row (d, h), channel after channel, each in the order of
/// the window.
static void findTaps(const ConvOperands &o, int64_t d, int64_t h,
                     std::vector<Tap> &taps) {
  const WindowGeometry &g = o.g;
  taps.clear();
  for (int64_t c = 0; c < o.channels; ++c)
    for (int64_t k = 0; k < g.window(); ++k) {
      const int64_t kw = k % g.kernel[2], kh = k / g.kernel[2] % g.kernel[1],
                    kd = k / g.kernel[2] / g.kernel[1];
      const int64_t fromD = d * g.stride[0] + kd * g.dilation[0] - g.pad[0],
                    fromH = h * g.stride[1] + kh * g.dilation[1] - g.pad[1];
      if (fromD < 0 || fromD >= g.in[0] || fromH < 0 || fromH >= g.in[1])
        continue;
      Tap tap;
      insideRange(g, 2, kw, tap.begin, tap.end);
      tap.source = o.input + c * g.inputPlane() +
                   (fromD * g.in[1] + fromH) * g.in[2] + kw * g.dilation[2] -
                   g.pad[2];
      tap.weights = o.weights + (c * g.window() + k) * kTogether;
      taps.push_back(tap);
    }
}

/// Adds `count` taps to a row of `together` output channels.
static void addTaps(const ConvOperands &o, int64_t together, double *row,
                    const Tap *taps, int64_t count) {
  const int64_t plane = o.g.outputPlane(), stride = o.g.stride[2];
  int64_t begin = 0, end = o.g.out[2]; // what is inside of all
  for (int64_t t = 0; t < count; ++t) {
    begin = std::max(begin, taps[t].begin);
    end = std::min(end, taps[t].end);
  }
  if (stride != 1 || together != kTogether || begin >= end)
    begin = end = o.g.out[2];
  for (int64_t t = 0; t < count; ++t)
    for (int64_t k = 0; k < together; ++k) {
      auto add = [&](int64_t from, int64_t to) {
        addRow(row + k * plane, taps[t].weights[k], taps[t].source, stride,
               from, to);
      };
      add(taps[t].begin, std::min(begin, taps[t].end));
      add(std::max(end, taps[t].begin), taps[t].end);
    }
  if (begin < end)
    addInside(row, plane, taps, count, begin, end);
}

/// The planes of `together` output channels.
static Status sumPlanes(const ConvOperands &o, int64_t together) {
  const WindowGeometry &g = o.g;
  std::vector<Tap> taps;
  for (int64_t d = 0; d < g.out[0]; ++d)
    for (int64_t h = 0; h < g.out[1]; ++h) {
      WEFT_TRY(rt::stopStatus());
      findTaps(o, d, h, taps);
      double *row = o.sums + (d * g.out[1] + h) * g.out[2];
      const auto count = int64_t(taps.size());
      for (int64_t t = 0; t < count; t += kTapsTogether)
        addTaps(o, together, row, taps.data() + t,
                std::min(kTapsTogether, count - t));
    }
  return Status::ok();
}

/// The weights of `together` output channels side by side.
static std::vector<double> interleaved(const double *filter, int64_t perOutput,
                                       int64_t together) {
  std::vector<double> weights(size_t(perOutput * kTogether));
  for (int64_t i = 0; i < perOutput; ++i)
    for (int64_t k = 0; k < together; ++k)
      weights[size_t(i * kTogether + k)] = filter[k * perOutput + i];
  return weights;
}

/// A window of one element that moves by one: one long row is faster than many
/// short ones.
static void flattenPointwise(WindowGeometry &g) {
  for (int axis = 0; axis < 3; ++axis)
    if (g.kernel[axis] != 1 || g.stride[axis] != 1 || g.pad[axis] != 0 ||
        g.in[axis] != g.out[axis])
      return;
  int64_t plane = g.inputPlane();
  g.in[0] = g.in[1] = g.out[0] = g.out[1] = 1;
  g.in[2] = g.out[2] = plane;
}

Status host::kernels::conv(const Call &call, std::vector<HostTensor> &results) {
  const Shape &inputShape = call.operand(0).shape();
  const Shape &filterShape = call.operand(1).shape();
  if (filterShape.size() != inputShape.size() || inputShape.size() < 3)
    return call.fail("input of rank %zu, filter of rank %zu", inputShape.size(),
                     filterShape.size());
  WindowGeometry g;
  WEFT_TRY(readWindow(call, filterShape.data() + 2, g));
  int64_t group = call.attributes.integer("group", 1);
  int64_t channels = inputShape[1], outChannels = filterShape[0];
  if (group < 1 || channels % group || outChannels % group ||
      filterShape[1] != channels / group ||
      (call.hasOperand(2) && call.operand(2).elements() != outChannels))
    return call.fail("%lld groups of %lld channels do not fit filter and bias",
                     static_cast<long long>(group),
                     static_cast<long long>(channels));
  Shape shape = {inputShape[0], outChannels};
  for (size_t axis = 5 - inputShape.size(); axis < 3; ++axis)
    shape.push_back(g.out[axis]);
  WEFT_TRY(call.addResult(std::move(shape), results));
  if (results.back().elements() == 0)
    return Status::ok();
  flattenPointwise(g);
  std::vector<double> input = numeric::loadDoubles(call.operand(0));
  std::vector<double> filter = numeric::loadDoubles(call.operand(1));
  std::vector<double> bias(outChannels, 0.0);
  if (call.hasOperand(2))
    bias = numeric::loadDoubles(call.operand(2));
  std::vector<double> sums(results.back().elements());
  const int64_t groupChannels = channels / group,
                groupOutputs = outChannels / group,
                perOutput = groupChannels * g.window();
  for (int64_t n = 0; n < inputShape[0]; ++n)
    for (int64_t oc = 0; oc < outChannels;) {
      const int64_t left = groupOutputs - oc % groupOutputs,
                    together = left >= kTogether ? kTogether : 1,
                    first = oc / groupOutputs * groupChannels;
      double *plane = sums.data() + (n * outChannels + oc) * g.outputPlane();
      for (int64_t i = 0; i < together; ++i)
        std::fill_n(plane + i * g.outputPlane(), g.outputPlane(), bias[oc + i]);
      const std::vector<double> weights =
          interleaved(filter.data() + oc * perOutput, perOutput, together);
      WEFT_TRY(
          sumPlanes({g, input.data() + (n * channels + first) * g.inputPlane(),
                     weights.data(), plane, groupChannels},
                    together));
      oc += together;
    }
  numeric::storeDoubles(sums, results.back());
  return Status::ok();
}
