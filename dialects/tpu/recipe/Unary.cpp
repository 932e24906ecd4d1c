//===- Unary.cpp - recipes of the Unary family ----------------------------===//

#include "dialects/tpu/Unary.h"

#include "dialects/tpu/recipe/Bounds.h"
#include "dialects/tpu/recipe/Sequence.h"
#include "dialects/tpu/sequence/Functions.h"

using namespace weft;
using namespace weft::tpu;
using catalog::DataType;

// An AR command reads any strides; in a sequence other commands may come first.
bool UnaryOp::readsStrided(unsigned) { return !isSequence(getKind()); }

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

static double numberOf(mlir::FloatAttr parameter) {
  return asFloat(parameter.getValueAsDouble());
}

using UnaryBuilder = void (*)(UnaryOp op, RecipeBuilder &r);

// A command that writes over its operand takes twice as long (docs/cycles.md),
// so two tiles take turns.

static void buildHardSigmoid(UnaryOp op, RecipeBuilder &r) {
  Tile result = r.result();
  Tile other = r.scratch("gate", result.shape, result.type);
  r.scale(result, r.operand(0), numberOf(op.getAlphaAttr()),
          numberOf(op.getBetaAttr()));
  atLeast(r, other, result, 0.0);
  atMost(r, result, other, 1.0);
}

static void buildHardSwish(UnaryOp, RecipeBuilder &r) {
  Tile result = r.result(), input = r.operand(0);
  Tile gate = r.scratch("gate", result.shape, result.type);
  r.scale(gate, input, asFloat(1.0 / 6.0), 0.5);
  atLeast(r, result, gate, 0.0);
  atMost(r, gate, result, 1.0);
  r.binary("tiu.fmul", result, input, gate);
}

static void buildLeakyRelu(UnaryOp op, RecipeBuilder &r) {
  Tile result = r.result(), input = r.operand(0);
  Tile scaled = r.scratch("scaled", result.shape, result.type);
  bool isFlatter = op.getAlphaAttr().getValueAsDouble() <= 1.0;
  r.binary("tiu.fmul", scaled, input, numberOf(op.getAlphaAttr()));
  r.binary(isFlatter ? "tiu.fmax" : "tiu.fmin", result, input, scaled);
}

/// What writes the commands of a kind that has some of its own; null for
/// others.
static UnaryBuilder commandsOfKind(UnaryKind kind) {
  switch (kind) {
  case UnaryKind::Abs:
    return [](UnaryOp, RecipeBuilder &r) {
      r.call("tiu.fabs", {{"dst", r.result()}, {"src", r.operand(0)}});
    };
  case UnaryKind::Neg:
    return [](UnaryOp, RecipeBuilder &r) {
      r.binary("tiu.fsub", r.result(), 0.0, r.operand(0));
    };
  case UnaryKind::Relu:
    return [](UnaryOp, RecipeBuilder &r) {
      atLeast(r, r.result(), r.operand(0), 0.0);
    };
  case UnaryKind::Clip:
    return [](UnaryOp op, RecipeBuilder &r) {
      Tile result = r.result();
      atLeast(r, result, r.operand(0), numberOf(op.getAlphaAttr()));
      atMost(r, result, result, numberOf(op.getBetaAttr()));
    };
  case UnaryKind::HardSigmoid:
    return buildHardSigmoid;
  case UnaryKind::HardSwish:
    return buildHardSwish;
  case UnaryKind::LeakyRelu:
    return buildLeakyRelu;
  case UnaryKind::Floor:
  case UnaryKind::Ceil:
  case UnaryKind::Reciprocal:
    return buildThroughF32;
  default:
    return nullptr;
  }
}

bool UnaryOp::computes(UnaryKind kind) {
  return commandsOfKind(kind) || isSequence(kind);
}

static void buildUnary(mlir::Operation *operation, RecipeBuilder &r) {
  auto op = llvm::cast<UnaryOp>(operation);
  if (UnaryBuilder build = commandsOfKind(op.getKind()))
    return build(op, r);
  buildSequence(r, *sequenceOf(op));
}

bool UnaryOp::runsInAnyLane() { return true; }

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
