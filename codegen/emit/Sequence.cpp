//===- Sequence.cpp - emission of sequences -------------------------------===//

#include "codegen/emit/Sequence.h"

#include "codegen/emit/RawBytes.h"
#include "dialects/ppl/Memory.h"
#include "runtime/chips/Chip.h"

using namespace mlir;
using namespace weft;
using namespace weft::emit;
using tpu::Step;

namespace {
class SequenceEmitter {
public:
  SequenceEmitter(OpEmitter &emitter, const tpu::Sequence &sequence)
      : emitter(emitter), sequence(sequence), builder(emitter.builder),
        f32(builder.getF32Type()),
        si32(IntegerType::get(builder.getContext(), 32, IntegerType::Signed)) {}

  void run() {
    for (const Step &step : sequence.steps)
      emit(step);
  }

private:
  /// The tile that `step` writes.
  Value target(const Step &step, Type element) {
    if (step.place != tpu::kResultTile)
      return emitter.scratch(step.place, element);
    return step.code == Step::Narrow ? emitter.result()
                                     : emitter.as(emitter.result(), element);
  }
  /// Null for a scalar.
  Value tensor(const Step::Operand &operand, Type element) {
    switch (operand.kind) {
    case Step::Operand::Input:
      return emitter.as(emitter.operand(operand.index), element);
    case Step::Operand::Value:
      return target(sequence.steps[operand.index], element);
    default:
      return {};
    }
  }
  Argument source(const Step::Operand &operand, Type element) {
    if (Value found = tensor(operand, element))
      return found;
    if (element == si32)
      return int64_t(static_cast<int32_t>(operand.index));
    return APFloat(APFloat::IEEEsingle(), APInt(32, operand.index))
        .convertToDouble();
  }

  void emit(const Step &step);
  void emitPair(const Step &step, StringRef function, Type element,
                ArrayRef<Named> more = {}) {
    emitter.binary(function, target(step, element),
                   source(step.operands[0], element),
                   source(step.operands[1], element), more);
  }
  void emitShift(const Step &step, StringRef function);
  void emitCast(const Step &step, Value dst, Value src) {
    emitter.cast(dst, src, static_cast<numeric::Rounding>(step.rounding));
  }
  void emitPolynomial(const Step &step);
  void emitSelect(const Step &step);
  void emitWiden(const Step &step);

  OpEmitter &emitter;
  const tpu::Sequence &sequence;
  OpBuilder &builder;
  Type f32, si32;
};
} // namespace

void SequenceEmitter::emitShift(const Step &step, StringRef function) {
  emitter.call(function, {{"dst", target(step, si32)},
                          {"src", tensor(step.operands[0], si32)},
                          {"shift", source(step.operands[1], si32)},
                          {"round_mode", int64_t(step.rounding)}});
}

void SequenceEmitter::emitPolynomial(const Step &step) {
  auto row = ppl::TensorViewType::get(
      {1, static_cast<int64_t>(emitter.chip.lanes), 1, step.count}, f32,
      ppl::Memory::Local, ppl::Layout::Aligned);
  Value coefficients = builder.create<ppl::ViewOp>(
      emitter.loc(), row, emitter.constant(0, f32),
      ArrayRef<int64_t>{0, 0, 0, 0}, step.first * sizeof(float));
  emitter.call("tiu.taylor", {{"dst", target(step, f32)},
                              {"src", tensor(step.operands[0], f32)},
                              {"coeff", coefficients},
                              {"len", int64_t(step.count)}});
}

void SequenceEmitter::emitSelect(const Step &step) {
  Type compared = step.readsInteger ? si32 : f32;
  StringRef function =
      step.relation == Step::Relation::Greater ? "tiu.gt_select"
      : step.relation == Step::Relation::Equal ? "tiu.eq_select"
                                               : "tiu.lt_select";
  emitter.call(function, {{"dst", target(step, f32)},
                          {"src0", source(step.operands[0], compared)},
                          {"src1", source(step.operands[1], compared)},
                          {"src2", source(step.operands[2], f32)},
                          {"src3", source(step.operands[3], f32)}});
}

void SequenceEmitter::emitWiden(const Step &step) {
  Value src = emitter.operand(step.operands[0].index);
  Type element =
      llvm::cast<ppl::TensorViewType>(src.getType()).getElementType();
  Type wide = llvm::isa<FloatType>(element) ? f32 : si32;
  Value dst = target(step, wide);
  if (element == wide)
    return emitter.copy(dst, src);
  emitCast(step, dst, emitter.repeated(src, dst));
}

void SequenceEmitter::emit(const Step &step) {
  switch (step.code) {
  case Step::Add:
    return emitPair(step, "tiu.fadd", f32);
  case Step::Sub:
    return emitPair(step, "tiu.fsub", f32);
  case Step::Mul:
    return emitPair(step, "tiu.fmul", f32);
  case Step::Max:
    return emitPair(step, "tiu.fmax", f32);
  case Step::Min:
    return emitPair(step, "tiu.fmin", f32);
  case Step::Div:
    return emitPair(step, "tiu.fdiv", f32, kDivisionSteps);
  case Step::And:
    return emitPair(step, "tiu.bitwise_and", si32);
  case Step::Or:
    return emitPair(step, "tiu.bitwise_or", si32);
  case Step::Xor:
    return emitPair(step, "tiu.bitwise_xor", si32);
  case Step::IntAdd:
    return emitPair(step, "tiu.add", si32);
  case Step::IntSub:
    return emitPair(step, "tiu.sub", si32);
  case Step::IntMul:
    return emitPair(step, "tiu.mul", si32);
  case Step::ShiftLogical:
    return emitShift(step, "tiu.logical_shift");
  case Step::ShiftArith:
    return emitShift(step, "tiu.shift");
  case Step::Abs:
    return emitter.call("tiu.fabs", {{"dst", target(step, f32)},
                                     {"src", source(step.operands[0], f32)}});
  case Step::Rsqrt:
    return emitter.call("tiu.frsqrt", {{"dst", target(step, f32)},
                                       {"src", source(step.operands[0], f32)},
                                       kDivisionSteps});
  case Step::Polynomial:
    return emitPolynomial(step);
  case Step::Round:
    return emitCast(step, target(step, f32), tensor(step.operands[0], f32));
  case Step::ToInteger:
    return emitCast(step, target(step, si32), tensor(step.operands[0], f32));
  case Step::ToReal:
    return emitCast(step, target(step, f32), tensor(step.operands[0], si32));
  case Step::Narrow:
    return emitCast(step, target(step, f32),
                    tensor(step.operands[0], step.readsInteger ? si32 : f32));
  case Step::Widen:
    return emitWiden(step);
  case Step::Fill:
    return emitter.copy(target(step, f32), source(step.operands[0], f32));
  case Step::Select:
    return emitSelect(step);
  }
}

void weft::emit::emitSequence(OpEmitter &emitter,
                              const tpu::Sequence &sequence) {
  SequenceEmitter(emitter, sequence).run();
}

void weft::emit::packSequence(const tpu::Sequence &sequence,
                              std::vector<PackedBytes> &out) {
  if (!sequence.table.empty())
    out.push_back(toBytes<float>(sequence.table));
}
