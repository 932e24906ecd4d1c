//===- ChooseRecipes.cpp - --tpu-choose-recipes ---------------------------===//
//
// Before: ops of layer groups, some with more than one recipe. After: each of
// those has `tpu.recipe`, the way that costs least on its whole result (axes
// up to what a command counts), its constants included. Ops that have the
// attribute keep it. Refuses nothing: a way without a price is not taken, nor
// is one that rounds otherwise and would have to load things twice.
//
//===----------------------------------------------------------------------===//

#include "dialects/tpu/Decision.h"
#include "dialects/tpu/ModuleChip.h"
#include "dialects/tpu/Tpu.h"
#include "dialects/tpu/recipe/Price.h"
#include "passes/tpu/Passes.h"
#include "runtime/chips/Chip.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace weft::tpu {
#define GEN_PASS_DEF_TPUCHOOSERECIPES
#include "passes/tpu/Passes.h.inc"
} // namespace weft::tpu

using namespace mlir;
using namespace weft;
using namespace weft::tpu;

/// The piece on which ways are compared: the whole result, each axis as long
/// as a command counts.
static Box comparedPiece(Operation *op, const Chip &chip) {
  Box piece = Box::whole(dimsOf(op->getResult(0)));
  for (int64_t &size : piece.size)
    size = std::min(size, int64_t(chip.maxShape));
  return piece;
}

/// Cycles to compute the piece and to load its constants, which hide behind
/// nothing where the network waits for its weights.
static std::optional<int64_t> costOf(Operation *op, const Chip &chip,
                                     const Box &piece, const Alternative *way) {
  std::optional<int64_t> cycles = cautiousCyclesOf(op, chip, piece, way);
  if (cycles)
    *cycles += constantCyclesOf(op, chip, piece, way);
  return cycles;
}

/// Bytes of a lane for a piece with all that it needs.
static int64_t bytesFor(TilingInterface tiling, const Chip &chip,
                        const Box &piece, const Alternative *way) {
  Operation *op = tiling;
  int64_t bytes = 0;
  for (const LocalBuffer &buffer : localBuffersOf(op, chip, piece, way))
    bytes += bytesPerLane(chip, buffer.tensor);
  auto addTile = [&](Value value, const Dims &dims) {
    bytes += bytesPerLane(
        chip, {dims, elementBits(elementOf(value)), LocalLayout::Aligned});
  };
  addTile(op->getResult(0), piece.size);
  for (OpOperand &operand : op->getOpOperands())
    if (!tiling.isPackedOperand(operand.getOperandNumber()))
      addTile(operand.get(),
              tiling.inputNeed(operand.getOperandNumber(), piece).box.size);
  return bytes;
}

/// Whether the op can be computed without loading anything twice: some rows of
/// all channels fit a lane, or the channels of one round of a whole image. A
/// way that needs more memory than others could else end in slices that are
/// slower than its price says, or in none that fit.
static bool fitsWithoutReloads(TilingInterface tiling, const Chip &chip,
                               const Alternative *way) {
  constexpr int64_t kRows = 4;
  Box rows = Box::whole(dimsOf(tiling->getResult(0)));
  rows.size[kAxisN] = 1;
  Box channels = rows;
  rows.size[kAxisH] = std::min(rows.size[kAxisH], kRows);
  channels.size[kAxisC] = std::min(channels.size[kAxisC], int64_t(chip.lanes));
  return llvm::any_of(ArrayRef<Box>{rows, channels}, [&](const Box &piece) {
    return bytesFor(tiling, chip, piece, way) <= int64_t(chip.laneBytes / 2);
  });
}

namespace {
struct ChooseRecipes : weft::tpu::impl::TpuChooseRecipesBase<ChooseRecipes> {
  using TpuChooseRecipesBase::TpuChooseRecipesBase;
  void runOnOperation() override;
};
} // namespace

void ChooseRecipes::runOnOperation() {
  const Chip *chip = chipOf(getOperation());
  if (!chip)
    return signalPassFailure();
  getOperation().walk([&](TilingInterface tiling) {
    Operation *op = tiling;
    SmallVector<const Alternative *, 2> ways = alternativesOf(op);
    bool isSettled = ways.size() < 2 || op->hasAttr(kRecipeAttr);
    if (isSettled || !tiling.isTileable())
      return;
    if (roundingOnly && llvm::none_of(ways, [](const Alternative *way) {
          return way->addsInAnotherOrder;
        }))
      return;
    std::optional<size_t> best;
    SmallVector<Way, 2> priced;
    Box piece = comparedPiece(op, *chip);
    for (const Alternative *way : ways) { // the first of equals
      bool isOpen =
          !way->addsInAnotherOrder || fitsWithoutReloads(tiling, *chip, way);
      priced.push_back({way->name.str(),
                        isOpen ? costOf(op, *chip, piece, way) : std::nullopt});
      std::optional<int64_t> cost = priced.back().price;
      if (cost && (!best || *cost < *priced[*best].price))
        best = priced.size() - 1;
    }
    if (!best)
      return;
    op->setAttr(kRecipeAttr,
                StringAttr::get(op->getContext(), ways[*best]->name));
    addChoice(op, rt::Question::Recipe, priced, *best);
  });
}
