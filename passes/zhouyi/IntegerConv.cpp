//===- IntegerConv.cpp - convolutions of floats that are integers ---------===//
//
// Quantized ONNX operators reach the graph as exact float arithmetic: a cast of
// 8-bit integers, less a zero point, times a filter of integers. All partial
// sums are integers that f32 holds, so the dot products of the machine give the
// same bits. The zero point leaves the sums: sum (x - z) w = sum x w - z sum w.
//
//===----------------------------------------------------------------------===//

#include "dialects/tpu/Binary.h"
#include "dialects/tpu/Cast.h"
#include "dialects/tpu/Constant.h"
#include "dialects/tpu/Conv.h"
#include "dialects/tpu/Move.h"
#include "dialects/tpu/evaluate/Numbers.h"
#include "passes/zhouyi/Emitter.h"

#include <cmath>

using namespace mlir;
using namespace weft;
using namespace weft::zhouyi;

/// Sums of so many products of (8-bit - 8-bit) * 8-bit are below 2^24.
static constexpr int64_t kExactTerms = (1 << 24) / (255 * 128);

/// The number that `op` takes from its input; std::nullopt if it does more.
static std::optional<double> subtracted(tpu::BinaryOp op) {
  bool isSub = op.getKind() == tpu::BinaryKind::Sub;
  if ((!isSub && op.getKind() != tpu::BinaryKind::Add) || op.getReversed() ||
      op.getRelu())
    return std::nullopt;
  double sign = isSub ? 1 : -1;
  if (op.getConstantAttr())
    return sign * op.getConstantAttr().getValueAsDouble();
  auto weight = op.getRhs().getDefiningOp<tpu::WeightOp>();
  if (!weight || op.getRhs().getType().getNumElements() != 1)
    return std::nullopt;
  FailureOr<numeric::HostTensor> tensor =
      toHostTensor(weight.getValue(), op.getLoc());
  if (failed(tensor))
    return std::nullopt;
  return sign * loadDoubles(*tensor)[0];
}

/// The 8-bit integers behind `value`; a null source if there are none.
static IntegerConv sourceOf(Value value) {
  IntegerConv found;
  double zero = 0;
  while (Operation *op = value.getDefiningOp()) {
    if (auto reshape = dyn_cast<tpu::ReshapeOp>(op)) {
      value = reshape.getInput();
    } else if (auto binary = dyn_cast<tpu::BinaryOp>(op)) {
      std::optional<double> number = subtracted(binary);
      if (!number || zero != 0)
        return {};
      zero = *number;
      value = binary.getLhs();
    } else if (auto cast = dyn_cast<tpu::CastOp>(op)) {
      auto integer = dyn_cast<IntegerType>(tpu::elementOf(cast.getInput()));
      if (!integer || integer.getWidth() != 8 || cast.getBits() ||
          !tpu::elementOf(cast.getOutput()).isF32())
        return {};
      tpu::IntegerRange range = tpu::rangeOf(integer);
      if (zero != std::floor(zero) || zero < range.low || zero > range.high)
        return {};
      found.source = cast.getInput();
      found.zeroPoint = int64_t(zero);
      return found;
    } else {
      return {};
    }
  }
  return {};
}

/// The filter as 8-bit integers; false if it is not made of them.
static bool readFilter(tpu::ConvOp op, IntegerConv &conv) {
  auto weight = op.getFilter().getDefiningOp<tpu::WeightOp>();
  if (!weight || !tpu::elementOf(op.getFilter()).isF32())
    return false;
  FailureOr<numeric::HostTensor> tensor =
      toHostTensor(weight.getValue(), op.getLoc());
  if (failed(tensor))
    return false;
  for (double number : loadDoubles(*tensor)) {
    if (number != std::floor(number) || number < -128 || number > 127)
      return false;
    conv.filter.push_back(int8_t(number));
  }
  return true;
}

std::optional<IntegerConv> zhouyi::integerConvOf(tpu::ConvOp op) {
  if (!tpu::elementOf(op.getInput()).isF32() ||
      !tpu::elementOf(op.getOutput()).isF32())
    return std::nullopt;
  ArrayRef<int64_t> filter = op.getFilter().getType().getShape();
  // A bias is added to sums that f32 holds, with one rounding like the
  // definition's.
  int64_t terms = filter[1] * filter[2] * filter[3];
  if (terms > kExactTerms)
    return std::nullopt;
  IntegerConv conv = sourceOf(op.getInput());
  if (!conv.source || !readFilter(op, conv))
    return std::nullopt;
  return conv;
}
