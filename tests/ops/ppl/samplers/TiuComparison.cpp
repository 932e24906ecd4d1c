//===- TiuComparison.cpp - random calls ----------------------------------===//

#include "tests/ops/ppl/samplers/ElementDraw.h"

using namespace weft;
using namespace weft::cases;
using namespace weft::catalog;

static void sampleExtreme(Numbers &numbers, Case &drawn) {
  ElementDraw draw(numbers, drawn);
  DataType type = draw.typeFor("dst");
  draw.anywhere("dst", type, draw.shape);
  draw.operand("src0", type, false);
  draw.operand("src1", type, false);
}

/// Makes about half of the elements equal to those of another tensor.
static void matchSome(ElementDraw &draw, std::string_view slot,
                      const Dense &other) {
  Dense &dense = draw.values(slot);
  for (int64_t i = 0; i < dense.elements(); ++i)
    if (draw.chance(0.5))
      dense.setBits(i, other.bits(i % other.elements()));
}

static void sampleMask(Numbers &numbers, Case &drawn) {
  ElementDraw draw(numbers, drawn);
  DataType type = draw.typeFor("src0"), result = draw.typeFor("dst");
  draw.anywhere("dst", result, draw.shape);
  draw.operand("src0", type, false);
  draw.operand("src1", type, false);
  if (draw.has("src0") && draw.has("src1"))
    matchSome(draw, "src1", draw.values("src0"));
  draw.anyNumber("true_val", result);
}

static void sampleOuter(Numbers &numbers, Case &drawn) {
  ElementDraw draw(numbers, drawn);
  DataType type = draw.typeFor("dst");
  Dims a = {1, draw.between(1, 12), 1, draw.between(1, 9)},
       b = {1, draw.between(1, 80), 1, draw.between(1, 30)};
  draw.aligned("dst", type, {a[1] * a[3], b[1], 1, b[3]});
  draw.aligned("src1", type, b);
  draw.lane = draw.chance(0.3) ? unsigned(draw.between(0, 63)) : draw.lane;
  draw.aligned("src0", type, a);
}

/// src0 or src1 of a select: whole, one element a channel, or a number.
static void sampleCompared(ElementDraw &draw, std::string_view slot,
                           DataType type) {
  if (draw.chance(0.2))
    return draw.anyNumber(slot, type);
  Dims dims = draw.shape;
  if (draw.chance(0.3))
    dims = {1, std::min<int64_t>(draw.shape[1], 64), 1, 1};
  if (draw.chance(0.7))
    draw.aligned(slot, type, dims);
  else
    draw.compact(slot, type, dims);
}

static void sampleSelect(Numbers &numbers, Case &drawn) {
  ElementDraw draw(numbers, drawn);
  bool givesExtreme = draw.operation().slot("dst1");
  std::string_view chosen = givesExtreme ? "dst1" : "dst";
  DataType result = draw.typeFor(chosen), type = draw.typeFor("src0");
  draw.aligned(chosen, result, draw.shape);
  if (givesExtreme)
    draw.aligned("dst0", type, draw.shape);
  sampleCompared(draw, "src0", type);
  sampleCompared(draw, "src1", type);
  if (draw.has("src0") && draw.has("src1"))
    matchSome(draw, "src1", draw.values("src0"));
  for (std::string_view slot : {"src2", "src3"})
    if (draw.chance(0.3))
      draw.anyNumber(slot, result);
    else
      draw.aligned(slot, result, draw.shape);
}

std::vector<SampleRow> cases::tiuComparisonSamplers() {
  return {
      {"tiu.min", sampleExtreme},
      {"tiu.fmin", sampleExtreme},
      {"tiu.max", sampleExtreme},
      {"tiu.fmax", sampleExtreme},
      {"tiu.vc_min", sampleOuter},
      {"tiu.fvc_min", sampleOuter},
      {"tiu.vc_max", sampleOuter},
      {"tiu.fvc_max", sampleOuter},
      {"tiu.gt", sampleMask},
      {"tiu.lt", sampleMask},
      {"tiu.eq", sampleMask},
      {"tiu.gt_select", sampleSelect},
      {"tiu.lt_select", sampleSelect},
      {"tiu.eq_select", sampleSelect},
      {"tiu.max_gt_select", sampleSelect},
      {"tiu.min_lt_select", sampleSelect},
  };
}
