//===- Dma.cpp - functions of ppl::dma as commands -----------------------===//

#include "dialects/ppl/Dma.h"
#include "passes/ppl/expand/DmaParts.h"
#include "runtime/isa/Isa.h"

using namespace mlir;
using namespace weft;
using namespace weft::ppl;

//===----------------------------------------------------------------------===//
// Copies and constants
//===----------------------------------------------------------------------===//

static void copyPiece(Expansion &e, Value dst, Value src) {
  bool toLocal = cast<TensorViewType>(dst.getType()).isLocal(),
       fromLocal = cast<TensorViewType>(src.getType()).isLocal();
  if (toLocal && !fromLocal && isGlobal(src))
    e.create<DmaLoadOp>(dst, src, Transpose::None);
  else if (!toLocal && fromLocal && isGlobal(dst))
    e.create<DmaStoreOp>(dst, src, Transpose::None);
  else
    e.create<DmaMoveOp>(dst, src, Transpose::None);
}

static LogicalResult expandCopy(Expansion &e) {
  Value dst = e.tensor("dst"), src = e.tensor("src");
  eachPiece(e.described("dst").shape, [&](ArrayRef<int64_t> offset,
                                          ArrayRef<int64_t> shape) {
    copyPiece(e, part(e, dst, offset, shape), part(e, src, offset, shape));
  });
  return success();
}

static LogicalResult expandFill(Expansion &e) {
  Value dst = e.tensor("dst"),
        value = constantLike(e, e.type("dst"), e.has("C") ? e.real("C") : 0);
  eachPiece(e.described("dst").shape,
            [&](ArrayRef<int64_t> offset, ArrayRef<int64_t> shape) {
              e.create<DmaFillOp>(part(e, dst, offset, shape), value);
            });
  return success();
}

/// One channel to the lanes from that of dst on. The command has strides along
/// n and h only.
static LogicalResult expandBroadcast(Expansion &e) {
  catalog::Tensor dst = e.described("dst"), src = e.described("src");
  int64_t num = e.integer("num");
  Command command(e, isa::GdmaType::Tensor, isa::gdma::TensorBroadcast);
  command.sizes("src", src.shape);
  dst.shape[1] = num ? num : dst.shape[1];
  command.sizes("dst", dst.shape);
  command.set("stride_enable", 1);
  command.strides("src", src.strides).strides("dst", dst.strides);
  command.format("src_data_format", e.type("src"));
  command.bind("src_start_addr", e.tensor("src"), Expansion::Reads);
  command.bind("dst_start_addr", e.tensor("dst"), Expansion::Writes);
  command.emit();
  return success();
}

//===----------------------------------------------------------------------===//
// Transposes
//===----------------------------------------------------------------------===//

static bool hasUnitSteps(const catalog::Tensor &a, const catalog::Tensor &b) {
  return a.strides[3] == 1 && b.strides[3] == 1;
}

/// The command of the engine; w strides are 1.
static void transposeNatively(Expansion &e, bool isCw) {
  catalog::Tensor dst = e.described("dst"), src = e.described("src");
  Command command(e, isCw ? isa::GdmaType::CwTranspose : isa::GdmaType::Tensor,
                  isCw ? 0u : unsigned(isa::gdma::TensorNcTranspose));
  command.sizes("src", src.shape).sizes("dst", dst.shape);
  command.set("stride_enable", 1);
  command.strides("src", src.strides).strides("dst", dst.strides);
  command.format("src_data_format", e.type("src"));
  command.bind("src_start_addr", e.tensor("src"), Expansion::Reads);
  command.bind("dst_start_addr", e.tensor("dst"), Expansion::Writes);
  command.emit();
}

/// A side in system memory seen with n and c exchanged.
static Value withBatchAndChannelExchanged(Expansion &e, Value tensor) {
  catalog::Tensor t = describe(tensor, e.chip);
  std::swap(t.shape[0], t.shape[1]);
  std::swap(t.strides[0], t.strides[1]);
  return seenAs(e, tensor, t.shape, t.strides);
}

static LogicalResult exchangeBatchAndChannel(Expansion &e) {
  catalog::Tensor dst = e.described("dst"), src = e.described("src");
  if (hasUnitSteps(dst, src)) {
    transposeNatively(e, /*isCw=*/false);
    return success();
  }
  // The command has no w strides: exchange the strides of a system side in a
  // plain copy.
  Value to = e.tensor("dst"), from = e.tensor("src");
  if (src.memory != catalog::Memory::Local)
    copyPiece(e, to, withBatchAndChannelExchanged(e, from));
  else if (dst.memory != catalog::Memory::Local)
    copyPiece(e, withBatchAndChannelExchanged(e, to), from);
  else { // both local: through a dense tensor
    Value dense = e.temporary(src.shape, e.type("src").getElementType());
    e.call("dma.move", {e.argument(dense), e.argument(from)});
    Value turned = e.temporary(dst.shape, e.type("dst").getElementType());
    e.call("dma.transpose_nc", {e.argument(turned), e.argument(dense)});
    e.call("dma.move", {e.argument(to), e.argument(turned)});
  }
  return success();
}

static LogicalResult exchangeChannelAndWidth(Expansion &e) {
  transposeNatively(e, /*isCw=*/true);
  return success();
}

static LogicalResult exchangeByMode(Expansion &e) {
  return e.integer("trans_mode") == 1 ? exchangeChannelAndWidth(e)
                                      : exchangeBatchAndChannel(e);
}

//===----------------------------------------------------------------------===//
// Rows and channels by index
//===----------------------------------------------------------------------===//

static LogicalResult expandGatherRows(Expansion &e) {
  e.create<DmaGatherOp>(e.tensor("dst"), e.tensor("param"), e.tensor("index"),
                        constantLike(e, e.type("dst"), e.real("C")));
  return success();
}

static LogicalResult expandScatterRows(Expansion &e) {
  e.create<DmaScatterOp>(e.tensor("dst"), e.tensor("param"), e.tensor("index"));
  return success();
}

/// The channels of a tensor 1,C,H,W as C rows of H * W elements: a view in
/// system memory; of a local tensor a copy in one lane, of which `isCopy` says.
static FailureOr<Value> channelsAsRows(Expansion &e, Value tensor,
                                       bool fillsCopy, bool &isCopy) {
  catalog::Tensor t = describe(tensor, e.chip);
  int64_t channels = t.shape[1], plane = t.shape[2] * t.shape[3];
  isCopy = t.memory == catalog::Memory::Local;
  if (!isCopy)
    return seenAs(e, tensor, {1, 1, channels, plane},
                  {channels * plane, channels * plane, t.strides[1], 1});
  if (uint64_t(channels * plane) * catalog::bytesOf(t.type) > e.chip.laneBytes)
    return e.unsupported("the " + Twine(channels) + " channels of " +
                         Twine(plane) +
                         " elements do not fit in one lane, where they are "
                         "gathered as rows; take the tensor from global "
                         "memory, or fewer channels at a time");
  Value rows =
      e.temporary({1, 1, channels, plane},
                  cast<TensorViewType>(tensor.getType()).getElementType());
  if (fillsCopy)
    e.create<DmaMoveOp>(rows, tensor, Transpose::None);
  return rows;
}

/// The list of channels as one of rows.
static Value indexAsRows(Expansion &e) {
  Value index = e.tensor("index");
  catalog::Tensor t = e.described("index");
  int64_t count = t.elements();
  if (t.memory != catalog::Memory::Local)
    return seenAs(
        e, index, {1, 1, count, 1},
        {count, count, t.shape[1] == 1 ? t.strides[3] : t.strides[1], 1});
  Value rows = e.temporary({1, 1, count, 1}, e.type("index").getElementType());
  e.create<DmaMoveOp>(rows, index, Transpose::None);
  return rows;
}

static LogicalResult expandChannels(Expansion &e, bool isScatter) {
  bool isParamCopy, isDstCopy;
  FailureOr<Value> param =
      channelsAsRows(e, e.tensor("param"), /*fillsCopy=*/true, isParamCopy);
  if (failed(param))
    return failure();
  FailureOr<Value> dst =
      channelsAsRows(e, e.tensor("dst"), /*fillsCopy=*/isScatter, isDstCopy);
  if (failed(dst))
    return failure();
  Value index = indexAsRows(e);
  if (isScatter)
    e.create<DmaScatterOp>(*dst, *param, index);
  else
    e.create<DmaGatherOp>(*dst, *param, index,
                          constantLike(e, e.type("dst"), e.real("C")));
  if (isDstCopy)
    e.create<DmaMoveOp>(e.tensor("dst"), *dst, Transpose::None);
  return success();
}

static LogicalResult expandGatherChannels(Expansion &e) {
  return expandChannels(e, /*isScatter=*/false);
}
static LogicalResult expandScatterChannels(Expansion &e) {
  return expandChannels(e, /*isScatter=*/true);
}

//===----------------------------------------------------------------------===//
// Selection
//===----------------------------------------------------------------------===//

/// Writes how many elements of `mask` are not 0. The engine counts but keeps
/// the number in a register, so: with the k-th of them scatter k + 1 to one
/// place; the last wins.
static LogicalResult countInto(Expansion &e, Value mask) {
  Value count = e.tensor("count");
  if (!count || isUnread(count))
    return success();
  catalog::Tensor t = describe(mask, e.chip);
  int64_t elements = t.elements();
  constexpr int64_t kBytesEach = 4 + 4 + 4 + 1; // of the tensors below
  if (uint64_t(elements) * kBytesEach > e.chip.l2MemoryBytes)
    return e.unsupported("counting " + Twine(elements) +
                         " elements takes 13 bytes of L2 each, there are " +
                         Twine(e.chip.l2MemoryBytes) +
                         "; count smaller pieces");
  MLIRContext *context = e.builder.getContext();
  auto signedType = [&](unsigned bits) {
    return IntegerType::get(context, bits, IntegerType::Signed);
  };
  auto wordsOf = [&](ArrayRef<int64_t> shape) {
    return scratch(e, shape, signedType(32));
  };
  Value zeros = wordsOf(t.shape), places = wordsOf({1, 1, elements, 1}),
        numbers = wordsOf({1, 1, elements, 1}),
        ones = scratch(e, {1, 1, elements, 1}, signedType(8));
  auto fill = [&](Value tensor, int64_t value) {
    e.call("dma.fill", {e.argument(tensor), e.argument(value)});
  };
  fill(zeros, 0);
  fill(places, -1);
  fill(ones, 1);
  fill(count, 0);
  // The first `count` places become 0, the others name no row.
  selectMasked(e, places, zeros, mask);
  listNonzero(e, numbers, ones, 1);
  auto u32 = IntegerType::get(context, 32, IntegerType::Unsigned);
  auto as = [&](Value tensor) {
    auto type = cast<TensorViewType>(tensor.getType());
    return e.argument(e.view(tensor, Expansion::withElement(type, u32)));
  };
  e.call("dma.scatter_h", {e.argument(count), as(numbers), as(places)});
  return success();
}

static LogicalResult expandMaskSelect(Expansion &e) {
  selectMasked(e, e.tensor("dst"), e.tensor("src"), e.tensor("mask"));
  return countInto(e, e.tensor("mask"));
}

static LogicalResult expandNonzero(Expansion &e) {
  listNonzero(e, e.tensor("dst"), e.tensor("src"), e.integer("base_idx"));
  return countInto(e, e.tensor("src"));
}

/// An instruction of the TIU.
static LogicalResult expandMaskBatchBcast(Expansion &e) {
  catalog::Tensor dst = e.described("dst");
  auto precision = [&](StringRef slot) {
    return int64_t(*precisionOf(e.type(slot).getElementType()));
  };
  e.command(Engine::Tiu, int32_t(isa::TiuType::Gather), isa::sg::MaskSelect,
            {{"opd0_str", e.integer("is_repeat") ? 4 : 0},
             {"res0_prec", precision("dst")},
             {"opd0_prec", precision("src")},
             {"opd1_prec", precision("mask")},
             {"res0_n", dst.shape[0]},
             {"res0_c", dst.shape[1]},
             {"res0_h", 1},
             {"res0_w", dst.shape[3]},
             {"opd0_h", 1},
             {"opd0_w", dst.shape[3]},
             {"opd1_c", dst.shape[1]},
             {"opd1_w", dst.shape[3]}},
            {{"res0_addr", e.tensor("dst"), Expansion::Updates},
             {"res1_addr", e.tensor("count"), Expansion::Writes},
             {"opd0_addr", e.tensor("src"), Expansion::Reads},
             {"opd1_addr", e.tensor("mask"), Expansion::Reads}});
  return success();
}

ArrayRef<ExpandRow> weft::ppl::dmaExpansions() {
  static constexpr ExpandRow rows[] = {
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
  return rows;
}
