//===- Softmax.cpp - recipes of the Softmax family ------------------------===//

#include "dialects/tpu/Softmax.h"

#include "dialects/tpu/GroupPlan.h"
#include "dialects/tpu/recipe/AxisReduction.h"
#include "dialects/tpu/sequence/Functions.h"
#include "runtime/chips/Chip.h"
#include "runtime/numeric/Float16.h"

using namespace mlir;
using namespace weft;
using namespace weft::tpu;
using catalog::DataType;

Box SoftmaxOp::computedBox(const Box &wanted) {
  Box box = withWholeAxis(wanted, getInput(), getAxis());
  return getOverLanes() ? withWholeAxis(box, getInput(), kAxisC) : box;
}

/// Terms of the exponential series after range reduction to |x| <= ln(2)/2: the
/// first one left out is below 2^-31.
static constexpr int64_t kExpTerms = 10;

namespace {
/// Scratch of an exponential: tiles of its shape.
struct ExpScratch {
  Tile first, second, product;
};

/// What an exponential of few steps needs of a type.
struct ShortExp {
  double lowest;              ///< power of two that is 0 or next to nothing
  double ones;                ///< whole numbers are in its last bits
  int64_t exponent;           ///< where it begins
  std::vector<double> series; ///< of 2^x for |x| <= 1/2
};
} // namespace

static ExpScratch addExpScratch(RecipeBuilder &r, const Tile &like) {
  auto tile = [&](StringRef name) {
    return r.scratch(name, like.shape, like.type);
  };
  return {tile("first"), tile("second"), tile("product")};
}

/// f32 exponential of `tile`, aligned and of the shape of the scratch, in its
/// place. Within 2 ulp for -87.3 <= x <= 88.3; arguments outside are clamped to
/// that range. No command writes over its operand, which takes twice as long.
static void buildExp(RecipeBuilder &r, const Tile &tile,
                     const ExpScratch &scratch) {
  // exp(x) = 2^k * e^r with k = round(x / ln 2), r = x - k ln 2 in two parts
  // (Cody and Waite), e^r by its series. Range: k stays in -126..127, so 2^k is
  // a normal number made by writing the exponent field.
  const double kLowest = asFloat(-87.33), kHighest = asFloat(88.37);
  const double kLog2E = asFloat(1.4426950408889634), kLn2High = 0.693359375,
               kLn2Low = asFloat(-2.12194440e-4);
  const auto &[first, second, product] = scratch;
  Tile series = r.scratch("series", {1, int64_t(r.chip.lanes), 1, kExpTerms},
                          DataType::Fp32);
  constexpr int64_t kInverseFactorials = 0; // coeff_table_mode_t EXP
  r.call("tiu.smem_bcast",
         {{"dst", series}, {"coeff_mode", kInverseFactorials}});
  r.binary("tiu.fmax", second, tile, kLowest);
  r.binary("tiu.fmin", first, second, kHighest);
  r.binary("tiu.fmul", product, first, kLog2E);
  const Tile &power = second;
  r.cast(power, product); // to an integral value
  r.binary("tiu.fmul", product, power, kLn2High);
  r.binary("tiu.fsub", tile, first, product);
  r.binary("tiu.fmul", product, power, kLn2Low);
  r.binary("tiu.fsub", first, tile, product);
  r.call("tiu.taylor", {{"dst", product},
                        {"src", first},
                        {"coeff", series},
                        {"len", kExpTerms}});
  Tile integer = r.as(first, DataType::Int32), // free now, as is `tile`
      biased = r.as(tile, DataType::Int32);
  r.cast(integer, power);
  r.binary("tiu.add", biased, integer, 127);
  r.call("tiu.logical_shift",
         {{"dst", integer},
          {"src", biased},
          {"shift", 23},
          {"round_mode", int64_t(numeric::Rounding::HalfUp)}});
  r.binary("tiu.fmul", tile, product, first);
}

/// The same of x <= 0 in fewer steps: within 2^-18 of f32; of f16 by its own
/// commands, about 2^-10, for less than 2^-14 up to all of it.
static void buildShortExp(RecipeBuilder &r, const Tile &tile,
                          const ExpScratch &scratch) {
  // 2^(k + f) = 2^k * 2^f. The sum with `ones` rounds to k, whose bits are
  // shifted into the exponent of 2^f.
  bool isHalf = tile.type == DataType::Fp16;
  const ShortExp way =
      isHalf ? ShortExp{-15, 0x1.8p10, 10, sequence::powerSeriesOfHalves()}
             : ShortExp{-126.5, 0x1.8p23, 23, sequence::powerSeries16()};
  DataType whole = isHalf ? DataType::Int16 : DataType::Int32;
  const auto &[first, second, product] = scratch;
  Tile series = r.table("series", way.series.size(), tile.type, [way, isHalf] {
    if (!isHalf)
      return bytesOf<float>(
          SmallVector<float>(way.series.begin(), way.series.end()));
    SmallVector<uint16_t> halves;
    for (double number : way.series)
      halves.push_back(numeric::floatToHalf(float(number)));
    return bytesOf<uint16_t>(halves);
  });
  r.binary("tiu.fmul", first, tile, asFloat(1.4426950408889634));
  r.binary("tiu.fmax", second, first, way.lowest);
  r.binary("tiu.fadd", first, second, way.ones);
  r.binary("tiu.fsub", tile, first, way.ones);
  r.binary("tiu.fsub", product, second, tile);
  r.call("tiu.taylor", {{"dst", second},
                        {"src", product},
                        {"coeff", series},
                        {"len", int64_t(way.series.size())}});
  r.call("tiu.logical_shift",
         {{"dst", r.as(product, whole)},
          {"src", r.as(first, whole)},
          {"shift", way.exponent},
          {"round_mode", int64_t(numeric::Rounding::HalfUp)}});
  r.binary("tiu.add", r.as(tile, whole), r.as(second, whole),
           r.as(product, whole));
}

/// tile = 1 / tile; the machine divides f32 alone.
static void invert(RecipeBuilder &r, const Tile &tile) {
  bool isCast = tile.type != DataType::Fp32;
  Tile wide =
      isCast ? r.scratch("wide statistics", tile.shape, DataType::Fp32) : tile;
  if (isCast)
    r.cast(wide, tile);
  r.binary("tiu.fdiv", wide, 1.0, wide, kDivisionSteps);
  if (isCast)
    r.cast(tile, wide);
}

static void buildSoftmax(Operation *operation, RecipeBuilder &r) {
  auto op = llvm::cast<SoftmaxOp>(operation);
  unsigned axis = op.getAxis();
  Tile result = r.result(), input = r.operand(0);
  DataType type = op.getNarrowSteps() ? DataType::Fp16 : DataType::Fp32;
  bool isCast = result.type != type;
  Dims lines = result.shape;
  lines[axis] = 1;
  Tile powers = r.scratch("powers", result.shape, type);
  ExpScratch exponential = addExpScratch(r, powers);
  LineReduction reduction(r, powers, axis, op.getOverLanes());
  Tile statistics = r.scratch("statistics", lines, type);
  if (isCast) {
    r.cast(powers, input);
    input = powers;
  }
  reduction.combine(ReduceKind::Max, statistics, input);
  r.binary("tiu.fsub", powers, input, statistics);
  if (op.getShortSteps() || op.getNarrowSteps())
    buildShortExp(r, powers, exponential);
  else
    buildExp(r, powers, exponential);
  reduction.combine(ReduceKind::Sum, statistics, powers);
  // A division takes 31 cycles where a product takes one: only the sums are
  // divided by.
  Tile quotient = isCast ? powers : result;
  invert(r, statistics);
  r.binary("tiu.fmul", quotient, powers, statistics);
  if (isCast)
    r.cast(result, quotient);
}

ArrayRef<Alternative> SoftmaxOp::recipes() {
  static const Alternative list[] = {{"exponentials", buildSoftmax}};
  return list;
}
