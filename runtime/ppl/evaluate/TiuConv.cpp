//===- TiuConv.cpp - meaning of the convolutions --------------------------===//

#include "runtime/ppl/Sums.h"
#include "runtime/ppl/Window.h"

#include <algorithm>

using namespace weft;
using namespace weft::catalog;
using numeric::Rounding;

//===----------------------------------------------------------------------===//
// Operands
//===----------------------------------------------------------------------===//

namespace {
/// The source elements below the window, in the order of the taps: an offset in
/// the plane, Window::kPadding or Window::kInserted.
class TapPlaces {
public:
  TapPlaces(const Window &window, const Dims &src)
      : window(window), height(src[2]), width(src[3]),
        places(size_t(window.taps())) {}

  const std::vector<int64_t> &at(int64_t y, int64_t x) {
    size_t tap = 0;
    for (int64_t p = 0; p < window.kernel[0]; ++p)
      for (int64_t q = 0; q < window.kernel[1]; ++q, ++tap) {
        int64_t h = window.sourceIndex(y, p, height, 0),
                w = window.sourceIndex(x, q, width, 1);
        bool isPadding = h == Window::kPadding || w == Window::kPadding;
        places[tap] = isPadding        ? Window::kPadding
                      : h < 0 || w < 0 ? Window::kInserted
                                       : h * width + w;
      }
    return places;
  }

private:
  const Window &window;
  int64_t height, width;
  std::vector<int64_t> places;
};

/// A tensor of one number a channel, or a number for all.
class PerChannel {
public:
  PerChannel(const Call &call, const Values &values, std::string_view slot,
             int64_t words = 1, int64_t word = 0)
      : words(words), word(word) {
    if (call.tensor(slot))
      tensor = &values.at(slot);
    else
      number = call.real(slot);
  }
  double at(int64_t channel) const {
    return tensor ? tensor->value(channel * words + word) : number;
  }
  int64_t integer(int64_t channel) const { return int64_t(at(channel)); }

private:
  const Dense *tensor = nullptr;
  double number = 0;
  int64_t words, word;
};
} // namespace

/// The order in which products of one output are added: groups of `pack` input
/// channels, taps, channels of the group. With pack 1 channel after channel.
namespace {
struct Order {
  int64_t inputs, taps, pack;
  int64_t groups() const { return (inputs + pack - 1) / pack; }
  int64_t terms() const { return groups() * taps * pack; }
  int64_t place(int64_t input, int64_t tap) const {
    return (input / pack * taps + tap) * pack + input % pack;
  }
};
} // namespace

/// Weights as [oc][term], turned if the window says so; zeros beyond the last
/// channel. T: float, int64_t.
template <class T>
static std::vector<T> packedWeights(const Call &call, const Values &values,
                                    int64_t outputs, const Order &order,
                                    const Window &window) {
  int64_t taps = order.taps;
  std::vector<T> weights(size_t(outputs * order.terms()), T(0));
  const Dense *weight = call.tensor("weight") ? &values.at("weight") : nullptr;
  DataType type = values.at("src").type;
  double number = call.real("weight");
  if (!weight && isFloat(type))
    number = roundedTo(type, float(number));
  for (int64_t o = 0; o < outputs; ++o)
    for (int64_t i = 0; i < order.inputs; ++i)
      for (int64_t tap = 0; tap < taps; ++tap) {
        int64_t from = window.rotates ? taps - 1 - tap : tap;
        weights[size_t(o * order.terms() + order.place(i, tap))] =
            T(weight ? weight->value(o * order.terms() + order.place(i, from))
                     : number);
      }
  return weights;
}

/// Calls visit(n, y, x, places) for every window.
template <class Visit>
static void eachWindow(const Window &window, const Dense &dst, const Dense &src,
                       Visit visit) {
  TapPlaces taps(window, src.shape);
  for (int64_t n = 0; n < dst.shape[0]; ++n)
    for (int64_t y = 0; y < dst.shape[2]; ++y)
      for (int64_t x = 0; x < dst.shape[3]; ++x)
        visit(n, y, x, taps.at(y, x));
}

//===----------------------------------------------------------------------===//
// Floats
//===----------------------------------------------------------------------===//

/// The sum of one output's products in the order of the machine.
static float floatSum(DataType type, const Order &order,
                      const std::vector<float> &x, const float *weights,
                      float bias, std::optional<float> old) {
  if (type == DataType::Fp32)
    return alternatingSum(x.data(), weights, order.terms(), old ? bias : 0.0f,
                          old ? *old : bias);
  float sum = addFlushed(old.value_or(0.0f), bias);
  for (int64_t k = 0; k < order.terms(); k += order.pack)
    sum = addFlushed(sum, blockSum(x.data() + k, weights + k, order.pack));
  return sum;
}

/// eachWindow with what lies under the window in the order of the sums:
/// body(n, y, x, terms), where term(input channel, n, place) is one of them.
template <class Number, class Term, class Body>
static void eachWindowTerms(const Window &window, const Dense &dst,
                            const Dense &src, const Order &order, Term term,
                            Body body) {
  std::vector<Number> terms(size_t(order.terms()), 0);
  eachWindow(
      window, dst, src,
      [&](int64_t n, int64_t y, int64_t x, const std::vector<int64_t> &places) {
        for (int64_t i = 0; i < order.inputs; ++i)
          for (int64_t tap = 0; tap < order.taps; ++tap)
            terms[size_t(order.place(i, tap))] =
                term(i, n, places[size_t(tap)]);
        body(n, y, x, terms);
      });
}

static rt::Status fconv(const Call &call, Values &values) {
  Dense &dst = values.at("dst");
  const Dense &src = values.at("src");
  const Dense old = accumulatorOf(values, "dst");
  Window window = windowOf(call);
  Order order{src.shape[1], window.taps(), channelPack(src.type, *call.chip)};
  std::vector<float> weights =
      packedWeights<float>(call, values, dst.shape[1], order, window);
  PerChannel bias(call, values, "bias");
  bool adds = call.integer("result_add"), hasBias = call.integer("has_bias"),
       clips = call.integer("do_relu");
  eachWindowTerms<float>(
      window, dst, src, order,
      [&](int64_t i, int64_t n, int64_t place) {
        return place < 0 ? 0.0f : float(src.value(src.at(n, i, 0, 0) + place));
      },
      [&](int64_t n, int64_t y, int64_t column, const std::vector<float> &x) {
        for (int64_t o = 0; o < dst.shape[1]; ++o) {
          int64_t index = dst.at(n, o, y, column);
          std::optional<float> before;
          if (adds)
            before = float(old.value(index));
          float sum =
              floatSum(src.type, order, x, weights.data() + o * order.terms(),
                       hasBias ? float(bias.at(o)) : 0.0f, before);
          storeSum(dst, index, clips && sum < 0 ? 0.0f : sum);
        }
      });
  return {};
}

/// `slots`: dst and src.
static rt::Status floatDepthwise(const Call &call, Values &values,
                                 std::string_view to, std::string_view from) {
  Dense &dst = values.at(to);
  const Dense &src = values.at(from);
  Window window = windowOf(call);
  int64_t taps = window.taps();
  PerChannel bias(call, values, "bias");
  const Dense *weight = call.tensor("weight") ? &values.at("weight") : nullptr;
  float number = roundedTo(src.type, float(call.real("weight")));
  eachWindow(
      window, dst, src,
      [&](int64_t n, int64_t y, int64_t x, const std::vector<int64_t> &places) {
        for (int64_t c = 0; c < dst.shape[1]; ++c) {
          AlternatingSum sum(src.type, 0,
                             roundedTo(src.type, float(bias.at(c))));
          for (int64_t tap = 0; tap < taps; ++tap) {
            int64_t k = window.rotates ? taps - 1 - tap : tap;
            float w = weight ? float(weight->value(c * taps + k)) : number;
            int64_t place = places[size_t(tap)];
            sum.add(place < 0 ? 0.0f
                              : float(src.value(src.at(n, c, 0, 0) + place)),
                    w);
          }
          storeSum(dst, dst.at(n, c, y, x), sum.result());
        }
      });
  return {};
}

static rt::Status fdwConv(const Call &call, Values &values) {
  return floatDepthwise(call, values, "output", "input");
}
static rt::Status fdwDeconv(const Call &call, Values &values) {
  return floatDepthwise(call, values, "dst", "src");
}

//===----------------------------------------------------------------------===//
// Bytes
//===----------------------------------------------------------------------===//

static rt::Status dwConv(const Call &call, Values &values) {
  Dense &dst = values.at("dst");
  const Dense &src = values.at("src");
  Window window = windowOf(call);
  int64_t taps = window.taps(), padding = call.integer("pad_val");
  unsigned shift = unsigned(call.integer("rshift"));
  Rounding mode = Rounding(call.integer("round_mode"));
  bool clips = call.integer("result_relu");
  bool hasSign = isSignedOperand(call, "src") ||
                 isSignedOperand(call, "weight") ||
                 isSignedOperand(call, "bias");
  PerChannel bias(call, values, "bias");
  const Dense *weight = call.tensor("weight") ? &values.at("weight") : nullptr;
  eachWindow(
      window, dst, src,
      [&](int64_t n, int64_t y, int64_t x, const std::vector<int64_t> &places) {
        for (int64_t c = 0; c < dst.shape[1]; ++c) {
          int64_t sum = bias.integer(c);
          for (int64_t tap = 0; tap < taps; ++tap) {
            int64_t k = window.rotates ? taps - 1 - tap : tap;
            int64_t w =
                weight ? weight->integer(c * taps + k) : call.integer("weight");
            int64_t place = places[size_t(tap)];
            sum += w * (place == Window::kPadding ? padding
                        : place == Window::kInserted
                            ? 0
                            : src.integer(src.at(n, c, 0, 0) + place));
          }
          sum = wrapped(sum, hasSign);
          if (clips)
            sum = std::max<int64_t>(sum, 0);
          sum = numeric::shiftRightRounded(sum, shift, mode);
          dst.setBits(dst.at(n, c, y, x), uint64_t(saturatedTo(dst.type, sum)));
        }
      });
  return {};
}

/// Calls finish(index of dst, output channel, exact sum of the products) for
/// every output.
template <class Finish>
static void integerSums(const Call &call, Values &values, Finish finish) {
  Dense &dst = values.at("dst");
  const Dense &src = values.at("src");
  Window window = windowOf(call);
  Order order{src.shape[1], window.taps(), channelPack(src.type, *call.chip)};
  std::vector<int64_t> weights =
      packedWeights<int64_t>(call, values, dst.shape[1], order, window);
  PerChannel padding(call, values, "pad_val", 2, 0), zeros(call, values, "kzp");
  bool hasPairs = call.tensor("pad_val");
  PerChannel insertion(call, values, hasPairs ? "pad_val" : "insert_val", 2, 1);
  eachWindowTerms<int64_t>(
      window, dst, src, order,
      [&](int64_t i, int64_t n, int64_t place) {
        return place == Window::kPadding ? padding.integer(i)
               : place == Window::kInserted
                   ? insertion.integer(i)
                   : src.integer(src.at(n, i, 0, 0) + place);
      },
      [&](int64_t n, int64_t y, int64_t column, const std::vector<int64_t> &x) {
        for (int64_t o = 0; o < dst.shape[1]; ++o) {
          int64_t sum = 0, zero = zeros.integer(o);
          const int64_t *row = weights.data() + o * order.terms();
          for (size_t k = 0; k < x.size(); ++k)
            sum += x[k] * (row[k] - zero);
          finish(dst.at(n, o, y, column), o, sum);
        }
      });
}

/// The bias of conv_*, 0 if there is none.
static int64_t biasOf(const Call &call, const PerChannel &bias, int64_t o) {
  bool isThere = !call.operation->slot("has_bias") || call.integer("has_bias");
  return isThere ? bias.integer(o) : 0;
}

static rt::Status convSym(const Call &call, Values &values) {
  Dense &dst = values.at("dst");
  PerChannel bias(call, values, "bias");
  bool hasSign = isSignedOperand(call, "src") ||
                 isSignedOperand(call, "weight") ||
                 isSignedOperand(call, "bias"),
       clips = call.integer("result_relu");
  unsigned shift = unsigned(call.integer("rshift"));
  integerSums(call, values, [&](int64_t index, int64_t o, int64_t sum) {
    sum = wrapped(sum + biasOf(call, bias, o), hasSign);
    if (clips)
      sum = std::max<int64_t>(sum, 0);
    sum = numeric::shiftRightRounded(sum, shift, Rounding::HalfUp);
    dst.setBits(index, uint64_t(saturatedTo(dst.type, sum)));
  });
  return {};
}

static rt::Status convAsym(const Call &call, Values &values) {
  Dense &dst = values.at("dst");
  const Dense old = dst;
  PerChannel bias(call, values, "bias");
  bool adds = call.integer("result_add"), symmetric = call.integer("saturate");
  integerSums(call, values, [&](int64_t index, int64_t o, int64_t sum) {
    sum += biasOf(call, bias, o) + (adds ? old.integer(index) : 0);
    sum = wrapped(sum, isSigned(dst.type));
    // 32 bits hold every sum; the flag is for narrower results.
    bool isNarrow = bitsOf(dst.type) < 32;
    dst.setBits(index,
                uint64_t(saturatedTo(dst.type, sum, symmetric && isNarrow)));
  });
  return {};
}

static rt::Status convRq(const Call &call, Values &values) {
  Dense &dst = values.at("dst");
  const Dense old = accumulatorOf(values, "dst");
  PerChannel bias(call, values, "bias");
  bool adds = call.integer("result_add"), clips = call.integer("result_relu");
  Requantisation step(call, "rshift", "out_zp", "round");
  const Dense *words = call.tensor("requant") ? &values.at("requant") : nullptr;
  integerSums(call, values, [&](int64_t index, int64_t o, int64_t sum) {
    sum += biasOf(call, bias, o) + (adds ? old.integer(index) : 0);
    sum = wrapped(sum, true);
    if (clips)
      sum = std::max<int64_t>(sum, 0);
    if (words)
      step.unpack(uint32_t(words->bits(2 * o)),
                  uint32_t(words->bits(2 * o + 1)));
    dst.setBits(index, uint64_t(step.apply(sum, dst.type)));
  });
  return {};
}

std::vector<EvaluatorRow> catalog::tiuConvEvaluators() {
  return {{"tiu.fconv", fconv},        {"tiu.fdeconv", fconv},
          {"tiu.fdw_conv", fdwConv},   {"tiu.fdw_deconv", fdwDeconv},
          {"tiu.dw_conv", dwConv},     {"tiu.dw_deconv", dwConv},
          {"tiu.conv_sym", convSym},   {"tiu.conv_sym_rq", convRq},
          {"tiu.conv_asym", convAsym}, {"tiu.conv_asym_rq", convRq},
          {"tiu.deconv_sym", convSym}, {"tiu.deconv_asym", convAsym}};
}
