//===- TiuMatMul.cpp - TIU matrix multiplication -------------------------===//

#include "dialects/ppl/TiuMatMul.h"
#include "codegen/encode/ProgramBuilder.h"

#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace weft::codegen;
using weft::isa::Field;
namespace isa = weft::isa;
namespace ppl = weft::ppl;

// A matrix operand in lane 0, or a constant of `type`.
static LogicalResult setMatrix(Command &command, ProgramBuilder &builder,
                               Value value, Type type, Field address,
                               std::optional<Field> isConst) {
  if (ppl::isScalar(value) && isConst) {
    FailureOr<uint32_t> bits = builder.scalarBits(value, type, command.op);
    if (failed(bits))
      return failure();
    command.set(address, *bits).set(*isConst, 1);
    return success();
  }
  FailureOr<Placed> placed =
      weft::codegen::setSource(command, builder, value, address);
  return failed(placed) ? failure() : expectLane(command, *placed, 0); // (C5)
}

static LogicalResult setMmLeft(Command &command, ppl::MmOp op) {
  ppl::TensorViewType lhs = ppl::tensorOf(op.getLhs());
  int64_t inner = op.getInner();
  if (!lhs) { // a constant matrix: any split of its columns
    constexpr int64_t kColumnsPerChannel = 64;
    int64_t channels = (inner + kColumnsPerChannel - 1) / kColumnsPerChannel;
    command.set(Field::opd0_n, op.getDst().getType().getN())
        .set(Field::opd0_c, channels);
    command.set(Field::opd0_w, std::min(inner, kColumnsPerChannel));
    command.set(Field::opd1_w, inner - (channels - 1) * kColumnsPerChannel);
    return success();
  }
  int64_t columns = op.getTransposeLhs() ? op.getDst().getType().getN() : inner;
  command.set(Field::opd0_n, lhs.getN())
      .set(Field::opd0_c, lhs.getC())
      .set(Field::opd0_w, lhs.getW());
  command.set(Field::opd1_w, columns - (lhs.getC() - 1) * lhs.getW());
  return success();
}

static LogicalResult encodeMm(ppl::MmOp op, ProgramBuilder &builder) {
  unsigned func = !op.getRshift() ? isa::mm::Normal
                  : op.getRelu()  ? isa::mm::RequantisedRelu
                                  : isa::mm::Requantised;
  Command command = Command::tiu(op, isa::TiuType::MatMul, func);
  FailureOr<Placed> dst = setResult(command, builder, op.getDst());
  if (failed(dst) || failed(expectLane(command, *dst, 0)))
    return failure();
  ppl::TensorViewType rhs = op.getRhs().getType();
  if (failed(setMatrix(command, builder, op.getLhs(), rhs.getElementType(),
                       Field::opd0_addr, Field::opd0_const)) ||
      failed(setMatrix(command, builder, op.getRhs(), {}, Field::opd1_addr,
                       std::nullopt)) ||
      failed(setMmLeft(command, op)))
    return failure();
  command.set(Field::res0_c, dst->type.getC())
      .set(Field::res0_w, dst->type.getW());
  command.set(Field::res0_prec, unsigned(dst->precision()));
  command.set(Field::opd0_prec,
              unsigned(*ppl::precisionOf(rhs.getElementType())));
  command.set(Field::left_tran, op.getTransposeLhs())
      .set(Field::res_add, op.getAccumulate());
  if (op.getAccumulate())
    command.reads(*dst);
  if (op.getBias()) {
    if (failed(setMatrix(command, builder, op.getBias(), {}, Field::opd2_addr,
                         std::nullopt)))
      return failure();
  } else {
    command.set(Field::opd2_const, 1);
  }
  if (!rhs.isFloat()) {
    ppl::TensorViewType lhs = ppl::tensorOf(op.getLhs());
    command.set(Field::opd0_sign, ppl::isSigned(lhs ? lhs : rhs))
        .set(Field::opd1_sign, ppl::isSigned(rhs));
    command.set(Field::opd2_sign,
                !op.getBias() || ppl::isSigned(op.getBias().getType()));
    if (op.getRshift())
      command.set(Field::opd3_addr, op.getLshift() | *op.getRshift() << 8);
  }
  return builder.append(std::move(command));
}

static LogicalResult encodeMm2(ppl::Mm2Op op, ProgramBuilder &builder) {
  static constexpr unsigned funcs[] = {isa::mm::NN, isa::mm::NT, isa::mm::TT};
  Command command =
      Command::tiu(op, isa::TiuType::MatMul, funcs[unsigned(op.getKind())]);
  FailureOr<Placed> dst = setResult(command, builder, op.getDst());
  if (failed(dst) || failed(expectLane(command, *dst, 0)))
    return failure();
  ppl::TensorViewType lhs = ppl::tensorOf(op.getLhs()),
                      rhs = ppl::tensorOf(op.getRhs());
  ppl::TensorViewType any = lhs ? lhs : rhs;
  if (!rhs)
    return op.emitError() << "unsupported: a scalar rhs; fill a tensor with it";
  if (failed(setMatrix(command, builder, op.getLhs(), any.getElementType(),
                       Field::opd0_addr, Field::opd0_const)) ||
      failed(setMatrix(command, builder, op.getRhs(), any.getElementType(),
                       Field::opd1_addr, Field::opd1_const)))
    return failure();
  command.set(Field::res0_c, dst->type.getC())
      .set(Field::res0_w, dst->type.getW());
  command.set(Field::opd1_c, rhs.getC()).set(Field::opd1_w, rhs.getW());
  command.set(Field::res0_prec, unsigned(dst->precision()));
  command.set(Field::opd0_prec,
              unsigned(*ppl::precisionOf(any.getElementType())));
  command.set(Field::res_add, op.getAccumulate());
  if (op.getAccumulate())
    command.reads(*dst);
  if (any.isFloat())
    return builder.append(std::move(command));
  command.set(Field::opd0_sign, ppl::isSigned(any))
      .set(Field::opd1_sign, ppl::isSigned(rhs));
  if (!op.getZeroPoint())
    command.set(Field::opd2_const, 1);
  else if (failed(setMatrix(command, builder, op.getZeroPoint(),
                            rhs.getElementType(), Field::opd2_addr,
                            Field::opd2_const)))
    return failure();
  return builder.append(std::move(command));
}

FailureOr<bool> weft::codegen::encodeTiuMatMul(Operation *op,
                                               ProgramBuilder &builder) {
  return llvm::TypeSwitch<Operation *, FailureOr<bool>>(op)
      .Case<ppl::MmOp>([&](auto o) { return done(encodeMm(o, builder)); })
      .Case<ppl::Mm2Op>([&](auto o) { return done(encodeMm2(o, builder)); })
      .Default(FailureOr<bool>(false));
}
