//===- Build.cpp - planned commands as instructions -----------------------===//

#include "runtime/chips/Chip.h"
#include "runtime/transfer/Transfer.h"

using namespace weft;
using namespace weft::transfer;
using cycles::DmaBox;
using isa::CommandBuilder;
using isa::Field;

static uint64_t gdmaAddress(const Place &place, const Chip &chip) {
  if (!place.isLocal)
    return uint64_t(place.address);
  return chip.localMemoryBase + uint64_t(place.lane) * chip.laneBytes +
         uint64_t(place.address);
}

namespace {
struct FieldValue {
  Field field;
  uint64_t value;
};
} // namespace

static rt::Status setAll(CommandBuilder &builder,
                         std::initializer_list<FieldValue> values) {
  for (const FieldValue &value : values)
    WEFT_TRY(builder.set(value.field, value.value));
  return rt::Status::ok();
}

static rt::Status setTensor(CommandBuilder &builder, const Command &command,
                            const Chip &chip) {
  const DmaBox &from = command.shape.from, &to = command.shape.to;
  uint64_t source = gdmaAddress(command.from, chip),
           target = gdmaAddress(command.to, chip);
  // The engine takes the destination's sizes from the source between local and
  // global memory.
  if (command.from.isLocal != command.to.isLocal)
    WEFT_TRY(builder.set(Field::nchw_copy, 1));
  else
    WEFT_TRY(setAll(builder, {{Field::dst_nsize, to.n},
                              {Field::dst_csize, to.c},
                              {Field::dst_hsize, to.h},
                              {Field::dst_wsize, to.w}}));
  return setAll(builder, {{Field::src_start_addr_l32, source & 0xffffffff},
                          {Field::src_start_addr_h8, source >> 32},
                          {Field::dst_start_addr_l32, target & 0xffffffff},
                          {Field::dst_start_addr_h8, target >> 32},
                          {Field::src_nsize, from.n},
                          {Field::src_csize, from.c},
                          {Field::src_hsize, from.h},
                          {Field::src_wsize, from.w},
                          {Field::src_nstride, from.nStride},
                          {Field::src_cstride, from.cStride},
                          {Field::src_hstride, from.hStride},
                          {Field::src_wstride, from.wStride},
                          {Field::dst_nstride, to.nStride},
                          {Field::dst_cstride, to.cStride},
                          {Field::dst_hstride, to.hStride},
                          {Field::dst_wstride, to.wStride}});
}

static rt::Status setMatrix(CommandBuilder &builder, const Command &command,
                            const Chip &chip) {
  const DmaBox &from = command.shape.from, &to = command.shape.to;
  uint64_t source = gdmaAddress(command.from, chip),
           target = gdmaAddress(command.to, chip);
  // The long form's fields named h32 and l8 are the low and the high part.
  WEFT_TRY(setAll(builder, {{Field::src_start_addr_h32, source & 0xffffffff},
                            {Field::src_start_addr_l8, source >> 32},
                            {Field::dst_start_addr_h32, target & 0xffffffff},
                            {Field::dst_start_addr_l8, target >> 32}}));
  if (command.to.isLocal)
    return setAll(builder, {{Field::src_hsize, from.h},
                            {Field::src_wsize, from.w},
                            {Field::src_hstride, from.hStride},
                            {Field::dst_nsize, to.n},
                            {Field::dst_csize, to.c},
                            {Field::dst_wsize, to.w},
                            {Field::dst_nstride, to.nStride},
                            {Field::dst_cstride, to.cStride}});
  return setAll(builder, {{Field::dst_hsize, to.h},
                          {Field::dst_wsize, to.w},
                          {Field::dst_hstride, to.hStride},
                          {Field::src_nsize, from.n},
                          {Field::src_csize, from.c},
                          {Field::src_wsize, from.w},
                          {Field::src_nstride, from.nStride},
                          {Field::src_cstride, from.cStride}});
}

rt::Result<CommandBuilder> transfer::build(const Command &command,
                                           const Chip &chip) {
  cycles::DmaOpcode opcode = cycles::opcodeOf(command.shape.function);
  rt::Result<CommandBuilder> builder =
      CommandBuilder::make(*chip.instructions, isa::Engine::Gdma,
                           unsigned(opcode.type), opcode.func);
  if (!builder)
    return builder;
  rt::Status status =
      setAll(*builder,
             {{Field::stride_enable, 1},
              {Field::src_data_format,
               uint64_t(cycles::movedPrecision(command.shape.elementBytes))}});
  if (status.isOk())
    status = command.shape.isMatrix() ? setMatrix(*builder, command, chip)
                                      : setTensor(*builder, command, chip);
  if (!status.isOk())
    return status;
  return builder;
}
