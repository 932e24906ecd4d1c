//===- Sequence.cpp - recipes of sequences -------------------------------===//

#include "dialects/tpu/recipe/Sequence.h"

#include "runtime/chips/Chip.h"
#include "runtime/numeric/BitCast.h"

using namespace weft;
using namespace weft::tpu;
using catalog::DataType;
using llvm::StringRef;

namespace {
class SequenceWriter {
public:
  SequenceWriter(RecipeBuilder &r, const Sequence &sequence)
      : r(r), sequence(sequence) {
    if (!sequence.table.empty())
      coefficients = r.table(
          "coefficients", static_cast<int64_t>(sequence.table.size()), f32,
          [numbers = sequence.table] { return bytesOf<float>(numbers); });
    for (unsigned i = 0; i < sequence.scratchTiles; ++i)
      tiles.push_back(r.scratch("value", r.result().shape, f32));
  }

  void run() {
    for (const Step &step : sequence.steps)
      emit(step);
  }

private:
  /// The tile that `step` writes.
  Tile target(const Step &step, DataType element) {
    if (step.place != kResultTile)
      return r.as(tiles[step.place], element);
    return step.code == Step::Narrow ? r.result() : r.as(r.result(), element);
  }
  /// Null for a scalar.
  Tile tensor(const Step::Operand &operand, DataType element) {
    switch (operand.kind) {
    case Step::Operand::Input:
      return r.as(r.operand(operand.index), element);
    case Step::Operand::Value:
      return target(sequence.steps[operand.index], element);
    default:
      return {};
    }
  }
  RecipeArgument source(const Step::Operand &operand, DataType element) {
    if (Tile found = tensor(operand, element))
      return found;
    if (element == si32)
      return int64_t(static_cast<int32_t>(operand.index));
    return double(numeric::floatFromBits(operand.index));
  }

  void emit(const Step &step);
  void emitPair(const Step &step, StringRef function, DataType element,
                llvm::ArrayRef<Given> more = {}) {
    r.binary(function, target(step, element), source(step.operands[0], element),
             source(step.operands[1], element), more);
  }
  void emitShift(const Step &step, StringRef function);
  void emitCast(const Step &step, Tile dst, Tile src) {
    r.cast(dst, src, static_cast<numeric::Rounding>(step.rounding));
  }
  void emitPolynomial(const Step &step);
  void emitSelect(const Step &step);
  void emitWiden(const Step &step);

  RecipeBuilder &r;
  const Sequence &sequence;
  Tile coefficients;
  std::vector<Tile> tiles;
  static constexpr DataType f32 = DataType::Fp32, si32 = DataType::Int32;
};
} // namespace

void SequenceWriter::emitShift(const Step &step, StringRef function) {
  r.call(function, {{"dst", target(step, si32)},
                    {"src", tensor(step.operands[0], si32)},
                    {"shift", source(step.operands[1], si32)},
                    {"round_mode", int64_t(step.rounding)}});
}

void SequenceWriter::emitPolynomial(const Step &step) {
  r.call("tiu.taylor",
         {{"dst", target(step, f32)},
          {"src", tensor(step.operands[0], f32)},
          {"coeff", r.entries(coefficients, step.first, step.count)},
          {"len", int64_t(step.count)}});
}

void SequenceWriter::emitSelect(const Step &step) {
  DataType compared = step.readsInteger ? si32 : f32;
  StringRef function =
      step.relation == Step::Relation::Greater ? "tiu.gt_select"
      : step.relation == Step::Relation::Equal ? "tiu.eq_select"
                                               : "tiu.lt_select";
  r.call(function, {{"dst", target(step, f32)},
                    {"src0", source(step.operands[0], compared)},
                    {"src1", source(step.operands[1], compared)},
                    {"src2", source(step.operands[2], f32)},
                    {"src3", source(step.operands[3], f32)}});
}

void SequenceWriter::emitWiden(const Step &step) {
  Tile src = r.operand(step.operands[0].index);
  DataType wide = catalog::isFloat(src.type) ? f32 : si32;
  Tile dst = target(step, wide);
  if (src.type == wide)
    return r.copy(dst, src);
  emitCast(step, dst, r.repeated(src, dst));
}

void SequenceWriter::emit(const Step &step) {
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
    return r.call("tiu.fabs", {{"dst", target(step, f32)},
                               {"src", source(step.operands[0], f32)}});
  case Step::Rsqrt:
    return r.call("tiu.frsqrt", {{"dst", target(step, f32)},
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
    return r.copy(target(step, f32), source(step.operands[0], f32));
  case Step::Select:
    return emitSelect(step);
  }
}

void weft::tpu::buildSequence(RecipeBuilder &r, const Sequence &sequence) {
  SequenceWriter(r, sequence).run();
}
