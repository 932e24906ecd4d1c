//===- CutBands.cpp - --tpu-cut-bands -------------------------------------===//

#include "dialects/tpu/Conv.h"
#include "dialects/tpu/Decision.h"
#include "dialects/tpu/GroupPlan.h"
#include "dialects/tpu/ModuleChip.h"
#include "dialects/tpu/Pool.h"
#include "passes/tpu/BandRegion.h"
#include "passes/tpu/MinimumCut.h"
#include "passes/tpu/Passes.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "llvm/ADT/SetVector.h"

namespace weft::tpu {
#define GEN_PASS_DEF_TPUCUTBANDS
#include "passes/tpu/Passes.h.inc"
} // namespace weft::tpu

using namespace mlir;
using namespace weft;
using namespace weft::tpu;

/// Into how many bands images are cut, in the order in which they are tried.
static constexpr int64_t kCounts[] = {2, 4, 8};

namespace {
/// Finds the ops that gain by bands.
class BandSearch {
public:
  BandSearch(Block &block, const Chip &chip);

  /// Cuts what gains most, again and again.
  void run();

private:
  /// Cycles of the op as it is, and in bands for each of kCounts.
  struct OpPrice {
    std::optional<int64_t> asItIs;
    std::optional<int64_t> inBands[std::size(kCounts)];
  };
  std::optional<int64_t> guessedCycles(Operation *op, int64_t count) const;
  std::vector<BandRegion> regionsOf(size_t number) const;
  bool cutBest();

  const Chip &chip;
  llvm::MapVector<Operation *, OpPrice> prices; ///< in block order
};
} // namespace

BandSearch::BandSearch(Block &block, const Chip &chip) : chip(chip) {
  // Thin ops, and those that reach them; the others cost what they cost.
  for (Operation &op : llvm::make_early_inc_range(block)) {
    if (!passesBands(&op))
      continue;
    Dims dims = dimsOf(op.getResult(0));
    if (dims[kAxisH] <= kCounts[0])
      continue;
    OpPrice price;
    price.asItIs = bandCyclesOf(&op, chip, 0, dims[kAxisH]);
    if (!price.asItIs)
      continue;
    if (isElementFunction(&op) && dims[kAxisC] < int64_t(chip.lanes)) {
      // --tpu-fill-lanes spreads these otherwise.
      Value result = op.getResult(0);
      int64_t spread = *price.asItIs * dims[kAxisC] / int64_t(chip.lanes) +
                       loadCyclesOf(result, chip) + storeCyclesOf(result, chip);
      price.asItIs = std::min(*price.asItIs, spread);
    }
    for (auto [i, count] : llvm::enumerate(kCounts))
      price.inBands[i] = guessedCycles(&op, count);
    prices[&op] = price;
  }
}

/// With a row more on each side of a band: which are needed is not known yet.
std::optional<int64_t> BandSearch::guessedCycles(Operation *op,
                                                 int64_t count) const {
  Value result = op->getResult(0);
  int64_t rows = (dimsOf(result)[kAxisH] + count - 1) / count + 2,
          read = rows * rowWindowOf(op).stride;
  OpBuilder builder(op);
  SmallVector<Value> images;
  SmallVector<Operation *> made;
  for (unsigned number : imagesOf(op)) {
    Value image = op->getOperand(number);
    images.push_back(builder.create<ToBandsOp>(
        op->getLoc(), bandsType(image, count, read), image,
        BandsAttr::get(op->getContext(), count, 1, 0, count)));
    made.push_back(images.back().getDefiningOp());
  }
  std::optional<int64_t> cycles;
  if (Operation *clone =
          cloneForBands(builder, op, images, bandsType(result, count, rows),
                        count, Purpose::Price)) {
    cycles = bandCyclesOf(clone, chip, 0, rows);
    made.push_back(clone);
  }
  for (Operation *other : llvm::reverse(made))
    eraseWithWeights(other);
  return cycles;
}

/// The ops that gain most with kCounts[number] bands, as connected regions.
std::vector<BandRegion> BandSearch::regionsOf(size_t number) const {
  MinimumCut cut; // the first side: in bands
  DenseMap<Operation *, int> nodes;
  bool gains = false;
  for (const auto &[op, price] : prices) {
    int node = nodes[op] = cut.addNode();
    if (!price.inBands[number]) {
      cut.addEdge(node, MinimumCut::kSecond, MinimumCut::kNever);
      continue;
    }
    int64_t gain = *price.asItIs - *price.inBands[number];
    gains |= gain > 0;
    if (gain > 0)
      cut.addEdge(MinimumCut::kFirst, node, gain);
    else
      cut.addEdge(node, MinimumCut::kSecond, -gain);
  }
  if (!gains)
    return {};
  auto nodeOf = [&](Operation *op) {
    auto it = nodes.find(op);
    return it == nodes.end() ? int(MinimumCut::kSecond) : it->second;
  };
  llvm::SetVector<Value> values;
  for (const auto &[op, price] : prices) {
    values.insert(op->getResult(0));
    for (unsigned operand : imagesOf(op))
      values.insert(op->getOperand(operand));
  }
  for (Value value : values) {
    Operation *maker = value.getDefiningOp();
    int node = maker ? nodeOf(maker) : int(MinimumCut::kSecond);
    // In bands where it is made, not where it is read; and the other way.
    int joined = cut.addNode(), cutUp = cut.addNode();
    cut.addEdge(node, joined, costOfJoin(value, chip, kCounts[number]));
    cut.addEdge(cutUp, node, costOfCut(value, chip, kCounts[number]));
    for (Operation *user : value.getUsers()) {
      cut.addEdge(joined, nodeOf(user), MinimumCut::kNever);
      cut.addEdge(nodeOf(user), cutUp, MinimumCut::kNever);
    }
  }
  std::vector<bool> inBands = cut.firstSide();
  // Connected by values that both sides have in bands.
  llvm::MapVector<Operation *, std::vector<Operation *>> found;
  DenseMap<Operation *, Operation *> leader;
  auto find = [&](Operation *op) {
    while (leader[op] != op)
      op = leader[op];
    return op;
  };
  for (const auto &[op, price] : prices)
    if (inBands[nodes[op]])
      leader[op] = op;
  for (Value value : values) {
    Operation *last = value.getDefiningOp();
    if (!last || !leader.contains(last))
      last = nullptr;
    for (Operation *user : value.getUsers())
      if (leader.contains(user)) {
        if (last)
          leader[find(user)] = find(last);
        last = user;
      }
  }
  for (const auto &[op, price] : prices)
    if (leader.contains(op))
      found[find(op)].push_back(op);
  std::vector<BandRegion> regions;
  for (auto &[first, ops] : found)
    regions.emplace_back(std::move(ops), kCounts[number], chip);
  return regions;
}

bool BandSearch::cutBest() {
  std::optional<BandRegion> best;
  int64_t mostSaved = 0;
  SmallVector<Way, 2> ways;
  for (size_t number = 0; number < std::size(kCounts); ++number)
    for (BandRegion &region : regionsOf(number)) {
      // Functions of elements alone get other sizes (--tpu-fill-lanes).
      if (llvm::none_of(region.opsAsTheyAre(), llvm::IsaPred<ConvOp, PoolOp>) ||
          !region.plan())
        continue;
      int64_t asItIs = 0;
      for (Operation *op : region.opsAsTheyAre())
        asItIs += *prices[op].asItIs;
      asItIs = std::max(asItIs, region.movingCycles(/*inBands=*/false));
      std::optional<int64_t> cycles = region.build(Purpose::Price);
      region.erase();
      // A fifth, for what borders between groups cost in waiting.
      if (!cycles || *cycles > asItIs * 4 / 5 || asItIs - *cycles <= mostSaved)
        continue;
      mostSaved = asItIs - *cycles;
      ways = {{"as it is", asItIs},
              {std::to_string(region.bands()) + " bands", *cycles}};
      best.emplace(region);
    }
  if (!best)
    return false;
  if (!best->build(Purpose::Program)) { // a weight that was never loaded
    best->erase();
    return false;
  }
  addChoice(best->madeFor(best->opsAsTheyAre().front()), rt::Question::Bands,
            ways, 1);
  for (Operation *op : best->opsAsTheyAre())
    prices.erase(op);
  best->replace();
  return true;
}

void BandSearch::run() {
  while (cutBest())
    ;
}

namespace {
struct CutBands : weft::tpu::impl::TpuCutBandsBase<CutBands> {
  void runOnOperation() override {
    const Chip *chip = chipOf(getOperation());
    if (!chip)
      return signalPassFailure();
    BandSearch(getOperation().getBody().front(), *chip).run();
  }
};
} // namespace
