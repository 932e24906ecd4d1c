//===- Unary.cpp - recipes of the Unary family ----------------------------===//

#include "dialects/tpu/Unary.h"

#include "dialects/tpu/Constant.h"
#include "dialects/tpu/recipe/Lines.h"
#include "dialects/tpu/recipe/Sequence.h"
#include "dialects/tpu/sequence/Functions.h"
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

/// floor, ceil, reciprocal: f32 commands, through f32 for 16-bit types.
static void buildThroughF32(UnaryOp op, RecipeBuilder &r) {
  Tile result = r.result(), input = r.operand(0);
  bool narrow = catalog::bitsOf(result.type) == 16;
  Tile wide = narrow ? r.scratch("wide", result.shape, DataType::Fp32) : result;
  if (narrow) {
    r.cast(wide, input);
    input = wide;
  }
  if (op.getKind() == UnaryKind::Reciprocal)
    r.binary("tiu.fdiv", wide, 1.0, input, kDivisionSteps);
  else
    r.cast(wide, input,
           op.getKind() == UnaryKind::Floor ? numeric::Rounding::Floor
                                            : numeric::Rounding::Ceil);
  if (narrow)
    r.cast(result, wide);
  return;
}

void UnaryOp::buildRecipe(RecipeBuilder &r) {
  UnaryOp op = *this;
  if (std::optional<Sequence> sequence = sequenceOf(op))
    return buildSequence(r, *sequence);
  Tile result = r.result(), input = r.operand(0);
  double alpha =
      op.getAlpha() ? asFloat(op.getAlphaAttr().getValueAsDouble()) : 0.0;
  double beta =
      op.getBeta() ? asFloat(op.getBetaAttr().getValueAsDouble()) : 0.0;
  switch (op.getKind()) {
  case UnaryKind::Abs:
    r.call("tiu.fabs", {{"dst", result}, {"src", input}});
    return;
  case UnaryKind::Neg:
    r.binary("tiu.fsub", result, 0.0, input);
    return;
  case UnaryKind::Relu:
    r.binary("tiu.fmax", result, input, 0.0);
    return;
  case UnaryKind::Clip:
    r.binary("tiu.fmax", result, input, alpha);
    r.binary("tiu.fmin", result, result, beta);
    return;
  case UnaryKind::HardSigmoid:
    r.binary("tiu.fmul", result, input, alpha);
    r.binary("tiu.fadd", result, result, beta);
    r.binary("tiu.fmax", result, result, 0.0);
    r.binary("tiu.fmin", result, result, 1.0);
    return;
  case UnaryKind::HardSwish: {
    Tile gate = r.scratch("gate", result.shape, result.type);
    r.binary("tiu.fmul", gate, input, asFloat(1.0 / 6.0));
    r.binary("tiu.fadd", gate, gate, 0.5);
    r.binary("tiu.fmax", gate, gate, 0.0);
    r.binary("tiu.fmin", gate, gate, 1.0);
    r.binary("tiu.fmul", result, input, gate);
    return;
  }
  case UnaryKind::LeakyRelu: {
    Tile scaled = r.scratch("scaled", result.shape, result.type);
    r.binary("tiu.fmul", scaled, input, alpha);
    r.binary(op.getAlphaAttr().getValueAsDouble() <= 1.0 ? "tiu.fmax"
                                                         : "tiu.fmin",
             result, input, scaled);
    return;
  }
  case UnaryKind::Floor:
  case UnaryKind::Ceil:
  case UnaryKind::Reciprocal:
    return buildThroughF32(op, r);
  default:
    llvm_unreachable("the other kinds are sequences");
  }
}
