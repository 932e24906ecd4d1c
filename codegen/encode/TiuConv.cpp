//===- TiuConv.cpp - TIU convolution and pooling -------------------------===//

#include "dialects/ppl/TiuConv.h"
#include "codegen/encode/ProgramBuilder.h"

#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace weft::codegen;
using weft::isa::Field;
namespace isa = weft::isa;
namespace ppl = weft::ppl;

// kernel, strides, pads, dilations, insertions
template <typename WindowOp>
static void setWindow(Command &command, WindowOp op) {
  ArrayRef<int64_t> pads = op.getPads();
  command.set(Field::opd1_h, op.getKernel()[0])
      .set(Field::opd1_w, op.getKernel()[1]);
  command.set(Field::res_op_y_str, op.getStrides()[0])
      .set(Field::res_op_x_str, op.getStrides()[1]);
  command.set(Field::opd0_up_pad, pads[0]).set(Field::opd0_dn_pad, pads[1]);
  command.set(Field::opd0_lf_pad, pads[2]).set(Field::opd0_rt_pad, pads[3]);
  command.set(Field::opd1_y_ins0, op.getDilations()[0] - 1)
      .set(Field::opd1_x_ins0, op.getDilations()[1] - 1);
  command.set(Field::opd0_y_ins0, op.getInsertions()[0])
      .set(Field::opd0_x_ins0, op.getInsertions()[1]);
  command.set(Field::pad_mode, unsigned(op.getPadMode()));
}

// Result, input, window: what all window ops share. The result's place.
template <typename WindowOp>
static FailureOr<Placed> setFrame(Command &command, ProgramBuilder &builder,
                                  WindowOp op) {
  FailureOr<Placed> dst = setResult(command, builder, op.getDst());
  if (failed(dst))
    return failure();
  FailureOr<Placed> input = weft::codegen::setSource(
      command, builder, op.getInput(), Field::opd0_addr);
  if (failed(input))
    return failure();
  setResultShape(command, dst->type);
  setWindow(command, op);
  command.set(Field::res0_prec, unsigned(dst->precision()));
  command.set(Field::opd0_prec, unsigned(input->precision()));
  command.set(Field::opd0_h, input->type.getH())
      .set(Field::opd0_w, input->type.getW());
  if (!input->type.isFloat())
    command.set(Field::opd0_sign, input->isSigned());
  return dst;
}

// The input of a convolution: its channels, layout and first lane.
template <typename ConvOpType>
static LogicalResult setConvInput(Command &command, ProgramBuilder &builder,
                                  ConvOpType op, const Placed &dst) {
  FailureOr<Placed> input = builder.place(op.getInput(), op);
  if (failed(input))
    return failure();
  bool isF32 = input->type.getElementType().isF32();
  if (failed(expectLane(command, *input, isF32 ? dst.lane : 0))) // (C5)
    return failure();
  command.set(Field::opd0_c, input->type.getC());
  if (input->type.getLayout() == ppl::Layout::Aligned)
    return success();
  command.set(Field::opd0_str, unsigned(isa::Layout::Free));
  command.set(Field::opd0_n_str, input->strides.n)
      .set(Field::opd0_c_str, input->strides.c);
  command.set(Field::opd0_h_str, input->strides.h)
      .set(Field::opd0_w_str, input->strides.w);
  return success();
}

// A tensor in the lane of the result, or a constant of `type`; operand 1, 2
// or 3.
static LogicalResult setParameter(Command &command, ProgramBuilder &builder,
                                  Value value, Type type, Field address,
                                  Field isConst, unsigned lane) {
  if (!value) {
    command.set(isConst, 1);
    return success();
  }
  if (ppl::isScalar(value)) {
    FailureOr<uint32_t> bits = builder.scalarBits(value, type, command.op);
    if (failed(bits))
      return failure();
    command.set(address, *bits).set(isConst, 1);
    return success();
  }
  FailureOr<Placed> placed =
      weft::codegen::setSource(command, builder, value, address);
  return failed(placed) ? failure() : expectLane(command, *placed, lane);
}

template <typename ConvOpType>
static LogicalResult setFilter(Command &command, ProgramBuilder &builder,
                               ConvOpType op, unsigned lane) {
  ppl::TensorViewType filter = ppl::tensorOf(op.getFilter());
  Type type = filter ? filter.getElementType()
                     : op.getInput().getType().getElementType();
  if (auto integer = dyn_cast<IntegerType>(type))
    command.set(Field::opd1_sign, integer.isSigned());
  if (op.getRotate())
    command.set(Field::kernel_rotate, 1);
  return setParameter(command, builder, op.getFilter(), type, Field::opd1_addr,
                      Field::opd1_const, lane);
}

static LogicalResult encodeFConv(ppl::FConvOp op, ProgramBuilder &builder) {
  Command command = Command::tiu(op, isa::TiuType::Conv, isa::conv::Normal);
  FailureOr<Placed> dst = setFrame(command, builder, op);
  if (failed(dst) || failed(setConvInput(command, builder, op, *dst)) ||
      failed(setFilter(command, builder, op, dst->lane)) ||
      failed(setParameter(command, builder, op.getBias(), {}, Field::opd2_addr,
                          Field::opd2_const, dst->lane)))
    return failure();
  command.set(Field::opd3_const, 1).set(Field::res_add, op.getAccumulate());
  if (op.getAccumulate())
    command.reads(*dst);
  return builder.append(std::move(command));
}

static LogicalResult encodeConv(ppl::ConvOp op, ProgramBuilder &builder) {
  Command command = Command::tiu(op, isa::TiuType::Conv, isa::conv::Normal);
  FailureOr<Placed> dst = setFrame(command, builder, op);
  if (failed(dst) || failed(setConvInput(command, builder, op, *dst)) ||
      failed(setFilter(command, builder, op, dst->lane)))
    return failure();
  ppl::TensorViewType filter = ppl::tensorOf(op.getFilter());
  Type type = filter ? filter.getElementType()
                     : op.getInput().getType().getElementType();
  if (failed(setParameter(command, builder, op.getKernelZeroPoint(), type,
                          Field::opd2_addr, Field::opd2_const, dst->lane)))
    return failure();
  command.set(Field::opd2_sign, cast<IntegerType>(type).isSigned());
  command.set(Field::opd3_const, 1)
      .set(Field::opd3_addr, uint32_t(op.getPadValue()) & 0xff);
  command.set(Field::res_add, op.getAccumulate());
  if (op.getAccumulate())
    command.reads(*dst);
  return builder.append(std::move(command));
}

static LogicalResult encodeConvRq(ppl::ConvRqOp op, ProgramBuilder &builder) {
  Command command = Command::tiu(op, isa::TiuType::Conv,
                                 op.getRelu() ? isa::conv::RequantisedRelu
                                              : isa::conv::Requantised);
  FailureOr<Placed> dst = setFrame(command, builder, op);
  if (failed(dst) || failed(setConvInput(command, builder, op, *dst)) ||
      failed(setFilter(command, builder, op, dst->lane)) ||
      failed(setParameter(command, builder, op.getBias(), {}, Field::opd2_addr,
                          Field::opd2_const, dst->lane)))
    return failure();
  bool isBiasSigned = !op.getBias() || ppl::isSigned(op.getBias().getType());
  command.set(Field::opd2_sign, isBiasSigned);
  command.set(Field::opd3_const, 1).set(Field::opd3_addr, op.getRshift());
  return builder.append(std::move(command));
}

static LogicalResult encodeDepthwise(ppl::DepthwiseOp op,
                                     ProgramBuilder &builder) {
  Command command = Command::tiu(op, isa::TiuType::PoolOrDepthwise,
                                 op.getRelu() ? isa::pord::DepthwiseRelu
                                              : isa::pord::Depthwise);
  FailureOr<Placed> dst = setFrame(command, builder, op);
  if (failed(dst) || failed(setFilter(command, builder, op, dst->lane)) ||
      failed(setParameter(command, builder, op.getBias(), {}, Field::opd2_addr,
                          Field::opd2_const, dst->lane)))
    return failure();
  FailureOr<Placed> input = builder.place(op.getInput(), op);
  if (failed(input) || failed(expectLane(command, *input, dst->lane)))
    return failure();
  command.set(Field::opd3_const, 1)
      .set(Field::opd3_addr, uint32_t(op.getPadValue()) & 0xff);
  if (!input->type.isFloat()) {
    command.set(Field::res1_addr, op.getRshift() << 8)
        .set(Field::opd2_n_str, unsigned(op.getRounding()));
    if (op.getBias())
      command.set(Field::opd2_sign, ppl::isSigned(op.getBias().getType()));
  }
  return builder.append(std::move(command));
}

/// The smallest value of an element type, as bits.
static uint32_t smallestBits(ppl::TensorViewType type) {
  switch (*ppl::precisionOf(type.getElementType())) {
  case isa::Precision::Fp32:
    return 0xff800000;
  case isa::Precision::Fp16:
    return 0xfc00;
  case isa::Precision::Bf16:
    return 0xff80;
  default:
    return ppl::isSigned(type) ? 0x80 : 0;
  }
}

static LogicalResult encodePool(ppl::PoolOp op, ProgramBuilder &builder) {
  bool isMax = op.getKind() == ppl::PoolKind::Max;
  Command command =
      Command::tiu(op, isa::TiuType::PoolOrDepthwise,
                   isMax ? isa::pord::MaxPool : isa::pord::AvgPool);
  FailureOr<Placed> dst = setFrame(command, builder, op);
  if (failed(dst))
    return failure();
  FailureOr<Placed> input = builder.place(op.getInput(), op);
  if (failed(input) || failed(expectLane(command, *input, dst->lane)))
    return failure();
  command.set(Field::opd3_const, 1);
  if (isMax) {
    command.set(Field::opd3_addr, smallestBits(input->type));
    return builder.append(std::move(command));
  }
  command.set(Field::opd1_const, 1)
      .set(Field::opd2_n_str, unsigned(isa::Rounding::HalfUp));
  if (input->type.isFloat()) {
    llvm::APFloat scale = op.getScale();
    bool losesInfo;
    scale.convert(
        cast<FloatType>(input->type.getElementType()).getFloatSemantics(),
        llvm::APFloat::rmNearestTiesToEven, &losesInfo);
    command.set(Field::opd1_addr, scale.bitcastToAPInt().getZExtValue());
  } else {
    command.set(Field::opd1_addr, op.getMultiplier())
        .set(Field::opd2_addr, op.getRshift());
  }
  return builder.append(std::move(command));
}

FailureOr<bool> weft::codegen::encodeTiuConv(Operation *op,
                                             ProgramBuilder &builder) {
  return llvm::TypeSwitch<Operation *, FailureOr<bool>>(op)
      .Case<ppl::FConvOp>([&](auto o) { return done(encodeFConv(o, builder)); })
      .Case<ppl::ConvOp>([&](auto o) { return done(encodeConv(o, builder)); })
      .Case<ppl::ConvRqOp>(
          [&](auto o) { return done(encodeConvRq(o, builder)); })
      .Case<ppl::DepthwiseOp>(
          [&](auto o) { return done(encodeDepthwise(o, builder)); })
      .Case<ppl::PoolOp>([&](auto o) { return done(encodePool(o, builder)); })
      .Default(FailureOr<bool>(false));
}
