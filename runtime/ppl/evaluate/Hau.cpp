//===- Hau.cpp - meaning of the functions of ppl::hau --------------------===//

#include "runtime/ppl/evaluate/Moves.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

using namespace weft;
using namespace weft::catalog;

/// The value that a row is sorted by.
static double keyOf(const Dense &src, int64_t i) {
  if (!isFloat(src.type))
    return double(src.integer(i));
  double value = src.value(i);
  // The engine takes subnormals for 0.
  return std::fabs(value) < double(std::numeric_limits<float>::min()) ? 0
                                                                      : value;
}

static rt::Status topk(const Call &call, Values &values) {
  Dense &dst = values["dst"], &src = values["src"];
  auto dstIndex = values.find("dst_idx"), srcIndex = values.find("src_idx");
  int64_t count = call.integer("K"), length = src.shape[3];
  bool isDescending = call.integer("descended");
  std::vector<int64_t> order(size_t(length), 0);
  std::vector<double> keys(size_t(length), 0);
  for (int64_t row = 0; row < src.elements() / length; ++row) {
    int64_t start = row * length;
    for (int64_t i = 0; i < length; ++i)
      keys[size_t(i)] = keyOf(src, start + i);
    if (std::any_of(keys.begin(), keys.end(),
                    [](double key) { return std::isnan(key); }))
      return rt::fail(rt::Code::InvalidArgument,
                      "hau.topk: row " + std::to_string(row) +
                          " has a NaN, which has no place in an order; "
                          "replace it first");
    std::iota(order.begin(), order.end(), 0);
    std::stable_sort(order.begin(), order.end(), [&](int64_t a, int64_t b) {
      double x = keys[size_t(a)], y = keys[size_t(b)];
      if (x != y)
        return isDescending ? x > y : x < y;
      return srcIndex != values.end() && srcIndex->second.bits(start + a) <
                                             srcIndex->second.bits(start + b);
    });
    for (int64_t k = 0; k < count; ++k) {
      int64_t from = order[size_t(k)], to = row * count + k;
      copyElement(dst, to, src, start + from);
      if (dstIndex != values.end())
        dstIndex->second.setBits(to, srcIndex != values.end()
                                         ? srcIndex->second.bits(start + from)
                                         : uint64_t(from));
    }
  }
  return {};
}

static rt::Status gatherLine(const Call &call, Values &values) {
  Dense &dst = values["dst"], &param = values["param"],
        &index = values["index"];
  uint64_t constant = constantBits(dst.type, call.real("C"));
  int64_t start = call.integer("start"), end = call.integer("end");
  auto [N, C, H, W] = dst.shape;
  for (int64_t h = 0; h < H; ++h) {
    int64_t line = index.integer(h);
    bool isInside = line >= start && line <= end;
    if (!isInside && !call.integer("fill_const"))
      continue;
    for (int64_t w = 0; w < W; ++w)
      dst.setBits(h * W + w,
                  isInside ? param.bits((line - start) * W + w) : constant);
  }
  return {};
}

std::vector<EvaluatorRow> catalog::hauEvaluators() {
  return {{"hau.topk", topk}, {"hau.gather_line", gatherLine}};
}
