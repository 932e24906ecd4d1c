//===- Price.h - what a recipe costs ----------------------------*- C++ -*-===//

#ifndef WEFT_DIALECTS_TPU_RECIPE_PRICE_H
#define WEFT_DIALECTS_TPU_RECIPE_PRICE_H

#include "dialects/tpu/recipe/Recipe.h"

#include "llvm/ADT/STLFunctionalExtras.h"

#include <optional>

namespace weft::tpu {

/// What the commands of a piece cost on their own: they run on one engine, one
/// after the other, so their times add up.
struct Price {
  int64_t cycles = 0;
  int64_t commands = 0;
  /// Cycles of commands for which no figure of the vendor's speaks.
  int64_t unconfirmed = 0;
};

/// Where a tile begins in its lanes, in bytes: a command whose result and first
/// operand begin in one bank takes longer.
using TileAddress = llvm::function_ref<uint64_t(const Tile &)>;

/// The price of a recipe, by the commands of its calls and runtime/cycles.
/// std::nullopt if a call has no commands for tiles of this size. Without
/// addresses tiles begin in one bank after the other.
std::optional<Price> priceOf(const Recipe &recipe, const Chip &chip,
                             TileAddress addressOf);
std::optional<Price> priceOf(const Recipe &recipe, const Chip &chip);

/// The price of a piece of an op's result that lies in local memory with all
/// that it needs, by the way chosen for it or by the one given.
std::optional<Price> priceOf(mlir::Operation *op, const Chip &chip,
                             const Box &result,
                             const Alternative *way = nullptr);

/// The same for choices: cycles, of which those that nothing confirms count
/// twice.
std::optional<int64_t> cautiousCyclesOf(mlir::Operation *op, const Chip &chip,
                                        const Box &result,
                                        const Alternative *way = nullptr);

/// The same of the cheapest way that is open to the op.
std::optional<int64_t> cheapestCyclesOf(mlir::Operation *op, const Chip &chip,
                                        const Box &result);

/// Cycles to load the constants of a piece from DRAM: those with a part for
/// each channel as one run a lane.
int64_t constantCyclesOf(mlir::Operation *op, const Chip &chip,
                         const Box &result, const Alternative *way);

} // namespace weft::tpu

#endif // WEFT_DIALECTS_TPU_RECIPE_PRICE_H
