//===- Sequence.cpp - emission of sequences -------------------------------===//

#include "codegen/emit/Sequence.h"

#include "codegen/emit/RawBytes.h"
#include "dialects/ppl/Memory.h"
#include "dialects/ppl/TiuArith.h"
#include "dialects/ppl/TiuSpecial.h"
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
  Value source(const Step::Operand &operand, Type element) {
    switch (operand.kind) {
    case Step::Operand::Input:
      return emitter.as(emitter.operand(operand.index), element);
    case Step::Operand::Value: {
      const Step &step = sequence.steps[operand.index];
      return target(step, element);
    }
    default:
      return scalar(operand.index, element);
    }
  }
  Value scalar(uint32_t bits, Type element) {
    if (element == si32)
      return emitter.i32(static_cast<int32_t>(bits));
    APFloat number(APFloat::IEEEsingle(), APInt(32, bits));
    return builder.create<arith::ConstantOp>(emitter.loc(),
                                             FloatAttr::get(f32, number));
  }

  void emit(const Step &step);
  void emitFloat(const Step &step, ppl::FloatKind kind);
  void emitInteger(const Step &step, ppl::IntKind kind);
  void emitCast(const Step &step, Value dst, Value src);
  void emitPolynomial(const Step &step);
  void emitSelect(const Step &step);
  void emitWiden(const Step &step);

  OpEmitter &emitter;
  const tpu::Sequence &sequence;
  OpBuilder &builder;
  Type f32, si32;
};
} // namespace

void SequenceEmitter::emitFloat(const Step &step, ppl::FloatKind kind) {
  emitFloatOp(emitter, kind, target(step, f32), source(step.operands[0], f32),
              source(step.operands[1], f32));
}

void SequenceEmitter::emitInteger(const Step &step, ppl::IntKind kind) {
  builder.create<ppl::IntOp>(
      emitter.loc(), kind, target(step, si32), source(step.operands[0], si32),
      source(step.operands[1], si32), Value(),
      static_cast<ppl::Rounding>(step.rounding), /*saturate=*/false);
}

void SequenceEmitter::emitCast(const Step &step, Value dst, Value src) {
  builder.create<ppl::CastOp>(emitter.loc(), dst, src,
                              static_cast<ppl::Rounding>(step.rounding));
}

void SequenceEmitter::emitPolynomial(const Step &step) {
  auto row = ppl::TensorViewType::get(
      {1, static_cast<int64_t>(emitter.chip.lanes), 1, step.count}, f32,
      ppl::Memory::Local, ppl::Layout::Compact);
  Value coefficients = builder.create<ppl::ViewOp>(
      emitter.loc(), row, emitter.constant(0, f32),
      ArrayRef<int64_t>{0, 0, 0, 0}, step.first * sizeof(float));
  builder.create<ppl::TaylorOp>(emitter.loc(), target(step, f32),
                                source(step.operands[0], f32), coefficients,
                                step.count);
}

void SequenceEmitter::emitSelect(const Step &step) {
  Type compared = step.readsInteger ? si32 : f32;
  auto relation =
      step.relation == Step::Relation::Greater ? ppl::Relation::Greater
      : step.relation == Step::Relation::Equal ? ppl::Relation::Equal
                                               : ppl::Relation::Less;
  builder.create<ppl::SelectOp>(
      emitter.loc(), relation, target(step, f32),
      source(step.operands[0], compared), source(step.operands[1], compared),
      source(step.operands[2], f32), source(step.operands[3], f32));
}

void SequenceEmitter::emitWiden(const Step &step) {
  Value src = emitter.operand(step.operands[0].index);
  Type element =
      llvm::cast<ppl::TensorViewType>(src.getType()).getElementType();
  Type wide = llvm::isa<FloatType>(element) ? f32 : si32;
  Value dst = target(step, wide);
  if (element == wide)
    return emitCopy(emitter, dst, src);
  emitCast(step, dst, src);
}

void SequenceEmitter::emit(const Step &step) {
  switch (step.code) {
  case Step::Add:
    return emitFloat(step, ppl::FloatKind::Add);
  case Step::Sub:
    return emitFloat(step, ppl::FloatKind::Sub);
  case Step::Mul:
    return emitFloat(step, ppl::FloatKind::Mul);
  case Step::Max:
    return emitFloat(step, ppl::FloatKind::Max);
  case Step::Min:
    return emitFloat(step, ppl::FloatKind::Min);
  case Step::Div:
    return emitFloat(step, ppl::FloatKind::Div);
  case Step::And:
    return emitInteger(step, ppl::IntKind::And);
  case Step::Or:
    return emitInteger(step, ppl::IntKind::Or);
  case Step::Xor:
    return emitInteger(step, ppl::IntKind::Xor);
  case Step::IntAdd:
    return emitInteger(step, ppl::IntKind::Add);
  case Step::IntSub:
    return emitInteger(step, ppl::IntKind::Sub);
  case Step::IntMul:
    return emitInteger(step, ppl::IntKind::Mul);
  case Step::ShiftLogical:
    return emitInteger(step, ppl::IntKind::ShiftLogical);
  case Step::ShiftArith:
    return emitInteger(step, ppl::IntKind::ShiftArith);
  case Step::Abs:
    builder.create<ppl::UnaryOp>(emitter.loc(), ppl::UnaryKind::Abs,
                                 target(step, f32),
                                 source(step.operands[0], f32));
    return;
  case Step::Rsqrt:
    builder.create<ppl::RsqrtOp>(emitter.loc(), target(step, f32),
                                 source(step.operands[0], f32), 3u);
    return;
  case Step::Polynomial:
    return emitPolynomial(step);
  case Step::Round:
    return emitCast(step, target(step, f32), source(step.operands[0], f32));
  case Step::ToInteger:
    return emitCast(step, target(step, si32), source(step.operands[0], f32));
  case Step::ToReal:
    return emitCast(step, target(step, f32), source(step.operands[0], si32));
  case Step::Narrow:
    return emitCast(step, target(step, f32),
                    source(step.operands[0], step.readsInteger ? si32 : f32));
  case Step::Widen:
    return emitWiden(step);
  case Step::Fill:
    return emitCopy(emitter, target(step, f32), source(step.operands[0], f32));
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
