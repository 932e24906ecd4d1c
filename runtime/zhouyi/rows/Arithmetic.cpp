//===- Arithmetic.cpp - vadd, vaddh, vabs, vsub, vsubh, vdiv, vmod -------===//

#include "runtime/zhouyi/rows/Words.h"

using namespace weft;
using namespace weft::zhouyi;

/// vadd and vsub.
static Operation lanewiseSum(std::string_view name, std::string_view section,
                             std::string_view summary, std::string_view formula,
                             std::string_view example) {
  return onVectors(
      catalog::function(
          name, section, summary, formula,
          {vectorOrScalar("x", kNumbers), vectorOrScalar("y", kNumbers), mask(),
           saturateFlag(), outSign(), inactive(kNumbers)},
          {someVector({"x", "y"}), lanesAre(VectorWidth::Flexible, {"x", "y"}),
           scalarsFit(), alike(), oneSign(/*byOutSign=*/true),
           saturatesIntegers(), maskFits({"x", "y"}), inactiveFits()},
          example),
      VectorWidth::Flexible, kByR, lanewise);
}

/// vaddh and vsubh.
static Operation neighbours(std::string_view name, std::string_view section,
                            std::string_view summary, std::string_view formula,
                            std::string_view example) {
  return onVectors(
      catalog::function(
          name, section, summary, formula,
          {vectorOrScalar("x", kIntegers), vectorOrScalar("y", kIntegers)},
          {someVector({"x", "y"}), lanesAre(VectorWidth::Multiple, {"x", "y"}),
           scalarsFit(), alike(), oneSign(/*byOutSign=*/false)},
          example),
      VectorWidth::Multiple, {}, lanewise);
}

/// vdiv and vmod.
static Operation quotient(std::string_view name, std::string_view section,
                          std::string_view summary, std::string_view formula,
                          TypeSet types, std::string_view example) {
  return onVectors(
      catalog::function(
          name, section, summary, formula,
          {vectorOrScalar("x", types), vectorOrScalar("y", types), mask()},
          {someVector({"x", "y"}), lanesAre(VectorWidth::Flexible, {"x", "y"}),
           scalarsFit(), alike(), oneSign(/*byOutSign=*/false),
           maskFits({"x", "y"})},
          example),
      VectorWidth::Flexible, kUndefined, lanewise);
}

std::vector<Operation> zhouyi::arithmeticRows() {
  std::vector<Operation> rows;
  rows.push_back(lanewiseSum(
      "vadd", ZHOUYI_SECTION("vadd"),
      "sums of lanes; integers wrap, or clamp to the type of the result with "
      "saturate",
      "out[i] = mask[i] ? x[i] + y[i] : r[i]",
      "x = S.int32x8([1, 2, 3, 4, 5, 6, 7, 8])\n"
      "z = S.int32x8([9, 8, 7, 6, 4, 3, 2, 1])\n"
      "out = S.vadd(x, x, mask=\"4T2F2T\", r=z)"));
  rows.push_back(
      neighbours("vaddh", ZHOUYI_SECTION("vaddh"),
                 "sums of neighbours, those of x in the lower half and those "
                 "of y in the upper, clamped to the type",
                 "out[i] = clamp(x[2i] + x[2i+1]), out[h+i] = clamp(y[2i] + "
                 "y[2i+1]), h = lanes / 2",
                 "x = S.int32x8([9, 1, 8, 2, 7, 3, 6, 4])\n"
                 "y = S.int32x8([9, 4, 8, 3, 7, 2, 6, 1])\n"
                 "out = S.vaddh(x, y)"));
  rows.push_back(onVectors(
      catalog::function(
          "vabs", ZHOUYI_SECTION("vabs"),
          "absolute values; the smallest integer stays itself, or becomes the "
          "largest with saturate; a float loses its sign bit",
          "out[i] = mask[i] ? |x[i]| : undefined",
          {vector("x", kNumbers), mask(), saturateFlag()},
          {someVector({"x"}), lanesAre(VectorWidth::Flexible, {"x"}),
           saturatesIntegers(), maskFits({"x"})},
          "x = S.int8x8([1, -2, -3, 4, -5, 6, -127, -128])\n"
          "out = S.vabs(x, mask=\"4T2F2T\", saturate=True)"),
      VectorWidth::Flexible, kUndefined, sameAsX));
  rows.push_back(lanewiseSum(
      "vsub", ZHOUYI_SECTION("vsub"),
      "differences of lanes; integers wrap, or clamp to the type of the result "
      "with saturate",
      "out[i] = mask[i] ? x[i] - y[i] : r[i]",
      "x = S.int32x8([1, 2, 3, 4, 5, 6, 7, 8])\n"
      "y = S.int32x8([1, 1, 1, 1, 2, 2, 2, 2])\n"
      "z = S.int32x8([9, 8, 7, 6, 4, 3, 2, 1])\n"
      "out = S.vsub(x, y, mask=\"4T2F2T\", r=z)"));
  rows.push_back(
      neighbours("vsubh", ZHOUYI_SECTION("vsubh"),
                 "differences of neighbours, the even lane minus the odd one, "
                 "those of x in the lower half and those of y in the upper, "
                 "clamped to the type",
                 "out[i] = clamp(x[2i] - x[2i+1]), out[h+i] = clamp(y[2i] - "
                 "y[2i+1]), h = lanes / 2",
                 "x = S.int32x8([9, 1, 8, 2, 7, 3, 6, 4])\n"
                 "y = S.int32x8([9, 4, 8, 3, 7, 2, 6, 1])\n"
                 "out = S.vsubh(x, y)"));
  rows.push_back(quotient(
      "vdiv", ZHOUYI_SECTION("vdiv"),
      "quotients of lanes; integers toward zero, clamped to the type, 0 for a "
      "division by 0; floats as IEEE 754",
      "out[i] = mask[i] ? x[i] / y[i] : undefined", kIntegers | kSingle,
      "x = S.int32x8([1, 4, 9, 16, 25, 36, 49, 64])\n"
      "y = S.int32x8([1, 2, 3, 4, 5, 6, 7, 8])\n"
      "out = S.vdiv(x, y, mask=\"2T2F4T\")"));
  rows.push_back(quotient(
      "vmod", ZHOUYI_SECTION("vmod"),
      "remainders of the division toward zero, with the sign of x; 0 "
      "for a division by 0",
      "out[i] = mask[i] ? x[i] - trunc(x[i] / y[i]) * y[i] : undefined",
      kIntegers,
      "x = S.int32x8([5, 6, 7, 8, -5, -6, -7, -8])\n"
      "y = S.int32x8([-2, -5, 4, 3, 3, 4, -3, -4])\n"
      "out = S.vmod(x, y, mask=\"3T2F3T\")"));
  return rows;
}
