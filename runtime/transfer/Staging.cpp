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

/// Tiles that are done one after the other. Each lies from the begin of the
/// lanes on, until all are known and `arrange` gives them their slots.
struct TiledPlan {
  std::vector<std::vector<StagedStep>> tiles;
  int64_t slotBytes = 0;                     ///< of the largest tile, in a lane
  uint64_t dma = 0, tiu = 0, longestTiu = 0; ///< cycles
  cycles::Evidence evidence = cycles::Evidence::Measured;

  /// Whether a tile is loaded while the one before it is turned.
  bool hasTwoSlots(const Chip &chip) const {
    return 2 * slotBytes <= int64_t(chip.laneBytes);
  }
  /// The copies of a tile run beside the transfers of its neighbours.
  Price price(const Chip &chip) const {
    if (!hasTwoSlots(chip))
      return {dma + tiu, evidence};
    return {std::max(dma, tiu) + longestTiu, evidence};
  }
  void append(TiledPlan other);
};
} // namespace

void TiledPlan::append(TiledPlan other) {
  std::move(other.tiles.begin(), other.tiles.end(), std::back_inserter(tiles));
  slotBytes = std::max(slotBytes, other.slotBytes);
  dma += other.dma;
  tiu += other.tiu;
  longestTiu = std::max(longestTiu, other.longestTiu);
  evidence = std::max(evidence, other.evidence);
}

/// In slots that take turns, the loads of each tile before the rest of its
/// predecessor; one tile after the other where two do not fit.
static StagedPlan arrange(const Chip &chip, TiledPlan plan) {
  StagedPlan arranged;
  arranged.price = plan.price(chip);
  bool takesTurns = plan.hasTwoSlots(chip);
  auto append = [&](size_t tile, bool loads) {
    int64_t slot = takesTurns ? int64_t(tile % 2) * plan.slotBytes : 0;
    for (StagedStep step : plan.tiles[tile])
      if ((step.kind == StagedStep::Load) == loads) {
        for (Side *side : {&step.transfer.from, &step.transfer.to})
          if (side->place.isLocal)
            side->place.address += slot;
        arranged.steps.push_back(step);
      }
  };
  for (size_t tile = 0; tile < plan.tiles.size(); ++tile) {
    append(tile, true);
    if (!takesTurns)
      append(tile, false);
    else if (tile > 0)
      append(tile - 1, false);
  }
  if (takesTurns)
    append(plan.tiles.size() - 1, false);
  return arranged;
}

/// `plan` as steps.
static std::optional<StagedPlan> arranged(const Chip &chip,
                                          std::optional<TiledPlan> plan) {
  if (!plan)
    return std::nullopt;
  return arrange(chip, *std::move(plan));
}

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

/// What the TIU takes to copy a box inside the lanes, both sides with explicit
/// strides, into elements of `resultBytes`; kMostCycles where a stride has no
/// room in a command.
static Price laneCopyPrice(const Transfer &copy, unsigned resultBytes,
                           const Chip &chip) {
  bool widens = resultBytes != copy.elementBytes;
  auto made = isa::CommandBuilder::make(
      *chip.instructions, isa::Engine::Tiu, unsigned(isa::TiuType::Arith),
      widens ? isa::arith::Cast : isa::arith::Copy);
  const Price tooMuch{cycles::kMostCycles, cycles::Evidence::Kin};
  if (!made)
    return tooMuch;
  using isa::Field;
  // Floats of 16 bits are all widened in one time.
  auto precision = int64_t(widens ? isa::Precision::Fp16
                                  : cycles::movedPrecision(copy.elementBytes)),
       resultPrecision = widens ? int64_t(isa::Precision::Fp32) : precision;
  struct {
    Field field;
    int64_t value;
  } const values[] = {
      {Field::tsk_opd_num, 1},
      {Field::res0_addr, chip.euBytes}, // not the operand's
      {Field::res0_prec, resultPrecision},
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
  Stage(Planner &planner, const Chip &chip, ElementSizes sizes)
      : planner(planner), chip(chip), elementBytes(sizes.operand),
        resultBytes(sizes.result) {}

  std::optional<TiledPlan> single(const Piece &piece);
  std::optional<TiledPlan> rows(const std::vector<Piece> &pieces);
  std::optional<TiledPlan> cuts(const std::vector<Piece> &pieces);
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
  std::optional<std::vector<StagedStep>> tile(const Block &block);
  std::optional<Transfer> turnOf(const LanePiece &lane, int64_t lanes) const;
  std::optional<TiledPlan> evaluate(const Split &split);
  Price priceOf(const StagedStep &step);
  int64_t loadedBytes(const LanePiece &lane) const;
  int64_t storedBytes(const LanePiece &lane) const;
  void tryAll(const std::vector<Piece> &pieces, Shared shared, bool widens);

  Planner &planner;
  const Chip &chip;
  unsigned elementBytes, resultBytes;

  // The pieces being tried; the first axis of each is the one of the lanes.
  std::vector<Piece> pieces;
  Shared shared = Shared::Nothing;
  bool widens = false; ///< whole rows of the source are loaded
  int64_t slotBytes = 0;
  bool isCramped = false;
  std::optional<TiledPlan> best;
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
  return alignUp<int64_t>(elements * resultBytes, chip.euBytes);
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
    uint64_t cycles = laneCopyPrice(copy, resultBytes, chip).cycles;
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
  auto store = toTransfer(chip, resultBytes,
                          {block.lanes, 1, block.perLane * step}, stores);
  if (!store)
    return std::nullopt;
  store->from.place = {true, 0, address};
  store->to.place.address =
      pieces[piece].resultAddress +
      (pieces[piece].result + block.start * step) * resultBytes;
  return store;
}

/// Loads, copies and stores of one block.
std::optional<std::vector<StagedStep>> Stage::tile(const Block &block) {
  std::vector<StagedStep> steps, copies, stores;
  std::vector<LanePiece> lanes;
  int64_t loadAt = 0, storeAt = 0;
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
      storeAt = rowsAt + (pieces[i].result - resultBegin) * resultBytes;
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
  if (pieces.size() == 1 && elementBytes == resultBytes &&
      only.from.strides == only.to.strides && lanes.front().loadedFirst == 0) {
    stores.front().transfer.from.place = only.from.place;
    copies.clear();
  }
  steps.insert(steps.end(), copies.begin(), copies.end());
  steps.insert(steps.end(), stores.begin(), stores.end());
  return steps;
}

Price Stage::priceOf(const StagedStep &step) {
  if (step.kind == StagedStep::LaneCopy)
    return laneCopyPrice(step.transfer, resultBytes, chip);
  Plan plan = planner.plan(step.transfer);
  if (plan.isEmpty())
    return {cycles::kMostCycles, cycles::Evidence::Kin};
  return {plan.cycles, plan.evidence};
}

std::optional<TiledPlan> Stage::evaluate(const Split &split) {
  std::vector<Block> blocks = blocksOf(split);
  if (blocks.size() * (2 * pieces.size() + 1) > kMostSteps)
    return std::nullopt;
  // Blocks are alike but for the last two, so three prices say all.
  TiledPlan plan;
  plan.slotBytes = slotBytes;
  uint64_t tileDma = 0, tileTiu = 0;
  for (size_t i = 0; i < blocks.size(); ++i) {
    auto steps = tile(blocks[i]);
    if (!steps)
      return std::nullopt;
    bool isLikeBefore = i > 0 && blocks[i].lanes == blocks[i - 1].lanes &&
                        blocks[i].perLane == blocks[i - 1].perLane;
    if (!isLikeBefore) {
      tileDma = tileTiu = 0;
      for (const StagedStep &step : *steps) {
        Price price = priceOf(step);
        (step.kind == StagedStep::LaneCopy ? tileTiu : tileDma) += price.cycles;
        plan.evidence = std::max(plan.evidence, price.evidence);
      }
    }
    plan.dma += tileDma;
    plan.tiu += tileTiu;
    plan.longestTiu = std::max(plan.longestTiu, tileTiu);
    plan.tiles.push_back(*std::move(steps));
  }
  Price price = plan.price(chip);
  if (price.cycles >= cycles::kMostCycles ||
      price.evidence == cycles::Evidence::Kin ||
      (best && !price.beats(best->price(chip))))
    return std::nullopt;
  return plan;
}

void Stage::tryAll(const std::vector<Piece> &given, Shared sharedNow,
                   bool widensNow) {
  for (const Split &split : splitsOf(given.front().axes.front().size))
    if (begin(given, split, sharedNow, widensNow))
      if (auto plan = evaluate(split))
        best = std::move(plan);
}

std::optional<TiledPlan> Stage::single(const Piece &piece) {
  best.reset();
  for (size_t i = 0; i < piece.axes.size(); ++i) {
    Piece turned = piece;
    std::swap(turned.axes[0], turned.axes[i]);
    for (bool wide : {false, true})
      tryAll({turned}, Shared::Nothing, wide);
  }
  return std::move(best);
}

std::optional<TiledPlan> Stage::rows(const std::vector<Piece> &given) {
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

std::optional<TiledPlan> Stage::cuts(const std::vector<Piece> &given) {
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

/// Puts the tiles of `plan` behind those of `all`. False if they are too many.
static bool appendPlan(TiledPlan &all, std::optional<TiledPlan> plan) {
  constexpr size_t kStepsOfTile = 3; // of a plan for one piece
  if (!plan ||
      (all.tiles.size() + plan->tiles.size()) * kStepsOfTile > kMostSteps)
    return false;
  all.append(*std::move(plan));
  return true;
}

namespace {
/// Plans one piece, cut into several where that is better.
class PieceStage {
public:
  PieceStage(Planner &planner, const Chip &chip, ElementSizes sizes)
      : planner(planner), chip(chip), sizes(sizes) {}

  /// `overlaps`: whether it may be cut so that engines work side by side.
  std::optional<TiledPlan> plan(const Piece &piece, bool overlaps = true);

private:
  std::optional<TiledPlan> inSteps(Piece piece, size_t axis);
  std::optional<TiledPlan> inHalves(const Piece &piece);
  bool isSlow(const Piece &piece, const TiledPlan &plan) const;
  void take(std::optional<TiledPlan> &best,
            std::optional<TiledPlan> other) const {
    if (other && (!best || other->price(chip).beats(best->price(chip))))
      best = std::move(other);
  }

  Planner &planner;
  const Chip &chip;
  const ElementSizes sizes;
};
} // namespace

/// One plan for each step along an axis.
std::optional<TiledPlan> PieceStage::inSteps(Piece piece, size_t axis) {
  Axis walked = piece.axes[axis];
  piece.axes.erase(piece.axes.begin() + axis);
  if (walked.size > int64_t(Planner::kMostCommands))
    return std::nullopt;
  TiledPlan all;
  for (int64_t i = 0; i < walked.size; ++i) {
    if (!appendPlan(all, plan(piece, /*overlaps=*/false)))
      return std::nullopt;
    piece.source += walked.from;
    piece.result += walked.to;
  }
  return all;
}

/// Whether the plan takes twice as long as its bytes at full rate.
bool PieceStage::isSlow(const Piece &piece, const TiledPlan &plan) const {
  uint64_t elements = 1;
  for (const Axis &axis : piece.axes)
    elements *= uint64_t(axis.size);
  return plan.price(chip).cycles >
         2 * elements * sizes.operand / chip.rates.copyBytes;
}

/// The two halves along the axis with the largest step, one after the other.
std::optional<TiledPlan> PieceStage::inHalves(const Piece &piece) {
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
  TiledPlan all;
  for (const Piece &half : halves)
    if (!appendPlan(all, plan(half, /*overlaps=*/false)))
      return std::nullopt;
  return all;
}

std::optional<TiledPlan> PieceStage::plan(const Piece &given, bool overlaps) {
  Piece piece = given;
  piece.axes = mergedAxes(given.axes);
  bool isRun = piece.axes.size() == 1 && piece.axes[0].from == 1 &&
               piece.axes[0].to == 1;
  if (piece.axes.empty() || isRun) // nothing to turn
    return std::nullopt;
  for (const Axis &axis : piece.axes)
    if (axis.from < 0 || axis.to <= 0)
      return std::nullopt;
  Stage stage(planner, chip, sizes);
  std::optional<TiledPlan> best = stage.single(piece);
  if (stage.lacksRoom() && (!best || isSlow(piece, *best)))
    take(best, inHalves(piece));
  // A tile that is loaded while another is turned: few steps along an axis that
  // is not needed for long runs.
  constexpr int64_t kFewSteps = 8;
  if (overlaps && best && best->tiles.size() < kFewSteps)
    for (size_t i = 0; i < piece.axes.size(); ++i)
      if (piece.axes.size() > 2 && piece.axes[i].size <= kFewSteps)
        take(best, inSteps(piece, i));
  constexpr size_t kLaneAxes = 4; // the lanes, and three inside of them
  if (!best && piece.axes.size() > kLaneAxes) {
    auto shortest = std::min_element(
        piece.axes.begin(), piece.axes.end(),
        [](const Axis &a, const Axis &b) { return a.size < b.size; });
    best = inSteps(piece, shortest - piece.axes.begin());
  }
  return best;
}

std::optional<StagedPlan> transfer::stagePiece(Planner &planner,
                                               const Chip &chip,
                                               ElementSizes sizes,
                                               const Piece &piece) {
  return arranged(chip, PieceStage(planner, chip, sizes).plan(piece));
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
  return arranged(chip, Stage(planner, chip, elementBytes).rows(aligned));
}

std::optional<StagedPlan>
transfer::stageSplit(Planner &planner, const Chip &chip, unsigned elementBytes,
                     const std::vector<Piece> &pieces) {
  std::vector<Piece> aligned = alignedPieces(pieces, &Axis::from);
  if (aligned.size() < 2 || aligned.front().axes.front().from < 2)
    return std::nullopt;
  return arranged(chip, Stage(planner, chip, elementBytes).cuts(aligned));
}
