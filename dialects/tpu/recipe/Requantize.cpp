//===- Requantize.cpp - integers by a multiplier and a shift --------------===//

#include "dialects/tpu/recipe/Requantize.h"

#include "dialects/tpu/Tpu.h"

#include <algorithm>

using namespace weft;
using namespace weft::tpu;
using catalog::DataType;

void weft::tpu::buildRq1(RecipeBuilder &r, const Tile &dst, const Tile &src,
                         const Requantization &by) {
  r.call("tiu.rq1", {{"dst", dst},
                     {"src", src},
                     {"multiplier", int64_t(by.multiplier)},
                     {"shift", -by.rshift},
                     {"offset", by.zeroPoint},
                     {"round_mode", int64_t(by.rounding)}});
}

bool weft::tpu::isScaledProduct(mlir::Value from, mlir::Value to,
                                int64_t multiplier) {
  bool isSigned = elementIsSigned(to);
  return elementIsSigned(from) == isSigned && (isSigned || multiplier >= 0);
}

/// Least and greatest number of an integer type of at most 32 bits.
static std::pair<int64_t, int64_t> rangeOfType(DataType type) {
  unsigned bits = catalog::bitsOf(type);
  return catalog::isSigned(type)
             ? std::pair{-(int64_t(1) << (bits - 1)),
                         (int64_t(1) << (bits - 1)) - 1}
             : std::pair{int64_t(0), (int64_t(1) << bits) - 1};
}

/// The same function of a byte with a multiplier that is a byte as well, if
/// there is one: the machine computes as many elements at a time as the widest
/// operand allows. All codes are tried, so the results are equal.
static Requantization narrowed(const Requantization &by, DataType from,
                               DataType to) {
  auto [low, high] = rangeOfType(from);
  auto [least, most] = rangeOfType(to);
  auto apply = [&, least = least, most = most](const Requantization &which,
                                               int64_t code) {
    int64_t value = numeric::shiftRightRounded(
        code * which.multiplier, unsigned(which.rshift), which.rounding);
    return std::clamp(value, least, most);
  };
  for (int64_t drop = 1; drop < 32 && drop <= by.rshift; ++drop) {
    int64_t multiplier =
        (int64_t(by.multiplier) + (int64_t(1) << (drop - 1))) >> drop;
    if (multiplier < low || multiplier > high)
      continue;
    Requantization narrow{int32_t(multiplier), by.rshift - drop, by.rounding};
    bool isSame = true;
    for (int64_t code = low; code <= high && isSame; ++code)
      isSame = apply(narrow, code) == apply(by, code);
    return isSame ? narrow : by; // fewer bits would only be worse
  }
  return by;
}

void weft::tpu::buildScaledProduct(RecipeBuilder &r, const Tile &dst,
                                   const Tile &src, Requantization by) {
  if (catalog::bitsOf(src.type) == 8)
    by = narrowed(by, src.type, dst.type);
  r.call("tiu.mul", {{"dst", dst},
                     {"src0", src},
                     {"src1", int64_t(by.multiplier)},
                     {"shift", -by.rshift},
                     {"round_mode", int64_t(by.rounding)},
                     {"saturation", true}});
}
