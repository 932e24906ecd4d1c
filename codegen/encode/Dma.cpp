//===- Dma.cpp - GDMA commands -------------------------------------------===//

#include "dialects/ppl/Dma.h"
#include "codegen/encode/ProgramBuilder.h"
#include "runtime/ppl/Commands.h"

#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace weft::codegen;
using weft::isa::Field;
namespace isa = weft::isa;
namespace catalog = weft::catalog;
namespace ppl = weft::ppl;
namespace rt = weft::rt;
namespace transfer = weft::transfer;

static void setAddress(Command &command, Field low, Field high,
                       uint64_t address) {
  command.set(low, address & 0xffffffff).set(high, address >> 32);
}

static void setSource(Command &command, ProgramBuilder &builder,
                      const Placed &src) {
  setAddress(command, Field::src_start_addr_l32, Field::src_start_addr_h8,
             builder.gdmaAddress(src));
  command.set(Field::src_data_format, uint64_t(src.precision()));
  command.reads(src);
  if (src.type.isGlobal())
    command.dramReadBytes +=
        uint64_t(src.type.getNumElements()) * ppl::elementBytesOf(src.type);
}

static void setDestination(Command &command, ProgramBuilder &builder,
                           const Placed &dst) {
  setAddress(command, Field::dst_start_addr_l32, Field::dst_start_addr_h8,
             builder.gdmaAddress(dst));
  command.writes(dst);
  if (dst.type.isGlobal())
    command.dramWriteBytes +=
        uint64_t(dst.type.getNumElements()) * ppl::elementBytesOf(dst.type);
}

static void setSourceSizes(Command &command, ArrayRef<int64_t> shape) {
  command.set(Field::src_nsize, shape[0]).set(Field::src_csize, shape[1]);
  command.set(Field::src_hsize, shape[2]).set(Field::src_wsize, shape[3]);
}

static void setDestinationSizes(Command &command, ArrayRef<int64_t> shape) {
  command.set(Field::dst_nsize, shape[0]).set(Field::dst_csize, shape[1]);
  command.set(Field::dst_hsize, shape[2]).set(Field::dst_wsize, shape[3]);
}

static void setSourceStrides(Command &command, const ppl::Strides &s) {
  command.set(Field::src_nstride, s.n).set(Field::src_cstride, s.c);
  command.set(Field::src_hstride, s.h).set(Field::src_wstride, s.w);
}

static void setDestinationStrides(Command &command, const ppl::Strides &s) {
  command.set(Field::dst_nstride, s.n).set(Field::dst_cstride, s.c);
  command.set(Field::dst_hstride, s.h).set(Field::dst_wstride, s.w);
}

static transfer::Side sideOf(const catalog::Tensor &tensor) {
  return {{tensor.memory == catalog::Memory::Local, tensor.lane,
           int64_t(*tensor.address)},
          tensor.strides};
}

LogicalResult ProgramBuilder::copy(Operation *op, const catalog::Tensor &dst,
                                   const catalog::Tensor &src) {
  transfer::Transfer transfer;
  transfer.elementBytes = catalog::bytesOf(src.type);
  transfer.shape = src.shape;
  transfer.from = sideOf(src);
  transfer.to = sideOf(dst);
  transfer::Plan plan = planner.plan(transfer);
  if (plan.isEmpty())
    return op->emitError("no DMA command moves this: a size, a stride or the "
                         "step along w does not fit one");
  for (const transfer::Command &planned : plan.commands) {
    rt::Result<isa::CommandBuilder> made = transfer::build(planned, chip);
    if (!made)
      return op->emitError() << made.status().message();
    Command command(op, *made);
    if (planned.shape.elementBytes == transfer.elementBytes)
      command.set(Field::src_data_format,
                  uint64_t(catalog::precisionOf(src.type)));
    command.reads(src, chip);
    command.writes(dst, chip);
    const weft::cycles::DmaBox &box = planned.shape.from;
    uint64_t bytes = box.n * box.c * box.h * box.w * planned.shape.elementBytes;
    if (src.memory == catalog::Memory::Global)
      command.dramReadBytes += bytes;
    if (dst.memory == catalog::Memory::Global)
      command.dramWriteBytes += bytes;
    if (failed(append(std::move(command))))
      return failure();
  }
  return success();
}

static LogicalResult encodeCopy(Operation *op, Value dstValue, Value srcValue,
                                ppl::Transpose transpose,
                                ProgramBuilder &builder) {
  FailureOr<Placed> dst = builder.place(dstValue, op),
                    src = builder.place(srcValue, op);
  if (failed(dst) || failed(src))
    return failure();
  if (builder.transfers == Transfers::Planned &&
      transpose == ppl::Transpose::None &&
      src->type.getShape() == dst->type.getShape())
    return builder.copy(op, dst->tensor(), src->tensor());
  bool isCw = transpose == ppl::Transpose::CW;
  Command command = Command::gdma(
      op, isCw ? isa::GdmaType::CwTranspose : isa::GdmaType::Tensor,
      transpose == ppl::Transpose::NC ? isa::gdma::TensorNcTranspose : 0);
  setSource(command, builder, *src);
  setDestination(command, builder, *dst);
  setSourceSizes(command, src->type.getShape());
  // The engine takes the destination's sizes from the source between local and
  // global memory.
  bool sameSizes = src->type.isLocal() != dst->type.isLocal() || isCw;
  if (sameSizes)
    command.set(Field::nchw_copy, 1);
  else
    setDestinationSizes(command, dst->type.getShape());
  if (!isCw) { // cw has no strides; its verifier asks for the default layouts
    command.set(Field::stride_enable, 1);
    setSourceStrides(command, src->strides);
    setDestinationStrides(command, dst->strides);
  }
  return builder.append(std::move(command));
}

static LogicalResult encodeFill(ppl::DmaFillOp op, ProgramBuilder &builder) {
  FailureOr<Placed> dst = builder.place(op.getDst(), op);
  if (failed(dst))
    return failure();
  FailureOr<uint32_t> bits =
      builder.scalarBits(op.getValue(), dst->type.getElementType(), op);
  if (failed(bits))
    return failure();
  Command command =
      Command::gdma(op, isa::GdmaType::Tensor, isa::gdma::TensorCopy);
  command.set(Field::stride_enable, 1).set(Field::fill_constant_en, 1);
  command.set(Field::src_data_format, uint64_t(dst->precision()))
      .set(Field::constant_value, *bits);
  setDestination(command, builder, *dst);
  setDestinationSizes(command, dst->type.getShape());
  setDestinationStrides(command, dst->strides);
  return builder.append(std::move(command));
}

static LogicalResult encodeBroadcast(ppl::DmaBroadcastOp op,
                                     ProgramBuilder &builder) {
  FailureOr<Placed> dst = builder.place(op.getDst(), op),
                    src = builder.place(op.getSrc(), op);
  if (failed(dst) || failed(src))
    return failure();
  if (dst->lane + dst->type.getC() > builder.chip.lanes) // (C2)
    return op.emitError() << "lanes " << dst->lane << " to "
                          << dst->lane + dst->type.getC()
                          << " are written, there are " << builder.chip.lanes;
  Command command =
      Command::gdma(op, isa::GdmaType::Tensor, isa::gdma::TensorBroadcast);
  setSource(command, builder, *src);
  setDestination(command, builder, *dst);
  setSourceSizes(command, src->type.getShape());
  setDestinationSizes(command, dst->type.getShape());
  return builder.append(std::move(command));
}

/// Strides that both sides and the list of a gather or scatter have.
static void setRowStrides(Command &command, const Placed &dst,
                          const Placed &rows, const Placed &index) {
  command.set(Field::stride_enable, 1);
  command.set(Field::src_cstride, rows.strides.c)
      .set(Field::src_hstride, rows.strides.h);
  command.set(Field::dst_cstride, dst.strides.c)
      .set(Field::dst_hstride, dst.strides.h);
  command.set(Field::index_cstride, index.strides.c)
      .set(Field::index_hstride, index.strides.h);
}

/// Gather or scatter; `value` is null for a scatter.
static LogicalResult encodeRows(Operation *op, isa::GdmaType type,
                                Value dstValue, Value rowsValue,
                                Value indexValue, Value value,
                                ProgramBuilder &builder) {
  FailureOr<Placed> dst = builder.place(dstValue, op),
                    rows = builder.place(rowsValue, op),
                    index = builder.place(indexValue, op);
  if (failed(dst) || failed(rows) || failed(index))
    return failure();
  Command command = Command::gdma(op, type, isa::gdma::Single);
  if (value) {
    FailureOr<uint32_t> bits =
        builder.scalarBits(value, dst->type.getElementType(), op);
    if (failed(bits))
      return failure();
    command.set(Field::constant_value, *bits);
  }
  setSource(command, builder, *rows);
  setDestination(command, builder, *dst);
  setAddress(command, Field::index_start_addr_l32, Field::index_start_addr_h8,
             builder.gdmaAddress(*index));
  command.reads(*index);
  command.set(Field::src_csize, rows->type.getC())
      .set(Field::src_hsize, rows->type.getH())
      .set(Field::src_wsize, rows->type.getW());
  command.set(Field::dst_csize, dst->type.getC())
      .set(Field::dst_hsize, dst->type.getH())
      .set(Field::dst_wsize, dst->type.getW());
  command.set(Field::index_csize, index->type.getC())
      .set(Field::index_hsize, index->type.getH());
  setRowStrides(command, *dst, *rows, *index);
  return builder.append(std::move(command));
}

FailureOr<bool> weft::codegen::encodeDma(Operation *op,
                                         ProgramBuilder &builder) {
  return llvm::TypeSwitch<Operation *, FailureOr<bool>>(op)
      .Case<ppl::DmaLoadOp, ppl::DmaStoreOp, ppl::DmaMoveOp>([&](auto copy) {
        return done(encodeCopy(op, copy.getDst(), copy.getSrc(),
                               copy.getTranspose(), builder));
      })
      .Case<ppl::DmaFillOp>(
          [&](auto fill) { return done(encodeFill(fill, builder)); })
      .Case<ppl::DmaBroadcastOp>(
          [&](auto copy) { return done(encodeBroadcast(copy, builder)); })
      .Case<ppl::DmaGatherOp>([&](auto rows) {
        return done(encodeRows(op, isa::GdmaType::Gather, rows.getDst(),
                               rows.getRows(), rows.getIndex(), rows.getValue(),
                               builder));
      })
      .Case<ppl::DmaScatterOp>([&](auto rows) {
        return done(encodeRows(op, isa::GdmaType::Scatter, rows.getDst(),
                               rows.getRows(), rows.getIndex(), Value(),
                               builder));
      })
      .Default(FailureOr<bool>(false));
}
