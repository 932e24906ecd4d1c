//===- OpEmitter.cpp - local tensors of one op in one slice ---------------===//

#include "codegen/emit/Emit.h"
#include "codegen/emit/LocalSlot.h"
#include "dialects/ppl/Memory.h"
#include "dialects/tpu/Tpu.h"
#include "dialects/tpu/recipe/Recipe.h"
#include "runtime/catalog/Strides.h"

using namespace mlir;
using namespace weft;
using namespace weft::emit;
using tpu::GroupBuffer;

Type weft::emit::machineType(Type element) {
  return ppl::elementTypeOf(tpu::machineTypeOf(element), element.getContext());
}

ppl::Layout weft::emit::machineLayout(tpu::LocalLayout layout) {
  return *ppl::layoutOf(tpu::alignModeOf(layout), ppl::Memory::Local);
}

Value weft::emit::makeSlot(OpBuilder &builder, Location loc,
                           const GroupSchedule &schedule,
                           const SlicePoint &point, size_t number,
                           ppl::TensorViewType type, int64_t lane,
                           int64_t offset) {
  tpu::BufferAttr place = schedule.places[number];
  int64_t version = point.slice->versions[number];
  int64_t address = place.getLocal() + offset;
  if (!place.getRotate())
    return builder.create<ppl::LocalOp>(loc, type, address, lane);
  bool turns = point.next && point.next->versions[number] != version;
  if (!turns)
    return builder.create<ppl::LocalOp>(
        loc, type, address + (version % 2) * place.getRotate(), lane);
  Value index = point.iteration;
  if (version % 2) { // the first turn uses the second slot
    Value one = builder.create<arith::ConstantIndexOp>(loc, 1);
    index = builder.create<arith::AddIOp>(loc, index, one);
  }
  return builder.create<ppl::LocalOp>(
      loc, type, address, lane, ValueRange(index),
      ArrayRef<int64_t>(place.getRotate()), ArrayRef<int64_t>(2));
}

SmallVector<int64_t, 4> weft::emit::pieceStrides(ppl::TensorViewType whole,
                                                 const Chip &chip,
                                                 const tpu::Box &piece) {
  ppl::Strides strides = ppl::stridesOf(whole, /*lane=*/0, chip);
  if (piece.size[tpu::kAxisN] == 1)
    strides.n = std::min(strides.n, catalog::kMostStride);
  if (piece.size[tpu::kAxisC] <= int64_t(chip.lanes))
    strides.c = std::min(strides.c, catalog::kMostStride);
  return {strides.n, strides.c, strides.h, strides.w};
}

Value weft::emit::makePiece(OpBuilder &builder, Location loc, const Chip &chip,
                            Value tensor, const tpu::Box &tile,
                            const tpu::Box &piece) {
  if (tile == piece)
    return tensor;
  auto type = llvm::cast<ppl::TensorViewType>(tensor.getType());
  SmallVector<int64_t, 4> offset;
  for (unsigned axis = 0; axis < 4; ++axis)
    offset.push_back(piece.offset[axis] - tile.offset[axis]);
  auto pieceType = ppl::TensorViewType::get(piece.size, type.getElementType(),
                                            type.getMemory(),
                                            pieceStrides(type, chip, piece));
  return builder.create<ppl::ViewOp>(loc, pieceType, tensor, offset, 0);
}

Location OpEmitter::loc() const { return schedule.view.ops[op].op->getLoc(); }

Value OpEmitter::buffer(size_t number, ppl::TensorViewType type) {
  return makeSlot(builder, loc(), schedule, point, number, type,
                  point.slice->buffers[number].tensor.lane);
}

size_t OpEmitter::ownBuffer(GroupBuffer::Kind kind, unsigned index) const {
  const auto &buffers = point.slice->buffers;
  for (size_t i = 0; i < buffers.size(); ++i)
    if (buffers[i].kind == kind && buffers[i].owner == static_cast<int>(op) &&
        (kind == GroupBuffer::OperandCopy
             ? buffers[i].operand == static_cast<int>(index)
             : index-- == 0))
      return i;
  llvm_unreachable("emission asks for a buffer that the recipe does not list");
}

Value OpEmitter::constant(unsigned index, Type element) {
  const auto &buffers = point.slice->buffers;
  for (size_t number = 0; number < buffers.size(); ++number) {
    if (buffers[number].kind != GroupBuffer::Constant ||
        buffers[number].owner != static_cast<int>(op))
      continue;
    for (const tpu::ConstantPart &part : buffers[number].parts)
      if (part.index == index)
        return makeSlot(builder, loc(), schedule, point, number,
                        ppl::TensorViewType::get(
                            part.tensor.dims, element, ppl::Memory::Local,
                            machineLayout(part.tensor.layout)),
                        part.tensor.lane, part.offset);
  }
  llvm_unreachable(
      "emission asks for a constant that the recipe does not list");
}

Value OpEmitter::scratch(unsigned index, Type element) {
  size_t number = ownBuffer(GroupBuffer::Scratch, index);
  const tpu::LocalTensor &tensor = point.slice->buffers[number].tensor;
  return buffer(number, ppl::TensorViewType::get(tensor.dims, element,
                                                 ppl::Memory::Local,
                                                 machineLayout(tensor.layout)));
}

/// The buffer of value `value` in the slice of `point`.
static size_t bufferOf(const GroupSchedule &schedule, const SlicePoint &point,
                       int value) {
  const auto &buffers = point.slice->buffers;
  bool isInput = value < static_cast<int>(schedule.view.inputs.size());
  int owner =
      isInput ? value : value - static_cast<int>(schedule.view.inputs.size());
  auto kind = isInput ? GroupBuffer::Input : GroupBuffer::Result;
  size_t number = 0;
  while (buffers[number].kind != kind || buffers[number].owner != owner)
    ++number;
  return number;
}

/// An aligned tile of `value` with these sizes.
static ppl::TensorViewType tileType(const GroupSchedule &schedule, int value,
                                    const tpu::Dims &size) {
  Type element = machineType(tpu::elementOf(schedule.view.value(value)));
  return ppl::TensorViewType::get(size, element, ppl::Memory::Local,
                                  ppl::Layout::Aligned);
}

Value weft::emit::makeTile(OpBuilder &builder, Location loc,
                           const GroupSchedule &schedule,
                           const SlicePoint &point, int value) {
  size_t number = bufferOf(schedule, point, value);
  const tpu::LanePlace &place = schedule.view.places[value];
  int64_t begin =
      place.row *
      tpu::channelBytes(*schedule.chip, point.slice->buffers[number].tensor);
  return makeSlot(
      builder, loc, schedule, point, number,
      tileType(schedule, value, point.slice->plan.tiles[value].size),
      place.lane, begin);
}

Value weft::emit::makeRepeated(OpBuilder &builder, Location loc,
                               const GroupSchedule &schedule,
                               const SlicePoint &point, int value) {
  tpu::Dims size = point.slice->plan.tiles[value].size;
  size[tpu::kAxisC] = schedule.chip->lanes;
  return makeSlot(builder, loc, schedule, point,
                  bufferOf(schedule, point, value),
                  tileType(schedule, value, size), /*lane=*/0);
}

Value OpEmitter::result() {
  return makeTile(builder, loc(), schedule, point, schedule.view.resultOf(op));
}

const tpu::Box &OpEmitter::box() const {
  return point.slice->plan.tiles[schedule.view.resultOf(op)];
}

catalog::Tensor OpEmitter::describeOperand(unsigned number) const {
  int value = schedule.view.ops[op].operands[number];
  if (value < 0)
    return {};
  tpu::TilingInterface tiling = schedule.view.ops[op].tiling;
  const tpu::Box &tile = point.slice->plan.tiles[value];
  tpu::Box need = tiling.inputNeed(number, box()).box;
  catalog::DataType type =
      tpu::machineTypeOf(tpu::elementOf(schedule.view.value(value)));
  catalog::Tensor piece = tpu::alignedTile(chip, need.size, type);
  if (need != tile && tiling.readsStrided(number)) {
    piece.layout = catalog::AlignMode::Free;
    piece.strides = tpu::alignedTile(chip, tile.size, type).strides;
  }
  return piece;
}

Value OpEmitter::operand(unsigned number) {
  if (auto it = copies.find(number); it != copies.end())
    return it->second;
  int value = schedule.view.ops[op].operands[number];
  tpu::TilingInterface tiling = schedule.view.ops[op].tiling;
  const tpu::Box &tile = point.slice->plan.tiles[value];
  tpu::Box need =
      tiling
          .inputNeed(number,
                     point.slice->plan.tiles[schedule.view.resultOf(op)])
          .box;
  Value whole = makeTile(builder, loc(), schedule, point, value);
  Value piece = makePiece(builder, loc(), chip, whole, tile, need);
  if (piece != whole && !tiling.readsStrided(number)) {
    auto type = llvm::cast<ppl::TensorViewType>(whole.getType());
    Value copy = buffer(
        ownBuffer(GroupBuffer::OperandCopy, number),
        ppl::TensorViewType::get(need.size, type.getElementType(),
                                 ppl::Memory::Local, ppl::Layout::Aligned));
    emitCall(builder, loc(), "tiu.move", {{"dst", copy}, {"src", piece}});
    piece = copy;
  }
  return copies[number] = piece;
}
