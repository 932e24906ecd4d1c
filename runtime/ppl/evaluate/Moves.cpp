//===- Moves.cpp - meanings that dma, sdma and hau share -----------------===//

#include "runtime/ppl/evaluate/Moves.h"

#include <cmath>
#include <cstring>

using namespace weft;
using namespace weft::catalog;

void catalog::copyElement(Dense &dst, int64_t to, const Dense &src,
                          int64_t from) {
  dst.setBits(to, src.bits(from));
}

uint64_t catalog::constantBits(DataType type, double value) {
  Dense one(type, {1, 1, 1, 1});
  one.setValue(0, value);
  return one.bits(0);
}

uint64_t catalog::sumOf(const Dense &a, int64_t i, const Dense &b, int64_t j) {
  if (!isFloat(a.type))
    return a.bits(i) + b.bits(j);
  double x = a.value(i), y = b.value(j);
  // Two narrow floats that do not fit in a double together differ so much that
  // the sum is the larger one; of two fp32 values float rounds once.
  return constantBits(
      a.type, a.type == DataType::Fp32 ? double(float(x) + float(y)) : x + y);
}

rt::Status catalog::copyElements(const Call &, Values &values) {
  values["dst"].bytes = values["src"].bytes;
  return {};
}

/// dst(n, c, h, w) is the element of src whose number `from` gives.
template <class From>
static rt::Status exchangeAxes(Values &values, From from) {
  Dense &dst = values["dst"], &src = values["src"];
  auto [N, C, H, W] = dst.shape;
  for (int64_t n = 0; n < N; ++n)
    for (int64_t c = 0; c < C; ++c)
      for (int64_t h = 0; h < H; ++h)
        for (int64_t w = 0; w < W; ++w)
          copyElement(dst, dst.at(n, c, h, w), src, from(src, n, c, h, w));
  return {};
}

rt::Status catalog::exchangeBatchAndChannel(const Call &, Values &values) {
  return exchangeAxes(values,
                      [](const Dense &src, int64_t n, int64_t c, int64_t h,
                         int64_t w) { return src.at(c, n, h, w); });
}

rt::Status catalog::exchangeChannelAndWidth(const Call &, Values &values) {
  return exchangeAxes(values,
                      [](const Dense &src, int64_t n, int64_t c, int64_t h,
                         int64_t w) { return src.at(n, w, h, c); });
}

rt::Status catalog::exchangeByMode(const Call &call, Values &values) {
  return call.integer("trans_mode") == 1
             ? exchangeChannelAndWidth(call, values)
             : exchangeBatchAndChannel(call, values);
}

static void setAll(Dense &dst, uint64_t bits) {
  for (int64_t i = 0; i < dst.elements(); ++i)
    dst.setBits(i, bits);
}

rt::Status catalog::fillElements(const Call &call, Values &values) {
  Dense &dst = values["dst"];
  setAll(dst, constantBits(dst.type, call.real("C")));
  return {};
}

rt::Status catalog::zeroElements(const Call &, Values &values) {
  setAll(values["dst"], 0);
  return {};
}

//===----------------------------------------------------------------------===//
// Rows by index
//===----------------------------------------------------------------------===//

/// The index of row h of channel c; one channel may serve all.
static int64_t rowIndex(const Dense &index, int64_t c, int64_t h) {
  return index.integer(index.at(0, index.shape[1] == 1 ? 0 : c, h, 0));
}

rt::Status catalog::gatherRows(const Call &call, Values &values) {
  Dense &dst = values["dst"], &param = values["param"],
        &index = values["index"];
  uint64_t constant = constantBits(dst.type, call.real("C"));
  int64_t start = call.integer("index_start_pos");
  auto [N, C, H, W] = dst.shape;
  for (int64_t c = 0; c < C; ++c)
    for (int64_t h = 0; h < H; ++h) {
      int64_t row = rowIndex(index, c, h) - start;
      bool isInside = row >= 0 && row < param.shape[2];
      for (int64_t w = 0; w < W; ++w)
        dst.setBits(dst.at(0, c, h, w),
                    isInside ? param.bits(param.at(0, c, row, w)) : constant);
    }
  return {};
}

rt::Status catalog::scatterRows(const Call &call, Values &values) {
  Dense &dst = values["dst"], &param = values["param"],
        &index = values["index"];
  int64_t start = call.integer("start_pos");
  bool adds = call.integer("inplace_add") || call.integer("result_add");
  auto [N, C, H, W] = param.shape;
  for (int64_t c = 0; c < C; ++c)
    for (int64_t h = 0; h < H; ++h) {
      int64_t row = rowIndex(index, c, h) - start;
      if (row < 0 || row >= dst.shape[2])
        continue;
      for (int64_t w = 0; w < W; ++w) {
        int64_t to = dst.at(0, c, row, w), from = param.at(0, c, h, w);
        dst.setBits(to, adds ? sumOf(dst, to, param, from) : param.bits(from));
      }
    }
  return {};
}

//===----------------------------------------------------------------------===//
// Reduction into L2
//===----------------------------------------------------------------------===//

namespace {
enum Opcode { Nop, Mul, Max, Min, Add };
} // namespace

/// The bits of op(dst, src).
static uint64_t combined(int64_t opcode, const Dense &dst, const Dense &src,
                         int64_t i) {
  // Of up to 24 bits each: exact in a double, and rounded once from there.
  double a = isFloat(dst.type) ? dst.value(i) : double(dst.integer(i)),
         b = isFloat(src.type) ? src.value(i) : double(src.integer(i));
  switch (opcode) {
  case Mul:
    return constantBits(dst.type, a * b);
  case Max: // NaN on either side leaves dst, of two zeros dst stays
    return b > a ? src.bits(i) : dst.bits(i);
  case Min: // NaN on either side takes src
    return a <= b ? dst.bits(i) : src.bits(i);
  case Add:
    return sumOf(dst, i, src, i);
  default:
    return src.bits(i);
  }
}

rt::Status catalog::reduceInto(const Call &call, Values &values) {
  Dense &dst = values["dst"], &src = values["src"];
  int64_t opcode =
      call.integer("psum") == 1 ? call.integer("opcode") : int64_t(Nop);
  for (int64_t i = 0; i < dst.elements(); ++i)
    dst.setBits(i, combined(opcode, dst, src, i));
  return {};
}
