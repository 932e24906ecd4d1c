//===- CheapestProgram.cpp - int8 where it takes fewer cycles -------------===//

#include "tools/driver/CheapestProgram.h"

#include "dialects/ConstantBlobs.h"
#include "dialects/top/Constant.h"
#include "dialects/top/Conv.h"
#include "dialects/top/Floats.h"
#include "dialects/top/MatMul.h"
#include "dialects/tpu/Decision.h"
#include "passes/quantize/CodeProducts.h"
#include "passes/quantize/WideProducts.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/Verifier.h"

#include <algorithm>
#include <map>

using namespace mlir;
using namespace weft;
using namespace weft::driver;

/// A mix must promise to save a hundredth, or it is not worth a compilation.
static constexpr double kLeastGain = 0.01;
/// The second by what ops have cost in the first, if that was near the best:
/// what misses by more than a twentieth is no way to a better one.
static constexpr int kMostMixes = 2;
static constexpr double kNear = 1.05;

static Block &bodyOf(ModuleOp module) {
  return module.lookupSymbol<func::FuncOp>("main").getBody().front();
}

void driver::markFloats(ModuleOp module, llvm::ArrayRef<size_t> positions) {
  Block &body = bodyOf(module);
  auto next = positions.begin();
  for (auto [position, op] : llvm::enumerate(body)) {
    op.removeAttr(top::kFloatsAttr);
    if (next != positions.end() && *next == position) {
      op.setAttr(top::kFloatsAttr, UnitAttr::get(op.getContext()));
      ++next;
    }
  }
}

/// Whether `op` multiplies with constant weights and is no float by itself: the
/// cycles of commands that stand for several ops are its.
static bool isCodeProduct(Operation *op) {
  auto conv = dyn_cast<top::ConvOp>(op);
  return (conv || llvm::isa<top::MatMulOp>(op)) &&
         op->getOperand(1).getDefiningOp<top::ConstantOp>() &&
         !(conv && quantize::isFloatAmongCodes(conv));
}

namespace {
/// A program, what was said of it and what it costs.
struct Trial {
  std::vector<size_t> floats;
  OwningOpRef<ModuleOp> program;
  std::vector<Diagnostic> remarks;
  std::optional<ProgramCycles> cycles; ///< none: they cannot be predicted
};

class Search {
public:
  Search(ModuleOp module, const Chip &chip, LowerGraph lower)
      : module(module), chip(chip), lower(lower) {
    for (auto [position, op] : llvm::enumerate(bodyOf(module))) {
      if (llvm::isa<top::ConstantOp>(op) ||
          op.hasTrait<OpTrait::IsTerminator>())
        continue;
      numberOf[&op] = ops.size();
      ops.push_back(&op);
      positions.push_back(position);
      for (const NodeKey &node : nodesOf(op.getLoc()))
        opsOfNode[{node.first, node.second}].push_back(ops.size() - 1);
    }
  }

  FailureOr<CheapestProgram> run();

private:
  std::optional<Trial> attempt(const std::vector<bool> &isFloat, bool verifies);
  void show(std::vector<Diagnostic> &diagnostics);
  std::vector<uint64_t> pricesOf(const ProgramCycles &cycles) const;
  std::vector<BorderPrice> borders() const;
  uint64_t leastFloatCycles() const;
  ArrayAttr choices(llvm::ArrayRef<Trial> trials, size_t taken);

  ModuleOp module;
  const Chip &chip;
  LowerGraph lower;
  std::vector<Operation *> ops;     ///< all but constants
  std::vector<size_t> positions;    ///< of these in the block
  std::vector<Diagnostic> failures; ///< of the last that was not lowered
  llvm::DenseMap<Operation *, size_t> numberOf;
  llvm::DenseMap<NodeKey, llvm::SmallVector<size_t, 2>> opsOfNode;
};
} // namespace

/// None if the graph is not lowered. Nothing is shown yet.
std::optional<Trial> Search::attempt(const std::vector<bool> &isFloat,
                                     bool verifies) {
  Trial trial;
  for (auto [position, isOne] : llvm::zip(positions, isFloat))
    if (isOne)
      trial.floats.push_back(position);
  markFloats(module, trial.floats);
  trial.program = cast<ModuleOp>(module->clone());
  {
    ScopedDiagnosticHandler collect(
        module.getContext(), [&](Diagnostic &diagnostic) {
          trial.remarks.push_back(std::move(diagnostic));
          return success();
        });
    if (failed(lower(*trial.program, verifies))) {
      failures = std::move(trial.remarks);
      return std::nullopt;
    }
  }
  auto nets = trial.program->getOps<ppl::NetOp>();
  if (llvm::hasSingleElement(nets))
    trial.cycles = predictCycles(*nets.begin(), chip);
  return trial;
}

void Search::show(std::vector<Diagnostic> &diagnostics) {
  for (Diagnostic &diagnostic : diagnostics)
    module.getContext()->getDiagEngine().emit(std::move(diagnostic));
}

/// The cycles of each op. Those of commands that stand for several go to the
/// products among them, else to all alike.
std::vector<uint64_t> Search::pricesOf(const ProgramCycles &cycles) const {
  std::vector<uint64_t> prices(ops.size());
  for (auto [location, spent] : cycles.critical) {
    llvm::SmallVector<size_t, 4> named, products;
    for (const NodeKey &node : nodesOf(location))
      if (auto found = opsOfNode.find(node); found != opsOfNode.end())
        for (size_t number : found->second)
          if (!llvm::is_contained(named, number))
            named.push_back(number);
    for (size_t number : named)
      if (isCodeProduct(ops[number]))
        products.push_back(number);
    llvm::ArrayRef<size_t> payers = products.empty() ? named : products;
    for (size_t number : payers)
      prices[number] += spent / payers.size();
  }
  return prices;
}

/// A value that is made in one way and read in the other is cast, about four
/// bytes an element through the lanes twice.
std::vector<BorderPrice> Search::borders() const {
  constexpr uint64_t kCommand = 40;
  std::vector<BorderPrice> borders;
  for (auto [number, op] : llvm::enumerate(ops))
    for (Value operand : op->getOperands()) {
      auto maker = numberOf.find(operand.getDefiningOp());
      if (maker == numberOf.end())
        continue;
      auto type = cast<RankedTensorType>(operand.getType());
      uint64_t elements = type.hasStaticShape() ? type.getNumElements() : 0;
      borders.push_back(
          {maker->second, number,
           kCommand + elements * 8 / (uint64_t(chip.lanes) * chip.euBytes)});
    }
  return borders;
}

/// What the program of floats takes at least: its weights are loaded.
uint64_t Search::leastFloatCycles() const {
  constexpr uint64_t kHalfBytes = 2;
  llvm::DenseSet<Value> seen;
  uint64_t elements = 0;
  for (Operation *op : ops)
    if (isCodeProduct(op) && seen.insert(op->getOperand(1)).second)
      elements +=
          cast<RankedTensorType>(op->getOperand(1).getType()).getNumElements();
  return elements * kHalfBytes / chip.rates.loadBytes;
}

static tpu::ChoiceAttr
choice(MLIRContext *context, StringRef operation, LocationAttr at, size_t taken,
       llvm::ArrayRef<std::pair<StringRef, int64_t>> ways) {
  llvm::SmallVector<StringAttr> names;
  llvm::SmallVector<int64_t> prices;
  for (auto [name, price] : ways) {
    names.push_back(StringAttr::get(context, name));
    prices.push_back(price);
  }
  return tpu::ChoiceAttr::get(context, rt::Question::Precision,
                              StringAttr::get(context, operation), at, taken,
                              names, prices);
}

/// Of the whole program, and of each product that became a float.
ArrayAttr Search::choices(llvm::ArrayRef<Trial> trials, size_t taken) {
  constexpr StringRef kNames[] = {"codes", "floats", "mixed", "mixed_again"};
  static_assert(std::size(kNames) == 2 + kMostMixes);
  llvm::SmallVector<std::pair<StringRef, int64_t>> ways;
  for (auto [name, trial] : llvm::zip(kNames, trials))
    ways.push_back({name, int64_t(trial.cycles->total)});
  MLIRContext *context = module.getContext();
  llvm::SmallVector<Attribute> made{
      choice(context, "net", UnknownLoc::get(context), taken, ways)};
  if (taken != 0) {
    std::vector<uint64_t> codes = pricesOf(*trials[0].cycles),
                          floats = pricesOf(*trials[taken].cycles);
    for (auto [number, op] : llvm::enumerate(ops))
      if (isCodeProduct(op) && quantize::mayBeCodes(op) &&
          llvm::is_contained(trials[taken].floats, positions[number]))
        made.push_back(choice(context, op->getName().stripDialect(),
                              op->getLoc(), 1,
                              {{"codes", int64_t(codes[number])},
                               {"floats", int64_t(floats[number])}}));
  }
  return ArrayAttr::get(context, made);
}

FailureOr<CheapestProgram> Search::run() {
  std::vector<Trial> trials;
  std::optional<Trial> codes =
      attempt(std::vector<bool>(ops.size(), false), /*verifies=*/true);
  if (!codes) {
    show(failures);
    return failure();
  }
  trials.push_back(std::move(*codes));
  auto totalOf = [&](size_t number) { return trials[number].cycles->total; };
  // What the others cannot do, codes can.
  auto attemptOther = [&](const std::vector<bool> &isFloat) {
    std::optional<Trial> trial = attempt(isFloat, /*verifies=*/false);
    bool isTaken = trial && trial->cycles &&
                   trial->cycles->hostParts <= trials[0].cycles->hostParts;
    if (isTaken)
      trials.push_back(std::move(*trial));
    return isTaken;
  };
  size_t best = 0;
  auto compare = [&] {
    if (totalOf(trials.size() - 1) < totalOf(best))
      best = trials.size() - 1;
  };
  if (trials[0].cycles && totalOf(0) > leastFloatCycles() &&
      attemptOther(std::vector<bool>(ops.size(), true))) {
    compare();
    std::vector<uint64_t> inCodes = pricesOf(*trials[0].cycles),
                          asFloats = pricesOf(*trials[1].cycles);
    std::vector<OpPrices> prices;
    for (auto [one, other] : llvm::zip(inCodes, asFloats))
      prices.push_back({one, other});
    std::vector<bool> tried;
    for (int round = 0; round < kMostMixes; ++round) {
      CheapestMix mix = cheapestMix(prices, borders());
      if (double(mix.cycles) >= (1 - kLeastGain) * double(totalOf(best)) ||
          mix.isFloat == tried || !attemptOther(mix.isFloat))
        break;
      compare();
      if (double(totalOf(trials.size() - 1)) > kNear * double(totalOf(best)))
        break;
      // What ops cost among those of the other kind is known now.
      std::vector<uint64_t> mixed = pricesOf(*trials.back().cycles);
      for (auto [one, isFloat, cycles] : llvm::zip(prices, mix.isFloat, mixed))
        (isFloat ? one.floats : one.codes) = cycles;
      tried = mix.isFloat;
    }
  }
  if (best != 0 && failed(mlir::verify(*trials[best].program)))
    return failure();
  show(trials[best].remarks);
  CheapestProgram cheapest;
  if (trials[0].cycles) {
    cheapest.codeCycles = totalOf(0);
    cheapest.cycles = totalOf(best);
  }
  if (trials.size() > 1)
    cheapest.choices = choices(trials, best);
  cheapest.floats = trials[best].floats;
  cheapest.program = std::move(trials[best].program);
  markFloats(module, cheapest.floats);
  // The programs that were not taken have weights of their own.
  for (Trial &trial : trials)
    if (trial.program)
      LiveBlobs(*trial.program).releaseOthers(*cheapest.program);
  return cheapest;
}

FailureOr<CheapestProgram> driver::findCheapestProgram(ModuleOp module,
                                                       const Chip &chip,
                                                       LowerGraph lower) {
  PinnedBlobs shared(module);
  return Search(module, chip, lower).run();
}

/// The products that are codes if nobody wants it otherwise.
static std::vector<quantize::CodeProduct> codesOf(ModuleOp module) {
  std::vector<quantize::CodeProduct> products =
      quantize::codeProductsOf(module.lookupSymbol<func::FuncOp>("main"));
  llvm::erase_if(products, [](const quantize::CodeProduct &product) {
    return product.isFloatAmongCodes;
  });
  return products;
}

std::vector<std::string> driver::markedProducts(ModuleOp module) {
  std::vector<std::string> names;
  for (quantize::CodeProduct &product : codesOf(module))
    if (llvm::any_of(product.ops, [](Operation *op) {
          return op->hasAttr(top::kFloatsAttr);
        }))
      names.push_back(std::move(product.name));
  return names;
}

void driver::remarkFloats(ModuleOp module, const CheapestProgram &cheapest) {
  constexpr size_t kMostNames = 3;
  std::vector<std::string> floats = markedProducts(module);
  if (floats.empty())
    return;
  std::string names;
  for (size_t i = 0; i < std::min(floats.size(), kMostNames); ++i)
    names += (i > 0 ? ", '" : " ('") + floats[i] + "'";
  if (floats.size() > kMostNames)
    names += " and " + std::to_string(floats.size() - kMostNames) + " more";
  emitRemark(module.lookupSymbol("main")->getLoc())
      << floats.size() << " of " << codesOf(module).size() << " products"
      << names << ") are floats, because the program then takes "
      << cheapest.cycles << " cycles instead of " << cheapest.codeCycles
      << "; --keep-int8 leaves them in 8 bits";
}
