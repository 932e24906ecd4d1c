//===- Sequence.cpp - recipes of sequences -------------------------------===//

#include "dialects/tpu/recipe/Sequence.h"

#include "runtime/chips/Chip.h"
#include "runtime/numeric/BitCast.h"
#include "runtime/numeric/Float16.h"

using namespace weft;
using namespace weft::tpu;
using catalog::DataType;
using llvm::StringRef;

namespace {
class SequenceWriter {
public:
  SequenceWriter(RecipeBuilder &r, const Sequence &sequence)
      : r(r), sequence(sequence),
        real(sequence.isHalf ? DataType::Fp16 : DataType::Fp32),
        whole(sequence.isHalf ? DataType::Int16 : DataType::Int32) {
    if (!sequence.table.empty())
      coefficients =
          r.table("coefficients", static_cast<int64_t>(sequence.table.size()),
                  real, [numbers = sequence.table, isHalf = sequence.isHalf] {
                    if (!isHalf)
                      return bytesOf<float>(numbers);
                    std::vector<uint16_t> halves;
                    for (float number : numbers)
                      halves.push_back(numeric::floatToHalf(number));
                    return bytesOf<uint16_t>(halves);
                  });
    for (unsigned i = 0; i < sequence.scratchTiles; ++i)
      tiles.push_back(r.scratch("value", r.result().shape, real));
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
    if (element == whole)
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
  const DataType real, whole; ///< of values
};
} // namespace

void SequenceWriter::emitShift(const Step &step, StringRef function) {
  r.call(function, {{"dst", target(step, whole)},
                    {"src", tensor(step.operands[0], whole)},
                    {"shift", source(step.operands[1], whole)},
                    {"round_mode", int64_t(step.rounding)}});
}

void SequenceWriter::emitPolynomial(const Step &step) {
  r.call("tiu.taylor",
         {{"dst", target(step, real)},
          {"src", tensor(step.operands[0], real)},
          {"coeff", r.entries(coefficients, step.first, step.count)},
          {"len", int64_t(step.count)}});
}

void SequenceWriter::emitSelect(const Step &step) {
  DataType compared = step.readsInteger ? whole : real;
  StringRef function =
      step.relation == Step::Relation::Greater ? "tiu.gt_select"
      : step.relation == Step::Relation::Equal ? "tiu.eq_select"
                                               : "tiu.lt_select";
  r.call(function, {{"dst", target(step, real)},
                    {"src0", source(step.operands[0], compared)},
                    {"src1", source(step.operands[1], compared)},
                    {"src2", source(step.operands[2], real)},
                    {"src3", source(step.operands[3], real)}});
}

void SequenceWriter::emitWiden(const Step &step) {
  Tile src = r.operand(step.operands[0].index);
  DataType wide = catalog::isFloat(src.type) ? real : whole;
  Tile dst = target(step, wide);
  if (src.type == wide)
    return r.copy(dst, src);
  emitCast(step, dst, r.repeated(src, dst));
}

void SequenceWriter::emit(const Step &step) {
  switch (step.code) {
  case Step::Add:
    return emitPair(step, "tiu.fadd", real);
  case Step::Sub:
    return emitPair(step, "tiu.fsub", real);
  case Step::Mul:
    return emitPair(step, "tiu.fmul", real);
  case Step::Max:
    return emitPair(step, "tiu.fmax", real);
  case Step::Min:
    return emitPair(step, "tiu.fmin", real);
  case Step::Div:
    return emitPair(step, "tiu.fdiv", real, kDivisionSteps);
  case Step::And:
    return emitPair(step, "tiu.bitwise_and", whole);
  case Step::Or:
    return emitPair(step, "tiu.bitwise_or", whole);
  case Step::Xor:
    return emitPair(step, "tiu.bitwise_xor", whole);
  case Step::IntAdd:
    return emitPair(step, "tiu.add", whole);
  case Step::IntSub:
    return emitPair(step, "tiu.sub", whole);
  case Step::IntMul:
    return emitPair(step, "tiu.mul", whole);
  case Step::ShiftLogical:
    return emitShift(step, "tiu.logical_shift");
  case Step::ShiftArith:
    return emitShift(step, "tiu.shift");
  case Step::Scale:
    return r.scale(target(step, real), tensor(step.operands[0], real),
                   numeric::floatFromBits(step.operands[1].index),
                   numeric::floatFromBits(step.operands[2].index));
  case Step::Abs:
    return r.call("tiu.fabs", {{"dst", target(step, real)},
                               {"src", source(step.operands[0], real)}});
  case Step::Rsqrt:
    return r.call("tiu.frsqrt", {{"dst", target(step, real)},
                                 {"src", source(step.operands[0], real)},
                                 kDivisionSteps});
  case Step::Polynomial:
    return emitPolynomial(step);
  case Step::Round:
    return emitCast(step, target(step, real), tensor(step.operands[0], real));
  case Step::ToInteger:
    return emitCast(step, target(step, whole), tensor(step.operands[0], real));
  case Step::ToReal:
    return emitCast(step, target(step, real), tensor(step.operands[0], whole));
  case Step::Narrow:
    return emitCast(step, target(step, real),
                    tensor(step.operands[0], step.readsInteger ? whole : real));
  case Step::Widen:
    return emitWiden(step);
  case Step::Fill:
    return r.copy(target(step, real), source(step.operands[0], real));
  case Step::Select:
    return emitSelect(step);
  }
}

void weft::tpu::buildSequence(RecipeBuilder &r, const Sequence &sequence) {
  SequenceWriter(r, sequence).run();
}
