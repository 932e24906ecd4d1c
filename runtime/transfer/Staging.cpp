//===- Staging.cpp - copies within DRAM by way of the lanes ---------------===//

#include "runtime/transfer/Staging.h"

#include "runtime/chips/Alignment.h"
#include "runtime/chips/Chip.h"

#include <algorithm>

using namespace weft;
using namespace weft::transfer;

/// Steps of one plan at most; a longer list is not worth its commands.
static constexpr size_t kMostSteps = 4096;

namespace {
/// Elements `start` .. of the axis that the lanes share: `lanes` lanes with
/// `perLane` elements each.
struct Block {
  int64_t start, lanes, perLane;
};

/// How the lanes share an axis.
struct Split {
  int64_t lanes, perLane;
};

/// What a piece is inside a lane: its axes with their steps on all sides.
struct LaneAxis {
  int64_t size, from, to; ///< in DRAM
  int64_t loaded,
      stored; ///< in the lane, where it is loaded to and stored from
};

/// What one block does with one piece.
struct LanePiece {
  std::vector<LaneAxis> axes;
  std::vector<Axis> loads; ///< DRAM to lane
  int64_t loadedElements = 0;
  int64_t source = 0;      ///< first element to load
  int64_t loadedFirst = 0; ///< the piece's first element among those loaded
};
} // namespace

static int64_t ceilDiv(int64_t a, int64_t b) { return (a + b - 1) / b; }

/// Four axes of a transfer: `channel` on c, up to three others, the one whose
/// neighbours are nearest on w. std::nullopt if they do not fit.
static std::optional<Transfer> toTransfer(const Chip &chip,
                                          unsigned elementBytes, Axis channel,
                                          std::vector<Axis> axes) {
  Transfer transfer;
  transfer.elementBytes = elementBytes;
  int64_t step = chip.maxDmaStepBytes / elementBytes;
  std::vector<Axis> inside = mergedAxes(std::move(axes));
  if (!fitLengths(inside, chip.maxShape))
    return std::nullopt;
  std::stable_sort(inside.begin(), inside.end(),
                   [](const Axis &a, const Axis &b) {
                     return std::max(a.from, a.to) < std::max(b.from, b.to);
                   });
  unsigned slot = 3; // w, h, n
  auto put = [&](const Axis &axis) {
    transfer.shape[slot] = axis.size;
    transfer.from.strides[slot] = axis.from;
    transfer.to.strides[slot] = axis.to;
  };
  put({1, 1, 1});
  for (size_t i = 0; i < inside.size(); ++i) {
    Axis axis = inside[i];
    bool isNear =
        axis.from >= 1 && axis.to >= 1 && axis.from <= step && axis.to <= step;
    if (i > 0 || !isNear)
      slot = slot == 3 ? 2 : slot == 2 ? 0 : 4;
    if (slot == 4)
      return std::nullopt;
    put(axis);
  }
  for (unsigned empty : {2u, 0u})
    if (transfer.shape[empty] == 1 && transfer.from.strides[empty] == 0 &&
        transfer.to.strides[empty] == 0)
      transfer.from.strides[empty] = transfer.to.strides[empty] = 1;
  transfer.shape[1] = channel.size;
  transfer.from.strides[1] = channel.from;
  transfer.to.strides[1] = channel.to;
  return transfer;
}

Price transfer::laneCopyPrice(const Transfer &copy, const Chip &chip) {
  auto made = isa::CommandBuilder::make(*chip.instructions, isa::Engine::Tiu,
                                        unsigned(isa::TiuType::Arith),
                                        isa::arith::Copy);
  const Price tooMuch{cycles::kMostCycles, cycles::Evidence::Kin};
  if (!made)
    return tooMuch;
  using isa::Field;
  auto precision = int64_t(cycles::movedPrecision(copy.elementBytes));
  struct {
    Field field;
    int64_t value;
  } const values[] = {
      {Field::tsk_opd_num, 1},
      {Field::res0_prec, precision},
      {Field::opd0_prec, precision},
      {Field::res0_n, copy.shape[0]},
      {Field::res0_c, copy.shape[1]},
      {Field::res0_h, copy.shape[2]},
      {Field::res0_w, copy.shape[3]},
      {Field::res0_str, int64_t(isa::Layout::Free)},
      {Field::opd0_str, int64_t(isa::Layout::Free)},
      {Field::res0_n_str, copy.to.strides[0]},
      {Field::res0_c_str, copy.to.strides[1]},
      {Field::res0_h_str, copy.to.strides[2]},
      {Field::res0_w_str, copy.to.strides[3]},
      {Field::opd0_n_str, copy.from.strides[0]},
      {Field::opd0_c_str, copy.from.strides[1]},
      {Field::opd0_h_str, copy.from.strides[2]},
      {Field::opd0_w_str, copy.from.strides[3]},
  };
  for (const auto &value : values)
    if (value.value < 0 || !made->set(value.field, value.value).isOk())
      return tooMuch;
  cycles::CommandCost cost = cycles::estimate(made->decoded(), chip);
  return {cost.cycles, cost.evidence};
}

namespace {
/// Plans the tiles of pieces whose lanes share one axis.
class Stage {
public:
  Stage(Planner &planner, const Chip &chip, unsigned elementBytes)
      : planner(planner), chip(chip), elementBytes(elementBytes) {}

  std::optional<StagedPlan> single(const Piece &piece);
  std::optional<StagedPlan> rows(const std::vector<Piece> &pieces);
  std::optional<StagedPlan> cuts(const std::vector<Piece> &pieces);
  /// Whether some axis could not be shared by all lanes for want of room.
  bool lacksRoom() const { return isCramped; }

private:
  /// What the pieces of a plan share.
  enum class Shared : uint8_t {
    Nothing, ///< there is one piece
    Result,  ///< a lane holds its rows of the result as DRAM does
    Source,  ///< a lane holds its rows of the source as DRAM does
  };

  bool begin(const std::vector<Piece> &given, const Split &split, Shared shared,
             bool widens);
  std::optional<LanePiece> lanePieceOf(const Piece &piece,
                                       int64_t perLane) const;
  void giveResultSteps(LanePiece &lane) const;
  std::vector<Block> blocksOf(const Split &split) const;
  std::vector<Split> splitsOf(int64_t size) const;
  std::optional<Transfer> loadOf(size_t piece, const LanePiece &lane,
                                 const Block &block, int64_t address) const;
  std::optional<Transfer> storeOf(size_t piece, const LanePiece &lane,
                                  const Block &block, int64_t address) const;
  std::optional<std::vector<StagedStep>> tile(const Block &block, int64_t turn);
  std::optional<Transfer> turnOf(const LanePiece &lane, int64_t lanes) const;
  std::optional<StagedPlan> evaluate(const Split &split);
  StagedPlan arrange(std::vector<std::vector<StagedStep>> tiles) const;
  Price priceOf(const StagedStep &step);
  int64_t loadedBytes(const LanePiece &lane) const;
  int64_t storedBytes(const LanePiece &lane) const;
  void tryAll(const std::vector<Piece> &pieces, Shared shared, bool widens);

  Planner &planner;
  const Chip &chip;
  unsigned elementBytes;

  // The pieces being tried; the first axis of each is the one of the lanes.
  std::vector<Piece> pieces;
  Shared shared = Shared::Nothing;
  bool widens = false; ///< whole rows of the source are loaded
  int64_t slotBytes = 0;
  bool isCramped = false;
  std::optional<StagedPlan> best;
};
} // namespace

/// The length of the rows of which a piece takes a part, where loading all of
/// them makes longer runs: the step behind its innermost elements. 0: none.
static int64_t rowOf(const Piece &piece, unsigned elementBytes) {
  constexpr int64_t kLongestRowBytes = 256; // beyond it runs cost no more
  int64_t unit = 1, row = 0;
  for (const Axis &axis : piece.axes)
    if (axis.from == 1)
      unit = axis.size;
  for (const Axis &axis : piece.axes)
    if (axis.from > 1 && (row == 0 || axis.from < row))
      row = axis.from;
  if (row <= unit || row * elementBytes > kLongestRowBytes ||
      piece.operandElements % row != 0)
    return 0;
  for (const Axis &axis : piece.axes)
    if (axis.from > 1 && axis.from % row != 0)
      return 0;
  // Its elements must lie in one row.
  return piece.source % row + unit <= row ? row : 0;
}

/// The axes from the smallest step `by` to the largest.
static std::vector<LaneAxis *> inOrder(std::vector<LaneAxis> &axes,
                                       int64_t LaneAxis::*by) {
  std::vector<LaneAxis *> order;
  for (LaneAxis &axis : axes)
    order.push_back(&axis);
  std::stable_sort(
      order.begin(), order.end(),
      [by](const LaneAxis *a, const LaneAxis *b) { return a->*by < b->*by; });
  return order;
}

/// The piece with `perLane` elements of its first axis, as it lies in a lane
/// after loading: in the order of the source.
std::optional<LanePiece> Stage::lanePieceOf(const Piece &piece,
                                            int64_t perLane) const {
  LanePiece lane;
  for (const Axis &axis : piece.axes)
    lane.axes.push_back({axis.size, axis.from, axis.to, 0, axis.to});
  lane.axes.front().size = perLane;
  int64_t row = 0, next = 1;
  if (shared == Shared::Source)
    row = piece.axes.front().from;
  else if (widens)
    row = rowOf(piece, elementBytes);
  if (widens && row == 0)
    return std::nullopt;
  // Lanes and blocks step by whole rows, or the last one would be left.
  if (row && piece.axes.front().from % row != 0)
    return std::nullopt;
  lane.source = piece.source;
  if (row) {
    lane.loadedFirst = piece.source % row;
    lane.source -= lane.loadedFirst;
    lane.loads.push_back({row, 1, 1});
    next = row;
  }
  for (LaneAxis *axis : inOrder(lane.axes, &LaneAxis::from)) {
    if (axis->from == 0)
      continue;
    if (axis->from < row) { // inside the row
      axis->loaded = axis->from;
      continue;
    }
    axis->loaded = next;
    next *= axis->size;
    lane.loads.push_back({axis->size, axis->from, axis->loaded});
  }
  lane.loadedElements = next;
  return lane;
}

/// A dense place in the lane for the result, in its own order.
void Stage::giveResultSteps(LanePiece &lane) const {
  int64_t next = 1;
  for (LaneAxis *axis : inOrder(lane.axes, &LaneAxis::to)) {
    axis->stored = next;
    next *= axis->size;
  }
}

std::vector<Block> Stage::blocksOf(const Split &split) const {
  int64_t size = pieces.front().axes.front().size, start = 0;
  std::vector<Block> blocks;
  for (; start + split.lanes * split.perLane <= size;
       start += split.lanes * split.perLane)
    blocks.push_back({start, split.lanes, split.perLane});
  if (int64_t lanes = (size - start) / split.perLane) {
    blocks.push_back({start, lanes, split.perLane});
    start += lanes * split.perLane;
  }
  if (start < size)
    blocks.push_back({start, 1, size - start});
  return blocks;
}

/// Some ways to share `size` elements: evenly, by a divisor, in longer runs.
std::vector<Split> Stage::splitsOf(int64_t size) const {
  std::vector<Split> splits;
  int64_t lanes = chip.lanes, least = ceilDiv(size, lanes);
  auto add = [&](int64_t perLane) {
    int64_t used = std::min(lanes, size / perLane);
    for (const Split &split : splits)
      if (split.perLane == perLane)
        return;
    splits.push_back({used, perLane});
  };
  for (int64_t perLane = least; perLane <= std::min(2 * least, size); ++perLane)
    if (size % perLane == 0) {
      add(perLane);
      break;
    }
  for (int64_t perLane = least; perLane <= size; perLane *= 2)
    add(perLane);
  for (int64_t perLane = least / 2; perLane >= 1; perLane /= 2)
    add(perLane); // several blocks
  return splits;
}

int64_t Stage::loadedBytes(const LanePiece &lane) const {
  return alignUp<int64_t>(lane.loadedElements * elementBytes, chip.euBytes);
}

int64_t Stage::storedBytes(const LanePiece &lane) const {
  int64_t elements = 1;
  for (const LaneAxis &axis : lane.axes)
    elements *= axis.size;
  return alignUp<int64_t>(elements * elementBytes, chip.euBytes);
}

bool Stage::begin(const std::vector<Piece> &given, const Split &split,
                  Shared sharedNow, bool widensNow) {
  pieces = given;
  shared = sharedNow;
  widens = widensNow;
  slotBytes = 0;
  for (size_t i = 0; i < pieces.size(); ++i) {
    auto lane = lanePieceOf(pieces[i], split.perLane);
    if (!lane)
      return false;
    // As `tile` lays it out: what is loaded, then what is stored.
    if (shared != Shared::Source || i == 0)
      slotBytes += loadedBytes(*lane);
    slotBytes += storedBytes(*lane);
  }
  bool isOne = blocksOf(split).size() == 1;
  bool fits = slotBytes * (isOne ? 1 : 2) <= int64_t(chip.laneBytes);
  int64_t size = pieces.front().axes.front().size;
  isCramped |= !fits && split.perLane <= ceilDiv(size, chip.lanes);
  return fits;
}

/// The copy from where a piece was loaded to where it is stored from; the best
/// of the orders of its axes.
std::optional<Transfer> Stage::turnOf(const LanePiece &lane,
                                      int64_t lanes) const {
  std::vector<Axis> axes;
  for (const LaneAxis &axis : lane.axes)
    if (axis.size != 1)
      axes.push_back({axis.size, axis.loaded, axis.stored});
  axes = mergedAxes(std::move(axes));
  if (!fitLengths(axes, chip.maxShape) || axes.size() > 3)
    return std::nullopt;
  while (axes.size() < 3)
    axes.push_back({1, 1, 1});
  std::array<unsigned, 3> slots{0, 2, 3};
  std::optional<Transfer> best;
  uint64_t bestCycles = 0;
  do {
    Transfer copy;
    copy.elementBytes = elementBytes;
    for (unsigned i = 0; i < 3; ++i) {
      copy.shape[slots[i]] = axes[i].size;
      copy.from.strides[slots[i]] = axes[i].from;
      copy.to.strides[slots[i]] = axes[i].to;
    }
    copy.shape[1] = lanes;
    copy.from.strides[1] = copy.to.strides[1] = 1; // one round of lanes
    uint64_t cycles = laneCopyPrice(copy, chip).cycles;
    if (!best || cycles < bestCycles) {
      best = copy;
      bestCycles = cycles;
    }
  } while (std::next_permutation(slots.begin(), slots.end()));
  return best;
}

/// From where in DRAM to where in the lanes a piece is loaded.
std::optional<Transfer> Stage::loadOf(size_t piece, const LanePiece &lane,
                                      const Block &block,
                                      int64_t address) const {
  int64_t step = pieces[piece].axes.front().from;
  auto load = toTransfer(chip, elementBytes,
                         {block.lanes, block.perLane * step, 1}, lane.loads);
  if (!load)
    return std::nullopt;
  load->from.place.address = pieces[piece].operandAddress +
                             (lane.source + block.start * step) * elementBytes;
  load->to.place = {true, 0, address};
  return load;
}

/// The same way out, of one piece or of whole rows of the result.
std::optional<Transfer> Stage::storeOf(size_t piece, const LanePiece &lane,
                                       const Block &block,
                                       int64_t address) const {
  int64_t step = pieces[piece].axes.front().to;
  std::vector<Axis> stores;
  if (shared == Shared::Result)
    stores = {{block.perLane, step, step}, {step, 1, 1}};
  else
    for (const LaneAxis &axis : lane.axes)
      stores.push_back({axis.size, axis.stored, axis.to});
  auto store = toTransfer(chip, elementBytes,
                          {block.lanes, 1, block.perLane * step}, stores);
  if (!store)
    return std::nullopt;
  store->from.place = {true, 0, address};
  store->to.place.address =
      pieces[piece].resultAddress +
      (pieces[piece].result + block.start * step) * elementBytes;
  return store;
}

/// Loads, copies and stores of one block.
std::optional<std::vector<StagedStep>> Stage::tile(const Block &block,
                                                   int64_t turn) {
  std::vector<StagedStep> steps, copies, stores;
  std::vector<LanePiece> lanes;
  int64_t loadAt = turn % 2 * slotBytes, storeAt = loadAt;
  for (const Piece &piece : pieces) {
    auto lane = lanePieceOf(piece, block.perLane);
    if (!lane)
      return std::nullopt;
    if (shared != Shared::Result)
      giveResultSteps(*lane);
    if (shared != Shared::Source || lanes.empty())
      storeAt += loadedBytes(*lane);
    lanes.push_back(*std::move(lane));
  }
  int64_t resultBegin = pieces.front().result, rowsAt = storeAt;
  for (unsigned i = 0; i < pieces.size(); ++i) {
    unsigned result = shared == Shared::Source ? i : 0;
    if (shared == Shared::Result)
      storeAt = rowsAt + (pieces[i].result - resultBegin) * elementBytes;
    auto copy = turnOf(lanes[i], block.lanes);
    auto load = loadOf(i, lanes[i], block, loadAt);
    auto store = storeOf(i, lanes[i], block,
                         shared == Shared::Result ? rowsAt : storeAt);
    if (!copy || !load || !store)
      return std::nullopt;
    copy->from.place = {true, 0, loadAt + lanes[i].loadedFirst * elementBytes};
    copy->to.place = {true, 0, storeAt};
    if (shared != Shared::Source || i == 0)
      steps.push_back({StagedStep::Load, pieces[i].operand, 0, *load});
    copies.push_back({StagedStep::LaneCopy, pieces[i].operand, result, *copy});
    if (shared != Shared::Result || i == 0)
      stores.push_back({StagedStep::Store, pieces[i].operand, result, *store});
    if (shared != Shared::Source)
      loadAt += loadedBytes(lanes[i]);
    storeAt += storedBytes(lanes[i]);
  }
  // What is stored as it was loaded needs no copy.
  const Transfer &only = copies.front().transfer;
  if (pieces.size() == 1 && only.from.strides == only.to.strides &&
      lanes.front().loadedFirst == 0) {
    stores.front().transfer.from.place = only.from.place;
    copies.clear();
  }
  steps.insert(steps.end(), copies.begin(), copies.end());
  steps.insert(steps.end(), stores.begin(), stores.end());
  return steps;
}

Price Stage::priceOf(const StagedStep &step) {
  if (step.kind == StagedStep::LaneCopy)
    return laneCopyPrice(step.transfer, chip);
  Plan plan = planner.plan(step.transfer);
  if (plan.isEmpty())
    return {cycles::kMostCycles, cycles::Evidence::Kin};
  return {plan.cycles, plan.evidence};
}

/// The tiles one after the other, the loads of each before the rest of its
/// predecessor.
StagedPlan Stage::arrange(std::vector<std::vector<StagedStep>> tiles) const {
  StagedPlan plan;
  auto append = [&](size_t tile, bool loads) {
    for (const StagedStep &step : tiles[tile])
      if ((step.kind == StagedStep::Load) == loads)
        plan.steps.push_back(step);
  };
  for (size_t tile = 0; tile < tiles.size(); ++tile) {
    append(tile, true);
    if (tile > 0)
      append(tile - 1, false);
  }
  append(tiles.size() - 1, false);
  return plan;
}

std::optional<StagedPlan> Stage::evaluate(const Split &split) {
  std::vector<Block> blocks = blocksOf(split);
  if (blocks.size() * (2 * pieces.size() + 1) > kMostSteps)
    return std::nullopt;
  // Blocks are alike but for the last two, so three prices say all.
  std::vector<std::vector<StagedStep>> tiles;
  uint64_t dma = 0, tiu = 0, longestTiu = 0, tileDma = 0, tileTiu = 0;
  cycles::Evidence evidence = cycles::Evidence::Measured;
  for (size_t i = 0; i < blocks.size(); ++i) {
    auto steps = tile(blocks[i], int64_t(i));
    if (!steps)
      return std::nullopt;
    bool isLikeBefore = i > 0 && blocks[i].lanes == blocks[i - 1].lanes &&
                        blocks[i].perLane == blocks[i - 1].perLane;
    if (!isLikeBefore) {
      tileDma = tileTiu = 0;
      for (const StagedStep &step : *steps) {
        Price price = priceOf(step);
        (step.kind == StagedStep::LaneCopy ? tileTiu : tileDma) += price.cycles;
        evidence = std::max(evidence, price.evidence);
      }
    }
    dma += tileDma;
    tiu += tileTiu;
    longestTiu = std::max(longestTiu, tileTiu);
    tiles.push_back(*std::move(steps));
  }
  // The copies of a tile run beside the transfers of its neighbours.
  Price price{std::max(dma, tiu) + longestTiu, evidence};
  if (price.cycles >= cycles::kMostCycles ||
      evidence == cycles::Evidence::Kin || (best && !price.beats(best->price)))
    return std::nullopt;
  StagedPlan plan = arrange(std::move(tiles));
  plan.price = price;
  return plan;
}

void Stage::tryAll(const std::vector<Piece> &given, Shared sharedNow,
                   bool widensNow) {
  for (const Split &split : splitsOf(given.front().axes.front().size))
    if (begin(given, split, sharedNow, widensNow))
      if (auto plan = evaluate(split))
        best = std::move(plan);
}

std::optional<StagedPlan> Stage::single(const Piece &piece) {
  best.reset();
  for (size_t i = 0; i < piece.axes.size(); ++i) {
    Piece turned = piece;
    std::swap(turned.axes[0], turned.axes[i]);
    for (bool wide : {false, true})
      tryAll({turned}, Shared::Nothing, wide);
  }
  return std::move(best);
}

std::optional<StagedPlan> Stage::rows(const std::vector<Piece> &given) {
  best.reset();
  // All have the rows as their outermost axis and fill them.
  int64_t size = given.front().axes.front().size,
          length = given.front().axes.front().to, filled = 0;
  int64_t end = 0; // of what the pieces so far cover of a row
  for (const Piece &piece : given) {
    const Axis &shared = piece.axes.front();
    int64_t elements = 1, first = piece.result - given.front().result,
            last = first;
    for (const Axis &axis : piece.axes)
      elements *= axis.size;
    for (size_t i = 1; i < piece.axes.size(); ++i)
      last += (piece.axes[i].size - 1) * piece.axes[i].to;
    if (shared.size != size || shared.to != length || first < end ||
        last >= length)
      return std::nullopt;
    end = last + 1;
    filled += elements;
  }
  if (filled != size * length)
    return std::nullopt;
  for (bool wide : {false, true})
    tryAll(given, Shared::Result, wide);
  return std::move(best);
}

std::optional<StagedPlan> Stage::cuts(const std::vector<Piece> &given) {
  best.reset();
  const Piece &first = given.front();
  int64_t size = first.axes.front().size, length = first.axes.front().from;
  for (const Piece &piece : given) {
    const Axis &rows = piece.axes.front();
    int64_t last = piece.source % length;
    for (size_t i = 1; i < piece.axes.size(); ++i)
      last += (piece.axes[i].size - 1) * piece.axes[i].from;
    // All are cut out of the same whole rows.
    if (piece.operand != first.operand || rows.size != size ||
        rows.from != length || last >= length ||
        piece.source / length != first.source / length ||
        (piece.source / length + size) * length > piece.operandElements)
      return std::nullopt;
  }
  tryAll(given, Shared::Source, /*widens=*/true);
  return std::move(best);
}

/// Puts the steps of `plan` behind those of `all`. False if they are too many.
static bool appendPlan(StagedPlan &all, const std::optional<StagedPlan> &plan) {
  if (!plan || all.steps.size() + plan->steps.size() > kMostSteps)
    return false;
  all.steps.insert(all.steps.end(), plan->steps.begin(), plan->steps.end());
  all.price.cycles += plan->price.cycles;
  all.price.evidence = std::max(all.price.evidence, plan->price.evidence);
  return true;
}

/// More axes than a lane has: one plan for each step along the shortest.
static std::optional<StagedPlan> stageSteps(Planner &planner, const Chip &chip,
                                            unsigned elementBytes,
                                            Piece piece) {
  auto shortest = std::min_element(
      piece.axes.begin(), piece.axes.end(),
      [](const Axis &a, const Axis &b) { return a.size < b.size; });
  Axis walked = *shortest;
  piece.axes.erase(shortest);
  if (walked.size > int64_t(Planner::kMostCommands))
    return std::nullopt;
  StagedPlan all;
  for (int64_t i = 0; i < walked.size; ++i) {
    if (!appendPlan(all, stagePiece(planner, chip, elementBytes, piece)))
      return std::nullopt;
    piece.source += walked.from;
    piece.result += walked.to;
  }
  return all;
}

/// Whether the plan takes twice as long as its bytes at full rate.
static bool isSlow(const Chip &chip, unsigned elementBytes, const Piece &piece,
                   const StagedPlan &plan) {
  uint64_t elements = 1;
  for (const Axis &axis : piece.axes)
    elements *= uint64_t(axis.size);
  return plan.price.cycles > 2 * elements * elementBytes / chip.rates.copyBytes;
}

/// The two halves along the axis with the largest step, one after the other.
static std::optional<StagedPlan> stageHalves(Planner &planner, const Chip &chip,
                                             unsigned elementBytes,
                                             const Piece &piece) {
  Piece halves[2] = {piece, piece};
  auto outermost = std::max_element(
      piece.axes.begin(), piece.axes.end(), [](const Axis &a, const Axis &b) {
        return (a.size > 1 ? a.from : 0) < (b.size > 1 ? b.from : 0);
      });
  auto axis = outermost - piece.axes.begin();
  int64_t first = (outermost->size + 1) / 2;
  if (first == outermost->size)
    return std::nullopt;
  halves[0].axes[axis].size = first;
  halves[1].axes[axis].size -= first;
  halves[1].source += first * outermost->from;
  halves[1].result += first * outermost->to;
  StagedPlan all;
  for (const Piece &half : halves)
    if (!appendPlan(all, stagePiece(planner, chip, elementBytes, half)))
      return std::nullopt;
  return all;
}

std::optional<StagedPlan> transfer::stagePiece(Planner &planner,
                                               const Chip &chip,
                                               unsigned elementBytes,
                                               const Piece &piece) {
  Piece merged = piece;
  merged.axes = mergedAxes(piece.axes);
  bool isRun = merged.axes.size() == 1 && merged.axes[0].from == 1 &&
               merged.axes[0].to == 1;
  if (merged.axes.empty() || isRun) // nothing to turn
    return std::nullopt;
  for (const Axis &axis : merged.axes)
    if (axis.from < 0 || axis.to <= 0)
      return std::nullopt;
  Stage stage(planner, chip, elementBytes);
  auto plan = stage.single(merged);
  if (stage.lacksRoom() &&
      (!plan || isSlow(chip, elementBytes, merged, *plan))) {
    auto halves = stageHalves(planner, chip, elementBytes, merged);
    if (halves && (!plan || halves->price.beats(plan->price)))
      plan = std::move(halves);
  }
  constexpr size_t kLaneAxes = 4; // the lanes, and three inside of them
  if (!plan && merged.axes.size() > kLaneAxes)
    plan = stageSteps(planner, chip, elementBytes, merged);
  return plan;
}

/// The pieces with merged axes, that with the largest step `by` in front.
/// Nothing if one has no axes or steps that staging cannot take.
static std::vector<Piece> alignedPieces(std::vector<Piece> pieces,
                                        int64_t Axis::*by) {
  for (Piece &piece : pieces) {
    piece.axes = mergedAxes(piece.axes);
    if (piece.axes.empty())
      return {};
    for (const Axis &axis : piece.axes)
      if (axis.from < 0 || axis.to <= 0)
        return {};
    auto outermost = std::max_element(
        piece.axes.begin(), piece.axes.end(),
        [by](const Axis &a, const Axis &b) { return a.*by < b.*by; });
    std::iter_swap(piece.axes.begin(), outermost);
  }
  return pieces;
}

std::optional<StagedPlan>
transfer::stageRows(Planner &planner, const Chip &chip, unsigned elementBytes,
                    const std::vector<Piece> &pieces) {
  std::vector<Piece> aligned = alignedPieces(pieces, &Axis::to);
  if (aligned.size() < 2)
    return std::nullopt;
  std::stable_sort(
      aligned.begin(), aligned.end(),
      [](const Piece &a, const Piece &b) { return a.result < b.result; });
  return Stage(planner, chip, elementBytes).rows(aligned);
}

std::optional<StagedPlan>
transfer::stageSplit(Planner &planner, const Chip &chip, unsigned elementBytes,
                     const std::vector<Piece> &pieces) {
  std::vector<Piece> aligned = alignedPieces(pieces, &Axis::from);
  if (aligned.size() < 2 || aligned.front().axes.front().from < 2)
    return std::nullopt;
  return Stage(planner, chip, elementBytes).cuts(aligned);
}
