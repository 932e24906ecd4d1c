//===- GroupEmitter.cpp - one group as loads, computation, stores ---------===//

#include "codegen/emit/GroupEmitter.h"

#include "codegen/emit/LocalSlot.h"
#include "codegen/emit/RecipeEmitter.h"
#include "codegen/emit/Weight.h"
#include "dialects/ppl/Memory.h"
#include "dialects/tpu/Tpu.h"

using namespace mlir;
using namespace weft;
using namespace weft::emit;
using tpu::Box;
using tpu::Dims;
using tpu::GroupBuffer;

/// Element number of the start of `piece` in a dense tensor of shape `dims`.
static int64_t elementOffset(const Dims &dims, const Box &piece) {
  int64_t offset = 0;
  for (unsigned axis = 0; axis < 4; ++axis)
    offset = offset * dims[axis] + piece.offset[axis];
  return offset;
}

/// True if the elements of a piece of shape `size` follow each other in a dense
/// tensor of shape `dims`.
static bool isDense(const Dims &dims, const Dims &size) {
  bool partial =
      false; // an outer axis longer than 1 needs all inner axes whole
  for (unsigned axis = 0; axis < 4; ++axis) {
    if (partial && size[axis] != dims[axis])
      return false;
    partial |= size[axis] > 1;
  }
  return true;
}

Value GroupEmitter::globalPiece(Location loc, int64_t address, Value whole,
                                const Box &piece, const Box *nextPiece,
                                Value iteration) {
  Dims dims = tpu::dimsOf(whole);
  Type element = machineType(tpu::elementOf(whole));
  int64_t bytes = tpu::elementBits(tpu::elementOf(whole)) / 8;
  int64_t start = address + elementOffset(dims, piece) * bytes;
  ppl::TensorViewType type;
  if (isDense(dims, piece.size))
    type = ppl::TensorViewType::get(piece.size, element, ppl::Memory::Global,
                                    ppl::Layout::Continuous);
  else
    type = ppl::TensorViewType::get(
        piece.size, element, ppl::Memory::Global,
        ArrayRef<int64_t>{dims[1] * dims[2] * dims[3], dims[2] * dims[3],
                          dims[3], 1});
  int64_t step =
      nextPiece
          ? (elementOffset(dims, *nextPiece) - elementOffset(dims, piece)) *
                bytes
          : 0;
  if (!iteration || step == 0)
    return builder.create<ppl::GlobalOp>(loc, type, start);
  return builder.create<ppl::GlobalOp>(loc, type, start, ValueRange(iteration),
                                       ArrayRef<int64_t>(step),
                                       ArrayRef<int64_t>());
}

void weft::emit::observe(OpBuilder &builder, Operation &op, Value tensor,
                         const Box &piece, const Box *next, Value iteration) {
  auto name = op.getAttrOfType<StringAttr>(kValueAttr);
  if (!name)
    return;
  Dims extent = tpu::dimsOf(op.getResult(0));
  Type element = tpu::elementOf(op.getResult(0));
  float scale = tpu::isSymmetricQuant(element)
                    ? static_cast<float>(tpu::scaleOf(element))
                    : 1.0f;
  SmallVector<int64_t, 4> step;
  if (iteration)
    for (unsigned axis = 0; axis < 4; ++axis)
      step.push_back(next->offset[axis] - piece.offset[axis]);
  builder.create<ppl::ObserveOp>(
      op.getLoc(), tensor, name, builder.getDenseI64ArrayAttr(piece.offset),
      builder.getDenseI64ArrayAttr(extent), iteration,
      iteration ? builder.getDenseI64ArrayAttr(step) : DenseI64ArrayAttr(),
      op.getAttrOfType<TypeAttr>(tpu::kOnnxTypeAttr),
      builder.getF32FloatAttr(scale), builder.getI64IntegerAttr(0));
}

LogicalResult GroupEmitter::packConstants() {
  auto found = tpu::constantImages(chip, schedule.view, schedule.counts);
  if (!found)
    return failure();
  images = std::move(*found);
  std::vector<std::vector<PackedBytes>> packed(schedule.view.ops.size());
  for (size_t i = 0; i < images.size(); ++i) {
    if (images[i].empty())
      continue;
    int owner = images[i].front().buffer.owner;
    Operation *op = schedule.view.ops[owner].op;
    if (packed[owner].empty() && failed(packRecipe(op, chip, packed[owner])))
      return failure();
    std::optional<PackedBytes> bytes =
        imageBytes(chip, images[i], packed[owner]);
    if (!bytes || schedule.places[i].getGlobal() < 0)
      return op->emitError("a constant has no bytes or no DRAM address; run "
                           "tpu-place-global first");
    lastWeight = std::max(lastWeight, addWeight(builder, op->getLoc(),
                                                schedule.places[i].getGlobal(),
                                                *std::move(bytes)));
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

void GroupEmitter::loadInput(const SlicePoint &point, size_t buffer) {
  int input = point.slice->buffers[buffer].owner;
  Value outer = group.getInputs()[input];
  Location loc = group.getLoc();
  // The load belongs to the first op that reads it.
  for (const auto &opView : schedule.view.ops)
    if (llvm::is_contained(opView.operands, input)) {
      loc = opView.op->getLoc();
      break;
    }
  Value local = makeTile(builder, loc, schedule, point, input);
  const Box *next = point.next ? &point.next->plan.tiles[input] : nullptr;
  Value global =
      globalPiece(loc, addresses.lookup(outer), outer,
                  point.slice->plan.tiles[input], next, point.iteration);
  emitCall(builder, loc, "dma.load", {{"dst", local}, {"src", global}});
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
  const Dims &dims = buffer.tensor.dims;
  Type element = IntegerType::get(
      builder.getContext(), buffer.tensor.bits,
      buffer.tensor.bits == 32 ? IntegerType::Signed : IntegerType::Unsigned);
  Value local =
      makeSlot(builder, loc, schedule, point, number,
               ppl::TensorViewType::get(dims, element, ppl::Memory::Local,
                                        machineLayout(buffer.tensor.layout)),
               buffer.tensor.lane);
  Dims stored = dims;
  if (buffer.broadcast)
    stored[tpu::kAxisC] = 1;
  int64_t address = imageAddress(point, number);
  auto type = ppl::TensorViewType::get(stored, element, ppl::Memory::Global,
                                       ppl::Layout::Continuous);
  int64_t step =
      point.next ? imageAddress(pointAfter(point), number) - address : 0;
  Value global = step ? builder.create<ppl::GlobalOp>(
                            loc, type, address, ValueRange(point.iteration),
                            ArrayRef<int64_t>(step), ArrayRef<int64_t>())
                      : builder.create<ppl::GlobalOp>(loc, type, address);
  emitCall(builder, loc, buffer.broadcast ? "dma.load_broadcast" : "dma.load",
           {{"dst", local}, {"src", global}});
}

void GroupEmitter::load(const SlicePoint &point, size_t buffer) {
  if (point.slice->buffers[buffer].kind == GroupBuffer::Input)
    loadInput(point, buffer);
  else
    loadConstant(point, buffer);
}

void GroupEmitter::store(const SlicePoint &point, size_t output) {
  int value = schedule.view.outputs[output];
  Location loc = schedule.view.value(value).getLoc();
  Value tile = makeTile(builder, loc, schedule, point, value);
  const Box &piece = point.slice->plan.stores[output];
  Value local = makePiece(builder, loc, chip, tile,
                          point.slice->plan.tiles[value], piece);
  const Box *next = point.next ? &point.next->plan.stores[output] : nullptr;
  Value outer = group.getOutputs()[output];
  Value global = globalPiece(loc, addresses.lookup(outer), outer, piece, next,
                             point.iteration);
  emitCall(builder, loc, "dma.store", {{"dst", global}, {"src", local}});
}

void GroupEmitter::compute(const SlicePoint &point, size_t number) {
  Operation *op = schedule.view.ops[number].op;
  OpEmitter emitter(builder, chip, schedule, number, point);
  emitRecipe(op, emitter);
  int value = schedule.view.resultOf(number);
  const Box *next = point.next ? &point.next->plan.tiles[value] : nullptr;
  observe(builder, *op, emitter.result(), point.slice->plan.tiles[value], next,
          point.iteration);
}

/// One slice: every constant is loaded at the step that placement chose, every
/// result stored when it is complete.
void GroupEmitter::emitWhole() {
  SlicePoint point = pointAt(0, Value());
  const auto &buffers = point.slice->buffers;
  std::vector<SmallVector<size_t>> loadsAt(schedule.view.ops.size());
  for (size_t i = 0; i < buffers.size(); ++i)
    if (buffers[i].kind == GroupBuffer::Input ||
        buffers[i].kind == GroupBuffer::Constant)
      loadsAt[std::min<size_t>(schedule.places[i].getLoad(),
                               loadsAt.size() - 1)]
          .push_back(i);
  for (size_t op = 0; op < schedule.view.ops.size(); ++op) {
    for (size_t buffer : loadsAt[op])
      load(point, buffer);
    compute(point, op);
    for (auto [output, value] : llvm::enumerate(schedule.view.outputs))
      if (value == schedule.view.resultOf(op))
        store(point, output);
  }
}

void GroupEmitter::emitStep(int64_t step, Value iteration) {
  int64_t total = static_cast<int64_t>(schedule.slices.size());
  if (step < total) {
    SlicePoint point = pointAt(step, iteration);
    const SliceState *previous = step ? &schedule.slices[step - 1] : nullptr;
    for (size_t i = 0; i < point.slice->buffers.size(); ++i) {
      auto kind = point.slice->buffers[i].kind;
      bool crosses =
          kind == GroupBuffer::Input || kind == GroupBuffer::Constant;
      if (crosses && point.slice->loads(previous, i))
        load(point, i);
    }
  }
  if (step == 0)
    return;
  SlicePoint point = pointAt(step - 1, iteration);
  for (size_t op = 0; op < schedule.view.ops.size(); ++op)
    compute(point, op);
  for (size_t output = 0; output < schedule.view.outputs.size(); ++output)
    store(point, output);
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

LogicalResult GroupEmitter::emit() {
  std::optional<GroupSchedule> found = scheduleGroup(chip, group);
  if (!found)
    return failure();
  schedule = std::move(*found);
  if (failed(packConstants()))
    return failure();
  if (schedule.slices.size() == 1)
    emitWhole();
  else
    for (const StepRun &run : compressSteps(schedule))
      emitRun(run);
  return success();
}
