//===- TiuQuant.cpp - TIU requantize and dequantize ----------------------===//

#include "dialects/ppl/TiuQuant.h"
#include "codegen/encode/ProgramBuilder.h"

#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace weft::codegen;
using weft::isa::Field;
namespace isa = weft::isa;
namespace ppl = weft::ppl;

static uint32_t bitsOf(const llvm::APFloat &value) {
  return uint32_t(value.bitcastToAPInt().getZExtValue());
}

/// Makes the command but for its constants: `first` and `second` go to operands
/// 1 and 2 when there are no per-channel parameters.
template <typename QuantOp>
static LogicalResult encodeQuant(QuantOp op, ProgramBuilder &builder,
                                 unsigned func, uint32_t first, uint32_t second,
                                 std::optional<ppl::Rounding> rounding,
                                 bool resultSign) {
  Command command = Command::tiu(op, isa::TiuType::Quant, func);
  FailureOr<Placed> dst = setResult(command, builder, op.getDst());
  if (failed(dst))
    return failure();
  FailureOr<Placed> src =
      weft::codegen::setSource(command, builder, op.getSrc(), Field::opd0_addr);
  if (failed(src) || failed(expectLane(command, *src, dst->lane)))
    return failure();
  setResultShape(command, dst->type);
  command.set(Field::res0_prec, unsigned(dst->precision()))
      .set(Field::opd0_prec, unsigned(src->precision()));
  command.set(Field::opd0_sign, src->isSigned())
      .set(Field::opd2_sign, resultSign);
  if (rounding)
    command.set(Field::opd2_n_str, unsigned(*rounding));
  if (op.getParams()) {
    FailureOr<Placed> params = weft::codegen::setSource(
        command, builder, op.getParams(), Field::opd1_addr);
    if (failed(params) || failed(expectLane(command, *params, dst->lane)))
      return failure();
  } else {
    command.set(Field::opd1_const, 1)
        .set(Field::opd1_addr, first)
        .set(Field::opd2_addr, second);
  }
  return builder.append(std::move(command));
}

static LogicalResult encodeRq0(ppl::Rq0Op op, ProgramBuilder &builder) {
  bool perChannel = bool(op.getParams());
  return encodeQuant(op, builder, isa::quant::Rq0,
                     perChannel ? 0 : bitsOf(*op.getScale()),
                     perChannel ? 0 : bitsOf(*op.getOffset()), std::nullopt,
                     ppl::isSigned(op.getDst().getType()));
}

static LogicalResult encodeRq1(ppl::Rq1Op op, ProgramBuilder &builder) {
  uint32_t multiplier = 0, shiftAndZero = 0;
  if (!op.getParams()) {
    multiplier = *op.getMultiplier();
    // Zero point in the high half, shift in the low byte.
    shiftAndZero =
        uint32_t(*op.getZeroPoint()) << 16 | (uint32_t(*op.getShift()) & 0xff);
  }
  return encodeQuant(op, builder, isa::quant::Rq1, multiplier, shiftAndZero,
                     op.getRounding(), ppl::isSigned(op.getDst().getType()));
}

static LogicalResult encodeDq0(ppl::Dq0Op op, ProgramBuilder &builder) {
  bool perChannel = bool(op.getParams());
  return encodeQuant(op, builder, isa::quant::Dq0,
                     perChannel ? 0 : uint32_t(*op.getZeroPoint()) & 0xffff,
                     perChannel ? 0 : bitsOf(*op.getScale()), std::nullopt,
                     true);
}

static LogicalResult encodeDq1(ppl::Dq1Op op, ProgramBuilder &builder) {
  uint32_t shiftAndZero = 0, multiplier = 0;
  if (!op.getParams()) {
    shiftAndZero = uint32_t(*op.getShift()) << 16 |
                   (uint32_t(*op.getZeroPoint()) & 0xffff);
    multiplier = *op.getMultiplier();
  }
  return encodeQuant(op, builder, isa::quant::Dq1, shiftAndZero, multiplier,
                     op.getRounding(), ppl::isSigned(op.getDst().getType()));
}

FailureOr<bool> weft::codegen::encodeTiuQuant(Operation *op,
                                              ProgramBuilder &builder) {
  return llvm::TypeSwitch<Operation *, FailureOr<bool>>(op)
      .Case<ppl::Rq0Op>([&](auto o) { return done(encodeRq0(o, builder)); })
      .Case<ppl::Rq1Op>([&](auto o) { return done(encodeRq1(o, builder)); })
      .Case<ppl::Dq0Op>([&](auto o) { return done(encodeDq0(o, builder)); })
      .Case<ppl::Dq1Op>([&](auto o) { return done(encodeDq1(o, builder)); })
      .Default(FailureOr<bool>(false));
}
