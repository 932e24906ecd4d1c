//===- Lines.cpp - parts that recipes share -------------------------------===//

#include "dialects/tpu/recipe/Lines.h"

#include "dialects/tpu/GroupPlan.h"
#include "runtime/chips/Chip.h"

using namespace weft;
using namespace weft::tpu;
using catalog::DataType;
using llvm::StringRef;

ExpScratch weft::tpu::addExpScratch(RecipeBuilder &r, const Dims &dims) {
  auto tile = [&](StringRef name) {
    return r.scratch(name, dims, DataType::Fp32);
  };
  ExpScratch scratch{tile("power"), tile("rest"), tile("product"), {}};
  scratch.series = r.scratch("series", {1, int64_t(r.chip.lanes), 1, kExpTerms},
                             DataType::Fp32);
  return scratch;
}

void weft::tpu::buildExp(RecipeBuilder &r, const Tile &target,
                         const Tile &source, const ExpScratch &scratch) {
  // exp(x) = 2^k * e^r with k = round(x / ln 2), r = x - k ln 2 in two parts
  // (Cody and Waite), e^r by its series. Range: k stays in -126..127, so 2^k is
  // a normal number made by writing the exponent field.
  const double kLowest = asFloat(-87.33), kHighest = asFloat(88.37);
  const double kLog2E = asFloat(1.4426950408889634), kLn2High = 0.693359375,
               kLn2Low = asFloat(-2.12194440e-4);
  const auto &[power, rest, product, series] = scratch;
  constexpr int64_t kInverseFactorials = 0; // coeff_table_mode_t EXP
  r.call("tiu.smem_bcast",
         {{"dst", series}, {"coeff_mode", kInverseFactorials}});
  r.binary("tiu.fmax", rest, source, kLowest);
  r.binary("tiu.fmin", rest, rest, kHighest);
  r.binary("tiu.fmul", power, rest, kLog2E);
  r.cast(power, power); // to an integral value
  r.binary("tiu.fmul", product, power, kLn2High);
  r.binary("tiu.fsub", rest, rest, product);
  r.binary("tiu.fmul", product, power, kLn2Low);
  r.binary("tiu.fsub", rest, rest, product);
  r.call(
      "tiu.taylor",
      {{"dst", product}, {"src", rest}, {"coeff", series}, {"len", kExpTerms}});
  Tile integer = r.as(rest, DataType::Int32); // free now
  r.cast(integer, power);
  r.binary("tiu.add", integer, integer, 127);
  r.call("tiu.logical_shift",
         {{"dst", integer},
          {"src", integer},
          {"shift", 23},
          {"round_mode", int64_t(numeric::Rounding::HalfUp)}});
  r.binary("tiu.fmul", target, product, rest);
}

Box weft::tpu::withWholeAxis(Box result, mlir::Value input, unsigned axis) {
  result.offset[axis] = 0;
  result.size[axis] = dimsOf(input)[axis];
  return result;
}

void weft::tpu::combine(RecipeBuilder &r, ReduceKind kind, const Tile &dst,
                        const Tile &lhs, const Tile &rhs) {
  static constexpr llvm::StringLiteral floats[] = {"tiu.fadd", "tiu.fmul",
                                                   "tiu.fmax", "tiu.fmin"},
                                       integers[] = {"tiu.add", "tiu.mul",
                                                     "tiu.max", "tiu.min"};
  auto index = static_cast<unsigned>(kind);
  r.binary(catalog::isFloat(dst.type) ? floats[index] : integers[index], dst,
           lhs, rhs);
}

Tile weft::tpu::addHalf(RecipeBuilder &r, const Tile &src, unsigned axis) {
  // Views of it have strides in elements, of at most 16 bits: narrow elements
  // take room as if they were wide, so that no lane holds more than 65535 of
  // them.
  Dims dims = src.shape;
  if (catalog::bitsOf(src.type) == 32)
    dims[axis] = (dims[axis] + 1) / 2;
  return r.as(r.scratch("half", dims, DataType::Fp32), src.type, dims);
}

void weft::tpu::combineAxis(RecipeBuilder &r, ReduceKind kind, const Tile &dst,
                            const Tile &src, const Tile &half, unsigned axis) {
  int64_t size = src.shape[axis];
  if (size == 1)
    return r.copy(dst, src);
  // Element i meets element i + ceil(size / 2); of an odd number the middle one
  // waits.
  for (Tile rest = src; size > 1; rest = half) {
    int64_t pairs = size / 2, left = size - pairs;
    Tile target = left == 1 ? dst : r.part(half, axis, 0, pairs);
    combine(r, kind, target, r.part(rest, axis, 0, pairs),
            r.part(rest, axis, left, pairs));
    if (left > pairs && size == src.shape[axis])
      r.copy(r.part(half, axis, pairs, 1), r.part(src, axis, pairs, 1));
    size = left;
  }
}
