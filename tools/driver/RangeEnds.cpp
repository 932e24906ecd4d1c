//===- RangeEnds.cpp - values of functions of a known range ---------------===//

#include "tools/driver/RangeEnds.h"

#include "dialects/Evaluate.h"
#include "dialects/top/Binary.h"
#include "dialects/top/Cast.h"
#include "dialects/top/Move.h"
#include "dialects/top/Unary.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

#include <algorithm>

using namespace mlir;
using namespace weft;
using namespace weft::driver;
using top::BinaryKind;
using top::UnaryKind;

namespace {
/// By value; 0: not known.
using Ends = llvm::DenseMap<Value, double>;
} // namespace

static double endOfUnary(UnaryKind kind) {
  switch (kind) {
  case UnaryKind::Sigmoid:
  case UnaryKind::HardSigmoid:
  case UnaryKind::Tanh:
  case UnaryKind::Erf:
  case UnaryKind::Softsign:
    return 1;
  default:
    return 0;
  }
}

/// Of what the operands can be at most, the most that `op` makes of it.
static double endOf(Operation &op, const Ends &ends) {
  auto of = [&](Value value) { return ends.lookup(value); };
  if (auto unary = dyn_cast<top::UnaryOp>(op))
    return endOfUnary(unary.getKind());
  if (llvm::isa<top::ReshapeOp, top::TransposeOp, top::SliceOp, top::ExpandOp>(
          op))
    return of(op.getOperand(0));
  if (llvm::isa<top::CastOp>(op))
    return llvm::isa<FloatType>(getElementTypeOrSelf(op.getResult(0).getType()))
               ? of(op.getOperand(0))
               : 0;
  if (auto binary = dyn_cast<top::BinaryOp>(op))
    return binary.getKind() == BinaryKind::Mul
               ? of(op.getOperand(0)) * of(op.getOperand(1))
               : 0;
  if (!llvm::isa<top::ConcatOp>(op))
    return 0;
  double most = 0;
  for (Value operand : op.getOperands()) {
    if (of(operand) == 0)
      return 0;
    most = std::max(most, of(operand));
  }
  return most;
}

comparison::RangeEnds driver::rangeEndsOf(ModuleOp module) {
  comparison::RangeEnds found;
  auto main = module.lookupSymbol<func::FuncOp>("main");
  Ends ends;
  for (Operation &op : main.getBody().front().without_terminator()) {
    if (op.getNumResults() != 1)
      continue;
    double end = endOf(op, ends);
    if (end == 0)
      continue;
    ends[op.getResult(0)] = end;
    if (auto name = op.getAttrOfType<StringAttr>(kValueAttr))
      found[name.str()] = end;
  }
  Operation *results = main.getBody().front().getTerminator();
  for (auto [index, value] : llvm::enumerate(results->getOperands()))
    if (auto name = main.getResultAttrOfType<StringAttr>(index, kNameAttr))
      if (double end = ends.lookup(value); end != 0)
        found[name.str()] = end;
  return found;
}
