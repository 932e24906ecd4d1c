//===- Unary.cpp - recipes of the Unary family ----------------------------===//

#include "dialects/tpu/Unary.h"

#include "dialects/tpu/recipe/Lines.h"
#include "dialects/tpu/recipe/Sequence.h"
#include "dialects/tpu/sequence/Functions.h"
#include "runtime/chips/Chip.h"

using namespace weft;
using namespace weft::tpu;
using catalog::DataType;
using llvm::StringRef;

// An AR command reads any strides; in a sequence other commands may come first.
bool UnaryOp::readsStrided(unsigned) { return !sequenceOf(*this); }

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
}

static void buildUnary(mlir::Operation *operation, RecipeBuilder &r) {
  auto op = llvm::cast<UnaryOp>(operation);
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

llvm::ArrayRef<Alternative> UnaryOp::recipes() {
  static const Alternative list[] = {{"elements", buildUnary}};
  return list;
}

bool LutOp::isPackedOperand(unsigned operand) { return operand == 1; }

static void buildLut(mlir::Operation *, RecipeBuilder &r) {
  // The codes of a channel one after the other, each the place of its value.
  auto asRow = [&](const Tile &tile) {
    const Dims &dims = tile.shape;
    return r.as(tile, DataType::Uint8,
                {dims[kAxisN], dims[kAxisC], 1, dims[kAxisH] * dims[kAxisW]});
  };
  // One table a lane, of which there are no more than channels.
  constexpr int64_t kCodes = 256;
  Tile result = r.result();
  Tile table = r.table("table", kCodes, DataType::Uint8, r.weight(1));
  int64_t tables = std::min(table.shape[kAxisC], result.shape[kAxisC]);
  r.call("tiu.gather_w",
         {{"dst", asRow(result)},
          {"param", r.as(table, table.type, {1, tables, 1, kCodes})},
          {"index", asRow(r.operand(0))},
          {"is_param_repeated", true}});
}

llvm::ArrayRef<Alternative> LutOp::recipes() {
  static const Alternative list[] = {{"gather", buildLut}};
  return list;
}
