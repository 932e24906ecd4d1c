//===- JoinMoves.cpp - --tpu-join-moves -----------------------------------===//

#include "dialects/tpu/Cast.h"
#include "dialects/tpu/GroupPlan.h"
#include "dialects/tpu/ModuleChip.h"
#include "passes/tpu/ArrangePrice.h"
#include "passes/tpu/OpsBefore.h"
#include "passes/tpu/Passes.h"
#include "passes/tpu/ValueNames.h"
#include "runtime/chips/Chip.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/Builders.h"

namespace weft::tpu {
#define GEN_PASS_DEF_TPUJOINMOVES
#include "passes/tpu/Passes.h.inc"
} // namespace weft::tpu

using namespace mlir;
using namespace weft;
using namespace weft::tpu;

/// More are not looked at, so that large tensors cost no time here.
static constexpr int64_t kMostRows = int64_t(1) << 20;
static constexpr size_t kMostPieces = 2048;

static bool isMove(Operation *op) {
  if (auto arrange = dyn_cast<ArrangeOp>(op))
    return !arrange.getFill();
  if (auto turn = dyn_cast<PermuteOp>(op))
    return !turn.widens();
  return llvm::isa<ConcatOp, ReshapeOp, SliceOp>(op);
}

namespace {
/// Moves that lead from one value to another one.
struct Moves {
  Value source;
  SmallVector<Operation *, 0> ops; ///< from the last to the first
  Value result() const { return ops.front()->getResult(0); }
};

/// Where the rows of a value come from.
struct Rows {
  std::vector<int64_t> from; ///< number of the row of the source
  CastOp cast;               ///< what each went through; null if nothing
};
} // namespace

/// The moves and casts that end in `last` and nobody else reads; std::nullopt
/// if they begin with several values.
static std::optional<Moves> movesBefore(Operation *last) {
  OpsBefore found = opsBefore(
      last, [](Operation *op) { return isMove(op) || llvm::isa<CastOp>(op); });
  if (found.sources.size() != 1)
    return std::nullopt;
  return Moves{found.sources.front(), found.ops.takeVector()};
}

/// The axes of `copy` without those of one element, neighbours that one axis
/// can say joined.
static SmallVector<CopyAxis> joinedAxes(const StridedCopy &copy) {
  SmallVector<CopyAxis> axes;
  for (const CopyAxis &axis : copy.axes) {
    if (axis.size == 1)
      continue;
    bool joins = !axes.empty() && axes.back().from == axis.from * axis.size &&
                 axes.back().to == axis.to * axis.size;
    if (joins)
      axes.back() = {axes.back().size * axis.size, axis.from, axis.to};
    else
      axes.push_back(axis);
  }
  return axes;
}

/// `copy` counted in rows of `row` elements; std::nullopt if it cuts one.
static std::optional<StridedCopy> inRows(const StridedCopy &copy, int64_t row) {
  StridedCopy found{copy.source / row, copy.result / row, {}};
  SmallVector<CopyAxis> axes = joinedAxes(copy);
  if (copy.source % row != 0 || copy.result % row != 0 || axes.empty())
    return std::nullopt;
  CopyAxis last = axes.pop_back_val();
  if (last.from != 1 || last.to != 1 || last.size % row != 0)
    return std::nullopt;
  for (const CopyAxis &axis : axes) {
    if (axis.from % row != 0 || axis.to % row != 0)
      return std::nullopt;
    found.axes.push_back({axis.size, axis.from / row, axis.to / row});
  }
  found.axes.push_back({last.size / row, 1, 1});
  return found;
}

static void copyRows(ArrayRef<CopyAxis> axes, int64_t source, int64_t result,
                     ArrayRef<int64_t> from, std::vector<int64_t> &to) {
  if (axes.empty()) {
    to[result] = from[source];
    return;
  }
  for (int64_t i = 0; i < axes.front().size; ++i)
    copyRows(axes.drop_front(), source + i * axes.front().from,
             result + i * axes.front().to, from, to);
}

static bool sameCast(CastOp a, CastOp b) {
  if (!a || !b)
    return a == b;
  return a.getProperties() == b.getProperties() &&
         elementOf(a.getInput()) == elementOf(b.getInput()) &&
         elementOf(a.getOutput()) == elementOf(b.getOutput());
}

/// Where the rows of `op`'s result come from; std::nullopt if it cuts rows or
/// joins what was cast with what was not.
static std::optional<Rows> rowsOf(Operation *op, int64_t row,
                                  const DenseMap<Value, Rows> &known) {
  const Rows &first = known.find(op->getOperand(0))->second;
  if (llvm::isa<ReshapeOp>(op))
    return first;
  if (auto cast = dyn_cast<CastOp>(op))
    return first.cast ? std::nullopt : std::optional(Rows{first.from, cast});
  Rows rows{std::vector<int64_t>(product(dimsOf(op->getResult(0))) / row, -1),
            first.cast};
  for (const OperandCopy &copy : copiesOf(op)) {
    const Rows &operand = known.find(op->getOperand(copy.operand))->second;
    std::optional<StridedCopy> counted = inRows(copy.copy, row);
    if (!counted || !sameCast(operand.cast, rows.cast))
      return std::nullopt;
    copyRows(counted->axes, counted->source, counted->result, operand.from,
             rows.from);
  }
  return rows;
}

static std::optional<Rows> rowsOf(const Moves &moves) {
  Dims dims = dimsOf(moves.source);
  int64_t row = dims[kAxisW];
  if (row < 2 || row != dimsOf(moves.result())[kAxisW])
    return std::nullopt;
  int64_t count = product(dims) / row;
  if (count > kMostRows)
    return std::nullopt;
  DenseMap<Value, Rows> known;
  Rows &straight = known[moves.source];
  for (int64_t i = 0; i < count; ++i)
    straight.from.push_back(i);
  for (Operation *op : llvm::reverse(moves.ops)) {
    if (product(dimsOf(op->getResult(0))) / row > kMostRows)
      return std::nullopt;
    std::optional<Rows> rows = rowsOf(op, row, known);
    if (!rows)
      return std::nullopt;
    known[op->getResult(0)] = std::move(*rows);
  }
  Rows found = std::move(known[moves.result()]);
  return llvm::is_contained(found.from, -1) ? std::nullopt
                                            : std::optional(std::move(found));
}

namespace {
/// Cuts the rows of a tensor in the lanes into boxes whose rows lie in steps in
/// DRAM.
class RowBoxes {
public:
  /// `dims` of the tensor in the lanes, `rows` where DRAM has each; -1 for
  /// nowhere.
  RowBoxes(const Dims &dims, std::vector<int64_t> rows)
      : dims(dims), rows(std::move(rows)) {}

  /// A box and its rows in DRAM.
  struct Part {
    Dims begin;
    int64_t first; ///< row in DRAM
    Dims size{1, 1, 1, 1}, steps{1, 1, 1, 1};
  };
  std::vector<Part> cut();

private:
  int64_t number(const Dims &at) const {
    return (at[kAxisN] * dims[kAxisC] + at[kAxisC]) * dims[kAxisH] + at[kAxisH];
  }
  bool follows(Dims at, unsigned axis, int64_t places, int64_t step) const;
  bool cutsRun(const Part &part, const Dims &next, unsigned axis) const;
  bool grow(Part &part, unsigned axis) const;

  Dims dims;
  std::vector<int64_t> rows; ///< -1 as well once it is in a box
};
} // namespace

static void eachRow(const Dims &size, function_ref<void(const Dims &)> visit) {
  for (int64_t n = 0; n < size[kAxisN]; ++n)
    for (int64_t c = 0; c < size[kAxisC]; ++c)
      for (int64_t h = 0; h < size[kAxisH]; ++h)
        visit({n, c, h, 0});
}

/// Whether the row `places` further along `axis` than that at `at` lies as many
/// steps behind it in DRAM.
bool RowBoxes::follows(Dims at, unsigned axis, int64_t places,
                       int64_t step) const {
  int64_t first = rows[number(at)];
  at[axis] += places;
  return at[axis] >= 0 && at[axis] < dims[axis] &&
         rows[number(at)] == first + places * step;
}

/// Whether a box that gets the rows from `next` on, to be one longer along
/// `axis`, takes only a part of a run, which costs both boxes a piece more.
bool RowBoxes::cutsRun(const Part &part, const Dims &next,
                       unsigned axis) const {
  for (unsigned inner : {kAxisC, kAxisH}) {
    int64_t size = part.size[inner], step = size > 1 ? part.steps[inner] : 1;
    if (inner != axis &&
        (follows(next, inner, size, step) || follows(next, inner, -1, step)))
      return true;
  }
  return axis != kAxisN && part.size[axis] == 1 &&
         rows[number(next)] != part.first + 1 && follows(next, axis, 1, 1);
}

/// Makes the box one longer along `axis` if what it gets continues it.
bool RowBoxes::grow(Part &part, unsigned axis) const {
  int64_t size = part.size[axis];
  Dims next = part.begin;
  next[axis] += size;
  if (next[axis] >= dims[axis])
    return false;
  int64_t step = size == 1 ? rows[number(next)] - part.first : part.steps[axis];
  if (step < 1 || cutsRun(part, next, axis))
    return false;
  Dims slab = part.size;
  slab[axis] = 1;
  bool fits = true;
  eachRow(slab, [&](const Dims &at) {
    Dims place = next;
    int64_t want = part.first + size * step;
    for (unsigned i : {kAxisN, kAxisC, kAxisH}) {
      place[i] += at[i];
      want += at[i] * part.steps[i];
    }
    fits &= rows[number(place)] == want;
  });
  if (!fits)
    return false;
  ++part.size[axis];
  part.steps[axis] = step;
  return true;
}

std::vector<RowBoxes::Part> RowBoxes::cut() {
  std::vector<Part> parts;
  Dims whole = dims;
  eachRow(whole, [&](const Dims &at) {
    if (rows[number(at)] < 0 || parts.size() > kMostPieces)
      return;
    Part part{at, rows[number(at)]};
    for (unsigned axis : {kAxisH, kAxisC, kAxisN})
      while (grow(part, axis))
        ;
    eachRow(part.size, [&](Dims place) {
      for (unsigned i : {kAxisN, kAxisC, kAxisH})
        place[i] += at[i];
      rows[number(place)] = -1;
    });
    parts.push_back(part);
  });
  return parts;
}

/// `parts` of a tensor of `dims` in the lanes, as a load or a store moves them.
static ArrayAttr piecesOf(OpBuilder &builder, ArrayRef<RowBoxes::Part> parts,
                          const Dims &dims, bool isLoad) {
  SmallVector<Attribute> pieces;
  Dims dense = denseSteps(dims);
  int64_t row = dims[kAxisW];
  for (const RowBoxes::Part &part : parts) {
    Dims sizes = part.size, steps;
    sizes[kAxisW] = row;
    for (unsigned axis : {kAxisN, kAxisC, kAxisH})
      steps[axis] = part.steps[axis] * row;
    steps[kAxisW] = 1;
    int64_t inLanes = elementOffset(dense, {part.begin, sizes}),
            inDram = part.first * row;
    pieces.push_back(
        PieceAttr::get(builder.getContext(), 0, isLoad ? inDram : inLanes,
                       isLoad ? inLanes : inDram, sizes, isLoad ? steps : dense,
                       isLoad ? dense : steps));
  }
  return builder.getArrayAttr(pieces);
}

/// The row of the result that each row of a source of `count` rows becomes;
/// nothing if one becomes several.
static std::vector<int64_t> destinations(ArrayRef<int64_t> from,
                                         int64_t count) {
  std::vector<int64_t> to(count, -1);
  for (auto [result, source] : llvm::enumerate(from)) {
    if (to[source] >= 0)
      return {};
    to[source] = result;
  }
  return to;
}

namespace {
struct JoinMoves : weft::tpu::impl::TpuJoinMovesBase<JoinMoves> {
  void runOnOperation() override {
    const Chip *chip = chipOf(getOperation());
    if (!chip)
      return signalPassFailure();
    Block &block = getOperation().getBody().front();
    TransferPrice transfers(*chip);
    ArrangePrice price(transfers);
    for (Operation *op = &block.back(); op;) {
      std::optional<Moves> moves;
      if (isMove(op) && !op->use_empty())
        moves = movesBefore(op);
      Operation *made = moves ? join(*moves, *chip, price) : nullptr;
      op = made ? made->getPrevNode() : op->getPrevNode();
    }
  }

private:
  static ArrangeOp join(const Moves &moves, const Chip &chip,
                        ArrangePrice &price);
};
} // namespace

/// Cycles at least of the moves that go through DRAM whatever the groups are.
static int64_t leastInDram(const Moves &moves, const Chip &chip) {
  int64_t bytes = 0;
  for (Operation *op : moves.ops)
    if (llvm::isa<ArrangeOp>(op))
      bytes += tensorBytes(op->getResult(0));
  return bytes / chip.rates.copyBytes;
}

static bool isInGroup(Operation *op) {
  return op && asTileable(op) && !staysInDram(op);
}

/// Whether what `moves` give is loaded, or made, by groups alone.
static bool isAtGroup(const Moves &moves, bool isLoad) {
  if (isLoad)
    return llvm::all_of(moves.result().getUsers(), isInGroup);
  return isInGroup(moves.source.getDefiningOp()) &&
         llvm::all_of(moves.source.getUsers(), [&](Operation *user) {
           return llvm::is_contained(moves.ops, user);
         });
}

/// The order of `rows` as a load or a store does it; null where none does.
static ArrangeOp arrangeRows(OpBuilder &builder, const Moves &moves,
                             const Rows &rows, bool isLoad) {
  Dims dims = dimsOf(isLoad ? moves.result() : moves.source);
  std::vector<int64_t> inDram = rows.from;
  if (!isLoad)
    inDram = destinations(rows.from, product(dims) / dims[kAxisW]);
  if (inDram.empty() || !isAtGroup(moves, isLoad))
    return nullptr;
  std::vector<RowBoxes::Part> parts = RowBoxes(dims, std::move(inDram)).cut();
  if (parts.size() > kMostPieces)
    return nullptr;
  auto type =
      RankedTensorType::get(dimsOf(moves.result()), elementOf(moves.source));
  return builder.create<ArrangeOp>(
      moves.ops.front()->getLoc(), type, moves.source,
      piecesOf(builder, parts, dims, isLoad), IntegerAttr());
}

/// Of both ways the one by which transfers get longer by less, and by no more
/// than `most`; null if there is none.
static ArrangeOp cheapest(OpBuilder &builder, const Moves &moves,
                          const Rows &rows, ArrangePrice &price, int64_t most) {
  ArrangeOp best;
  int64_t least = most;
  for (bool isLoad : {true, false}) {
    ArrangeOp op = arrangeRows(builder, moves, rows, isLoad);
    if (!op)
      continue;
    int64_t extra = price.extra(
        op, isLoad, dimsOf(isLoad ? op.getOutput() : op.getInputs().front()));
    bool isBetter =
        extra < least || (extra == least && !best) ||
        (extra == least && op.getPieces().size() < best.getPieces().size());
    ArrangeOp worse = isBetter ? best : op;
    if (worse)
      worse.erase();
    if (!isBetter)
      continue;
    best = op;
    least = extra;
  }
  return best;
}

/// What stands in the place of `moves` then, null if they stay.
ArrangeOp JoinMoves::join(const Moves &moves, const Chip &chip,
                          ArrangePrice &price) {
  int64_t most = leastInDram(moves, chip);
  auto single = dyn_cast<ArrangeOp>(moves.ops.front());
  if (most == 0 || (single && moves.ops.size() == 1 &&
                    (transferParts(single, /*isLoad=*/true) ||
                     transferParts(single, /*isLoad=*/false))))
    return nullptr;
  std::optional<Rows> rows = rowsOf(moves);
  if (!rows)
    return nullptr;
  Operation *last = moves.ops.front();
  OpBuilder builder(last);
  ArrangeOp arrange = cheapest(builder, moves, *rows, price, most);
  if (!arrange)
    return nullptr;
  Operation *made = arrange;
  if (rows->cast) {
    made = builder.clone(*rows->cast);
    made->setOperand(0, arrange.getOutput());
    made->getResult(0).setType(last->getResult(0).getType());
  }
  takeName(made, last);
  last->replaceAllUsesWith(made);
  for (Operation *op : moves.ops)
    op->erase();
  return arrange;
}
