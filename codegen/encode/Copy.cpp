//===- Copy.cpp - copies in the commands that suit them ------------------===//

#include "codegen/encode/ProgramBuilder.h"
#include "runtime/ppl/Commands.h"

using namespace mlir;
using namespace weft::codegen;
using weft::isa::Field;
namespace catalog = weft::catalog;
namespace isa = weft::isa;
namespace rt = weft::rt;
namespace transfer = weft::transfer;

static transfer::Side sideOf(const catalog::Tensor &tensor) {
  return {{tensor.memory == catalog::Memory::Local, tensor.lane,
           int64_t(*tensor.address)},
          tensor.strides};
}

static bool isLocalOrGlobal(const catalog::Tensor &tensor) {
  return tensor.memory == catalog::Memory::Local ||
         tensor.memory == catalog::Memory::Global;
}

/// Bytes that a copy moves through DRAM on the side of `tensor`.
static uint64_t dramBytes(const catalog::Tensor &tensor, uint64_t bytes) {
  return tensor.memory == catalog::Memory::Global ? bytes : 0;
}

/// The one command that says what a copy says.
static Command plainCopy(Operation *op, const catalog::Tensor &dst,
                         const catalog::Tensor &src,
                         const ProgramBuilder &builder) {
  Command command = Command::gdma(op, builder.chip, isa::GdmaType::Tensor,
                                  isa::gdma::TensorCopy);
  uint64_t from = builder.gdmaAddress(src), to = builder.gdmaAddress(dst);
  command.set(Field::src_start_addr_l32, from & 0xffffffff)
      .set(Field::src_start_addr_h8, from >> 32)
      .set(Field::dst_start_addr_l32, to & 0xffffffff)
      .set(Field::dst_start_addr_h8, to >> 32)
      .set(Field::src_data_format, uint64_t(catalog::precisionOf(src.type)))
      .set(Field::stride_enable, 1);
  static constexpr Field sizes[2][4] = {
      {Field::src_nsize, Field::src_csize, Field::src_hsize, Field::src_wsize},
      {Field::dst_nsize, Field::dst_csize, Field::dst_hsize, Field::dst_wsize}};
  static constexpr Field strides[2][4] = {
      {Field::src_nstride, Field::src_cstride, Field::src_hstride,
       Field::src_wstride},
      {Field::dst_nstride, Field::dst_cstride, Field::dst_hstride,
       Field::dst_wstride}};
  // The engine takes the destination's sizes from the source between local and
  // global memory.
  bool hasOneLocal = (src.memory == catalog::Memory::Local) !=
                     (dst.memory == catalog::Memory::Local);
  if (hasOneLocal)
    command.set(Field::nchw_copy, 1);
  for (int axis = 0; axis < 4; ++axis) {
    command.set(sizes[0][axis], src.shape[axis]);
    if (!hasOneLocal)
      command.set(sizes[1][axis], dst.shape[axis]);
    command.set(strides[0][axis], src.strides[axis])
        .set(strides[1][axis], dst.strides[axis]);
  }
  return command;
}

LogicalResult ProgramBuilder::copy(Operation *op, const catalog::Tensor &dst,
                                   const catalog::Tensor &src) {
  auto add = [&](Command command, uint64_t bytes) {
    command.reads(src);
    command.writes(dst);
    command.dramReadBytes += dramBytes(src, bytes);
    command.dramWriteBytes += dramBytes(dst, bytes);
    return append(std::move(command));
  };
  if (transfers == Transfers::Plain)
    return add(plainCopy(op, dst, src, *this),
               uint64_t(src.elements()) * catalog::bytesOf(src.type));
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
    // Local memory and DRAM: other memories have addresses of their own.
    if (plan.commands.size() > 1 && isLocalOrGlobal(src) &&
        isLocalOrGlobal(dst))
      command.piece = planned;
    if (planned.shape.elementBytes == transfer.elementBytes)
      command.set(Field::src_data_format,
                  uint64_t(catalog::precisionOf(src.type)));
    const weft::cycles::DmaBox &box = planned.shape.from;
    uint64_t bytes = box.n * box.c * box.h * box.w * planned.shape.elementBytes;
    if (failed(add(std::move(command), bytes)))
      return failure();
  }
  return success();
}
