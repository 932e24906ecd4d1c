//===- TiuPool.cpp - random poolings --------------------------------------===//

#include "tests/ops/ppl/samplers/Arguments.h"

using namespace weft;
using namespace weft::catalog;
using namespace weft::cases;

/// Draws the window and sets its arguments; src gets `source` and dst the size
/// that the window gives.
static void pooling(Drawn &d, DataType result, DataType source, bool inserts) {
  Window w;
  bool isLarge = d.chance(0.2); // limits of the fields
  w.kernel = {d.between(1, isLarge ? 9 : 3), d.between(1, 3)};
  Dims src = {d.between(1, 3), d.oneOf({d.between(1, 8), d.between(60, 140)}),
              d.between(1, 12), d.between(1, 12)};
  for (int axis = 0; axis < 2; ++axis) {
    w.stride[axis] = d.between(1, isLarge ? 15 : 3);
    w.dilation[axis] = d.between(1, isLarge ? 15 : 3);
    w.before[axis] = d.between(0, isLarge ? 15 : 3);
    w.after[axis] = d.between(0, isLarge ? 15 : 3);
    if (inserts && d.chance(0.3))
      w.insert[axis] = d.between(0, isLarge ? 7 : 2);
    if (w.positions(src[2 + axis], axis) == 0)
      w.after[axis] = 15, w.dilation[axis] = 1; // so that it fits
  }
  unsigned lane = d.chance(0.3) ? unsigned(d.between(1, 63)) : 0;
  d.tensor("src", source, src, AlignMode::Aligned, lane);
  d.tensor("dst", result,
           {src[0], src[1], w.positions(src[2], 0), w.positions(src[3], 1)},
           AlignMode::Aligned, lane);
  d.list("kernel", {w.kernel[0], w.kernel[1]});
  d.list("stride", {w.stride[0], w.stride[1]});
  d.list("dilation", {w.dilation[0], w.dilation[1]});
  d.list("pad", {w.before[0], w.after[0], w.before[1], w.after[1]});
  if (inserts)
    d.list("ins", {w.insert[0], w.insert[1]});
  d.finite("src");
}

static void sampleBytes(Numbers &numbers, Case &drawn) {
  Drawn d(numbers, drawn);
  DataType type = d.oneOf({DataType::Int8, DataType::Uint8});
  pooling(d, type, type, false);
  drawn.values.clear(); // any bits
}

static void sampleFloats(Numbers &numbers, Case &drawn) {
  Drawn d(numbers, drawn);
  DataType type = d.oneOf({DataType::Fp32, DataType::Fp16, DataType::Bf16});
  pooling(d, type, type, false);
}

static void sampleAvg(Numbers &numbers, Case &drawn) {
  Drawn d(numbers, drawn);
  bool hasSign = d.chance(0.5);
  DataType type =
      hasSign ? d.oneOf({DataType::Int8, DataType::Int16, DataType::Int32})
              : d.oneOf({DataType::Uint8, DataType::Uint16, DataType::Uint32});
  pooling(d, type, hasSign ? DataType::Int8 : DataType::Uint8, true);
  drawn.values.clear();
  d.number("scale", d.between(0, 255));
  d.number("rshift", d.oneOf({d.between(0, 12), d.between(0, 31)}));
}

static void sampleFloatAvg(Numbers &numbers, Case &drawn) {
  Drawn d(numbers, drawn);
  DataType type = d.oneOf({DataType::Fp32, DataType::Fp16, DataType::Bf16});
  pooling(d, type, type, true);
  d.real("scale", d.chance(0.2) ? 1.0 : double(d.between(-999, 999)) / 777);
}

std::vector<SampleRow> cases::tiuPoolSamplers() {
  return {{"tiu.pool_max", sampleBytes}, {"tiu.fpool_max", sampleFloats},
          {"tiu.pool_min", sampleBytes}, {"tiu.fpool_min", sampleFloats},
          {"tiu.pool_avg", sampleAvg},   {"tiu.fpool_avg", sampleFloatAvg}};
}
