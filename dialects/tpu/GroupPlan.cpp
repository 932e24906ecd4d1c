//===- GroupPlan.cpp - slices and buffers of a layer group ----------------===//

#include "dialects/tpu/GroupPlan.h"

#include "dialects/tpu/Binary.h"
#include "dialects/tpu/Cast.h"
#include "dialects/tpu/Move.h"
#include "dialects/tpu/Unary.h"
#include "dialects/tpu/recipe/Recipe.h"

#include "mlir/Dialect/Quant/QuantTypes.h"
#include "runtime/chips/Alignment.h"
#include "runtime/chips/Chip.h"

using namespace mlir;
using namespace weft;
using namespace weft::tpu;

TilingInterface weft::tpu::asTileable(Operation *op) {
  // As dyn_cast, but for its fallbacks: they compute the name of the interface,
  // and this is asked more often than anything else.
  std::optional<RegisteredOperationName> info;
  if (op)
    info = op->getRegisteredInfo();
  const auto *methods = info ? info->getInterface<TilingInterface>() : nullptr;
  if (!methods)
    return TilingInterface();
  TilingInterface tiling(op, methods);
  return tiling.isTileable() ? tiling : TilingInterface();
}

InputNeed weft::tpu::broadcastNeed(Value operand, const Box &result) {
  Dims dims = dimsOf(operand);
  InputNeed need{result, {}};
  for (unsigned axis = 0; axis < 4; ++axis)
    if (dims[axis] == 1) {
      need.box.offset[axis] = 0;
      need.box.size[axis] = 1;
    }
  return need;
}

Value GroupView::value(int number) const {
  if (number < static_cast<int>(inputs.size()))
    return inputs[number];
  return ops[number - inputs.size()].op->getResult(0);
}

bool weft::tpu::isElementFunction(Operation *op) {
  if (auto binary = dyn_cast<BinaryOp>(op))
    return !binary.getRhs();
  return llvm::isa<UnaryOp, CastOp, LutOp>(op);
}

bool weft::tpu::isPlacement(Operation *op) {
  TilingInterface tiling = asTileable(op);
  return tiling && op->getNumOperands() > 0 &&
         tiling.channelInResult(0).has_value();
}

bool weft::tpu::staysInDram(Operation *op) {
  return llvm::isa<ConcatOp, FromBandsOp, MoveLanesOp, ReshapeOp, SliceOp,
                   ToBandsOp>(op);
}

bool weft::tpu::canLeaveFirstLane(const Chip &chip, TilingInterface op) {
  auto isTable = [](const LocalBuffer &buffer) {
    return buffer.kind == LocalBuffer::Constant && buffer.broadcast;
  };
  return isPlacement(op) ||
         (op.runsInAnyLane() &&
          llvm::none_of(
              localBuffersOf(op, chip, Box::whole(dimsOf(op->getResult(0)))),
              isTable));
}

SmallVector<LaneNeed, 2> weft::tpu::laneNeedsOf(TilingInterface op) {
  SmallVector<LaneNeed, 2> needs;
  for (unsigned number = 0; number < op->getNumOperands(); ++number) {
    if (op.isPackedOperand(number))
      continue;
    if (op.repeatsChannel(number))
      needs.push_back({number, LaneNeed::InAllLanes});
    else if (std::optional<int64_t> channel = op.channelInResult(number))
      needs.push_back({number, LaneNeed::Inside, *channel});
    else if (op.readsFirstLane(number))
      needs.push_back({number, LaneNeed::FirstLane});
    else if (!op.readsAnyLane(number))
      needs.push_back({number, LaneNeed::WithResult});
  }
  return needs;
}

void weft::tpu::addToLanePlan(TilingInterface op, ArrayRef<LaneNeed> needs,
                              bool canLeaveFirstLane,
                              function_ref<int(Value)> numberOf,
                              LanePlan &plan) {
  int result = numberOf(op->getResult(0));
  if (!canLeaveFirstLane)
    plan.alignToFirstLane(result);
  for (const LaneNeed &need : needs) {
    int value = numberOf(op->getOperand(need.operand));
    switch (need.kind) {
    case LaneNeed::Inside:
      plan.placeInside(value, result, need.channel);
      break;
    case LaneNeed::FirstLane:
      plan.alignToFirstLane(value);
      break;
    case LaneNeed::WithResult:
      plan.align(value, result);
      break;
    case LaneNeed::InAllLanes: // from lane 0 on, where the op reads it
      plan.alignToFirstLane(value);
      plan.alignToFirstLane(result);
      break;
    }
  }
}

/// Where the values of `view` lie in relation to each other.
static std::vector<LanePlace> placesOf(const Chip &chip,
                                       const GroupView &view) {
  auto isPlacementOp = [](const GroupView::OpView &op) {
    return isPlacement(op.op);
  };
  if (llvm::none_of(view.ops, isPlacementOp)) {
    std::vector<LanePlace> apart(view.valueCount());
    for (auto [i, place] : llvm::enumerate(apart))
      place.home = static_cast<int>(i);
    return apart;
  }
  LanePlan plan(chip.lanes);
  DenseMap<Value, int> numbers;
  auto add = [&](Value value, bool isMade) {
    numbers[value] = plan.addValue(dimsOf(value)[kAxisC], isMade);
  };
  for (Value input : view.inputs)
    add(input, /*isMade=*/true);
  for (const GroupView::OpView &op : view.ops)
    add(op.op->getResult(0), !isPlacementOp(op));
  for (const GroupView::OpView &op : view.ops)
    addToLanePlan(
        op.tiling, laneNeedsOf(op.tiling), canLeaveFirstLane(chip, op.tiling),
        [&](Value value) { return numbers.lookup(value); }, plan);
  return plan.isPossible() ? plan.places() : std::vector<LanePlace>();
}

/// Numbers operands and finds outputs, given which uses count as outside.
static GroupView buildView(ArrayRef<Operation *> ops,
                           function_ref<bool(OpOperand &)> isOutside) {
  GroupView view;
  DenseMap<Value, int> inputNumber;
  DenseMap<Value, size_t> resultOp;
  for (Operation *op : ops) {
    TilingInterface tiling = asTileable(op);
    if (!tiling)
      continue;
    resultOp[op->getResult(0)] = view.ops.size();
    view.ops.push_back({op, tiling, {}});
  }
  // Inputs are numbered first, so results can only be numbered once all inputs
  // are known.
  for (auto &opView : view.ops)
    for (OpOperand &operand : opView.op->getOpOperands())
      if (!opView.tiling.isPackedOperand(operand.getOperandNumber()) &&
          !resultOp.count(operand.get()) &&
          inputNumber.try_emplace(operand.get(), view.inputs.size()).second)
        view.inputs.push_back(operand.get());
  for (size_t i = 0; i < view.ops.size(); ++i) {
    auto &opView = view.ops[i];
    for (OpOperand &operand : opView.op->getOpOperands()) {
      Value value = operand.get();
      if (opView.tiling.isPackedOperand(operand.getOperandNumber()))
        opView.operands.push_back(-1);
      else if (auto it = resultOp.find(value); it != resultOp.end())
        opView.operands.push_back(view.resultOf(it->second));
      else
        opView.operands.push_back(inputNumber.lookup(value));
    }
    if (llvm::any_of(opView.op->getResult(0).getUses(), isOutside))
      view.addOutput(view.resultOf(i));
  }
  return view;
}

/// Finds the inputs that are in every lane, then where each value lies.
static void findPlaces(const Chip &chip, GroupView &view) {
  view.repeated.assign(view.inputs.size(), false);
  bool isPossible = true;
  DenseSet<int> placed;
  for (GroupView::OpView &op : view.ops)
    for (auto [number, operand] : llvm::enumerate(op.operands)) {
      if (operand >= 0 && isPlacement(op.op))
        placed.insert(operand);
      if (operand < 0 || !op.tiling.repeatsChannel(number))
        continue;
      if (operand < static_cast<int>(view.inputs.size()))
        view.repeated[operand] = true;
      else
        isPossible = false; // it would have to cross lanes
    }
  for (auto [input, isRepeated] : llvm::enumerate(view.repeated))
    isPossible &= !isRepeated || !placed.contains(input);
  view.places = isPossible ? placesOf(chip, view) : std::vector<LanePlace>();
}

/// What alone reads `value` outside of `inside`, if that makes an image of
/// bands: --tpu-fold-bands will have the store do it.
static BandsAttr onlyBandsOf(Value value, const DenseSet<Operation *> &inside) {
  BandsAttr bands;
  for (Operation *user : value.getUsers()) {
    if (inside.contains(user))
      continue;
    auto image = dyn_cast<FromBandsOp>(user);
    if (!image || bands)
      return {};
    bands = image.getBands();
  }
  return bands;
}

void GroupView::addOutput(int value) {
  outputs.push_back(value);
  storeMoves.emplace_back();
  storedBands.emplace_back();
  stored.push_back(true);
  handed.push_back(false);
}

GroupView weft::tpu::viewOps(const Chip &chip, ArrayRef<Operation *> ops) {
  DenseSet<Operation *> inside(ops.begin(), ops.end());
  GroupView view = buildView(
      ops, [&](OpOperand &use) { return !inside.count(use.getOwner()); });
  view.loadMoves.resize(view.inputs.size());
  view.keptAt.resize(view.inputs.size());
  for (auto [output, bands] : llvm::zip_equal(view.outputs, view.storedBands))
    bands = onlyBandsOf(view.value(output), inside);
  findPlaces(chip, view);
  return view;
}

/// Whether loads do what `op` does.
static bool isLoadMove(Operation *op) {
  return llvm::isa<ArrangeOp, PermuteOp, RowPhasesOp, ToBandsOp>(op);
}

Operation *weft::tpu::loadMoveOf(BlockArgument argument) {
  if (!argument.hasOneUse())
    return nullptr;
  Operation *reader = *argument.user_begin();
  return isLoadMove(reader) ? reader : nullptr;
}

Operation *weft::tpu::storeMoveOf(Value yielded) {
  Operation *maker = yielded.getDefiningOp();
  if (!llvm::isa_and_nonnull<ArrangeOp, PermuteOp, FromBandsOp>(maker) ||
      !yielded.hasOneUse() || llvm::isa<BlockArgument>(maker->getOperand(0)))
    return nullptr;
  // What a load moves is not moved again.
  Operation *before = maker->getOperand(0).getDefiningOp();
  auto argument = isLoadMove(before)
                      ? dyn_cast<BlockArgument>(before->getOperand(0))
                      : BlockArgument();
  return argument && loadMoveOf(argument) == before ? nullptr : maker;
}

GroupView weft::tpu::viewGroup(const Chip &chip, GroupOp group) {
  SmallVector<Operation *> ops;
  DenseSet<Operation *> moves; // which transfers do
  for (BlockArgument argument : group.getBody().getArguments())
    moves.insert(loadMoveOf(argument));
  for (Value yielded : group.getBody().front().getTerminator()->getOperands())
    moves.insert(storeMoveOf(yielded));
  for (Operation &op : group.getBody().front().without_terminator())
    if (!moves.contains(&op))
      ops.push_back(&op);
  GroupView view = buildView(ops, [](OpOperand &) { return false; });
  // The block arguments fix the order of the inputs, the terminator that of the
  // outputs.
  view.inputs.clear();
  DenseMap<Value, int> number;
  for (BlockArgument argument : group.getBody().getArguments()) {
    Operation *move = loadMoveOf(argument);
    Value local = move ? move->getResult(0) : Value(argument);
    number[local] = view.inputs.size();
    view.inputs.push_back(local);
    view.loadMoves.push_back(move);
  }
  for (size_t i = 0; i < view.ops.size(); ++i)
    number[view.ops[i].op->getResult(0)] = view.resultOf(i);
  for (auto &opView : view.ops)
    for (auto [i, operand] : llvm::enumerate(opView.operands))
      if (operand >= 0)
        operand = number.lookup(opView.op->getOperand(i));
  for (unsigned i = 0; i < view.inputs.size(); ++i)
    view.keptAt.push_back(group.keptAt(i));
  for (auto [i, value] : llvm::enumerate(
           group.getBody().front().getTerminator()->getOperands())) {
    Operation *move = storeMoveOf(value);
    view.addOutput(number.lookup(move ? move->getOperand(0) : value));
    view.storeMoves.back() = move;
    if (auto image = dyn_cast_or_null<FromBandsOp>(move))
      view.storedBands.back() = image.getBands();
    view.stored.back() = group.stores(i);
    view.handed.back() = group.hands(i);
  }
  findPlaces(chip, view);
  return view;
}

Dims weft::tpu::sliceIndex(const Dims &counts, int64_t number) {
  Dims index{};
  for (int axis = 3; axis >= 0; --axis) {
    index[axis] = number % counts[axis];
    number /= counts[axis];
  }
  return index;
}

/// The piece of a stored tensor that slice `index` owns; empty if the axis is
/// too short for that many slices.
static Box storedPiece(const Chip &chip, const Dims &dims, const Dims &counts,
                       const Dims &index) {
  Box box;
  for (unsigned axis = 0; axis < 4; ++axis) {
    // A channel slice that does not fill the lanes saves nothing.
    int64_t granule = axis == kAxisC ? static_cast<int64_t>(chip.lanes) : 1;
    SliceRange range =
        sliceOfAxis(dims[axis], counts[axis], index[axis], granule);
    box.offset[axis] = range.begin;
    box.size[axis] = range.length;
  }
  return box;
}

/// The boxes of one slice, where `least` is the least that each value's tile
/// must hold.
static std::optional<SlicePlan> planBoxes(const Chip &chip,
                                          const GroupView &view,
                                          const Dims &counts, const Dims &index,
                                          const std::vector<Box> &least) {
  SlicePlan slice;
  slice.tiles = least;
  for (auto [output, bands] : llvm::zip_equal(view.outputs, view.storedBands)) {
    Dims dims = dimsOf(view.value(output));
    if (bands)
      dims[kAxisH] = bands.getRows();
    Box piece = storedPiece(chip, dims, counts, index);
    if (bands)
      piece.offset[kAxisH] += bands.getAbove();
    if (piece.empty())
      return std::nullopt;
    slice.stores.push_back(piece);
    slice.tiles[output] = hull(slice.tiles[output], piece);
  }
  for (size_t i = view.ops.size(); i-- > 0;) {
    const GroupView::OpView &opView = view.ops[i];
    TilingInterface tiling = opView.tiling; // interface methods are not const
    Box &tile = slice.tiles[view.resultOf(i)];
    if (tile.empty())
      return std::nullopt;
    tile = tiling.computedBox(tile);
    for (auto [number, operand] : llvm::enumerate(opView.operands)) {
      if (operand < 0)
        continue;
      Box need = tiling.inputNeed(number, tile).box;
      if (need.empty())
        return std::nullopt;
      slice.tiles[operand] = hull(slice.tiles[operand], need);
    }
  }
  return slice;
}

/// The step from image to image depends on the lane and on the room, so that
/// only a value that begins a room of its own in lane 0 may have several.
static bool hasOneImageWherePlaced(const GroupView &view,
                                   const SlicePlan &slice) {
  return llvm::all_of(
      llvm::zip(view.places, slice.tiles), [](const auto &placed) {
        const auto &[place, tile] = placed;
        return tile.size[kAxisN] == 1 || (!place.isShared && place.lane == 0);
      });
}

/// Gives the values of a room equal rows and columns, so that all lie in it by
/// the same strides. True if a tile in `slice` is smaller than that.
static bool widenShared(const GroupView &view, const SlicePlan &slice,
                        std::vector<Box> &least) {
  DenseMap<int, Box> rooms;
  for (auto [place, tile] : llvm::zip(view.places, slice.tiles))
    if (place.isShared) {
      Box plane = tile;
      plane.offset[kAxisC] = 0;
      plane.size[kAxisC] = 1;
      rooms[place.home] = hull(rooms[place.home], plane);
    }
  bool isWider = false;
  for (size_t i = 0; i < least.size(); ++i) {
    if (!view.places[i].isShared)
      continue;
    least[i] = rooms[view.places[i].home];
    least[i].size[kAxisC] = dimsOf(view.value(i))[kAxisC];
    isWider |= least[i] != slice.tiles[i];
  }
  return isWider;
}

std::optional<SlicePlan> weft::tpu::planSlice(const Chip &chip,
                                              const GroupView &view,
                                              const Dims &counts,
                                              const Dims &index) {
  if (view.places.empty())
    return std::nullopt;
  constexpr int kMostRounds = 8; // each op may widen what others share
  std::vector<Box> least(view.valueCount());
  for (int round = 0; round < kMostRounds; ++round) {
    auto slice = planBoxes(chip, view, counts, index, least);
    if (!slice || !hasOneImageWherePlaced(view, *slice))
      return std::nullopt;
    if (!widenShared(view, *slice, least))
      return slice;
  }
  return std::nullopt;
}

std::optional<SlicePlan> weft::tpu::planMiddleSlice(const Chip &chip,
                                                    const GroupView &view,
                                                    const Dims &counts) {
  Dims middle;
  for (unsigned axis = 0; axis < 4; ++axis)
    middle[axis] = counts[axis] / 2;
  return planSlice(chip, view, counts, middle);
}

/// Bytes a lane of the room of value `number`, whose tile is `tensor`.
static int64_t roomBytes(const Chip &chip, const GroupView &view, int number,
                         const LocalTensor &tensor) {
  const LanePlace &place = view.places[number];
  if (place.home != number)
    return 0;
  return place.isShared ? place.rows * channelBytes(chip, tensor)
                        : bytesPerLane(chip, tensor);
}

static LocalTensor tileTensor(Value value, const Box &tile) {
  Type element = cast<RankedTensorType>(value.getType()).getElementType();
  return {tile.size, elementBits(element), LocalLayout::Aligned};
}

/// Where a tensor of this layout may begin in a lane.
static int64_t alignmentOf(const Chip &chip, LocalLayout layout) {
  constexpr int64_t kWordBytes = 4; // PPL 1.2.3, of compact tensors
  return layout == LocalLayout::Compact ? kWordBytes : chip.euBytes;
}

/// The most rounds over the lanes that so many channels of `tensor` fill and
/// behind which a transfer can begin.
static int64_t wholeRounds(const Chip &chip, const LocalTensor &tensor,
                           int64_t channels) {
  int64_t rounds = channels / int64_t(chip.lanes),
          step = channelBytes(chip, tensor);
  while (rounds * step % alignmentOf(chip, tensor.layout) != 0)
    --rounds;
  return rounds;
}

/// Whether a constant that is no image lies without gaps in whole rounds over
/// the lanes and a part of one.
static bool isInRounds(const Chip &chip, const LocalBuffer &constant) {
  const LocalTensor &tensor = constant.tensor;
  int64_t used = tensor.dims[kAxisH] * tensor.dims[kAxisW] * tensor.bits / 8;
  return !constant.broadcast && tensor.layout != LocalLayout::LineAligned &&
         tensor.dims[kAxisN] == 1 && tensor.lane == 0 &&
         channelBytes(chip, tensor) == used &&
         used < int64_t(chip.rates.shortestDmaRun) &&
         wholeRounds(chip, tensor, tensor.dims[kAxisC]) >
             1; // else the runs are no longer
}

/// What a byte of padding counts as, in bytes of runs: a cycle. It costs none
/// where runs are short, but at this price PP-OCR cls moves fewer DRAM bytes
/// than the vendor's at each precision (its floor).
static int64_t paddingPrice(const Chip &chip) { return chip.rates.loadBytes; }

/// Bytes of the runs that bring `count` rows of so many bytes each.
static int64_t bytesOfRuns(const Chip &chip, int64_t count, int64_t bytes) {
  return count * std::max<int64_t>(bytes, chip.rates.shortestDmaRun);
}

/// Bytes of the runs that bring so many channels without gaps if they lie in
/// no image.
static int64_t apartBytes(const Chip &chip, const LocalTensor &tensor,
                          int64_t channels) {
  int64_t step = channelBytes(chip, tensor),
          rounds = wholeRounds(chip, tensor, channels);
  if (rounds <= 1)
    return bytesOfRuns(chip, channels, step);
  return bytesOfRuns(chip, chip.lanes, rounds * step) +
         bytesOfRuns(chip, channels - rounds * chip.lanes, step);
}

/// Puts a constant behind what the image in `block` holds already.
static void addToImage(const Chip &chip, unsigned index,
                       const LocalTensor &tensor, GroupBuffer &block) {
  int64_t end = block.parts.empty()
                    ? 0
                    : block.tensor.dims[kAxisW] * block.tensor.bits / 8;
  ConstantPart part{index, tensor,
                    alignUp(end, alignmentOf(chip, tensor.layout))};
  // Without the padding behind the last element of an aligned channel.
  int64_t channels = tensor.dims[kAxisC], lanes = chip.lanes;
  int64_t rounds = (tensor.lane + channels + lanes - 1) / lanes;
  int64_t used = tensor.dims[kAxisH] * tensor.dims[kAxisW] * tensor.bits / 8;
  end = alignUp<int64_t>(
      part.offset + (rounds - 1) * channelBytes(chip, tensor) + used, 4);
  block.tensor = {{1, rounds > 1 ? lanes : channels, 1, end / 4},
                  32,
                  LocalLayout::Compact,
                  rounds > 1 ? 0 : tensor.lane};
  block.bytes = bytesPerLane(chip, block.tensor);
  block.parts.push_back(part);
}

/// Which of an op's constants lie in an image. Its rows, one a lane, are long
/// where channels are short, but have room for channels that the last round
/// over the lanes does not have. So constants without gaps between channels
/// join it by their size, the smallest first, as many as take least cycles
/// (of equal ones: most, for fewer transfers). All others join it, as they
/// are padded anyway. Decided by all channels of the op, so that every slice
/// has the same buffers.
static SmallVector<bool> areInImage(const Chip &chip,
                                    ArrayRef<LocalBuffer> constants,
                                    int64_t wholeChannels) {
  int64_t lanes = chip.lanes;
  SmallVector<bool> inImage(constants.size(), false);
  SmallVector<size_t> open; // of one image
  int64_t rowBytes = 0, apart = 0;
  auto stepOf = [&](size_t i) {
    return channelBytes(chip, constants[i].tensor);
  };
  auto isOpen = [&](const LocalBuffer &constant, int64_t channels) {
    const Dims &dims = constant.tensor.dims;
    return !constant.hasShortRows && channels > lanes &&
           channelBytes(chip, constant.tensor) ==
               dims[kAxisH] * dims[kAxisW] * constant.tensor.bits / 8;
  };
  for (auto [i, constant] : llvm::enumerate(constants)) {
    int64_t channels =
        constant.isMatrix ? constant.tensor.dims[kAxisC] : wholeChannels;
    int64_t rounds = llvm::divideCeil(channels, lanes), step = stepOf(i);
    if (constant.broadcast)
      continue;
    if (!isOpen(constant, channels)) {
      inImage[i] = true;
      if (!constant.isMatrix)
        rowBytes += rounds * step;
    } else if (constant.isMatrix) { // an image of its own
      inImage[i] =
          bytesOfRuns(chip, lanes, rounds * step) +
              (rounds * lanes - channels) * step * paddingPrice(chip) <=
          apartBytes(chip, constant.tensor, channels);
    } else {
      open.push_back(i);
      apart += apartBytes(chip, constant.tensor, channels);
    }
  }
  llvm::stable_sort(open,
                    [&](size_t a, size_t b) { return stepOf(a) < stepOf(b); });
  int64_t rounds = llvm::divideCeil(wholeChannels, lanes),
          least = apart + (rowBytes ? bytesOfRuns(chip, lanes, rowBytes) : 0);
  int64_t padding = 0;
  size_t joining = 0;
  for (auto [number, i] : llvm::enumerate(open)) {
    rowBytes += rounds * stepOf(i);
    padding += (rounds * lanes - wholeChannels) * stepOf(i);
    apart -= apartBytes(chip, constants[i].tensor, wholeChannels);
    if (int64_t bytes = apart + bytesOfRuns(chip, lanes, rowBytes) +
                        padding * paddingPrice(chip);
        bytes <= least) {
      least = bytes;
      joining = number + 1;
    }
  }
  for (size_t i : ArrayRef(open).take_front(joining))
    inImage[i] = true;
  return inImage;
}

/// Adds constant number `index` of op `owner`: to the image that brings its
/// channels, as the begin of another one, or as it is.
static void addConstant(const Chip &chip, int owner, unsigned index,
                        const LocalBuffer &constant, bool isImage,
                        std::vector<GroupBuffer> &buffers) {
  const LocalTensor &tensor = constant.tensor;
  if (isImage)
    for (GroupBuffer &other : llvm::reverse(buffers)) {
      if (other.kind != GroupBuffer::Constant || other.owner != owner)
        break;
      if (!other.isImage || other.firstChannel != constant.firstChannel ||
          other.parts.front().tensor.dims[kAxisC] != tensor.dims[kAxisC])
        continue;
      addToImage(chip, index, tensor, other);
      return;
    }
  buffers.push_back({GroupBuffer::Constant,
                     owner,
                     0,
                     tensor,
                     bytesPerLane(chip, tensor),
                     constant.firstChannel,
                     constant.broadcast,
                     isImage,
                     !isImage && isInRounds(chip, constant),
                     {}});
  if (isImage)
    addToImage(chip, index, tensor, buffers.back());
  else
    buffers.back().parts.push_back({index, tensor, 0});
}

static void addConstants(const Chip &chip, int owner, int64_t wholeChannels,
                         ArrayRef<LocalBuffer> own,
                         std::vector<GroupBuffer> &buffers) {
  SmallVector<LocalBuffer> constants;
  llvm::copy_if(own, std::back_inserter(constants),
                [](const LocalBuffer &buffer) {
                  return buffer.kind == LocalBuffer::Constant;
                });
  for (auto [index, isImage] :
       llvm::enumerate(areInImage(chip, constants, wholeChannels)))
    addConstant(chip, owner, index, constants[index], isImage, buffers);
}

ConstantRounds weft::tpu::roundsOf(const Chip &chip,
                                   const LocalTensor &tensor) {
  int64_t lanes = chip.lanes,
          rounds = wholeRounds(chip, tensor, tensor.dims[kAxisC]),
          elements = tensor.dims[kAxisH] * tensor.dims[kAxisW];
  ConstantRounds parts{tensor, tensor, rounds, 0};
  parts.whole.dims = {1, lanes, 1, rounds * elements};
  parts.rest.dims[kAxisC] -= rounds * lanes;
  parts.restOffset = rounds * channelBytes(chip, tensor);
  return parts;
}

size_t weft::tpu::firstReaderOf(const GroupView &view,
                                const GroupBuffer &loaded) {
  if (loaded.kind == GroupBuffer::Constant)
    return loaded.owner;
  auto reader = llvm::find_if(view.ops, [&](const GroupView::OpView &op) {
    return llvm::is_contained(op.operands, loaded.owner);
  });
  return reader - view.ops.begin();
}

std::optional<std::vector<std::vector<ConstantImage>>>
weft::tpu::constantImages(const Chip &chip, const GroupView &view,
                          const Dims &counts) {
  std::vector<std::vector<ConstantImage>> images;
  for (int64_t c = 0; c < counts[kAxisC]; ++c) {
    auto slice = planSlice(chip, view, counts, {0, c, 0, 0});
    if (!slice)
      return std::nullopt;
    std::vector<GroupBuffer> buffers = enumerateBuffers(chip, view, *slice);
    images.resize(buffers.size());
    for (auto [list, buffer] : llvm::zip(images, buffers)) {
      bool isKnown = llvm::any_of(list, [&](const ConstantImage &image) {
        return image.buffer.firstChannel == buffer.firstChannel &&
               image.buffer.tensor.dims == buffer.tensor.dims;
      });
      if (buffer.kind == GroupBuffer::Constant && !isKnown)
        list.push_back({buffer, alignUp<int64_t>(imagesBytes(list), 64)});
    }
  }
  return images;
}

int64_t weft::tpu::imagesBytes(const std::vector<ConstantImage> &images) {
  return images.empty()
             ? 0
             : images.back().offset + images.back().buffer.storedBytes();
}

std::vector<GroupBuffer> weft::tpu::enumerateBuffers(const Chip &chip,
                                                     const GroupView &view,
                                                     const SlicePlan &slice) {
  std::vector<GroupBuffer> buffers;
  auto add = [&](GroupBuffer::Kind kind, int owner, LocalTensor tensor,
                 int operand = 0) {
    buffers.push_back({kind,
                       owner,
                       operand,
                       tensor,
                       bytesPerLane(chip, tensor),
                       0,
                       false,
                       false,
                       false,
                       {},
                       false});
  };
  auto addValue = [&](GroupBuffer::Kind kind, int owner, int value) {
    LocalTensor tensor = tileTensor(view.value(value), slice.tiles[value]);
    tensor.lane = view.places[value].lane;
    add(kind, owner, tensor);
    buffers.back().bytes = roomBytes(chip, view, value, tensor);
  };
  for (size_t i = 0; i < view.inputs.size(); ++i) {
    addValue(GroupBuffer::Input, i, i);
    buffers.back().isKept = view.keptAt[i].has_value();
  }
  for (size_t i = 0; i < view.ops.size(); ++i) {
    const GroupView::OpView &opView = view.ops[i];
    const Box &result = slice.tiles[view.resultOf(i)];
    addValue(GroupBuffer::Result, i, view.resultOf(i));
    Box whole = Box::whole(dimsOf(opView.op->getResult(0)));
    for (auto [number, output] : llvm::enumerate(view.outputs))
      if (view.handed[number] && output == view.resultOf(i) &&
          slice.stores[number] != whole)
        add(GroupBuffer::Whole, i, tileTensor(view.value(output), whole));
    TilingInterface tiling = opView.tiling;
    SmallVector<LocalBuffer> own = localBuffersOf(opView.op, chip, result);
    int64_t lane = view.places[view.resultOf(i)].lane;
    for (LocalBuffer &buffer : own)
      buffer.tensor.lane = lane;
    addConstants(chip, i, dimsOf(opView.op->getResult(0))[kAxisC], own,
                 buffers);
    for (const LocalBuffer &buffer : own)
      if (buffer.kind == LocalBuffer::Scratch)
        add(GroupBuffer::Scratch, i, buffer.tensor);
    for (auto [number, operand] : llvm::enumerate(opView.operands)) {
      if (operand < 0 || tiling.readsStrided(number))
        continue;
      // Listed for every slice, so that buffers keep their numbers; takes no
      // room where the tile is the need.
      Box need = tiling.inputNeed(number, result).box;
      LocalTensor tensor = tileTensor(view.value(operand), need);
      tensor.lane = view.places[operand].lane;
      add(GroupBuffer::OperandCopy, i, tensor, number);
      if (need == slice.tiles[operand])
        buffers.back().bytes = 0;
    }
  }
  return buffers;
}

size_t weft::tpu::handedBuffer(const GroupView &view,
                               ArrayRef<GroupBuffer> buffers, size_t output) {
  size_t found = buffers.size();
  for (auto [i, buffer] : llvm::enumerate(buffers)) {
    bool isOfOp =
        buffer.kind == GroupBuffer::Result || buffer.kind == GroupBuffer::Whole;
    // The whole, if there is one, follows the result.
    if (isOfOp && view.resultOf(buffer.owner) == view.outputs[output])
      found = i;
  }
  assert(found < buffers.size() && "every output is the result of an op");
  return found;
}
