//===- TiuPool.cpp - meaning of the poolings ------------------------------===//

#include "runtime/ppl/Sums.h"
#include "runtime/ppl/Window.h"

#include <cmath>

using namespace weft;
using namespace weft::catalog;
using numeric::Rounding;

/// Calls visit(index of dst, index of src or Window::kPadding or kInserted) for
/// every tap of every window, then finish(index of dst).
template <class Begin, class Visit, class Finish>
static void eachTap(const Call &call, Values &values, Begin begin, Visit visit,
                    Finish finish) {
  const Dense &dst = values.at("dst"), &src = values.at("src");
  Window window = windowOf(call);
  for (int64_t n = 0; n < dst.shape[0]; ++n)
    for (int64_t c = 0; c < dst.shape[1]; ++c)
      for (int64_t y = 0; y < dst.shape[2]; ++y)
        for (int64_t x = 0; x < dst.shape[3]; ++x) {
          begin();
          for (int64_t p = 0; p < window.kernel[0]; ++p)
            for (int64_t q = 0; q < window.kernel[1]; ++q) {
              int64_t h = window.sourceIndex(y, p, src.shape[2], 0),
                      w = window.sourceIndex(x, q, src.shape[3], 1);
              visit(h >= 0 && w >= 0 ? src.at(n, c, h, w) : Window::kPadding);
            }
          finish(dst.at(n, c, y, x));
        }
}

/// Bits of the largest finite value, or of the smallest.
static uint64_t finiteEnd(DataType type, bool isLargest) {
  uint64_t sign = isLargest ? 0 : uint64_t(1) << (bitsOf(type) - 1);
  switch (type) {
  case DataType::Fp32:
    return sign | 0x7f7fffff;
  case DataType::Fp16:
    return sign | 0x7bff;
  case DataType::Bf16:
    return sign | 0x7f7f;
  case DataType::Int8:
    return isLargest ? 0x7f : 0x80;
  default: // uint8
    return isLargest ? 0xff : 0;
  }
}

/// Subnormal numbers of fp32 and bf16 compare as zeros; fp32 stores them so,
/// bf16 keeps them. Of equal numbers the last one stays, and a NaN gives way to
/// what follows it.
template <bool isMax>
static rt::Status extreme(const Call &call, Values &values) {
  Dense &dst = values.at("dst");
  const Dense &src = values.at("src");
  Dense end(src.type, {1, 1, 1, 1});
  end.setBits(0, finiteEnd(src.type, !isMax));
  uint64_t best = 0;
  double bestValue = 0;
  bool flushes = src.type == DataType::Fp32;
  auto take = [&](const Dense &from, int64_t index) {
    double value = from.value(index);
    if (isFloat(from.type))
      value = flushed(float(value));
    bool stays = isMax ? bestValue > value : bestValue < value;
    if (stays)
      return;
    best = from.bits(index);
    bestValue = value;
  };
  eachTap(
      call, values,
      [&] {
        best = end.bits(0);
        bestValue = end.value(0);
      },
      [&](int64_t place) {
        take(place < 0 ? end : src, place < 0 ? 0 : place);
      },
      [&](int64_t index) {
        bool isTiny = flushes && (best & 0x7f800000) == 0;
        dst.setBits(index, isTiny ? best & 0x80000000 : best);
      });
  return {};
}

static rt::Status poolAvg(const Call &call, Values &values) {
  Dense &dst = values.at("dst");
  const Dense &src = values.at("src");
  int64_t scale = call.integer("scale"), sum = 0;
  unsigned shift = unsigned(call.integer("rshift"));
  eachTap(
      call, values, [&] { sum = 0; },
      [&](int64_t place) { sum += place < 0 ? 0 : src.integer(place); },
      [&](int64_t index) {
        int64_t scaled = wrapped(scale * sum, isSigned(src.type));
        dst.setBits(
            index, uint64_t(saturatedTo(dst.type,
                                        numeric::shiftRightRounded(
                                            scaled, shift, Rounding::HalfUp))));
      });
  return {};
}

static rt::Status fpoolAvg(const Call &call, Values &values) {
  Dense &dst = values.at("dst");
  const Dense &src = values.at("src");
  float scale = roundedTo(src.type, float(call.real("scale")));
  AlternatingSum sum(src.type, -0.0f, -0.0f);
  eachTap(
      call, values, [&] { sum = AlternatingSum(src.type, -0.0f, -0.0f); },
      [&](int64_t place) {
        sum.add(place < 0 ? 0.0f : float(src.value(place)), scale);
      },
      [&](int64_t index) { storeSum(dst, index, sum.result()); });
  return {};
}

std::vector<EvaluatorRow> catalog::tiuPoolEvaluators() {
  return {{"tiu.pool_max", extreme<true>},  {"tiu.fpool_max", extreme<true>},
          {"tiu.pool_min", extreme<false>}, {"tiu.fpool_min", extreme<false>},
          {"tiu.pool_avg", poolAvg},        {"tiu.fpool_avg", fpoolAvg}};
}
