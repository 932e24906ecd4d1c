//===- TiuArith.cpp - TIU element arithmetic -----------------------------===//

#include "dialects/ppl/TiuArith.h"
#include "codegen/encode/ProgramBuilder.h"

#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace weft::codegen;
using weft::isa::Field;
namespace isa = weft::isa;
namespace ppl = weft::ppl;

namespace {
/// The fields of one operand of element arithmetic.
struct OperandFields {
  Field address, precision, sign, isConst, layout, nStride, cStride, hStride,
      wStride;
};
} // namespace

static constexpr OperandFields kOperands[2] = {
    {Field::opd0_addr, Field::opd0_prec, Field::opd0_sign, Field::opd0_const,
     Field::opd0_str, Field::opd0_n_str, Field::opd0_c_str, Field::opd0_h_str,
     Field::opd0_w_str},
    {Field::opd1_addr, Field::opd1_prec, Field::opd1_sign, Field::opd1_const,
     Field::opd1_str, Field::opd1_n_str, Field::opd1_c_str, Field::opd1_h_str,
     Field::opd1_w_str}};
static constexpr OperandFields kResult = {
    Field::res0_addr,  Field::res0_prec,  Field::opd0_sign,
    Field::opd0_const, Field::res0_str,   Field::res0_n_str,
    Field::res0_c_str, Field::res0_h_str, Field::res0_w_str};

// The layout code, or explicit strides with 0 along the axes on which a source
// of size 1 is repeated.
static void setLayout(Command &command, const OperandFields &fields,
                      const Placed &tensor, ppl::TensorViewType dst) {
  ppl::Strides s = tensor.strides;
  ArrayRef<int64_t> own = tensor.type.getShape(), want = dst.getShape();
  bool repeats = own != want;
  if (repeats) {
    s.n = own[0] == want[0] && own[0] > 1 ? s.n : 0;
    s.h = own[2] == want[2] && own[2] > 1 ? s.h : 0;
    s.w = own[3] == want[3] && own[3] > 1 ? s.w : 0;
  }
  bool isPerChannel = s.n == 0 && s.c == 1 && s.h == 0 && s.w == 0;
  if (isPerChannel)
    command.set(fields.layout, unsigned(isa::Layout::Channel));
  else if (!repeats && tensor.type.getLayout() == ppl::Layout::Aligned)
    command.set(fields.layout, unsigned(isa::Layout::Aligned));
  else if (!repeats && tensor.type.getLayout() == ppl::Layout::Compact)
    command.set(fields.layout, unsigned(isa::Layout::Compact));
  else
    command.set(fields.layout, unsigned(isa::Layout::Free))
        .set(fields.nStride, s.n)
        .set(fields.cStride, s.c)
        .set(fields.hStride, s.h)
        .set(fields.wStride, s.w);
}

static FailureOr<Placed> setArResult(Command &command, ProgramBuilder &builder,
                                     Value dst) {
  FailureOr<Placed> placed = setResult(command, builder, dst);
  if (failed(placed))
    return failure();
  setResultShape(command, placed->type);
  command.set(Field::res0_prec, unsigned(placed->precision()));
  if (placed->type.getLayout() == ppl::Layout::Channel)
    return command.op->emitError()
           << "dst has the channel layout, which is for sources only";
  setLayout(command, kResult, *placed, placed->type);
  return placed;
}

/// Sets operand 0 or 1: a tensor, or a scalar as an element of `scalarType`.
static LogicalResult setArOperand(Command &command, ProgramBuilder &builder,
                                  unsigned which, Value value,
                                  const Placed &dst, Type scalarType,
                                  bool setSign) {
  const OperandFields &fields = kOperands[which];
  Type type = scalarType;
  if (ppl::isScalar(value)) {
    FailureOr<uint32_t> bits =
        builder.scalarBits(value, scalarType, command.op);
    if (failed(bits))
      return failure();
    command.set(fields.address, *bits).set(fields.isConst, 1);
  } else {
    FailureOr<Placed> placed =
        weft::codegen::setSource(command, builder, value, fields.address);
    if (failed(placed) ||
        failed(expectLane(command, *placed, dst.lane))) // (E2)
      return failure();
    setLayout(command, fields, *placed, dst.type);
    type = placed->type.getElementType();
  }
  command.set(fields.precision, unsigned(*ppl::precisionOf(type)));
  auto integer = dyn_cast<IntegerType>(type);
  if (setSign && (!integer || integer.isSigned()))
    command.set(fields.sign, 1);
  return success();
}

/// Puts the operand with explicit strides first, as the vendor's encoder does;
/// for operations whose operands commute (but for the payload of a NaN). Float
/// max and min do not: the order decides which zero comes out.
static void putStridedFirst(Command &command) {
  const OperandFields &a = kOperands[0], &b = kOperands[1];
  auto isFree = [&](const OperandFields &fields) {
    return command.builder.get(fields.layout) == unsigned(isa::Layout::Free);
  };
  if (isFree(a) || !isFree(b))
    return;
  for (Field OperandFields::*field :
       {&OperandFields::address, &OperandFields::precision,
        &OperandFields::sign, &OperandFields::isConst, &OperandFields::layout,
        &OperandFields::nStride, &OperandFields::cStride,
        &OperandFields::hStride, &OperandFields::wStride}) {
    uint64_t first = command.builder.get(a.*field),
             second = command.builder.get(b.*field);
    command.set(a.*field, second).set(b.*field, first);
  }
}

static unsigned funcOf(ppl::FloatKind kind) {
  static constexpr unsigned funcs[] = {
      isa::arith::Add, isa::arith::Sub, isa::arith::Mul, isa::arith::Max,
      isa::arith::Min, isa::arith::Div, isa::arith::Mac, isa::arith::AbsDiff};
  return funcs[unsigned(kind)];
}

static LogicalResult encodeFloat(ppl::FloatOp op, ProgramBuilder &builder) {
  Command command = Command::tiu(op, isa::TiuType::Arith, funcOf(op.getKind()));
  FailureOr<Placed> dst = setArResult(command, builder, op.getDst());
  if (failed(dst))
    return failure();
  bool isDiv = op.getKind() == ppl::FloatKind::Div;
  Type type = dst->type.getElementType();
  if (failed(
          setArOperand(command, builder, 0, op.getLhs(), *dst, type, !isDiv)) ||
      failed(
          setArOperand(command, builder, 1, op.getRhs(), *dst, type, !isDiv)))
    return failure();
  command.set(Field::tsk_opd_num, 2);
  if (isDiv)
    command.set(Field::opd2_n_str, op.getIterations() - 1);
  if (op.getKind() == ppl::FloatKind::Mac)
    command.reads(*dst);
  bool commutes = op.getKind() == ppl::FloatKind::Add ||
                  op.getKind() == ppl::FloatKind::Mul ||
                  op.getKind() == ppl::FloatKind::Mac ||
                  op.getKind() == ppl::FloatKind::AbsDiff;
  if (commutes)
    putStridedFirst(command);
  return builder.append(std::move(command));
}

static unsigned funcOf(ppl::IntKind kind, bool saturate) {
  switch (kind) {
  case ppl::IntKind::Add:
    return saturate ? isa::arith::AddSat : isa::arith::Add;
  case ppl::IntKind::Sub:
    return saturate ? isa::arith::SubSat : isa::arith::Sub;
  case ppl::IntKind::Mul:
    return saturate ? isa::arith::MulSat : isa::arith::Mul;
  case ppl::IntKind::Max:
    return isa::arith::Max;
  case ppl::IntKind::Min:
    return isa::arith::Min;
  case ppl::IntKind::And:
    return isa::arith::And;
  case ppl::IntKind::Or:
    return isa::arith::Or;
  case ppl::IntKind::Xor:
    return isa::arith::Xor;
  case ppl::IntKind::ShiftArith:
    return isa::arith::ArithShift;
  case ppl::IntKind::ShiftLogical:
    return isa::arith::LogicalShift;
  case ppl::IntKind::Rotate:
    return isa::arith::Rotate;
  }
  llvm_unreachable("covered switch");
}

/// The element type of an integer constant beside `other`: that type if the
/// value fits, else 32 bits.
static Type constantType(int64_t value, ppl::TensorViewType other) {
  auto type = cast<IntegerType>(other.getElementType());
  unsigned width = type.getWidth();
  int64_t low = type.isUnsigned() ? 0 : -(int64_t(1) << (width - 1));
  int64_t high = (int64_t(1) << (type.isUnsigned() ? width : width - 1)) - 1;
  if (width == 32 || (value >= low && value <= high))
    return type;
  return IntegerType::get(type.getContext(), 32, IntegerType::Signed);
}

// The amount of a shift or of a shift kind: one int8.
static FailureOr<uint32_t> shiftAmount(Value scalar, ProgramBuilder &builder,
                                       Operation *op) {
  FailureOr<int64_t> value = builder.scalarInt(scalar, op);
  if (failed(value))
    return failure();
  if (*value < -32 || *value > 31)
    return op->emitError() << "shift is " << *value << ", must be -32 to 31";
  return uint32_t(*value & 0xff);
}

static LogicalResult setShift(Command &command, ProgramBuilder &builder,
                              ppl::IntOp op, const Placed &dst) {
  command.set(Field::tsk_opd_num, 2);
  if (!op.getShift())
    return success();
  if (ppl::isScalar(op.getShift())) {
    FailureOr<uint32_t> amount = shiftAmount(op.getShift(), builder, op);
    if (failed(amount))
      return failure();
    if (*amount == 0) // the same result with one operand less
      return success();
    command.set(Field::opd2_addr, *amount).set(Field::opd2_const, 1);
    command.set(Field::tsk_opd_num, 3)
        .set(Field::opd2_n_str, unsigned(op.getRounding()));
    return success();
  }
  command.set(Field::tsk_opd_num, 3)
      .set(Field::opd2_n_str, unsigned(op.getRounding()));
  FailureOr<Placed> shift = weft::codegen::setSource(
      command, builder, op.getShift(), Field::opd2_addr);
  return failed(shift) ? failure() : expectLane(command, *shift, dst.lane);
}

static LogicalResult encodeShiftKind(ppl::IntOp op, ProgramBuilder &builder,
                                     Command command, const Placed &dst) {
  if (failed(setArOperand(command, builder, 0, op.getLhs(), dst, {},
                          op.getKind() == ppl::IntKind::ShiftArith)))
    return failure();
  if (ppl::isScalar(op.getRhs())) {
    FailureOr<uint32_t> amount = shiftAmount(op.getRhs(), builder, op);
    if (failed(amount))
      return failure();
    command.set(Field::opd1_addr, *amount)
        .set(Field::opd1_const, 1)
        .set(Field::opd1_sign, 1);
  } else if (failed(setArOperand(command, builder, 1, op.getRhs(), dst, {},
                                 true))) {
    return failure();
  }
  command.set(Field::tsk_opd_num, 2)
      .set(Field::opd2_n_str, unsigned(op.getRounding()));
  return builder.append(std::move(command));
}

static LogicalResult encodeInt(ppl::IntOp op, ProgramBuilder &builder) {
  Command command = Command::tiu(op, isa::TiuType::Arith,
                                 funcOf(op.getKind(), op.getSaturate()));
  FailureOr<Placed> dst = setArResult(command, builder, op.getDst());
  if (failed(dst))
    return failure();
  if (op.getKind() >= ppl::IntKind::ShiftArith)
    return encodeShiftKind(op, builder, std::move(command), *dst);
  Value operands[] = {op.getLhs(), op.getRhs()};
  ppl::TensorViewType tensor = ppl::isScalar(operands[0])
                                   ? ppl::tensorOf(operands[1])
                                   : ppl::tensorOf(operands[0]);
  bool anySigned = false;
  for (unsigned which : {0u, 1u}) {
    Type type = tensor.getElementType();
    if (ppl::isScalar(operands[which])) {
      FailureOr<int64_t> value = builder.scalarInt(operands[which], op);
      if (failed(value))
        return failure();
      type = constantType(*value, tensor);
    } else {
      type = ppl::tensorOf(operands[which]).getElementType();
    }
    anySigned |= cast<IntegerType>(type).isSigned();
    if (failed(setArOperand(command, builder, which, operands[which], *dst,
                            type, true)))
      return failure();
  }
  // The machine saturates to the signed range if an operand is signed, else to
  // the unsigned one.
  if (op.getSaturate() && anySigned != dst->isSigned())
    return op.emitError() << "dst is " << dst->type.getElementType()
                          << " but the result saturates as "
                          << (anySigned ? "signed" : "unsigned")
                          << ": it is signed exactly if an operand is";
  if (op.getKind() != ppl::IntKind::Sub)
    putStridedFirst(command);
  if (failed(setShift(command, builder, op, *dst)))
    return failure();
  return builder.append(std::move(command));
}

static LogicalResult encodeUnary(ppl::UnaryOp op, ProgramBuilder &builder) {
  static constexpr unsigned funcs[] = {
      isa::arith::Copy, isa::arith::Abs, isa::arith::Not,
      isa::arith::LeadingZeros, isa::arith::LeadingOnes};
  Command command =
      Command::tiu(op, isa::TiuType::Arith, funcs[unsigned(op.getKind())]);
  FailureOr<Placed> dst = setArResult(command, builder, op.getDst());
  if (failed(dst) || failed(setArOperand(command, builder, 0, op.getSrc(), *dst,
                                         dst->type.getElementType(), true)))
    return failure();
  if (op.getKind() ==
      ppl::UnaryKind::Copy) // bits unchanged: one precision on both sides
    command.set(Field::opd0_prec, unsigned(dst->precision()));
  command.set(Field::tsk_opd_num, 1);
  return builder.append(std::move(command));
}

static LogicalResult encodeCast(ppl::CastOp op, ProgramBuilder &builder) {
  Command command = Command::tiu(op, isa::TiuType::Arith, isa::arith::Cast);
  FailureOr<Placed> dst = setArResult(command, builder, op.getDst());
  if (failed(dst) ||
      failed(setArOperand(command, builder, 0, op.getSrc(), *dst, {}, true)))
    return failure();
  command.set(Field::tsk_opd_num, 1)
      .set(Field::opd2_n_str, unsigned(op.getRounding()));
  // The sign of the result; floats count as signed in the vendor's encoder.
  if (dst->isSigned() || dst->type.isFloat())
    command.set(Field::opd2_sign, 1);
  return builder.append(std::move(command));
}

static unsigned funcOf(ppl::Relation relation, bool isSelect) {
  switch (relation) {
  case ppl::Relation::Greater:
    return isSelect ? unsigned(isa::cmp::SelectGreater)
                    : unsigned(isa::arith::SelectGreater);
  case ppl::Relation::Equal:
    return isSelect ? unsigned(isa::cmp::SelectEqual)
                    : unsigned(isa::arith::SelectEqual);
  case ppl::Relation::Less:
    return isSelect ? unsigned(isa::cmp::SelectLess)
                    : unsigned(isa::arith::SelectLess);
  }
  llvm_unreachable("covered switch");
}

static LogicalResult encodeCompare(ppl::CompareOp op, ProgramBuilder &builder) {
  Command command =
      Command::tiu(op, isa::TiuType::Arith, funcOf(op.getRelation(), false));
  FailureOr<Placed> dst = setArResult(command, builder, op.getDst());
  if (failed(dst))
    return failure();
  ppl::TensorViewType tensor = ppl::isScalar(op.getLhs())
                                   ? ppl::tensorOf(op.getRhs())
                                   : ppl::tensorOf(op.getLhs());
  if (failed(setArOperand(command, builder, 0, op.getLhs(), *dst,
                          tensor.getElementType(), true)) ||
      failed(setArOperand(command, builder, 1, op.getRhs(), *dst,
                          tensor.getElementType(), true)))
    return failure();
  if (op.getRelation() == ppl::Relation::Equal)
    putStridedFirst(command);
  FailureOr<uint32_t> bits =
      builder.scalarBits(op.getValue(), dst->type.getElementType(), op);
  if (failed(bits))
    return failure();
  command.set(Field::tsk_opd_num, 3)
      .set(Field::opd2_const, 1)
      .set(Field::opd2_addr, *bits);
  command.set(Field::opd2_prec, unsigned(dst->precision()));
  return builder.append(std::move(command));
}

// Operand of the select instruction: aligned tensor or constant.
static LogicalResult setSelectOperand(Command &command, ProgramBuilder &builder,
                                      Value value, Type type, Field address,
                                      Field isConst, unsigned lane) {
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

static LogicalResult encodeSelect(ppl::SelectOp op, ProgramBuilder &builder) {
  Command command =
      Command::tiu(op, isa::TiuType::Compare, funcOf(op.getRelation(), true));
  FailureOr<Placed> dst = setResult(command, builder, op.getDst());
  if (failed(dst))
    return failure();
  setResultShape(command, dst->type);
  ppl::TensorViewType compared = ppl::isScalar(op.getLhs())
                                     ? ppl::tensorOf(op.getRhs())
                                     : ppl::tensorOf(op.getLhs());
  Type type = compared.getElementType(), result = dst->type.getElementType();
  command.set(Field::opd0_prec, unsigned(*ppl::precisionOf(type)));
  command.set(Field::opd2_prec, unsigned(dst->precision()));
  if (ppl::isSigned(compared))
    command.set(Field::opd0_sign, 1);
  if (failed(setSelectOperand(command, builder, op.getLhs(), type,
                              Field::opd0_addr, Field::opd0_const,
                              dst->lane)) ||
      failed(setSelectOperand(command, builder, op.getRhs(), type,
                              Field::opd1_addr, Field::opd1_const,
                              dst->lane)) ||
      failed(setSelectOperand(command, builder, op.getOnTrue(), result,
                              Field::opd2_addr, Field::opd2_const,
                              dst->lane)) ||
      failed(setSelectOperand(command, builder, op.getOnFalse(), result,
                              Field::opd3_addr, Field::opd3_const, dst->lane)))
    return failure();
  return builder.append(std::move(command));
}

static LogicalResult encodeLinear(ppl::LinearOp op, ProgramBuilder &builder) {
  static constexpr unsigned funcs[] = {isa::lin::Mac, isa::lin::SquareSum,
                                       isa::lin::SquareDiff};
  Command command =
      Command::tiu(op, isa::TiuType::Linear, funcs[unsigned(op.getKind())]);
  FailureOr<Placed> dst = setResult(command, builder, op.getDst());
  FailureOr<Placed> src =
      failed(dst) ? FailureOr<Placed>(failure())
                  : weft::codegen::setSource(command, builder, op.getSrc(),
                                             Field::opd0_addr);
  if (failed(src) || failed(expectLane(command, *src, dst->lane)))
    return failure();
  setResultShape(command, dst->type);
  command.set(Field::res0_prec, unsigned(dst->precision()));
  Type type = dst->type.getElementType();
  if (failed(setSelectOperand(command, builder, op.getScale(), type,
                              Field::opd1_addr, Field::opd1_const, dst->lane)))
    return failure();
  if (op.getBias() &&
      failed(setSelectOperand(command, builder, op.getBias(), type,
                              Field::opd2_addr, Field::opd2_const, dst->lane)))
    return failure();
  return builder.append(std::move(command));
}

FailureOr<bool> weft::codegen::encodeTiuArith(Operation *op,
                                              ProgramBuilder &builder) {
  return llvm::TypeSwitch<Operation *, FailureOr<bool>>(op)
      .Case<ppl::FloatOp>([&](auto o) { return done(encodeFloat(o, builder)); })
      .Case<ppl::IntOp>([&](auto o) { return done(encodeInt(o, builder)); })
      .Case<ppl::UnaryOp>([&](auto o) { return done(encodeUnary(o, builder)); })
      .Case<ppl::CastOp>([&](auto o) { return done(encodeCast(o, builder)); })
      .Case<ppl::CompareOp>(
          [&](auto o) { return done(encodeCompare(o, builder)); })
      .Case<ppl::SelectOp>(
          [&](auto o) { return done(encodeSelect(o, builder)); })
      .Case<ppl::LinearOp>(
          [&](auto o) { return done(encodeLinear(o, builder)); })
      .Default(FailureOr<bool>(false));
}
