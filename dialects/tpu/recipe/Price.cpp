//===- Price.cpp - what a recipe costs ------------------------------------===//

#include "dialects/tpu/recipe/Price.h"

#include "runtime/cycles/Cycles.h"
#include "runtime/ppl/Commands.h"

using namespace weft;
using namespace weft::tpu;

static catalog::Argument argumentOf(const RecipeArgument &given,
                                    TileAddress addressOf) {
  using Kind = catalog::Argument::Kind;
  catalog::Argument argument;
  if (const Tile *tile = given.tile()) {
    if (*tile) {
      argument.kind = Kind::Tensor;
      argument.tensor = *tile;
      argument.tensor.address = addressOf(*tile) + uint64_t(tile->byte);
    }
  } else if (const int64_t *number = given.integer()) {
    argument.kind = Kind::Integer;
    argument.integer = *number;
  } else if (const double *number = given.real()) {
    argument.kind = Kind::Float;
    argument.real = *number;
  } else {
    argument.kind = Kind::Integers;
    argument.integers.assign(given.integers()->begin(),
                             given.integers()->end());
  }
  return argument;
}

/// Whether the tiles of a call lie in the same lanes, one round of them.
static bool staysInLanes(const RecipeCall &call, const Chip &chip) {
  if (!call.insideLanes)
    return false;
  const Tile *first = nullptr;
  return llvm::all_of(call.arguments, [&](const auto &given) {
    const Tile *tile = given.second.tile();
    if (!first)
      first = tile;
    return tile->lane == first->lane &&
           tile->lane + tile->shape[kAxisC] <= int64_t(chip.lanes);
  });
}

static catalog::Call callOf(const RecipeCall &recipeCall, const Chip &chip,
                            TileAddress addressOf) {
  catalog::Call call;
  call.operation = staysInLanes(recipeCall, chip) ? recipeCall.insideLanes
                                                  : recipeCall.function;
  call.chip = &chip;
  call.arguments.resize(call.operation->slots.size());
  for (const auto &[slot, argument] : recipeCall.arguments)
    call.arguments[slot] = argumentOf(argument, addressOf);
  return call;
}

std::optional<Price> weft::tpu::priceOf(const Recipe &recipe, const Chip &chip,
                                        TileAddress addressOf) {
  Price price;
  for (const RecipeCall &recipeCall : recipe.calls) {
    rt::Result<catalog::CommandList> list =
        catalog::commandsOf(callOf(recipeCall, chip, addressOf));
    if (!list)
      return std::nullopt;
    for (const catalog::CommandStep &step : list->steps) {
      assert(step.command && "recipes call no transfers");
      cycles::CommandCost cost =
          cycles::estimate(step.command->decoded(), chip);
      auto cycles = static_cast<int64_t>(cost.cycles);
      ++price.commands;
      price.cycles += cycles;
      if (cost.evidence == cycles::Evidence::Kin)
        price.unconfirmed += cycles;
    }
  }
  return price;
}

std::optional<Price> weft::tpu::priceOf(const Recipe &recipe,
                                        const Chip &chip) {
  uint64_t bankBytes = chip.laneBytes / chip.banks;
  llvm::SmallVector<std::pair<Tile::Kind, unsigned>, 8> seen;
  return priceOf(recipe, chip, [&](const Tile &tile) {
    std::pair<Tile::Kind, unsigned> key{tile.kind, tile.index};
    auto *found = llvm::find(seen, key);
    size_t number = found - seen.begin();
    if (found == seen.end())
      seen.push_back(key);
    return number % chip.banks * bankBytes;
  });
}

std::optional<Price> weft::tpu::priceOf(mlir::Operation *op, const Chip &chip,
                                        const Box &result,
                                        const Alternative *way) {
  return priceOf(recipeOf(op, chip, result, way), chip);
}

std::optional<int64_t> weft::tpu::cautiousCyclesOf(mlir::Operation *op,
                                                   const Chip &chip,
                                                   const Box &result,
                                                   const Alternative *way) {
  std::optional<Price> price = priceOf(op, chip, result, way);
  return price ? std::optional(price->cycles + price->unconfirmed)
               : std::nullopt;
}

std::optional<int64_t> weft::tpu::cheapestCyclesOf(mlir::Operation *op,
                                                   const Chip &chip,
                                                   const Box &result) {
  std::optional<int64_t> least;
  for (const Alternative *way : alternativesOf(op)) {
    std::optional<int64_t> cycles = cautiousCyclesOf(op, chip, result, way);
    if (cycles && (!least || *cycles < *least))
      least = cycles;
  }
  return least;
}

int64_t weft::tpu::constantCyclesOf(mlir::Operation *op, const Chip &chip,
                                    const Box &result, const Alternative *way) {
  int64_t broadcastBytes = 0, laneBytes = 0, matrixBytes = 0,
          lanes = chip.lanes;
  for (const RecipeConstant &constant :
       recipeOf(op, chip, result, way).constants) {
    const LocalBuffer &buffer = constant.buffer;
    int64_t bytes = bytesPerLane(chip, buffer.tensor);
    if (buffer.broadcast)
      broadcastBytes += buffer.storedBytes();
    else if (buffer.isMatrix) // in the lanes of its own rows
      matrixBytes += bytes * std::min(buffer.tensor.dims[kAxisC], lanes);
    else
      laneBytes += bytes;
  }
  // As an image of all of them: a run a lane.
  int64_t runs = std::min<int64_t>(result.size[kAxisC], lanes);
  if (laneBytes > 0)
    laneBytes = std::max<int64_t>(laneBytes, chip.rates.shortestDmaRun);
  return (runs * laneBytes + matrixBytes + broadcastBytes) /
         chip.rates.loadBytes;
}
