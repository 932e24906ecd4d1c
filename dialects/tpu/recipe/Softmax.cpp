//===- Softmax.cpp - recipes of the Softmax family ------------------------===//

#include "dialects/tpu/Softmax.h"

#include "dialects/tpu/GroupPlan.h"
#include "dialects/tpu/recipe/AxisReduction.h"
#include "runtime/chips/Chip.h"

using namespace mlir;
using namespace weft;
using namespace weft::tpu;
using catalog::DataType;

Box SoftmaxOp::computedBox(const Box &wanted) {
  return withWholeAxis(wanted, getInput(), getAxis());
}

/// Terms of the exponential series after range reduction to |x| <= ln(2)/2: the
/// first one left out is below 2^-31.
static constexpr int64_t kExpTerms = 10;

namespace {
/// Scratch of an f32 exponential: tiles of its shape, and the coefficients of
/// the series, a row in every lane.
struct ExpScratch {
  Tile first, second, product, series;
};
} // namespace

static ExpScratch addExpScratch(RecipeBuilder &r, const Dims &dims) {
  auto tile = [&](StringRef name) {
    return r.scratch(name, dims, DataType::Fp32);
  };
  ExpScratch scratch{tile("first"), tile("second"), tile("product"), {}};
  scratch.series = r.scratch("series", {1, int64_t(r.chip.lanes), 1, kExpTerms},
                             DataType::Fp32);
  return scratch;
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
  const auto &[first, second, product, series] = scratch;
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

static void buildSoftmax(Operation *operation, RecipeBuilder &r) {
  unsigned axis = llvm::cast<SoftmaxOp>(operation).getAxis();
  Tile result = r.result(), input = r.operand(0);
  bool narrow = catalog::bitsOf(result.type) == 16;
  Dims lines = result.shape;
  lines[axis] = 1;
  ExpScratch exponential = addExpScratch(r, result.shape);
  Tile powers = r.scratch("powers", result.shape, DataType::Fp32),
       half = addHalf(r, powers, axis),
       statistics = r.scratch("statistics", lines, DataType::Fp32);
  if (narrow) {
    r.cast(powers, input);
    input = powers;
  }
  combineAxis(r, ReduceKind::Max, statistics, input, half, axis);
  r.binary("tiu.fsub", powers, input, statistics);
  buildExp(r, powers, exponential);
  combineAxis(r, ReduceKind::Sum, statistics, powers, half, axis);
  // A division takes 31 cycles where a product takes one: only the sums are
  // divided by.
  Tile quotient = narrow ? powers : result;
  r.binary("tiu.fdiv", statistics, 1.0, statistics, kDivisionSteps);
  r.binary("tiu.fmul", quotient, powers, statistics);
  if (narrow)
    r.cast(result, quotient);
}

ArrayRef<Alternative> SoftmaxOp::recipes() {
  static const Alternative list[] = {{"exponentials", buildSoftmax}};
  return list;
}
