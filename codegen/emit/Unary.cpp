//===- Unary.cpp - emission of the Unary family ---------------------------===//

#include "dialects/tpu/Unary.h"

#include "codegen/emit/Emit.h"
#include "codegen/emit/RawBytes.h"
#include "codegen/emit/Sequence.h"
#include "dialects/ppl/Memory.h"
#include "dialects/ppl/TiuArith.h"
#include "dialects/ppl/TiuSpecial.h"
#include "dialects/tpu/sequence/Functions.h"

#include <cmath>

using namespace mlir;
using namespace weft;
using namespace weft::emit;
using tpu::UnaryKind;
using tpu::UnaryOp;

namespace {
/// Shorthand for one-command float arithmetic.
struct Arithmetic {
  OpEmitter &emitter;

  void op(ppl::FloatKind kind, Value dst, Value lhs, Value rhs) {
    emitFloatOp(emitter, kind, dst, lhs, rhs);
  }
  void op(ppl::FloatKind kind, Value dst, Value lhs, double rhs) {
    op(kind, dst, lhs, emitter.f32(rhs));
  }
  void cast(Value dst, Value src,
            ppl::Rounding rounding = ppl::Rounding::HalfToEven) {
    emitter.builder.create<ppl::CastOp>(emitter.loc(), dst, src, rounding);
  }
};
} // namespace

void weft::emit::emitExp(OpEmitter &emitter, Value target, Value source,
                         unsigned firstScratch) {
  // exp(x) = 2^k * e^r with k = round(x / ln 2), r = x - k ln 2 in two parts
  // (Cody and Waite), e^r by its series. Range: k stays in -126..127, so 2^k is
  // a normal number made by writing the exponent field.
  constexpr double kLowest = -87.33, kHighest = 88.37;
  constexpr double kLog2E = 1.4426950408889634, kLn2High = 0.693359375,
                   kLn2Low = -2.12194440e-4;
  OpBuilder &builder = emitter.builder;
  Location loc = emitter.loc();
  Type f32 = builder.getF32Type();
  Type si32 = IntegerType::get(builder.getContext(), 32, IntegerType::Signed);
  Value power = emitter.scratch(firstScratch, f32),
        rest = emitter.scratch(firstScratch + 1, f32),
        product = emitter.scratch(firstScratch + 2, f32),
        series = emitter.scratch(firstScratch + 3, f32);
  Arithmetic math{emitter};
  // 1/k! lies in static memory from word 256 (isa section 9).
  auto rowType =
      ppl::TensorViewType::get({1, 1, 1, tpu::kExpTerms}, f32,
                               ppl::Memory::Static, ppl::Layout::Continuous);
  Value row = builder.create<ppl::StaticOp>(loc, rowType, 1024);
  builder.create<ppl::LaneBroadcastOp>(loc, series, row);
  math.op(ppl::FloatKind::Max, rest, source, kLowest);
  math.op(ppl::FloatKind::Min, rest, rest, kHighest);
  math.op(ppl::FloatKind::Mul, power, rest, kLog2E);
  math.cast(power, power); // f32 to f32: to an integral value
  math.op(ppl::FloatKind::Mul, product, power, kLn2High);
  math.op(ppl::FloatKind::Sub, rest, rest, product);
  math.op(ppl::FloatKind::Mul, product, power, kLn2Low);
  math.op(ppl::FloatKind::Sub, rest, rest, product);
  builder.create<ppl::TaylorOp>(loc, product, rest, series, tpu::kExpTerms);
  Value integer = emitter.as(rest, si32); // free now
  math.cast(integer, power);
  builder.create<ppl::IntOp>(loc, ppl::IntKind::Add, integer, integer,
                             emitter.i32(127));
  builder.create<ppl::IntOp>(loc, ppl::IntKind::ShiftLogical, integer, integer,
                             emitter.i32(23), Value(), ppl::Rounding::HalfUp,
                             false);
  math.op(ppl::FloatKind::Mul, target, product, rest);
}

/// floor, ceil, reciprocal: f32 commands, through f32 for 16-bit types.
static LogicalResult emitThroughF32(UnaryOp op, OpEmitter &emitter) {
  Type f32 = emitter.builder.getF32Type();
  bool narrow = tpu::elementBits(tpu::elementOf(op.getOutput())) == 16;
  Value result = emitter.result(), input = emitter.operand(0);
  Value wide = narrow ? emitter.scratch(0, f32) : result;
  Arithmetic math{emitter};
  if (narrow) {
    math.cast(wide, input);
    input = wide;
  }
  if (op.getKind() == UnaryKind::Reciprocal)
    math.op(ppl::FloatKind::Div, wide, emitter.f32(1.0), input);
  else
    math.cast(wide, input,
              op.getKind() == UnaryKind::Floor ? ppl::Rounding::Floor
                                               : ppl::Rounding::Ceil);
  if (narrow)
    math.cast(result, wide);
  return success();
}

static LogicalResult emitUnary(Operation *operation, OpEmitter &emitter) {
  auto op = llvm::cast<UnaryOp>(operation);
  if (std::optional<tpu::Sequence> sequence = tpu::sequenceOf(op)) {
    emitSequence(emitter, *sequence);
    return success();
  }
  Type element = machineType(tpu::elementOf(op.getOutput()));
  Value result = emitter.result(), input = emitter.operand(0);
  double alpha = op.getAlpha() ? op.getAlphaAttr().getValueAsDouble() : 0.0;
  double beta = op.getBeta() ? op.getBetaAttr().getValueAsDouble() : 0.0;
  Arithmetic math{emitter};
  switch (op.getKind()) {
  case UnaryKind::Abs:
    emitter.builder.create<ppl::UnaryOp>(emitter.loc(), ppl::UnaryKind::Abs,
                                         result, input);
    return success();
  case UnaryKind::Neg:
    math.op(ppl::FloatKind::Sub, result, emitter.f32(0.0), input);
    return success();
  case UnaryKind::Relu:
    math.op(ppl::FloatKind::Max, result, input, 0.0);
    return success();
  case UnaryKind::Clip:
    math.op(ppl::FloatKind::Max, result, input, alpha);
    math.op(ppl::FloatKind::Min, result, result, beta);
    return success();
  case UnaryKind::HardSigmoid:
    math.op(ppl::FloatKind::Mul, result, input, alpha);
    math.op(ppl::FloatKind::Add, result, result, beta);
    math.op(ppl::FloatKind::Max, result, result, 0.0);
    math.op(ppl::FloatKind::Min, result, result, 1.0);
    return success();
  case UnaryKind::HardSwish: {
    Value gate = emitter.scratch(0, element);
    math.op(ppl::FloatKind::Mul, gate, input, 1.0 / 6.0);
    math.op(ppl::FloatKind::Add, gate, gate, 0.5);
    math.op(ppl::FloatKind::Max, gate, gate, 0.0);
    math.op(ppl::FloatKind::Min, gate, gate, 1.0);
    math.op(ppl::FloatKind::Mul, result, input, gate);
    return success();
  }
  case UnaryKind::LeakyRelu: {
    Value scaled = emitter.scratch(0, element);
    math.op(ppl::FloatKind::Mul, scaled, input, alpha);
    math.op(alpha <= 1.0 ? ppl::FloatKind::Max : ppl::FloatKind::Min, result,
            input, scaled);
    return success();
  }
  case UnaryKind::Floor:
  case UnaryKind::Ceil:
  case UnaryKind::Reciprocal:
    return emitThroughF32(op, emitter);
  default:
    llvm_unreachable("the other kinds are sequences");
  }
}

static LogicalResult packUnary(Operation *operation, const Chip &,
                               std::vector<PackedBytes> &out) {
  if (auto sequence = tpu::sequenceOf(llvm::cast<UnaryOp>(operation)))
    packSequence(*sequence, out);
  return success();
}

static LogicalResult packLut(Operation *operation, const Chip &,
                             std::vector<PackedBytes> &out) {
  auto op = llvm::cast<tpu::LutOp>(operation);
  FailureOr<PackedBytes> table = weightBytes(op, op.getTable());
  if (failed(table))
    return failure();
  out.push_back(*table);
  return success();
}

static LogicalResult emitLut(Operation *operation, OpEmitter &emitter) {
  auto op = llvm::cast<tpu::LutOp>(operation);
  Type ui8 = IntegerType::get(op.getContext(), 8, IntegerType::Unsigned);
  emitter.builder.create<ppl::LookupOp>(
      emitter.loc(), emitter.as(emitter.result(), ui8),
      emitter.as(emitter.operand(0), ui8), emitter.constant(0, ui8));
  return success();
}

void weft::emit::registerUnary(EmitTable &table) {
  table.local["tpu.unary"] = emitUnary;
  table.pack["tpu.unary"] = packUnary;
  table.local["tpu.lut"] = emitLut;
  table.pack["tpu.lut"] = packLut;
}
