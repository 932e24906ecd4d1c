//===- Dma.cpp - functions of ppl::dma as commands -----------------------===//

#include "runtime/ppl/commands/DmaParts.h"

#include <algorithm>

using namespace weft;
using namespace weft::commands;

//===----------------------------------------------------------------------===//
// Copies and constants
//===----------------------------------------------------------------------===//

/// Visits pieces of at most as many elements on each axis as a command takes.
static void
eachPiece(const Expansion &e, const Dims &shape,
          const std::function<void(const Dims &, const Dims &)> &visit) {
  int64_t most = e.chip.maxShape;
  Dims at, size;
  auto next = [&](auto &self, size_t axis) -> void {
    if (axis == 4)
      return visit(at, size);
    for (int64_t start = 0; start < shape[axis]; start += most) {
      at[axis] = start;
      size[axis] = std::min(most, shape[axis] - start);
      self(self, axis + 1);
    }
  };
  next(next, 0);
}

static Status expandCopy(Expansion &e) {
  Operand dst = e.tensor("dst"), src = e.tensor("src");
  eachPiece(e, dst.shape, [&](const Dims &offset, const Dims &shape) {
    e.copy(partOf(e, dst, offset, shape), partOf(e, src, offset, shape));
  });
  return Status::ok();
}

static Status expandFill(Expansion &e) {
  Operand dst = e.tensor("dst");
  uint32_t bits = elementBits(dst.type, e.has("C") ? e.real("C") : 0);
  eachPiece(e, dst.shape, [&](const Dims &offset, const Dims &shape) {
    Operand piece = partOf(e, dst, offset, shape);
    GdmaCommand(e)
        .set(Field::stride_enable, 1)
        .set(Field::fill_constant_en, 1)
        .format(Field::src_data_format, dst)
        .set(Field::constant_value, bits)
        .writes(piece)
        .sizes(kDestination, shape)
        .strides(kDestination, piece.strides)
        .make(isa::GdmaType::Tensor, isa::gdma::TensorCopy);
  });
  return Status::ok();
}

/// A command of the engine with sizes and strides on both sides.
static void moveTensor(Expansion &e, isa::GdmaType type, unsigned func,
                       const Operand &dst, const Operand &src) {
  GdmaCommand command(e);
  command.sizes(kSource, src.shape).sizes(kDestination, dst.shape);
  // Between system memory and lanes the layouts of memory need no strides.
  bool isPlain = func == isa::gdma::TensorBroadcast &&
                 src.layout == AlignMode::Continuous &&
                 dst.strides == catalog::stridesOf(AlignMode::Aligned, dst.type,
                                                   dst.shape, dst.lane, e.chip);
  if (!isPlain)
    command.set(Field::stride_enable, 1)
        .strides(kSource, src.strides)
        .strides(kDestination, dst.strides);
  command.format(Field::src_data_format, src)
      .reads(src)
      .writes(dst)
      .make(type, func);
}

/// An exchange of axes. The engine takes the destination's sizes from those of
/// the source; the vendor's generator names them all the same for n and c in
/// one kind of memory.
static void transpose(Expansion &e, isa::GdmaType type, unsigned func,
                      const Operand &dst, const Operand &src) {
  GdmaCommand command(e);
  command.sizes(kSource, src.shape);
  if (type == isa::GdmaType::CwTranspose ||
      (src.memory == Memory::Local) != (dst.memory == Memory::Local))
    command.set(Field::nchw_copy, 1);
  else
    command.sizes(kDestination, dst.shape);
  command.set(Field::stride_enable, 1)
      .strides(kSource, src.strides)
      .strides(kDestination, dst.strides)
      .format(Field::src_data_format, src)
      .reads(src)
      .writes(dst)
      .make(type, func);
}

/// One channel to the lanes from that of dst on. The command has strides along
/// n and h only.
static Status expandBroadcast(Expansion &e) {
  Operand dst = e.tensor("dst");
  if (int64_t num = e.integer("num"))
    dst.shape[1] = num;
  moveTensor(e, isa::GdmaType::Tensor, isa::gdma::TensorBroadcast, dst,
             e.tensor("src"));
  return Status::ok();
}

//===----------------------------------------------------------------------===//
// Transposes
//===----------------------------------------------------------------------===//

/// A side in system memory seen with n and c exchanged.
static Operand withBatchAndChannelExchanged(const Expansion &e,
                                            const Operand &tensor) {
  Dims shape = tensor.shape, strides = tensor.strides;
  std::swap(shape[0], shape[1]);
  std::swap(strides[0], strides[1]);
  return seenAs(e, tensor, shape, strides);
}

static Status exchangeBatchAndChannel(Expansion &e) {
  Operand dst = e.tensor("dst"), src = e.tensor("src");
  if (dst.strides[3] == 1 && src.strides[3] == 1) {
    transpose(e, isa::GdmaType::Tensor, isa::gdma::TensorNcTranspose, dst, src);
    return Status::ok();
  }
  // The command has no w strides: exchange the strides of a system side in a
  // plain copy.
  if (src.memory != Memory::Local)
    e.copy(dst, withBatchAndChannelExchanged(e, src));
  else if (dst.memory != Memory::Local)
    e.copy(withBatchAndChannelExchanged(e, dst), src);
  else { // both local: through a dense tensor
    Operand dense = e.temporary(src.shape, src.type);
    e.function("dma.move", {dense, src});
    Operand turned = e.temporary(dst.shape, dst.type);
    e.function("dma.transpose_nc", {turned, dense});
    e.function("dma.move", {dst, turned});
  }
  return Status::ok();
}

static Status exchangeChannelAndWidth(Expansion &e) {
  transpose(e, isa::GdmaType::CwTranspose, isa::gdma::Single, e.tensor("dst"),
            e.tensor("src"));
  return Status::ok();
}

static Status exchangeByMode(Expansion &e) {
  return e.integer("trans_mode") == 1 ? exchangeChannelAndWidth(e)
                                      : exchangeBatchAndChannel(e);
}

//===----------------------------------------------------------------------===//
// Rows and channels by index
//===----------------------------------------------------------------------===//

static Status expandGatherRows(Expansion &e) {
  gatherRows(e, e.tensor("dst"), e.tensor("param"), e.tensor("index"),
             e.real("C"));
  return Status::ok();
}

static Status expandScatterRows(Expansion &e) {
  scatterRows(e, e.tensor("dst"), e.tensor("param"), e.tensor("index"));
  return Status::ok();
}

/// The channels of a tensor 1,C,H,W as C rows of H * W elements: a view in
/// system memory; of a local tensor room in one lane, to copy it to.
static rt::Result<Operand> channelsAsRows(Expansion &e, const Operand &tensor) {
  int64_t channels = tensor.shape[1], plane = tensor.shape[2] * tensor.shape[3];
  if (tensor.memory != Memory::Local)
    return seenAs(e, tensor, {1, 1, channels, plane},
                  {channels * plane, channels * plane, tensor.strides[1], 1});
  if (uint64_t(channels * plane) * catalog::bytesOf(tensor.type) >
      e.chip.laneBytes)
    return e.unsupported("the " + std::to_string(channels) + " channels of " +
                         std::to_string(plane) +
                         " elements do not fit in one lane, where they are "
                         "gathered as rows; take the tensor from global "
                         "memory, or fewer channels at a time");
  return e.temporary({1, 1, channels, plane}, tensor.type);
}

/// Copies the elements of one to the other in the order of n, c, h, w: the
/// engine counts through both.
static void recount(Expansion &e, const Operand &dst, const Operand &src) {
  moveTensor(e, isa::GdmaType::Tensor, isa::gdma::TensorCopy, dst, src);
}

/// The list of channels as one of rows.
static Operand indexAsRows(Expansion &e) {
  Operand index = e.tensor("index");
  int64_t count = index.elements();
  if (index.memory != Memory::Local)
    return seenAs(e, index, {1, 1, count, 1},
                  {count, count,
                   index.shape[1] == 1 ? index.strides[3] : index.strides[1],
                   1});
  Operand rows = e.temporary({1, 1, count, 1}, index.type);
  recount(e, rows, index);
  return rows;
}

static Status expandChannels(Expansion &e, bool isScatter) {
  Operand from = e.tensor("param"), to = e.tensor("dst");
  rt::Result<Operand> param = channelsAsRows(e, from);
  if (!param)
    return param.status();
  if (param->isScratch())
    recount(e, *param, from);
  rt::Result<Operand> dst = channelsAsRows(e, to);
  if (!dst)
    return dst.status();
  if (dst->isScratch() && isScatter)
    recount(e, *dst, to);
  Operand index = indexAsRows(e);
  if (isScatter)
    scatterRows(e, *dst, *param, index);
  else
    gatherRows(e, *dst, *param, index, e.real("C"));
  if (dst->isScratch())
    recount(e, to, *dst);
  return Status::ok();
}

static Status expandGatherChannels(Expansion &e) {
  return expandChannels(e, /*isScatter=*/false);
}
static Status expandScatterChannels(Expansion &e) {
  return expandChannels(e, /*isScatter=*/true);
}

//===----------------------------------------------------------------------===//
// Selection
//===----------------------------------------------------------------------===//

/// Writes how many elements of `mask` are not 0. The engine counts but keeps
/// the number in a register, so: with the k-th of them scatter k + 1 to one
/// place; the last wins.
static Status countInto(Expansion &e, const Operand &mask) {
  Operand count = e.tensor("count");
  if (!count)
    return Status::ok();
  int64_t elements = mask.elements();
  constexpr int64_t kBytesEach = 4 + 4 + 4 + 1; // of the tensors below
  if (uint64_t(elements) * kBytesEach > e.chip.l2MemoryBytes)
    return e.unsupported("counting " + std::to_string(elements) +
                         " elements takes 13 bytes of L2 each, there are " +
                         std::to_string(e.chip.l2MemoryBytes) +
                         "; count smaller pieces");
  Dims list = {1, 1, elements, 1};
  Operand zeros = e.systemTemporary(mask.shape, DataType::Int32),
          places = e.systemTemporary(list, DataType::Int32),
          numbers = e.systemTemporary(list, DataType::Int32),
          ones = e.systemTemporary(list, DataType::Int8);
  auto fill = [&](const Operand &tensor, int64_t value) {
    e.function("dma.fill", {tensor, value});
  };
  fill(zeros, 0);
  fill(places, -1);
  fill(ones, 1);
  fill(count, 0);
  // The first `count` places become 0, the others name no row.
  selectMasked(e, places, zeros, mask);
  listNonzero(e, numbers, ones, 1);
  e.function("dma.scatter_h", {count, Expansion::as(numbers, DataType::Uint32),
                               Expansion::as(places, DataType::Uint32)});
  return Status::ok();
}

static Status expandMaskSelect(Expansion &e) {
  selectMasked(e, e.tensor("dst"), e.tensor("src"), e.tensor("mask"));
  return countInto(e, e.tensor("mask"));
}

static Status expandNonzero(Expansion &e) {
  listNonzero(e, e.tensor("dst"), e.tensor("src"), e.integer("base_idx"));
  return countInto(e, e.tensor("src"));
}

/// An instruction of the TIU.
static Status expandMaskBatchBcast(Expansion &e) {
  Operand dst = e.tensor("dst"), src = e.tensor("src"), mask = e.tensor("mask");
  int64_t channels = dst.shape[1], width = dst.shape[3];
  TiuCommand(e)
      .set({{Field::opd0_str, e.integer("is_repeat") ? 4 : 0},
            {Field::res0_prec, codeOf(dst)},
            {Field::opd0_prec, codeOf(src)},
            {Field::opd1_prec, codeOf(mask)},
            {Field::opd0_h, 1},
            {Field::opd0_w, width},
            {Field::opd1_c, channels},
            {Field::opd1_w, width}})
      .resultShape({dst.shape[0], channels, 1, width})
      .updates(Field::res0_addr, dst)
      .writes(Field::res1_addr, e.tensor("count"))
      .reads(Field::opd0_addr, src)
      .reads(Field::opd1_addr, mask)
      .make(isa::TiuType::Gather, isa::sg::MaskSelect);
  return Status::ok();
}

std::vector<ExpandRow> weft::commands::dmaExpansions() {
  return {
      {"dma.load", expandCopy},
      {"dma.store", expandCopy},
      {"dma.move", expandCopy},
      {"dma.load_compact", expandCopy},
      {"dma.store_compact", expandCopy},
      {"dma.load_transpose", exchangeByMode},
      {"dma.store_transpose", exchangeByMode},
      {"dma.transpose", exchangeByMode},
      {"dma.load_transpose_cw", exchangeChannelAndWidth},
      {"dma.load_transpose_nc", exchangeBatchAndChannel},
      {"dma.store_transpose_cw", exchangeChannelAndWidth},
      {"dma.store_transpose_nc", exchangeBatchAndChannel},
      {"dma.transpose_cw", exchangeChannelAndWidth},
      {"dma.transpose_nc", exchangeBatchAndChannel},
      {"dma.fill", expandFill},
      {"dma.zero", expandFill},
      {"dma.load_broadcast", expandBroadcast},
      {"dma.broadcast", expandBroadcast},
      {"dma.gather_h", expandGatherRows},
      {"dma.scatter_h", expandScatterRows},
      {"dma.gather_c", expandGatherChannels},
      {"dma.scatter_c", expandScatterChannels},
      {"dma.mask_select", expandMaskSelect},
      {"dma.nonzero", expandNonzero},
      {"dma.mask_batch_bcast", expandMaskBatchBcast},
  };
}

/// No chip that commands are made for has a system DMA engine.
std::vector<ExpandRow> weft::commands::sdmaExpansions() { return {}; }
