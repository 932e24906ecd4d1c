//===- Magnitudes.cpp - how large values can be ---------------------------===//

#include "passes/quantize/Magnitudes.h"

#include "dialects/top/Binary.h"
#include "dialects/top/Constant.h"
#include "dialects/top/Conv.h"
#include "dialects/top/MatMul.h"
#include "dialects/top/Move.h"
#include "dialects/top/Pool.h"
#include "dialects/top/Quantization.h"
#include "dialects/top/Unary.h"
#include "passes/quantize/Lowering.h"

#include <algorithm>
#include <cmath>
#include <limits>

using namespace mlir;
using namespace weft;
using namespace weft::quantize;

bool Magnitudes::isFarFromEnd(Value value, float scale) {
  constexpr double kFar = 1e30;
  double magnitude = of(value);
  return magnitude < kFar && magnitude / scale < kFar;
}

double Magnitudes::of(Value value, int depth) {
  constexpr int kDeepest = 32; // quantizations are closer
  if (auto found = known.find(value); found != known.end())
    return found->second;
  Operation *op = value.getDefiningOp();
  double magnitude = std::numeric_limits<double>::infinity();
  if (auto integers = top::dequantizationOf(value)) {
    auto [low, high] =
        *top::codeRangeOf(topElement(integers->integers)); // of <= 16 bits
    magnitude = double(std::max(integers->zeroPoint - low,
                                high - integers->zeroPoint)) *
                integers->scale;
  } else if (op && depth < kDeepest) {
    magnitude = derived(op, depth + 1);
  }
  return known[value] = magnitude;
}

double Magnitudes::derived(Operation *op, int depth) {
  const double unknown = std::numeric_limits<double>::infinity();
  auto operand = [&](unsigned index) {
    return of(op->getOperand(index), depth);
  };
  auto product = [&] { // 0 times infinity would be no number
    double x = operand(0), y = operand(1);
    return std::isfinite(x) && std::isfinite(y) ? x * y : unknown;
  };
  auto largest = [&] {
    double most = 0;
    for (Value value : op->getOperands())
      most = std::max(most, of(value, depth));
    return most;
  };
  if (llvm::isa<top::ConstantOp>(op)) {
    std::optional<Interval> interval = constants.of(op->getResult(0));
    return interval ? interval->magnitude() : unknown;
  }
  if (llvm::isa<top::ConvOp, top::MatMulOp>(op)) {
    // At most as many terms as the weights or the rows have numbers.
    auto count = [&](unsigned index) {
      return double(cast<RankedTensorType>(op->getOperand(index).getType())
                        .getNumElements());
    };
    double sum = product() * std::max(count(0), count(1));
    return op->getNumOperands() > 2 ? sum + operand(2) : sum;
  }
  if (llvm::isa<top::PoolOp, top::ReshapeOp, top::TransposeOp, top::SliceOp,
                top::ConcatOp>(op))
    return largest();
  if (auto unary = dyn_cast<top::UnaryOp>(op))
    switch (unary.getKind()) {
    case top::UnaryKind::Sigmoid:
    case top::UnaryKind::Tanh:
    case top::UnaryKind::HardSigmoid:
      return 1;
    case top::UnaryKind::Clip:
      return std::max({operand(0), std::fabs(unary.alphaOrDefault()),
                       std::fabs(unary.betaOrDefault())});
    case top::UnaryKind::Relu:
    case top::UnaryKind::HardSwish:
      return operand(0);
    default:
      return unknown;
    }
  if (auto binary = dyn_cast<top::BinaryOp>(op))
    switch (binary.getKind()) {
    case top::BinaryKind::Add:
    case top::BinaryKind::Sub:
      return operand(0) + operand(1);
    case top::BinaryKind::Max:
    case top::BinaryKind::Min:
      return largest();
    case top::BinaryKind::Mul:
      return product();
    default:
      return unknown;
    }
  return unknown;
}
