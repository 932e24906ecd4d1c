//===- TiuPointwise.cpp - random calls -----------------------------------===//

#include "tests/ops/ppl/samplers/ElementDraw.h"

using namespace weft;
using namespace weft::cases;
using namespace weft::catalog;

/// dst and src of one type, src now and then a number.
static void sampleUnary(Numbers &numbers, Case &drawn) {
  ElementDraw draw(numbers, drawn);
  DataType type = draw.typeFor("dst");
  draw.anywhere("dst", type, draw.shape);
  bool takesNumber =
      draw.operation().slot("src")->kind == SlotKind::TensorOrScalar;
  if (takesNumber && draw.chance(0.1))
    draw.anyNumber("src", type);
  else
    draw.anywhere("src", type, draw.shape);
  if (draw.operation().slot("round_mode"))
    draw.choose("round_mode", 6);
}

/// As frsqrt wants it.
static void sampleAligned(Numbers &numbers, Case &drawn) {
  ElementDraw draw(numbers, drawn);
  DataType type = draw.typeFor("dst");
  draw.aligned("dst", type, draw.shape);
  draw.aligned("src", type, draw.shape);
  if (draw.operation().slot("num_iter"))
    draw.number("num_iter", draw.between(1, 4));
}

static void samplePair(Numbers &numbers, Case &drawn) {
  ElementDraw draw(numbers, drawn);
  DataType type = draw.typeFor("dst");
  draw.anywhere("dst", type, draw.shape);
  draw.operand("src0", type, true);
  draw.operand("src1", type, true);
  if (draw.operation().slot("src2"))
    draw.operand("src2", type, true);
  if (draw.operation().slot("num_iter"))
    draw.number("num_iter", draw.between(1, 4));
}

/// A shift of each channel in the range that numbers have.
static void sampleChannelShift(ElementDraw &draw, int64_t low) {
  draw.compact("shift", DataType::Int8, {1, draw.shape[1], 1, 1});
  Dense &shift = draw.values("shift");
  for (int64_t i = 0; i < shift.elements(); ++i)
    shift.setBits(i, uint64_t(draw.between(low, 31)));
}

static void sampleShifted(Numbers &numbers, Case &drawn) {
  ElementDraw draw(numbers, drawn);
  draw.anywhere("dst", draw.typeFor("dst"), draw.shape);
  draw.operand("src0", draw.typeFor("src0"), true);
  draw.operand("src1", draw.typeFor("src1"), true);
  int64_t low = draw.operation().name == "tiu.mul" ? -64 : -32;
  if (draw.chance(0.3))
    sampleChannelShift(draw, low);
  else if (draw.chance(0.8))
    draw.number("shift",
                draw.chance(0.7) ? draw.between(-9, 4) : draw.between(low, 31));
  draw.choose("round_mode", 6);
  draw.choose("saturation", 1);
}

static void sampleMac(Numbers &numbers, Case &drawn) {
  ElementDraw draw(numbers, drawn);
  draw.anywhere("dst", draw.typeFor("dst"), draw.shape);
  draw.operand("src0", draw.typeFor("src0"), true);
  draw.operand("src1", draw.typeFor("src1"), true);
  draw.number("l_shift",
              draw.chance(0.7) ? draw.between(0, 5) : draw.between(0, 31));
  draw.number("r_shift",
              draw.chance(0.7) ? draw.between(0, 9) : draw.between(0, 31));
  draw.choose("round_mode", 6);
}

static void sampleCast(Numbers &numbers, Case &drawn) {
  ElementDraw draw(numbers, drawn);
  draw.anywhere("dst", draw.typeFor("dst"), draw.shape);
  draw.anywhere("src", draw.typeFor("src"), draw.shape);
  draw.choose("round_mode", 6);
}

static void sampleShift(Numbers &numbers, Case &drawn) {
  ElementDraw draw(numbers, drawn);
  bool rotates = draw.operation().name == "tiu.circular_shift";
  DataType type = draw.typeFor("dst");
  draw.anywhere("dst", type, draw.shape);
  if (rotates && draw.chance(0.2))
    draw.anyNumber("src", type);
  else
    draw.anywhere("src", rotates ? type : draw.typeFor("src"), draw.shape);
  int64_t most = rotates ? int64_t(bitsOf(type)) - 1 : 31;
  if (draw.chance(0.5)) {
    draw.number("shift", draw.between(rotates ? -most : -32, most));
  } else {
    draw.anywhere("shift", draw.typeFor("shift"), draw.shape);
    Dense &shift = draw.values("shift");
    for (int64_t i = 0; i < shift.elements(); ++i)
      shift.setBits(i, uint64_t(draw.between(rotates ? -most : -32, most)));
  }
  draw.choose("round_mode", 6);
}

/// Arguments over the range where the result is neither 0 nor infinite, and
/// beyond it.
static void sampleExp(Numbers &numbers, Case &drawn) {
  ElementDraw draw(numbers, drawn);
  DataType type = draw.typeFor("dst");
  draw.anywhere("dst", type, draw.shape);
  draw.anywhere("src", type, draw.shape);
  if (draw.chance(0.3))
    return;
  Dense &src = draw.values("src");
  for (int64_t i = 0; i < src.elements(); ++i)
    src.setValue(i, numbers.real(-110, 95));
}

static void sampleLogx(Numbers &numbers, Case &drawn) {
  ElementDraw draw(numbers, drawn);
  DataType type = draw.typeFor("dst");
  draw.anywhere("dst", type, draw.shape);
  draw.anywhere("src", type, draw.shape);
  draw.aligned("work", type, draw.shape);
  draw.tensor("coeff", type, {1, 64, 1, draw.between(16, 20)});
  Dense &table = draw.values("coeff");
  for (int64_t i = 0; i < table.elements(); ++i) {
    int64_t k = i % table.shape[3];
    table.setValue(i, k == 0 ? 0 : (k % 2 ? 1.0 : -1.0) / double(k));
  }
  draw.real("x", draw.oneOf<double>({2, 10, 2.718281828, 0.5, 1.0001}));
}

std::vector<SampleRow> cases::tiuPointwiseSamplers() {
  return {
      {"tiu.abs", sampleUnary},
      {"tiu.fabs", sampleUnary},
      {"tiu.add", sampleShifted},
      {"tiu.fadd", samplePair},
      {"tiu.bitwise_not", sampleUnary},
      {"tiu.bitwise_and", samplePair},
      {"tiu.bitwise_or", samplePair},
      {"tiu.bitwise_xor", samplePair},
      {"tiu.cast", sampleCast},
      {"tiu.ceiling", sampleUnary},
      {"tiu.floor", sampleUnary},
      {"tiu.round", sampleUnary},
      {"tiu.fdiv", samplePair},
      {"tiu.frsqrt", sampleAligned},
      {"tiu.fexp", sampleExp},
      {"tiu.flog_base", sampleAligned},
      {"tiu.flogx", sampleLogx},
      {"tiu.mac", sampleMac},
      {"tiu.fmac", samplePair},
      {"tiu.fmul_add", samplePair},
      {"tiu.mul", sampleShifted},
      {"tiu.fmul", samplePair},
      {"tiu.sub", sampleShifted},
      {"tiu.fsub", samplePair},
      {"tiu.fsub_abs", samplePair},
      {"tiu.shift", sampleShift},
      {"tiu.logical_shift", sampleShift},
      {"tiu.circular_shift", sampleShift},
  };
}
