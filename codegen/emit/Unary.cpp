//===- Unary.cpp - emission of the Unary family ---------------------------===//

#include "dialects/tpu/Unary.h"

#include "codegen/emit/Emit.h"
#include "codegen/emit/RawBytes.h"

#include <cmath>

using namespace mlir;
using namespace weft;
using namespace weft::emit;
using tpu::UnaryKind;
using tpu::UnaryOp;

void weft::emit::emitExp(OpEmitter &emitter, Value target, Value source,
                         unsigned firstScratch) {
  // exp(x) = 2^k * e^r with k = round(x / ln 2), r = x - k ln 2 in two parts
  // (Cody and Waite), e^r by its series. Range: k stays in -126..127, so 2^k is
  // a normal number made by writing the exponent field.
  const double kLowest = asFloat(-87.33), kHighest = asFloat(88.37);
  const double kLog2E = asFloat(1.4426950408889634), kLn2High = 0.693359375,
               kLn2Low = asFloat(-2.12194440e-4);
  MLIRContext *context = emitter.builder.getContext();
  Type f32 = Float32Type::get(context);
  Type si32 = IntegerType::get(context, 32, IntegerType::Signed);
  Value power = emitter.scratch(firstScratch, f32),
        rest = emitter.scratch(firstScratch + 1, f32),
        product = emitter.scratch(firstScratch + 2, f32),
        series = emitter.scratch(firstScratch + 3, f32);
  constexpr int64_t kInverseFactorials = 0; // coeff_table_mode_t EXP
  emitter.call("tiu.smem_bcast",
               {{"dst", series}, {"coeff_mode", kInverseFactorials}});
  emitter.binary("tiu.fmax", rest, source, kLowest);
  emitter.binary("tiu.fmin", rest, rest, kHighest);
  emitter.binary("tiu.fmul", power, rest, kLog2E);
  emitter.cast(power, power); // to an integral value
  emitter.binary("tiu.fmul", product, power, kLn2High);
  emitter.binary("tiu.fsub", rest, rest, product);
  emitter.binary("tiu.fmul", product, power, kLn2Low);
  emitter.binary("tiu.fsub", rest, rest, product);
  emitter.call("tiu.taylor", {{"dst", product},
                              {"src", rest},
                              {"coeff", series},
                              {"len", tpu::kExpTerms}});
  Value integer = emitter.as(rest, si32); // free now
  emitter.cast(integer, power);
  emitter.binary("tiu.add", integer, integer, 127);
  emitter.call("tiu.logical_shift",
               {{"dst", integer},
                {"src", integer},
                {"shift", 23},
                {"round_mode", int64_t(numeric::Rounding::HalfUp)}});
  emitter.binary("tiu.fmul", target, product, rest);
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
  // The codes of a channel one after the other, each the place of its value.
  auto asRow = [&](Value tensor) {
    auto type = llvm::cast<ppl::TensorViewType>(tensor.getType());
    return emitter.as(tensor, ui8,
                      {type.getN(), type.getC(), 1, type.getH() * type.getW()});
  };
  // One table a lane, of which there are no more than channels.
  Value result = emitter.result();
  Value table = emitter.constant(0, ui8);
  auto type = llvm::cast<ppl::TensorViewType>(table.getType());
  int64_t tables = std::min(
      type.getC(), llvm::cast<ppl::TensorViewType>(result.getType()).getC());
  emitter.call("tiu.gather_w",
               {{"dst", asRow(result)},
                {"param", emitter.as(table, ui8, {1, tables, 1, type.getW()})},
                {"index", asRow(emitter.operand(0))},
                {"is_param_repeated", true}});
  return success();
}

void weft::emit::registerUnary(EmitTable &table) {
  table.local["tpu.lut"] = emitLut;
  table.pack["tpu.lut"] = packLut;
}
