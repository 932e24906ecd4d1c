//===- TiuSpecial.cpp - TIU special functions and moves ------------------===//

#include "dialects/ppl/TiuSpecial.h"
#include "codegen/encode/ProgramBuilder.h"

#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace weft::codegen;
using weft::isa::Field;
namespace isa = weft::isa;
namespace ppl = weft::ppl;

// Result and source with their addresses, the result's shape and precision.
template <typename OpType>
static FailureOr<std::pair<Placed, Placed>>
setFrame(Command &command, ProgramBuilder &builder, OpType op,
         Field source = Field::opd0_addr) {
  FailureOr<Placed> dst = setResult(command, builder, op.getDst());
  if (failed(dst))
    return failure();
  FailureOr<Placed> src =
      weft::codegen::setSource(command, builder, op.getSrc(), source);
  if (failed(src))
    return failure();
  setResultShape(command, dst->type);
  command.set(Field::res0_prec, unsigned(dst->precision()));
  return std::pair(*dst, *src);
}

// A table in every lane, starting in lane 0.
static LogicalResult setTable(Command &command, ProgramBuilder &builder,
                              Value table, Field address) {
  FailureOr<Placed> placed =
      weft::codegen::setSource(command, builder, table, address);
  return failed(placed) ? failure() : expectLane(command, *placed, 0);
}

static LogicalResult encodeTaylor(ppl::TaylorOp op, ProgramBuilder &builder) {
  Command command = Command::tiu(op, isa::TiuType::Special, isa::sfu::Taylor4x);
  auto frame = setFrame(command, builder, op);
  if (failed(frame) ||
      failed(expectLane(command, frame->second, frame->first.lane)) ||
      failed(
          setTable(command, builder, op.getCoefficients(), Field::opd1_addr)))
    return failure();
  command.set(Field::opd0_prec, unsigned(frame->second.precision()));
  // opd2_n_str 1 is what the vendor's generator writes for this function.
  command.set(Field::opd1_n, op.getCount()).set(Field::opd2_n_str, 1);
  return builder.append(std::move(command));
}

static LogicalResult encodeRsqrt(ppl::RsqrtOp op, ProgramBuilder &builder) {
  Command command = Command::tiu(op, isa::TiuType::Special, isa::sfu::Rsqrt);
  auto frame = setFrame(command, builder, op);
  if (failed(frame) ||
      failed(expectLane(command, frame->second, frame->first.lane)))
    return failure();
  command.set(Field::opd0_prec, unsigned(frame->second.precision()));
  command.set(Field::opd2_n_str, op.getIterations() - 1)
      .set(Field::opd1_n, op.getIterations());
  return builder.append(std::move(command));
}

static LogicalResult encodeNorm(ppl::NormOp op, ProgramBuilder &builder) {
  Command command =
      Command::tiu(op, isa::TiuType::Special, isa::sfu::Normalize);
  auto frame = setFrame(command, builder, op);
  if (failed(frame) ||
      failed(expectLane(command, frame->second, frame->first.lane)))
    return failure();
  command.set(Field::opd0_prec, unsigned(frame->second.precision()))
      .set(Field::opd2_n_str, 3);
  return builder.append(std::move(command));
}

static LogicalResult encodeLookup(ppl::LookupOp op, ProgramBuilder &builder) {
  Command command =
      Command::tiu(op, isa::TiuType::Gather, isa::sg::GatherPerChannel);
  auto frame = setFrame(command, builder, op, Field::opd1_addr);
  if (failed(frame) ||
      failed(expectLane(command, frame->second, frame->first.lane)) ||
      failed(setTable(command, builder, op.getTable(), Field::opd0_addr)))
    return failure();
  const Placed &dst = frame->first;
  int64_t plane = dst.type.getH() * dst.type.getW();
  command.set(Field::opd0_str, unsigned(isa::Layout::PerLane));
  command.set(Field::opd0_prec, unsigned(dst.precision()));
  command.set(Field::opd1_prec, unsigned(frame->second.precision()));
  command.set(Field::opd0_h, 1)
      .set(Field::opd0_w, op.getTable().getType().getW());
  command.set(Field::opd1_c, dst.type.getC()).set(Field::opd1_w, plane);
  command.set(Field::res0_h, 1).set(Field::res0_w, plane);
  return builder.append(std::move(command));
}

static LogicalResult encodeTranspose(ppl::TransposeOp op,
                                     ProgramBuilder &builder) {
  Command command = Command::tiu(op, isa::TiuType::TransposeBroadcast,
                                 op.getKind() == ppl::TransposeKind::CW
                                     ? isa::tsbc::CwTranspose
                                     : isa::tsbc::WcTranspose);
  auto frame = setFrame(command, builder, op);
  if (failed(frame) || failed(expectLane(command, frame->first, 0)) ||
      failed(expectLane(command, frame->second, 0))) // (C4)
    return failure();
  command.set(Field::opd0_c, frame->second.type.getC())
      .set(Field::opd0_w, frame->second.type.getW());
  return builder.append(std::move(command));
}

static LogicalResult encodeLaneBroadcast(ppl::LaneBroadcastOp op,
                                         ProgramBuilder &builder) {
  bool isStatic = op.getSrc().getType().isStatic();
  Command command = Command::tiu(op, isa::TiuType::TransposeBroadcast,
                                 isStatic ? isa::tsbc::StaticBroadcast
                                          : isa::tsbc::LaneBroadcast);
  auto frame = setFrame(command, builder, op);
  if (failed(frame))
    return failure();
  const Placed &dst = frame->first;
  if (dst.lane + dst.type.getC() > builder.chip.lanes) // (C3)
    return op.emitError() << "lanes " << dst.lane << " to "
                          << dst.lane + dst.type.getC()
                          << " are written, there are " << builder.chip.lanes;
  command.set(Field::opd0_c, isStatic ? dst.type.getC() : 1)
      .set(Field::opd0_w, dst.type.getW());
  return builder.append(std::move(command));
}

static LogicalResult encodeLaneCopy(ppl::LaneCopyOp op,
                                    ProgramBuilder &builder) {
  Command command =
      Command::tiu(op, isa::TiuType::TransposeBroadcast, isa::tsbc::LaneCopy);
  auto frame = setFrame(command, builder, op);
  if (failed(frame))
    return failure();
  command.set(Field::opd0_c, frame->second.type.getC())
      .set(Field::opd0_w, frame->second.type.getW());
  return builder.append(std::move(command));
}

FailureOr<bool> weft::codegen::encodeTiuSpecial(Operation *op,
                                                ProgramBuilder &builder) {
  return llvm::TypeSwitch<Operation *, FailureOr<bool>>(op)
      .Case<ppl::TaylorOp>(
          [&](auto o) { return done(encodeTaylor(o, builder)); })
      .Case<ppl::RsqrtOp>([&](auto o) { return done(encodeRsqrt(o, builder)); })
      .Case<ppl::NormOp>([&](auto o) { return done(encodeNorm(o, builder)); })
      .Case<ppl::LookupOp>(
          [&](auto o) { return done(encodeLookup(o, builder)); })
      .Case<ppl::TransposeOp>(
          [&](auto o) { return done(encodeTranspose(o, builder)); })
      .Case<ppl::LaneBroadcastOp>(
          [&](auto o) { return done(encodeLaneBroadcast(o, builder)); })
      .Case<ppl::LaneCopyOp>(
          [&](auto o) { return done(encodeLaneCopy(o, builder)); })
      .Default(FailureOr<bool>(false));
}
