//===- Rounding.cpp - vrint, clip ----------------------------------------===//

#include "runtime/zhouyi/rows/Words.h"

#include <cmath>

using namespace weft;
using namespace weft::zhouyi;

static constexpr std::string_view kBounds[] = {"min_val", "max_val"};

/// Vectors have x's type; constants of the right kind are moved into it.
static bool boundFits(const Argument &bound, const VectorType &x) {
  if (bound.kind == Argument::Kind::Integer)
    return true;
  if (bound.kind == Argument::Kind::Float)
    return isFloat(x.type) && !std::isnan(bound.real);
  return isScalar(bound) ? rangeFits(bound.vector.type, x.type)
                         : bound.vector == x;
}

static Rule boundsFit() {
  return catalog::rule(
      "min_val and max_val must be vectors of the type of x, or scalars that "
      "fit it (a float is no bound of integers, NaN is none of floats)",
      [](const Call &call) {
        for (std::string_view name : kBounds)
          if (!boundFits(call[name], call["x"].vector))
            return std::string(name) + " is " + textOf(call[name]) + ", x is " +
                   textOf(call["x"]);
        return std::string();
      });
}

static Rule boundsInOrder() {
  return catalog::rule(
      "min_val must not be above max_val", [](const Call &call) {
        const Argument &low = call["min_val"], &high = call["max_val"];
        if (!low.isNumber() || !high.isNumber())
          return std::string();
        bool isAbove = low.kind == Argument::Kind::Integer &&
                               high.kind == Argument::Kind::Integer
                           ? low.integer > high.integer
                           : low.number() > high.number();
        return isAbove ? "min_val is " + textOf(low) + ", max_val is " +
                             textOf(high)
                       : std::string();
      });
}

std::vector<Operation> zhouyi::roundingRows() {
  std::vector<Operation> rows;
  rows.push_back(onVectors(
      catalog::function(
          "vrint", ZHOUYI_SECTION("vrint"),
          "the nearest integers as floats, ties to even; zeros keep their sign",
          "out[i] = mask[i] ? rint(x[i]) : undefined",
          {vector("x", kFloats), mask()},
          {someVector({"x"}), lanesAre(VectorWidth::Flexible, {"x"}),
           maskFits({"x"})},
          "x = S.float32x8([-0.4, 0.2, 1.4, 1.5, 1.6, 1.8, 1.9, 2.01])\n"
          "out = S.vrint(x, mask=\"5T1F2T\")"),
      VectorWidth::Flexible, kUndefined, sameAsX));
  rows.push_back(onVectors(
      catalog::function(
          "clip", ZHOUYI_SECTION("clip"),
          "lanes moved between two bounds; constant bounds beyond the type are "
          "its limits; a lane with min_val above max_val is undefined; three "
          "scalars give a scalar",
          "out[i] = mask[i] ? (x[i] < min_val[i] ? min_val[i] : x[i] > "
          "max_val[i] ? max_val[i] : x[i]) : x[i]",
          {vector("x", kNumbers), vectorOrScalar("min_val", kNumbers),
           vectorOrScalar("max_val", kNumbers), mask()},
          {lanesAre(VectorWidth::Flexible, {"x"}), boundsFit(), boundsInOrder(),
           maskFits({"x"})},
          "x = S.int32x8([1, 3, 4, 9, 4, 4, 8, 8])\n"
          "low = S.int32x8([3, 3, 3, 3, 5, 5, 5, 5])\n"
          "high = S.int32x8([8, 8, 8, 8, 7, 7, 7, 7])\n"
          "out = S.clip(x, low, high, mask=\"4T2FT\")"),
      VectorWidth::Flexible, "the lanes of x", sameAsX));
  return rows;
}
