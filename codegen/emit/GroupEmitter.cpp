//===- GroupEmitter.cpp - one group as loads, computation, stores ---------===//

#include "codegen/emit/GroupEmitter.h"

#include "codegen/emit/LocalSlot.h"
#include "codegen/emit/RecipeEmitter.h"
#include "codegen/emit/Weight.h"
#include "dialects/ppl/Memory.h"
#include "dialects/tpu/ArrangeParts.h"
#include "dialects/tpu/Tpu.h"
#include "runtime/catalog/Strides.h"

using namespace mlir;
using namespace weft;
using namespace weft::emit;
using tpu::Box;
using tpu::Dims;
using tpu::GroupBuffer;

/// True if elements of a piece of shape `size` that are `steps` apart follow
/// each other.
static bool isDense(const Dims &steps, const Dims &size) {
  int64_t step = 1;
  for (unsigned axis = 4; axis-- > 0; step *= size[axis])
    if (size[axis] > 1 && steps[axis] != step)
      return false;
  return true;
}

/// How far elements of a value of a group that are neighbours along n, c, h, w
/// lie apart in the DRAM tensor `whole`, which `load` turns into the value or
/// `store` has made of it; either may be null or another move.
static Dims stepsInDram(Value whole, Operation *load, Operation *store) {
  if (auto turn = dyn_cast_or_null<tpu::PermuteOp>(load))
    return tpu::loadSteps(turn);
  if (auto turn = dyn_cast_or_null<tpu::PermuteOp>(store))
    return tpu::storeSteps(turn);
  return tpu::denseSteps(tpu::dimsOf(whole));
}

Value GroupEmitter::globalPiece(Location loc, Value whole, const Dims &steps,
                                const Box &piece, const Box *nextPiece,
                                Value iteration) {
  int64_t offset = tpu::elementOffset(steps, piece),
          next = nextPiece ? tpu::elementOffset(steps, *nextPiece) : offset;
  return globalPart(loc, whole, steps, piece.size, offset, next, iteration);
}

Value GroupEmitter::globalPart(Location loc, Value whole, const Dims &steps,
                               const Dims &size, int64_t offset, int64_t next,
                               Value iteration) {
  Type element = machineType(tpu::elementOf(whole));
  int64_t bytes = tpu::elementBits(tpu::elementOf(whole)) / 8,
          start = addresses.lookup(whole) + offset * bytes,
          step = (next - offset) * bytes;
  ppl::TensorViewType type;
  if (isDense(steps, size))
    type = ppl::TensorViewType::get(size, element, ppl::Memory::Global,
                                    ppl::Layout::Continuous);
  else
    type = ppl::TensorViewType::get(size, element, ppl::Memory::Global,
                                    ArrayRef<int64_t>(steps));
  if (!iteration || step == 0)
    return builder.create<ppl::GlobalOp>(loc, type, start);
  return builder.create<ppl::GlobalOp>(loc, type, start, ValueRange(iteration),
                                       ArrayRef<int64_t>(step),
                                       ArrayRef<int64_t>());
}

/// Says that `tensor` is `piece` of a value of sizes `extent`, which `op`
/// makes.
static void observePiece(OpBuilder &builder, Operation &op, Value tensor,
                         const Dims &extent, const Box &piece, const Box *next,
                         Value iteration) {
  auto name = op.getAttrOfType<StringAttr>(kValueAttr);
  Type element = tpu::elementOf(op.getResult(0));
  auto scale = static_cast<float>(tpu::scaleOf(element));
  SmallVector<int64_t, 4> step;
  if (iteration)
    for (unsigned axis = 0; axis < 4; ++axis)
      step.push_back(next->offset[axis] - piece.offset[axis]);
  builder.create<ppl::ObserveOp>(
      op.getLoc(), tensor, name, builder.getDenseI64ArrayAttr(piece.offset),
      builder.getDenseI64ArrayAttr(extent), iteration,
      iteration ? builder.getDenseI64ArrayAttr(step) : DenseI64ArrayAttr(),
      op.getAttrOfType<TypeAttr>(tpu::kOnnxTypeAttr),
      builder.getF32FloatAttr(scale),
      builder.getI64IntegerAttr(tpu::zeroPointOf(element)));
}

void weft::emit::observe(OpBuilder &builder, const Chip &chip, Operation &op,
                         Value tensor, const Box &piece, const Box *next,
                         Value iteration) {
  if (!op.hasAttr(kValueAttr))
    return;
  Dims extent = tpu::dimsOf(op.getResult(0));
  auto bands = op.getAttrOfType<tpu::BandsAttr>(tpu::kBandsAttr);
  if (!bands) {
    observePiece(builder, op, tensor, extent, piece, next, iteration);
    return;
  }
  // The image's rows where each band has them.
  extent[tpu::kAxisC] /= bands.getCount();
  extent[tpu::kAxisH] = bands.getHeight();
  auto parts = [&](const Box &whole) {
    return tpu::bandPartsOf(bands, extent[tpu::kAxisC], whole,
                            /*onlyOwn=*/true);
  };
  auto now = parts(piece), after = next ? parts(*next) : now;
  for (auto [part, partAfter] : llvm::zip_equal(now, after)) {
    Value own =
        makePiece(builder, op.getLoc(), chip, tensor, piece, part.inBands);
    observePiece(builder, op, own, extent, part.inImage,
                 next ? &partAfter.inImage : nullptr, iteration);
  }
}

LogicalResult GroupEmitter::packConstants() {
  auto found = tpu::constantImages(chip, schedule.view, schedule.tiling.counts);
  if (!found)
    return failure();
  images = std::move(*found);
  std::vector<SmallVector<size_t, 4>> imagesOf(schedule.view.ops.size());
  for (size_t i = 0; i < images.size(); ++i)
    if (!images[i].empty())
      imagesOf[images[i].front().buffer.owner].push_back(i);
  // One op after the other: what an op's constants are made of is freed before
  // those of the next are made.
  std::vector<PackedBytes> contents(images.size());
  for (auto [owner, numbers] : llvm::enumerate(imagesOf)) {
    Operation *op = schedule.view.ops[owner].op;
    std::vector<PackedBytes> packed;
    if (!numbers.empty() && failed(packRecipe(op, chip, packed)))
      return failure();
    for (size_t i : numbers) {
      std::optional<PackedBytes> bytes = imageBytes(chip, images[i], packed);
      if (!bytes || schedule.places[i].getGlobal() < 0)
        return op->emitError("a constant has no bytes or no DRAM address; run "
                             "tpu-place-global first");
      contents[i] = std::move(*bytes);
    }
    releaser.done(op);
  }
  for (size_t i = 0; i < images.size(); ++i)
    if (!images[i].empty()) {
      Operation *op = schedule.view.ops[images[i].front().buffer.owner].op;
      lastWeight =
          std::max(lastWeight, addWeight(builder, op->getLoc(),
                                         schedule.places[i].getGlobal(),
                                         std::move(contents[i])));
    }
  return success();
}

SlicePoint GroupEmitter::pointAt(int64_t slice, Value iteration) const {
  SlicePoint point;
  point.slice = &schedule.slices[slice];
  if (iteration) {
    point.next = &schedule.slices[slice + 1];
    point.iteration = iteration;
  }
  return point;
}

/// The DMA works in the order in which ops want what it brings.
SmallVector<size_t> GroupEmitter::loadsInOrder() const {
  SmallVector<std::pair<size_t, size_t>> byReader;
  for (auto [i, buffer] : llvm::enumerate(schedule.slices[0].buffers))
    if (buffer.isLoaded())
      byReader.push_back({firstReaderOf(schedule.view, buffer), i});
  llvm::sort(byReader);
  return llvm::to_vector(llvm::make_second_range(byReader));
}

void GroupEmitter::loadInput(const SlicePoint &point, size_t buffer) {
  int input = point.slice->buffers[buffer].owner;
  Value outer = group.getInputs()[input];
  Location loc =
      schedule.view
          .ops[firstReaderOf(schedule.view, point.slice->buffers[buffer])]
          .op->getLoc();
  bool isRepeated = schedule.view.repeated[input];
  Value local = isRepeated ? makeRepeated(builder, loc, schedule, point, input)
                           : makeTile(builder, loc, schedule, point, input);
  const Box &piece = point.slice->plan.tiles[input];
  const Box *next = point.next ? &point.next->plan.tiles[input] : nullptr;
  Operation *move = schedule.view.loadMoves[input];
  if (auto bands = dyn_cast_or_null<tpu::ToBandsOp>(move)) {
    emitBands(loc, bands.getBands(), outer, local, piece, next, point.iteration,
              /*isLoad=*/true);
    return;
  }
  if (auto phases = dyn_cast_or_null<tpu::RowPhasesOp>(move)) {
    loadRowPhases(loc, phases, outer, local, piece, next, point.iteration);
    return;
  }
  if (auto arrange = dyn_cast_or_null<tpu::ArrangeOp>(move)) {
    emitArranged(loc, arrange, outer, local, piece, next, point.iteration,
                 /*isLoad=*/true);
    observe(builder, chip, *move, local, piece, next, point.iteration);
    return;
  }
  Value global = globalPiece(loc, outer, stepsInDram(outer, move, {}), piece,
                             next, point.iteration);
  emitCall(builder, loc, isRepeated ? "dma.load_broadcast" : "dma.load",
           {{"dst", local}, {"src", global}});
  if (!move)
    return;
  if (isRepeated) // its one channel is in lane 0 as well
    local = makeTile(builder, loc, schedule, point, input);
  observe(builder, chip, *move, local, piece, next, point.iteration);
}

/// Brings a tile of phases, channel by channel of the image in DRAM.
void GroupEmitter::loadRowPhases(Location loc, tpu::RowPhasesOp phases,
                                 Value image, Value local, const Box &tile,
                                 const Box *next, Value iteration) {
  Dims steps = tpu::rowPhaseSteps(phases);
  auto now = tpu::partsOf(phases, tile),
       after = next ? tpu::partsOf(phases, *next) : now;
  for (auto [part, partAfter] : llvm::zip_equal(now, after)) {
    Value there = globalPiece(loc, image, steps, part.inRows,
                              next ? &partAfter.inRows : nullptr, iteration);
    Value here = makePiece(builder, loc, chip, local, tile, part.inPhases);
    emitCall(builder, loc, "dma.load", {{"dst", here}, {"src", there}});
  }
  observe(builder, chip, *phases, local, tile, next, iteration);
}

/// Moves `tile` of a tensor of arranged rows, piece by piece.
void GroupEmitter::emitArranged(Location loc, tpu::ArrangeOp arrange,
                                Value whole, Value local, const Box &tile,
                                const Box *next, Value iteration, bool isLoad) {
  auto now = tpu::partsIn(arrange, isLoad, tile),
       after = next ? tpu::partsIn(arrange, isLoad, *next) : now;
  for (auto [part, partAfter] : llvm::zip_equal(now, after)) {
    Value there = globalPart(loc, whole, part.steps, part.inLanes.size,
                             part.offset, partAfter.offset, iteration);
    Value here = makePiece(builder, loc, chip, local, tile, part.inLanes);
    if (isLoad)
      emitCall(builder, loc, "dma.load", {{"dst", here}, {"src", there}});
    else
      emitCall(builder, loc, "dma.store", {{"dst", there}, {"src", here}});
  }
}

/// Moves what a tile of bands, `tile`, has of the image in DRAM, band by band.
void GroupEmitter::emitBands(Location loc, tpu::BandsAttr bands, Value image,
                             Value local, const Box &tile, const Box *next,
                             Value iteration, bool isLoad) {
  Dims dims = tpu::dimsOf(image), steps = tpu::denseSteps(dims);
  auto parts = [&](const Box &piece) {
    return tpu::bandPartsOf(bands, dims[tpu::kAxisC], piece,
                            /*onlyOwn=*/!isLoad);
  };
  auto now = parts(tile), after = next ? parts(*next) : now;
  for (auto [part, partAfter] : llvm::zip_equal(now, after)) {
    Value there = globalPiece(loc, image, steps, part.inImage,
                              next ? &partAfter.inImage : nullptr, iteration);
    Value here = makePiece(builder, loc, chip, local, tile, part.inBands);
    if (isLoad)
      emitCall(builder, loc, "dma.load", {{"dst", here}, {"src", there}});
    else
      emitCall(builder, loc, "dma.store", {{"dst", there}, {"src", here}});
  }
}

/// In a loop: the slice of its second turn.
static SlicePoint pointAfter(const SlicePoint &point) {
  return {point.next, nullptr, Value()};
}

/// Where DRAM holds what a constant buffer has in the slice of `point`.
int64_t GroupEmitter::imageAddress(const SlicePoint &point,
                                   size_t number) const {
  const GroupBuffer &buffer = point.slice->buffers[number];
  for (const tpu::ConstantImage &image : images[number])
    if (image.buffer.firstChannel == buffer.firstChannel &&
        image.buffer.tensor.dims == buffer.tensor.dims)
      return schedule.places[number].getGlobal() + image.offset;
  llvm_unreachable("every slice of channels has its image");
}

void GroupEmitter::loadConstant(const SlicePoint &point, size_t number) {
  const GroupBuffer &buffer = point.slice->buffers[number];
  Location loc = schedule.view.ops[buffer.owner].op->getLoc();
  Type element = IntegerType::get(
      builder.getContext(), buffer.tensor.bits,
      buffer.tensor.bits == 32 ? IntegerType::Signed : IntegerType::Unsigned);
  int64_t address = imageAddress(point, number);
  int64_t step =
      point.next ? imageAddress(pointAfter(point), number) - address : 0;
  auto load = [&](const tpu::LocalTensor &tensor, int64_t localOffset,
                  int64_t globalOffset) {
    Value local = makeSlot(
        builder, loc, schedule, point, number,
        ppl::TensorViewType::get(tensor.dims, element, ppl::Memory::Local,
                                 machineLayout(tensor.layout)),
        tensor.lane, localOffset);
    Dims stored = tensor.dims;
    if (buffer.broadcast)
      stored[tpu::kAxisC] = 1;
    auto type = ppl::TensorViewType::get(stored, element, ppl::Memory::Global,
                                         ppl::Layout::Continuous);
    Value global =
        step ? builder.create<ppl::GlobalOp>(loc, type, address + globalOffset,
                                             ValueRange(point.iteration),
                                             ArrayRef<int64_t>(step),
                                             ArrayRef<int64_t>())
             : builder.create<ppl::GlobalOp>(loc, type, address + globalOffset);
    emitCall(builder, loc, buffer.broadcast ? "dma.load_broadcast" : "dma.load",
             {{"dst", local}, {"src", global}});
  };
  if (!buffer.isRounds)
    return load(buffer.tensor, 0, 0);
  tpu::ConstantRounds parts = tpu::roundsOf(chip, buffer.tensor);
  load(parts.whole, 0, 0);
  if (parts.rest.dims[tpu::kAxisC] > 0)
    load(parts.rest, parts.restOffset, int64_t(chip.lanes) * parts.restOffset);
}

void GroupEmitter::load(const SlicePoint &point, size_t buffer) {
  if (point.slice->buffers[buffer].kind == GroupBuffer::Input)
    loadInput(point, buffer);
  else
    loadConstant(point, buffer);
}

void GroupEmitter::store(const SlicePoint &point, size_t output) {
  if (!schedule.view.stored[output])
    return;
  int value = schedule.view.outputs[output];
  Location loc = schedule.view.value(value).getLoc();
  Value tile = makeTile(builder, loc, schedule, point, value);
  const Box &piece = point.slice->plan.stores[output];
  Value local = makePiece(builder, loc, chip, tile,
                          point.slice->plan.tiles[value], piece);
  const Box *next = point.next ? &point.next->plan.stores[output] : nullptr;
  Value outer = group.getOutputs()[output];
  Operation *move = schedule.view.storeMoves[output];
  if (auto image = dyn_cast_or_null<tpu::FromBandsOp>(move)) {
    emitBands(loc, image.getBands(), outer, local, piece, next, point.iteration,
              /*isLoad=*/false);
    return;
  }
  if (auto arrange = dyn_cast_or_null<tpu::ArrangeOp>(move)) {
    emitArranged(loc, arrange, outer, local, piece, next, point.iteration,
                 /*isLoad=*/false);
    return;
  }
  Value global = globalPiece(loc, outer, stepsInDram(outer, {}, move), piece,
                             next, point.iteration);
  emitCall(builder, loc, "dma.store", {{"dst", global}, {"src", local}});
}

/// Where `piece` of a local tensor of type `whole` begins, in bytes.
static int64_t localOffset(ppl::TensorViewType whole, const Chip &chip,
                           const Box &piece) {
  ppl::Strides strides = ppl::stridesOf(whole, /*lane=*/0, chip);
  int64_t rounds = piece.offset[tpu::kAxisC] / int64_t(chip.lanes);
  return (piece.offset[tpu::kAxisN] * strides.n + rounds * strides.c +
          piece.offset[tpu::kAxisH] * strides.h +
          piece.offset[tpu::kAxisW] * strides.w) *
         whole.getElementType().getIntOrFloatBitWidth() / 8;
}

/// `piece`, or its images and rounds of channels one by one where commands
/// cannot step as far as these lie apart in one of the tensors.
static SmallVector<Box> withinSteps(const Box &piece, const Chip &chip,
                                    ArrayRef<ppl::TensorViewType> tensors) {
  bool isFar = llvm::any_of(tensors, [&](ppl::TensorViewType type) {
    ppl::Strides strides = ppl::stridesOf(type, /*lane=*/0, chip);
    return std::max(strides.n, strides.c) > catalog::kMostStride;
  });
  if (!isFar)
    return {piece};
  SmallVector<Box> parts;
  int64_t lanes = chip.lanes, channels = piece.size[tpu::kAxisC];
  for (int64_t n = 0; n < piece.size[tpu::kAxisN]; ++n)
    for (int64_t c = 0; c < channels; c += lanes) {
      Box part = piece;
      part.offset[tpu::kAxisN] += n;
      part.size[tpu::kAxisN] = 1;
      part.offset[tpu::kAxisC] += c;
      part.size[tpu::kAxisC] = std::min(lanes, channels - c);
      parts.push_back(part);
    }
  return parts;
}

/// Puts the piece of a slice where the group behind finds the whole; of a group
/// of one slice it is there.
void GroupEmitter::handOver(const SlicePoint &point, size_t output) {
  if (!schedule.view.handed[output])
    return;
  int value = schedule.view.outputs[output];
  size_t number =
      tpu::handedBuffer(schedule.view, point.slice->buffers, output);
  const GroupBuffer &buffer = point.slice->buffers[number];
  if (buffer.kind != GroupBuffer::Whole)
    return;
  Location loc = schedule.view.value(value).getLoc();
  Value tile = makeTile(builder, loc, schedule, point, value);
  auto tileType = cast<ppl::TensorViewType>(tile.getType());
  Type element = tileType.getElementType();
  auto whole =
      ppl::TensorViewType::get(buffer.tensor.dims, element, ppl::Memory::Local,
                               machineLayout(buffer.tensor.layout));
  const Box &piece = point.slice->plan.stores[output];
  int64_t base = schedule.places[number].getLocal(), step = 0;
  if (point.next)
    step = localOffset(whole, chip, point.next->plan.stores[output]) -
           localOffset(whole, chip, piece);
  for (const Box &part : withinSteps(piece, chip, {whole, tileType})) {
    Value from = makePiece(builder, loc, chip, tile,
                           point.slice->plan.tiles[value], part);
    auto type = ppl::TensorViewType::get(
        part.size, element, ppl::Memory::Local,
        ArrayRef<int64_t>(pieceStrides(whole, chip, part)));
    int64_t address = base + localOffset(whole, chip, part);
    Value to =
        step ? builder.create<ppl::LocalOp>(
                   loc, type, address, /*lane=*/0, ValueRange(point.iteration),
                   ArrayRef<int64_t>(step), ArrayRef<int64_t>())
             : builder.create<ppl::LocalOp>(loc, type, address);
    emitCall(builder, loc, "tiu.move", {{"dst", to}, {"src", from}});
  }
}

void GroupEmitter::compute(const SlicePoint &point, size_t number) {
  Operation *op = schedule.view.ops[number].op;
  OpEmitter emitter(builder, chip, schedule, number, point);
  emitRecipe(op, emitter);
  int value = schedule.view.resultOf(number);
  const Box *next = point.next ? &point.next->plan.tiles[value] : nullptr;
  observe(builder, chip, *op, emitter.result(), point.slice->plan.tiles[value],
          next, point.iteration);
  for (auto [output, made] : llvm::enumerate(schedule.view.outputs))
    if (made == value)
      handOver(point, output);
}

void GroupEmitter::emitPipelined(int64_t step, Value iteration) {
  if (step < schedule.tiling.slices()) {
    SlicePoint point = pointAt(step, iteration);
    const SliceState *previous = step ? &schedule.slices[step - 1] : nullptr;
    for (size_t i : loads)
      if (point.slice->loads(previous, i))
        load(point, i);
  }
  if (step == 0)
    return;
  SlicePoint point = pointAt(step - 1, iteration);
  for (size_t op = 0; op < schedule.view.ops.size(); ++op)
    compute(point, op);
  for (size_t output = 0; output < schedule.view.outputs.size(); ++output)
    store(point, output);
}

/// What `slice` loads before op `op`, of the slice before it if negative: it
/// counts from the end of that one.
void GroupEmitter::loadBefore(int64_t op, int64_t slice, Value iteration) {
  SlicePoint point = pointAt(slice, iteration);
  for (size_t i : loadsBefore[op + schedule.view.ops.size()])
    if (slice == 0 || !schedule.places[i].getHeld())
      load(point, i);
}

/// Everything is loaded at the step that placement chose, and stored when it is
/// complete.
void GroupEmitter::emitStreamed(int64_t step, Value iteration) {
  int64_t ops = schedule.view.ops.size(), total = schedule.tiling.slices();
  for (int64_t op = 0; op < ops; ++op) {
    if (step > 0)
      loadBefore(op, step - 1, iteration);
    if (step < total)
      loadBefore(op - ops, step, iteration);
    if (step == 0)
      continue;
    SlicePoint point = pointAt(step - 1, iteration);
    compute(point, op);
    for (auto [output, value] : llvm::enumerate(schedule.view.outputs))
      if (value == schedule.view.resultOf(op))
        store(point, output);
  }
}

void GroupEmitter::emitStep(int64_t step, Value iteration) {
  if (schedule.tiling.isPipelined())
    emitPipelined(step, iteration);
  else
    emitStreamed(step, iteration);
}

void GroupEmitter::emitRun(const StepRun &run) {
  if (run.count == 1)
    return emitStep(run.first, Value());
  Location loc = group.getLoc();
  Value zero = builder.create<arith::ConstantIndexOp>(loc, 0);
  Value count = builder.create<arith::ConstantIndexOp>(loc, run.count);
  Value one = builder.create<arith::ConstantIndexOp>(loc, 1);
  auto loop = builder.create<scf::ForOp>(loc, zero, count, one);
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPointToStart(loop.getBody());
  return emitStep(run.first, loop.getInductionVar());
}

/// What stores have turned or arranged is whole once all have run.
void GroupEmitter::observeMoved(Operation *move, Value output) {
  Box whole = Box::whole(tpu::dimsOf(output));
  Dims steps = stepsInDram(output, {}, {});
  Value global = globalPiece(move->getLoc(), output, steps, whole, nullptr, {});
  observe(builder, chip, *move, global, whole, nullptr, Value());
}

LogicalResult GroupEmitter::emit() {
  std::optional<GroupSchedule> found = scheduleGroup(chip, group);
  if (!found)
    return failure();
  schedule = std::move(*found);
  loads = loadsInOrder();
  int64_t ops = schedule.view.ops.size();
  loadsBefore.resize(2 * ops);
  for (size_t i : loads)
    loadsBefore[std::min(schedule.places[i].getLoad(), ops - 1) + ops]
        .push_back(i);
  if (failed(packConstants()))
    return failure();
  for (const StepRun &run : compressSteps(schedule))
    emitRun(run);
  for (auto [move, output] :
       llvm::zip(schedule.view.storeMoves, group.getOutputs()))
    if (llvm::isa_and_nonnull<tpu::ArrangeOp, tpu::PermuteOp>(move))
      observeMoved(move, output);
  return success();
}
