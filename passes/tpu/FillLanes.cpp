//===- FillLanes.cpp - --tpu-fill-lanes -----------------------------------===//

#include "dialects/tpu/Binary.h"
#include "dialects/tpu/Constant.h"
#include "dialects/tpu/Decision.h"
#include "dialects/tpu/GroupPlan.h"
#include "dialects/tpu/ModuleChip.h"
#include "dialects/tpu/Move.h"
#include "dialects/tpu/Norm.h"
#include "dialects/tpu/Reduce.h"
#include "dialects/tpu/Select.h"
#include "dialects/tpu/recipe/Price.h"
#include "passes/tpu/Passes.h"
#include "passes/tpu/PlaneTransfer.h"
#include "runtime/chips/Alignment.h"
#include "runtime/chips/Chip.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

#include "llvm/ADT/EquivalenceClasses.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/ADT/SmallPtrSet.h"

#include <array>

namespace weft::tpu {
#define GEN_PASS_DEF_TPUFILLLANES
#include "passes/tpu/Passes.h.inc"
} // namespace weft::tpu

using namespace mlir;
using namespace weft;
using namespace weft::tpu;

namespace {

/// Sizes for the tensors of a region. Each axis is part of one run of the
/// region's own axes, or has one element.
struct Spread {
  Dims dims;
  std::array<int, 4> run = {-1, -1, -1, -1};

  bool operator==(const Spread &other) const {
    return dims == other.dims && run == other.run;
  }
};

/// Ops of single elements, in block order, which do not care where an element
/// lies, and reductions of one axis, which do not care where the others lie.
/// Each tensor has all elements of an axis of the region, or one.
class ElementRegion {
public:
  explicit ElementRegion(ArrayRef<Operation *> ops);

  bool contains(Operation *op) const { return members.contains(op); }
  /// The sizes of the largest tensors.
  const Dims &dims() const { return all; }
  /// The sizes of a tensor where the largest ones have those of `spread`.
  Dims dimsUnder(Value value, const Spread &spread) const;
  /// Which axis of `spread` an op of the region reduces that reduces `axis`
  /// now; none if that axis is cut, or lies over lanes.
  std::optional<unsigned> axisUnder(unsigned axis, const Spread &spread) const;
  /// Whether each tensor has all elements of each axis or one: what is reduced
  /// may be repeated along an axis of other sizes.
  bool isUniform() const;
  /// Whether each op of the region can compute it under `spread`.
  bool takes(const Spread &spread) const;

  ArrayRef<Operation *> ops;
  /// What the members read of others, and what others read of them.
  llvm::SmallSetVector<Value, 4> inputs;
  SmallVector<Value, 2> outputs;
  /// Elements of neighbouring axes that each tensor has all or one of.
  SmallVector<int64_t, 4> runs;

private:
  void findRuns();

  llvm::SmallPtrSet<Operation *, 8> members;
  Dims all = {1, 1, 1, 1};
  std::array<int, 4> runOfAxis = {-1, -1, -1, -1};
};

} // namespace

/// Whether a tensor of `own` sizes has all elements of each axis of `whole`, or
/// one.
static bool isWholeOrOne(const Dims &own, const Dims &whole) {
  return llvm::all_of(llvm::zip_equal(own, whole), [](auto sizes) {
    auto [size, all] = sizes;
    return size == 1 || size == all;
  });
}

/// The operands whose elements go where those of the result do; tables of
/// functions do not.
static OperandRange spreadOperands(Operation *op) {
  return isElementFunction(op) ? op->getOperands().take_front()
                               : op->getOperands();
}

ElementRegion::ElementRegion(ArrayRef<Operation *> ops)
    : ops(ops), members(ops.begin(), ops.end()) {
  for (Operation *op : ops) {
    for (Value operand : spreadOperands(op))
      if (!contains(operand.getDefiningOp()))
        inputs.insert(operand);
    if (llvm::any_of(op->getUsers(),
                     [&](Operation *user) { return !contains(user); }))
      outputs.push_back(op->getResult(0));
  }
  findRuns();
}

void ElementRegion::findRuns() {
  SmallVector<Value> tensors(inputs.begin(), inputs.end());
  for (Operation *op : ops) {
    Dims own = dimsOf(op->getResult(0));
    for (Value operand : spreadOperands(op))
      for (unsigned axis = 0; axis < 4; ++axis)
        all[axis] = std::max({all[axis], own[axis], dimsOf(operand)[axis]});
    // What is repeated is repeated where it is read.
    if (!llvm::isa<RepeatChannelOp>(op))
      tensors.push_back(op->getResult(0));
  }
  std::optional<unsigned> before;
  for (unsigned axis = 0; axis < 4; ++axis) {
    if (all[axis] == 1)
      continue;
    bool isSame = before && llvm::all_of(tensors, [&](Value tensor) {
                    Dims own = dimsOf(tensor);
                    return (own[*before] == 1) == (own[axis] == 1);
                  });
    if (isSame)
      runs.back() *= all[axis];
    else
      runs.push_back(all[axis]);
    runOfAxis[axis] = runs.size() - 1;
    before = axis;
  }
}

Dims ElementRegion::dimsUnder(Value value, const Spread &spread) const {
  Dims own = dimsOf(value), result = {1, 1, 1, 1};
  for (unsigned axis = 0; axis < 4; ++axis)
    for (unsigned place = 0; place < 4; ++place)
      if (own[axis] != 1 && spread.run[place] == runOfAxis[axis])
        result[place] = spread.dims[place];
  return result;
}

std::optional<unsigned> ElementRegion::axisUnder(unsigned axis,
                                                 const Spread &spread) const {
  for (unsigned place : {kAxisN, kAxisH, kAxisW})
    if (all[axis] != 1 && spread.run[place] == runOfAxis[axis] &&
        spread.dims[place] == all[axis])
      return place;
  return std::nullopt;
}

bool ElementRegion::isUniform() const {
  return llvm::all_of(ops, [&](Operation *op) {
    return isWholeOrOne(dimsOf(op->getResult(0)), all) &&
           llvm::all_of(spreadOperands(op), [&](Value operand) {
             return isWholeOrOne(dimsOf(operand), all);
           });
  });
}

bool ElementRegion::takes(const Spread &spread) const {
  return llvm::all_of(ops, [&](Operation *op) {
    auto reduce = dyn_cast<ReduceOp>(op);
    return !reduce || axisUnder(reduce.getAxis(), spread);
  });
}

/// Whether the only reader of what repeats a channel has all channels of
/// another operand: it belongs to that reader then, and may leave the axis to
/// it.
static bool isReadBesideChannels(Operation *repeat) {
  Operation *user = repeat->hasOneUse() ? *repeat->user_begin() : nullptr;
  if (!user || !llvm::isa<BinaryOp, CompareOp, SelectOp>(user) ||
      user->hasAttr(kBandsAttr))
    return false;
  Dims dims = dimsOf(user->getResult(0));
  return isWholeOrOne(dimsOf(repeat->getResult(0)), dims) &&
         llvm::any_of(user->getOperands(), [&](Value other) {
           return dimsOf(other)[kAxisC] == dims[kAxisC] &&
                  !other.getDefiningOp<RepeatChannelOp>();
         });
}

/// Whether `op` computes each element of its result from those at the same
/// place, or from the only one of an axis.
static bool isElementOp(Operation *op) {
  // Bands fill the lanes already.
  if (op->hasAttr(kBandsAttr))
    return false;
  if (isElementFunction(op))
    return true;
  if (llvm::isa<RepeatChannelOp>(op))
    return isReadBesideChannels(op);
  return llvm::isa<BinaryOp, CompareOp, SelectOp>(op);
}

/// Whether `op` takes one channel of an operand for all of the result.
static bool canRepeatChannels(Operation *op) {
  auto binary = dyn_cast<BinaryOp>(op);
  return llvm::isa<RepeatChannelOp>(op) ||
         (binary && binary.canRepeatChannels());
}

/// `scale` as a product and a sum, which round as it does, where a channel of
/// many rows has one number in each; null elsewhere.
static BinaryOp splitScale(ScaleOp scale, const Chip &chip) {
  Dims dims = dimsOf(scale.getOutput());
  if (dims[kAxisH] * dims[kAxisW] != 1 || dims[kAxisN] <= int64_t(chip.lanes) ||
      scale->hasAttr(kBandsAttr))
    return {};
  OpBuilder builder(scale);
  auto create = [&](BinaryKind kind, Value lhs, Value rhs, bool relu) {
    return builder.create<BinaryOp>(
        scale.getLoc(), scale.getType(),
        BinaryKindAttr::get(builder.getContext(), kind), lhs, rhs, FloatAttr(),
        UnitAttr(), relu ? builder.getUnitAttr() : UnitAttr(),
        DenseI32ArrayAttr(), DenseI32ArrayAttr());
  };
  Value product = create(BinaryKind::Mul, scale.getInput(), scale.getScale(),
                         /*relu=*/false);
  BinaryOp sum =
      create(BinaryKind::Add, product, scale.getBias(), scale.getRelu());
  sum->setDiscardableAttrs(scale->getDiscardableAttrDictionary());
  scale.getOutput().replaceAllUsesWith(sum.getOutput());
  scale.erase();
  return sum;
}

/// Takes `splitScale` back where its ops were not spread.
static void joinScale(BinaryOp sum) {
  auto product = sum.getLhs().getDefiningOp<BinaryOp>();
  Dims dims = dimsOf(sum.getOutput());
  if (!product || dimsOf(product.getRhs()) != dimsOf(sum.getRhs()) ||
      dimsOf(sum.getRhs()) != Dims{1, dims[kAxisC], 1, 1} ||
      dims[kAxisH] * dims[kAxisW] != 1)
    return;
  OpBuilder builder(sum);
  auto scale = builder.create<ScaleOp>(sum.getLoc(), sum.getType(),
                                       product.getLhs(), product.getRhs(),
                                       sum.getRhs(), sum.getReluAttr());
  scale->setDiscardableAttrs(sum->getDiscardableAttrDictionary());
  sum.getOutput().replaceAllUsesWith(scale.getOutput());
  sum.erase();
  product.erase();
}

using Chain = SmallVector<Operation *, 4>;

/// The longest runs of element functions, each the only reader of the one
/// before it.
static std::vector<Chain> chainsOf(ArrayRef<Operation *> ops) {
  std::vector<Chain> chains;
  DenseMap<Operation *, size_t> chainOf;
  for (Operation *op : ops) {
    if (!isElementFunction(op))
      continue;
    Value operand = op->getOperand(0);
    auto before = chainOf.find(operand.getDefiningOp());
    size_t number = chains.size();
    if (before != chainOf.end() && operand.hasOneUse())
      number = before->second;
    else
      chains.emplace_back();
    chains[number].push_back(op);
    chainOf[op] = number;
  }
  return chains;
}

/// Whether no group makes `value`: neither an op that could be in one, nor what
/// it is a piece of, as an address.
static bool isOutsideOfGroups(Value value) {
  Operation *op = value.getDefiningOp();
  while (op && asTileable(op)) {
    auto slice = dyn_cast<SliceOp>(op);
    if (slice ? sliceOffset(slice) < 0 : !llvm::isa<ReshapeOp>(op))
      return false;
    op = op->getOperand(0).getDefiningOp();
  }
  return true;
}

namespace {
/// What makes sets of element ops.
struct Joins {
  bool reduces = false; ///< reductions of an axis are members, too
  /// So are those that read the same value from outside of all groups: spread
  /// alone, each would load it once more than the others do together.
  bool siblings = false;
};
} // namespace

/// The element ops of the block in sets that read each other. Where other ops
/// compute in between, only what is read once joins: such a set is a part of
/// the graph that goes through no other op.
static std::vector<Chain> connectedOps(Block &block, const Joins &joins) {
  llvm::EquivalenceClasses<Operation *> sets;
  DenseMap<Value, Operation *> readers;   // the last of each value from outside
  DenseMap<Operation *, unsigned> others; // that came before
  llvm::SmallPtrSet<Operation *, 16> reduced; // have one element of some axis
  unsigned passed = 0;
  SmallVector<Operation *> ops;
  for (Operation &op : block) {
    auto reduce = dyn_cast<ReduceOp>(op);
    bool isMember =
        reduce ? joins.reduces && !op.hasAttr(kBandsAttr) : isElementOp(&op);
    if (!isMember) {
      passed += bool(asTileable(&op));
      continue;
    }
    others[&op] = passed;
    ops.push_back(&op);
    sets.insert(&op);
    if (reduce)
      reduced.insert(&op);
    Dims own = dimsOf(op.getResult(0));
    for (Value operand : op.getOperands()) {
      Operation *source = operand.getDefiningOp();
      if (joins.siblings && isOutsideOfGroups(operand) &&
          !operand.getDefiningOp<WeightOp>()) {
        Operation *&reader = readers.try_emplace(operand, &op).first->second;
        if (others[reader] == passed)
          sets.unionSets(reader, &op);
        reader = &op;
      }
      auto before = others.find(source);
      if (before == others.end() ||
          !(operand.hasOneUse() || before->second == passed))
        continue;
      bool isSame = dimsOf(operand) == own;
      if (isSame && reduced.contains(source))
        reduced.insert(&op);
      if (isSame || reduce ||
          ((reduced.contains(source) || llvm::isa<RepeatChannelOp>(source)) &&
           isWholeOrOne(dimsOf(operand), own)))
        sets.unionSets(source, &op);
    }
  }
  llvm::MapVector<Operation *, Chain> bySet;
  for (Operation *op : ops)
    bySet[sets.getLeaderValue(op)].push_back(op);
  std::vector<Chain> connected;
  for (auto &[leader, members] : bySet)
    connected.push_back(std::move(members));
  return connected;
}

/// The sizes on the other side of reshapes around the region.
static SmallVector<Dims, 2> sizesAround(const ElementRegion &region) {
  SmallVector<Dims, 2> sizes;
  for (Value input : region.inputs)
    if (auto reshape = input.getDefiningOp<ReshapeOp>())
      sizes.push_back(dimsOf(reshape.getInput()));
  for (Value output : region.outputs)
    for (Operation *user : output.getUsers())
      if (auto reshape = dyn_cast<ReshapeOp>(user))
        sizes.push_back(dimsOf(reshape.getOutput()));
  return sizes;
}

/// Ways to put the elements into up to `lanes` lanes, in order.
static SmallVector<Spread, 3> spreadsOf(const ElementRegion &region,
                                        const Chip &chip, int64_t lanes) {
  ArrayRef<int64_t> runs = region.runs;
  auto spreadIn = [&](unsigned run) {
    return largestDivisor(runs[run], lanes);
  };
  /// A run in rows as long as before if they can be.
  auto widthOf = [&](int64_t row) {
    int64_t width = region.dims()[kAxisW];
    return row % width ? largestDivisor(row, chip.maxShape) : width;
  };
  if (runs.size() == 1) {
    int64_t used = spreadIn(0), row = runs[0] / used, width = widthOf(row);
    SmallVector<Spread, 3> spreads = {
        {{1, used, row / width, width}, {-1, 0, 0, 0}}};
    for (const Dims &dims : sizesAround(region))
      spreads.push_back({dims, {0, 0, 0, 0}});
    return spreads;
  }
  int64_t first = runs.empty() ? 1 : spreadIn(0);
  if (runs.size() == 2) {
    int64_t second = spreadIn(1), row = runs[1] / second, width = widthOf(row);
    return {{{1, first, runs[0] / first, runs[1]}, {-1, 0, 0, 1}},
            {{1, runs[0], 1, runs[1]}, {-1, 0, -1, 1}}, // as sums of rows
            {{runs[0], second, row / width, width}, {0, 1, 1, 1}}};
  }
  if (runs.size() == 3) {
    int64_t second = spreadIn(1);
    return {{{runs[0] / first, first, runs[1], runs[2]}, {0, 0, 1, 2}},
            {{runs[0], second, runs[1] / second, runs[2]}, {0, 1, 1, 2}}};
  }
  return {}; // nothing to join
}

/// Cycles of one transfer of `value` between DRAM and lanes under these sizes.
static int64_t transferCycles(Value value, const Chip &chip, const Dims &dims) {
  return planeTransferCycles(value, dims, chip, chip.rates.storeBytes);
}

static RankedTensorType reshaped(Value value, const Dims &dims) {
  return RankedTensorType::get(dims, elementOf(value));
}

/// `value` under other sizes; constants are made anew.
static Value createReshaped(OpBuilder &builder, Location location, Value value,
                            const Dims &dims) {
  RankedTensorType type = reshaped(value, dims);
  if (type == value.getType())
    return value;
  if (auto weight = value.getDefiningOp<WeightOp>())
    return builder.create<WeightOp>(weight.getLoc(),
                                    reshapedWeight(weight.getValue(), type));
  return builder.create<ReshapeOp>(location, type, value);
}

namespace {
/// A reduction along W whose rows had been regrouped for it.
struct Regrouped {
  ReduceOp reduce;
  Dims rows, groups; ///< what it reads, as it was made and as it was regrouped
};
} // namespace

/// Lets `reduce` read rows as they were made (65536x3x1x5, not 4x49152x1x5), so
/// that no reshape parts it from what makes them and reads their sums.
static std::optional<Regrouped> readRows(ReduceOp reduce) {
  auto regroup = reduce.getInput().getDefiningOp<ReshapeOp>();
  if (!regroup || !regroup->hasOneUse() || reduce.getAxis() != kAxisW)
    return std::nullopt;
  Dims rows = dimsOf(regroup.getInput()), groups = dimsOf(regroup.getOutput());
  if (rows[kAxisW] != groups[kAxisW])
    return std::nullopt;
  Value output = reduce.getOutput();
  Type grouped = output.getType();
  Dims one = rows;
  one[kAxisW] = 1;
  reduce.getInputMutable().assign(regroup.getInput());
  regroup.erase();
  output.setType(reshaped(output, one));
  OpBuilder builder(reduce->getContext());
  builder.setInsertionPointAfter(reduce);
  auto back = builder.create<ReshapeOp>(reduce.getLoc(), grouped, output);
  output.replaceAllUsesExcept(back.getOutput(), back);
  for (Operation *user : llvm::make_early_inc_range(back->getUsers()))
    if (llvm::isa<ReshapeOp>(user) &&
        user->getResult(0).getType() == output.getType()) {
      user->getResult(0).replaceAllUsesWith(output);
      user->erase();
    }
  if (back->use_empty())
    back.erase();
  return Regrouped{reduce, rows, groups};
}

/// Takes `readRows` back where the rows were not spread.
static void readGroups(const Regrouped &regrouped) {
  ReduceOp reduce = regrouped.reduce;
  if (dimsOf(reduce.getInput()) != regrouped.rows)
    return;
  OpBuilder builder(reduce);
  Value output = reduce.getOutput();
  Type one = output.getType();
  Dims groups = regrouped.groups;
  reduce.getInputMutable().assign(builder.create<ReshapeOp>(
      reduce.getLoc(), reshaped(reduce.getInput(), groups), reduce.getInput()));
  groups[kAxisW] = 1;
  output.setType(reshaped(output, groups));
  builder.setInsertionPointAfter(reduce);
  auto back = builder.create<ReshapeOp>(reduce.getLoc(), one, output);
  output.replaceAllUsesExcept(back.getOutput(), back);
}

/// `value` as `user` wants it where it computes `channels`: itself or, if it
/// has but one, that one repeated.
static Value createChannels(OpBuilder &builder, Value value, Operation *user,
                            int64_t channels) {
  Dims dims = dimsOf(value);
  if (dims[kAxisC] == channels || canRepeatChannels(user))
    return value;
  dims[kAxisC] = channels;
  return builder.create<RepeatChannelOp>(user->getLoc(), reshaped(value, dims),
                                         value);
}

/// Cycles of one op on a tensor of its sizes, in pieces where an axis is longer
/// than a command counts, or the operands longer than a lane.
static std::optional<int64_t> computeCycles(Operation *op, const Chip &chip) {
  Box whole = Box::whole(dimsOf(op->getResult(0))), piece = whole;
  for (int64_t &size : piece.size)
    size = std::min(size, int64_t(chip.maxShape));
  // Has commands for each image, which cost the same: one is written, not 10^6.
  if (llvm::isa<RepeatChannelOp>(op))
    piece.size[kAxisN] = 1;
  std::optional<int64_t> own = cautiousCyclesOf(op, chip, piece);
  for (unsigned axis : {kAxisN, kAxisH, kAxisC, kAxisW})
    for (; !own && piece.size[axis] > 1;
         own = cautiousCyclesOf(op, chip, piece))
      piece.size[axis] = (piece.size[axis] + 1) / 2;
  double pieces = double(whole.elements()) / piece.elements();
  return own ? std::optional(int64_t(*own * pieces)) : std::nullopt;
}

/// Gives `op`, a member of the region or a copy of one, a result of `dims`.
static void setDims(const ElementRegion &region, Operation *op,
                    const Dims &dims, const Spread &spread) {
  Value result = op->getResult(0);
  result.setType(reshaped(result, dims));
  if (auto reduce = dyn_cast<ReduceOp>(op))
    reduce.setAxis(*region.axisUnder(reduce.getAxis(), spread));
}

/// Cycles of one op of the region under other sizes.
static std::optional<int64_t> computeCycles(const ElementRegion &region,
                                            Operation *op, const Chip &chip,
                                            const Spread &spread) {
  OpBuilder builder(op);
  IRMapping operands;
  Operation *before = op->getPrevNode();
  Dims dims = region.dimsUnder(op->getResult(0), spread);
  for (Value operand : spreadOperands(op))
    if (!operands.contains(operand)) {
      Value there = builder.create<ReshapeOp>(
          op->getLoc(), reshaped(operand, region.dimsUnder(operand, spread)),
          operand);
      operands.map(operand, createChannels(builder, there, op, dims[kAxisC]));
    }
  Operation *copy = builder.clone(*op, operands);
  Value result = copy->getResult(0);
  setDims(region, copy, dims, spread);
  std::optional<int64_t> cycles = computeCycles(result.getDefiningOp(), chip);
  for (auto [operand, there] : operands.getValueMap())
    if (auto repeat = there.getDefiningOp<RepeatChannelOp>(); cycles && repeat)
      *cycles += computeCycles(repeat, chip).value_or(0);
  while (op->getPrevNode() != before)
    op->getPrevNode()->erase();
  return cycles;
}

/// Cycles of all ops of the region, under other sizes if given.
static std::optional<int64_t> computeCycles(const ElementRegion &region,
                                            const Chip &chip,
                                            const Spread *spread) {
  int64_t cycles = 0;
  for (Operation *op : region.ops) {
    if (spread && llvm::isa<RepeatChannelOp>(op))
      continue; // its reader takes one channel, or pays for all
    std::optional<int64_t> own = spread
                                     ? computeCycles(region, op, chip, *spread)
                                     : computeCycles(op, chip);
    if (!own)
      return std::nullopt;
    cycles += *own;
  }
  return cycles;
}

/// Whether a group takes `value` from local memory outside of the region.
static bool isHandedOut(const ElementRegion &region, Value value) {
  return llvm::any_of(value.getUsers(), [&](Operation *user) {
    return !region.contains(user) && asTileable(user);
  });
}

/// Whether a group has `value` in local memory for a member of the region. A
/// group also loads a value once for all that read it.
static bool isHandedIn(const ElementRegion &region, Value value) {
  return !isOutsideOfGroups(value) || isHandedOut(region, value);
}

/// What `value` is a reshape of, if that has these sizes; else `value`.
static Value lookThroughReshape(Value value, const Dims &dims) {
  auto reshape = value.getDefiningOp<ReshapeOp>();
  return reshape && dimsOf(reshape.getInput()) == dims ? reshape.getInput()
                                                       : value;
}

/// Whether all that read `value` outside of the region read it under these
/// sizes.
static bool isReadUnder(const ElementRegion &region, Value value,
                        const Dims &dims) {
  return llvm::all_of(value.getUsers(), [&](Operation *user) {
    auto reshape = dyn_cast<ReshapeOp>(user);
    return region.contains(user) ||
           (reshape && dimsOf(reshape.getOutput()) == dims);
  });
}

/// Cycles of the region as it is, or between reshapes. A value that a group
/// hands over in local memory is not moved; beside a reshape it is, in its own
/// sizes and in those of the region. Constants lie as they are wanted.
static std::optional<int64_t> costOf(const ElementRegion &region,
                                     const Chip &chip, const Spread *spread) {
  std::optional<int64_t> cycles = computeCycles(region, chip, spread);
  if (!cycles)
    return std::nullopt;
  auto addBorder = [&](Value value, bool isHanded, bool isSame) {
    if (isSame && isHanded)
      return;
    if (spread ? isHanded : !isHanded)
      *cycles += transferCycles(value, chip, dimsOf(value));
    if (spread)
      *cycles += transferCycles(value, chip, region.dimsUnder(value, *spread));
  };
  for (Value input : region.inputs) {
    if (input.getDefiningOp<WeightOp>())
      continue;
    Value source = input;
    if (spread)
      source = lookThroughReshape(input, region.dimsUnder(input, *spread));
    addBorder(input, isHandedIn(region, source), source != input);
  }
  for (Value output : region.outputs)
    addBorder(output, isHandedOut(region, output),
              spread && isReadUnder(region, output,
                                    region.dimsUnder(output, *spread)));
  return cycles;
}

/// Gives those that read `output` outside of the region the sizes that they
/// want.
static void reshapeBack(const ElementRegion &region, Value output, Type type) {
  SmallVector<OpOperand *> uses;
  for (OpOperand &use : llvm::make_early_inc_range(output.getUses())) {
    Operation *user = use.getOwner();
    auto reshape = dyn_cast<ReshapeOp>(user);
    if (region.contains(user))
      continue;
    if (reshape && reshape.getOutput().getType() == output.getType()) {
      reshape.getOutput().replaceAllUsesWith(output);
      reshape.erase();
    } else {
      uses.push_back(&use);
    }
  }
  if (uses.empty())
    return;
  Operation *last = region.ops.back();
  OpBuilder builder(last->getContext());
  builder.setInsertionPointAfter(last);
  for (OpOperand *use : uses)
    if (use->getOwner()->isBeforeInBlock(&*builder.getInsertionPoint()))
      builder.setInsertionPoint(use->getOwner());
  auto back = builder.create<ReshapeOp>(last->getLoc(), type, output);
  for (OpOperand *use : uses)
    use->set(back);
}

/// What repeats one channel of an operand that was spread; its other axes are
/// repeated where it is read.
static void repeatAgain(RepeatChannelOp repeat) {
  Dims from = dimsOf(repeat.getInput()), to = from;
  to[kAxisC] = dimsOf(repeat.getOutput())[kAxisC];
  if (to != from) {
    repeat.getOutput().setType(reshaped(repeat.getOutput(), to));
    return;
  }
  repeat.getOutput().replaceAllUsesWith(repeat.getInput());
  repeat.erase();
}

/// Puts reshapes around the region, all before or behind it where the order of
/// the block lets them: groups are runs of ops, and reshapes end them. Where
/// the values lie in DRAM they cost nothing: a reshape lies in its source.
static void reshape(const ElementRegion &region, const Spread &spread) {
  Operation *first = region.ops.front();
  OpBuilder builder(first);
  auto channelsOf = [&](Operation *op) {
    return region.dimsUnder(op->getResult(0), spread)[kAxisC];
  };
  for (Value input : region.inputs) {
    builder.setInsertionPoint(first);
    if (Operation *source = input.getDefiningOp();
        source && first->isBeforeInBlock(source))
      builder.setInsertionPointAfter(source);
    Dims dims = region.dimsUnder(input, spread);
    Value there = createReshaped(builder, first->getLoc(),
                                 lookThroughReshape(input, dims), dims);
    for (OpOperand &use : llvm::make_early_inc_range(input.getUses())) {
      Operation *user = use.getOwner();
      if (region.contains(user) &&
          use.getOperandNumber() < spreadOperands(user).size())
        use.set(createChannels(builder, there, user, channelsOf(user)));
    }
    // Reshapes that were looked through, constants that were made anew.
    if (Operation *source = input.getDefiningOp();
        source && isOpTriviallyDead(source))
      source->erase();
  }
  SmallVector<Type> types;
  for (Value output : region.outputs)
    types.push_back(output.getType());
  SmallVector<Dims> results; // of all, before one is changed
  for (Operation *op : region.ops)
    results.push_back(region.dimsUnder(op->getResult(0), spread));
  for (auto [op, dims] : llvm::zip_equal(region.ops, results))
    setDims(region, op, dims, spread);
  for (auto [output, type] : llvm::zip_equal(region.outputs, types))
    reshapeBack(region, output, type);
  for (Operation *op : region.ops)
    if (auto repeat = dyn_cast<RepeatChannelOp>(op))
      repeatAgain(repeat);
}

/// Cycles to store and load what groups hand over past the region: groups are
/// runs of ops in block order, and reshapes end them, those that are there as
/// well as those that would come.
static int64_t costOfCuts(const ElementRegion &region, const Chip &chip) {
  Operation *first = region.ops.front(), *last = region.ops.back();
  auto isOutside = [&](Operation *op) {
    return asTileable(op) && !region.contains(op);
  };
  DenseMap<Operation *, unsigned> reshapesBefore;
  unsigned reshapes = 0;
  for (Operation &op : *first->getBlock()) {
    reshapesBefore[&op] = reshapes;
    reshapes += llvm::isa<ReshapeOp>(op);
  }
  int64_t cycles = 0;
  for (Operation &op : *first->getBlock()) {
    if (&op == last)
      break;
    if (!isOutside(&op) || region.inputs.contains(op.getResult(0)) ||
        isOutsideOfGroups(op.getResult(0)))
      continue;
    bool isCut = llvm::any_of(op.getUsers(), [&](Operation *user) {
      Operation *cut = op.isBeforeInBlock(first) ? first : last;
      return isOutside(user) && cut->isBeforeInBlock(user) &&
             reshapesBefore[&op] == reshapesBefore[user];
    });
    if (isCut)
      cycles +=
          2 * transferCycles(op.getResult(0), chip, dimsOf(op.getResult(0)));
  }
  return cycles;
}

/// "1x64x10x640"
static std::string sizesText(const Dims &dims) {
  std::string text;
  for (int64_t size : dims)
    text += (text.empty() ? "" : "x") + std::to_string(size);
  return text;
}

/// Takes back what `op` was asked in this pass.
static void forgetChoice(Operation *op) {
  auto known = op->getAttrOfType<ArrayAttr>(kChoicesAttr);
  if (!known)
    return;
  SmallVector<Attribute> others;
  for (ChoiceAttr choice : known.getAsRange<ChoiceAttr>())
    if (choice.getQuestion() != rt::Question::FillLanes)
      others.push_back(choice);
  op->setAttr(kChoicesAttr, ArrayAttr::get(op->getContext(), others));
}

/// The sizes under which the region costs least, if they save a fifth: a group
/// of its own has costs that are not counted here.
static std::optional<Spread> cheapestSpread(const ElementRegion &region,
                                            const Chip &chip) {
  if (Box::whole(region.dims()).elements() == 0 || !region.isUniform())
    return std::nullopt;
  std::optional<int64_t> asItIs = costOf(region, chip, nullptr);
  if (!asItIs)
    return std::nullopt;
  std::optional<Spread> best;
  int64_t most = *asItIs * 4 / 5, least = *asItIs;
  SmallVector<Spread, 8> priced; // fewer lanes may be the same way
  for (int64_t lanes = chip.lanes; lanes > 1; lanes /= 2)
    for (const Spread &spread : spreadsOf(region, chip, lanes)) {
      if (llvm::is_contained(priced, spread) || !region.takes(spread))
        continue;
      priced.push_back(spread);
      auto cost = costOf(region, chip, &spread);
      if (cost && *cost < least) {
        best = spread;
        least = *cost;
      }
    }
  if (!best || best->dims == region.dims())
    return std::nullopt;
  if (least < most)
    least += costOfCuts(region, chip);
  bool isWorthIt = least < most;
  // What repeats a channel may go.
  Operation *asked = *llvm::find_if_not(
      region.ops, [](Operation *op) { return llvm::isa<RepeatChannelOp>(op); });
  forgetChoice(asked); // of a round before
  addChoice(asked, rt::Question::FillLanes,
            {{"as it is", *asItIs}, {sizesText(best->dims), least}}, isWorthIt);
  return isWorthIt ? best : std::nullopt;
}

/// Whether the region was worth it.
static bool trySpread(const ElementRegion &region, const Chip &chip) {
  std::optional<Spread> best = cheapestSpread(region, chip);
  if (best)
    reshape(region, *best);
  return best.has_value();
}

namespace {
struct FillLanes : weft::tpu::impl::TpuFillLanesBase<FillLanes> {
  void runOnOperation() override {
    const Chip *chip = chipOf(getOperation());
    if (!chip)
      return signalPassFailure();
    SmallVector<BinaryOp> sums; // of scales
    for (ScaleOp scale :
         llvm::to_vector(getOperation().getBody().getOps<ScaleOp>()))
      if (BinaryOp sum = splitScale(scale, *chip))
        sums.push_back(sum);
    Block &block = getOperation().getBody().front();
    SmallVector<Regrouped> regrouped;
    for (ReduceOp reduce : llvm::to_vector(block.getOps<ReduceOp>()))
      if (auto known = readRows(reduce))
        regrouped.push_back(*known);
    llvm::SmallPtrSet<Operation *, 16> spread;
    for (Joins joins : {Joins{true, false}, Joins{false, false},
                        Joins{true, true}, Joins{false, true}}) {
      std::vector<Chain> regions = connectedOps(block, joins);
      llvm::erase_if(regions, [&](ArrayRef<Operation *> connected) {
        return llvm::any_of(connected,
                            [&](Operation *op) { return spread.contains(op); });
      });
      // What one is spread to is the question for those around it.
      for (size_t before = 0; before != regions.size();) {
        before = regions.size();
        llvm::erase_if(regions, [&](ArrayRef<Operation *> connected) {
          if (!trySpread(ElementRegion(connected), *chip))
            return false;
          for (Operation *op : connected)
            if (!llvm::isa<RepeatChannelOp>(op)) // may be gone
              spread.insert(op);
          return true;
        });
      }
      if (joins.reduces || !joins.siblings)
        continue;
      for (ArrayRef<Operation *> connected : regions)
        for (ArrayRef<Operation *> chain : chainsOf(connected))
          if (chain.size() < connected.size())
            trySpread(ElementRegion(chain), *chip);
    }
    llvm::for_each(sums, joinScale);
    llvm::for_each(regrouped, readGroups);
  }
};
} // namespace
