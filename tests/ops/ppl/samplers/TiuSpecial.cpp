//===- TiuSpecial.cpp - random calls -------------------------------------===//

#include "tests/ops/ppl/samplers/ElementDraw.h"

using namespace weft;
using namespace weft::cases;
using namespace weft::catalog;

static void sampleLinear(Numbers &numbers, Case &drawn) {
  ElementDraw draw(numbers, drawn);
  DataType type = draw.typeFor("dst");
  draw.aligned("dst", type, draw.shape);
  if (draw.chance(0.15))
    draw.anyNumber("src", type);
  else
    draw.aligned("src", type, draw.shape);
  for (std::string_view slot : {"scale", "bias"})
    if (draw.operation().slot(slot)) {
      if (draw.chance(0.4))
        draw.anyNumber(slot, type);
      else
        draw.compact(slot, type, {1, draw.shape[1], 1, 1});
    }
}

/// dst and src aligned and of one type.
static void samplePolynomial(Numbers &numbers, Case &drawn) {
  ElementDraw draw(numbers, drawn);
  DataType type = draw.typeFor("dst");
  draw.aligned("dst", type, draw.shape);
  draw.aligned("src", type, draw.shape);
  if (!draw.operation().slot("coeff"))
    return;
  int64_t count = draw.between(2, 20);
  unsigned lane = draw.lane;
  draw.lane = 0;
  draw.aligned("coeff", type, {1, 64, 1, count + draw.between(0, 3)});
  draw.lane = lane;
  draw.number("len", count);
}

static void sampleExponent(Numbers &numbers, Case &drawn) {
  ElementDraw draw(numbers, drawn);
  DataType type = draw.typeFor("src");
  draw.aligned("dst",
               type == DataType::Fp32 ? DataType::Int32 : DataType::Int16,
               draw.shape);
  draw.aligned("src", type, draw.shape);
}

static void sampleCount(Numbers &numbers, Case &drawn) {
  ElementDraw draw(numbers, drawn);
  DataType result = draw.typeFor("dst");
  draw.anywhere("dst", result, draw.shape);
  if (draw.chance(0.1))
    return draw.anyNumber("src", result);
  draw.anywhere("src", draw.typeFor("src"), draw.repeated(false));
  // All numbers of leading bits, not only the few that random bits have.
  Dense &src = draw.values("src");
  for (int64_t i = 0; i < src.elements(); ++i)
    if (draw.chance(0.7))
      src.setBits(i, (draw.chance(0.5) ? ~uint64_t(0) : 0) ^
                         (numbers.next() >> draw.between(32, 63)));
}

static void sampleDistribution(Numbers &numbers, Case &drawn) {
  ElementDraw draw(numbers, drawn);
  draw.tensor("dst", draw.typeFor("dst"), {1, draw.between(1, 64), 1, 1},
              draw.oneOf({AlignMode::Compact, AlignMode::Aligned}));
  draw.number("static_mem_mode", draw.chance(0.3) ? 30 : draw.between(0, 6));
}

std::vector<SampleRow> cases::tiuSpecialSamplers() {
  return {
      {"tiu.fadd_sqr", sampleLinear},
      {"tiu.fsub_sqr", sampleLinear},
      {"tiu.fscale", sampleLinear},
      {"tiu.taylor", samplePolynomial},
      {"tiu.fexp_base", samplePolynomial},
      {"tiu.fsin_base", samplePolynomial},
      {"tiu.fcos_base", samplePolynomial},
      {"tiu.ftan_base", samplePolynomial},
      {"tiu.farcsin_base", samplePolynomial},
      {"tiu.ferf_base", samplePolynomial},
      {"tiu.norm", sampleExponent},
      {"tiu.fexp_part", sampleExponent},
      {"tiu.clz", sampleCount},
      {"tiu.clo", sampleCount},
      {"tiu.smem_dist", sampleDistribution},
  };
}
