//===- TiuMatMul.cpp - random matrix products -----------------------------===//

#include "tests/ops/ppl/samplers/Arguments.h"

using namespace weft;
using namespace weft::catalog;
using namespace weft::cases;

static constexpr AlignMode kAligned = AlignMode::Aligned;

static DataType byteType(Drawn &d) { return d.oneOf({kI8, kU8}); }

//===----------------------------------------------------------------------===//
// mm, fmm
//===----------------------------------------------------------------------===//

/// Shapes of all but dst, which gets `dst`; sets left and right. Returns the
/// shape of a row of dst.
static Dims foldedOperands(Drawn &d, DataType left, DataType right,
                           bool mayBeNumber, Dims &dst, unsigned &lane) {
  bool transposed = d.chance(0.3);
  int64_t rows = d.between(1, 20),
          channels = d.oneOf({d.between(1, 6), d.between(60, 70)}),
          width = d.between(1, channels > 10 ? 3 : 20);
  Dims leftShape = {rows, channels, 1, width};
  int64_t m = transposed ? channels * width : rows,
          k = transposed ? rows : channels * width;
  int64_t columns = d.oneOf({d.between(1, 5), d.between(60, 70)}),
          each = d.between(1, columns > 10 ? 3 : 20);
  lane = d.chance(0.3) ? unsigned(d.between(1, 63)) : 0;
  unsigned leftLane = d.chance(0.3) ? unsigned(d.between(0, 63)) : lane;
  d.tensor("right", right, {k, columns, 1, each}, kAligned, lane);
  if (!mayBeNumber) {
    d.tensor("left", left, leftShape, kAligned, leftLane);
    d.number("ltrans", transposed);
  }
  dst = {m, columns, 1, each};
  return {1, columns, 1, each};
}

static void sampleFmm(Numbers &numbers, Case &drawn) {
  Drawn d(numbers, drawn);
  Dims dst;
  unsigned lane;
  bool isNumber = d.chance(0.15);
  Dims row = foldedOperands(d, kF32, kF32, isNumber, dst, lane);
  if (isNumber)
    d.real("left", double(d.between(-40, 40)) / 8);
  d.tensor("dst", kF32, dst, kAligned, lane);
  if (d.chance(0.5))
    d.tensor("bias", kF32, row, kAligned, lane);
  d.number("result_add", d.chance(0.4));
  for (std::string_view slot : {"dst", "left", "right", "bias"})
    d.finite(slot);
}

static void sampleMm(Numbers &numbers, Case &drawn) {
  Drawn d(numbers, drawn);
  unsigned bits = d.oneOf({8u, 8u, 16u, 32u});
  auto operand = [&] {
    return bits == 8    ? byteType(d)
           : bits == 16 ? d.oneOf({kI16, kU16})
                        : d.oneOf({kI32, kU32});
  };
  DataType left = operand(), right = operand();
  Dims dst;
  unsigned lane;
  bool isNumber = d.chance(0.15);
  Dims row = foldedOperands(d, left, right, isNumber, dst, lane);
  if (isNumber)
    d.number("left", bits == 8 ? d.between(-128, 255) : d.between(0, 9999));
  bool isNarrow = bits == 8 && d.chance(0.7), relu = isNarrow && d.chance(0.4);
  if (isNarrow) {
    if (d.chance(0.5))
      d.tensor("bias", d.oneOf({kI16, kU16}), row, kAligned, lane);
    d.number("result_add", d.chance(0.4));
    d.number("lshift", d.oneOf({d.between(0, 6), d.between(0, 31)}));
    d.number("rshift", d.oneOf({d.between(0, 14), d.between(0, 31)}));
    d.number("do_relu", relu);
  } else if (bits == 32 && d.chance(0.7)) {
    d.number("rshift", d.between(0, 31));
    d.number("round", d.between(0, 6));
  }
  bool hasSign = (isSignedOperand(drawn.call, "left") || isSigned(right) ||
                  isSignedOperand(drawn.call, "bias")) &&
                 !relu;
  DataType type = !isNarrow       ? (hasSign ? kI32 : kU32)
                  : d.chance(0.5) ? (hasSign ? kI8 : kU8)
                                  : (hasSign ? kI16 : kU16);
  d.tensor("dst", type, dst, kAligned, lane);
}

//===----------------------------------------------------------------------===//
// mm2, fmm2
//===----------------------------------------------------------------------===//

namespace {
enum Form { kNn, kNt, kTt };
} // namespace

/// Sets the operands; `number` stands for one of them if it is not null.
/// Returns the columns of the product.
static int64_t rowOperands(Drawn &d, Form form, std::string_view result,
                           DataType dst, DataType left, DataType right) {
  int64_t m = d.oneOf({d.between(1, 6), d.between(60, 80)}),
          k = d.oneOf({d.between(1, 20), d.between(30, 140)}),
          n = d.oneOf({d.between(1, 6), d.between(60, 80)});
  Dims leftShape = {1, m, 1, k}, rightShape = {1, k, 1, n},
       dstShape = {1, m, 1, n};
  if (form == kTt)
    leftShape = {1, k, 1, m}, dstShape = {1, n, 1, m};
  if (form != kNn)
    rightShape = {1, n, 1, k};
  d.tensor("left", left, leftShape);
  d.tensor("right", right, rightShape);
  d.tensor(result, dst, dstShape);
  return n;
}

template <Form form>
static void sampleMm2(Numbers &numbers, Case &drawn) {
  Drawn d(numbers, drawn);
  DataType left = byteType(d), right = byteType(d);
  bool hasSign = isSigned(left) || isSigned(right);
  int64_t n = rowOperands(d, form, "rst", hasSign ? kI32 : kU32, left, right);
  if (d.chance(0.15)) // of the same type
    d.number(d.chance(0.5) ? "left" : "right",
             hasSign ? d.between(-128, 127) : d.between(0, 255));
  if (d.chance(0.4)) {
    if (form == kTt)
      d.tensor("r_zp", right, {1, n, 1, 1}, kCompact);
    else
      d.tensor("r_zp", right, {1, int64_t(d.chip().lanes), 1, n});
    Dense &zeros = d.values("r_zp"); // alike in every lane
    for (int64_t i = 0; i < zeros.elements(); ++i)
      zeros.setBits(i, i < n ? uint64_t(d.between(0, 255)) : zeros.bits(i % n));
  } else if (d.chance(0.5)) {
    d.number("r_zp", right == kI8 ? d.between(-128, 127) : d.between(0, 255));
  }
  d.number("result_add", form != kNt && d.chance(0.4));
}

template <Form form>
static void sampleFmm2(Numbers &numbers, Case &drawn) {
  Drawn d(numbers, drawn);
  DataType type = d.oneOf({kF16, kBf16}), dst = d.chance(0.5) ? kF32 : type;
  rowOperands(d, form, "dst", dst, type, type);
  if (d.chance(0.15))
    d.real(d.chance(0.5) ? "left" : "right", double(d.between(-40, 40)) / 8);
  d.number("result_add", form != kNt && d.chance(0.4));
  for (std::string_view slot : {"dst", "left", "right"})
    d.finite(slot);
}

std::vector<SampleRow> cases::tiuMatMulSamplers() {
  return {{"tiu.mm", sampleMm},
          {"tiu.fmm", sampleFmm},
          {"tiu.mm2_nn", sampleMm2<kNn>},
          {"tiu.mm2_nt", sampleMm2<kNt>},
          {"tiu.mm2_tt", sampleMm2<kTt>},
          {"tiu.fmm2_nn", sampleFmm2<kNn>},
          {"tiu.fmm2_nt", sampleFmm2<kNt>},
          {"tiu.fmm2_tt", sampleFmm2<kTt>}};
}
