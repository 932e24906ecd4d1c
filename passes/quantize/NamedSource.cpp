//===- NamedSource.cpp - where moved values have a calibrated range -------===//

#include "passes/quantize/NamedSource.h"

#include "dialects/top/Move.h"
#include "dialects/top/Resize.h"
#include "passes/quantize/Lowering.h"

#include "mlir/IR/Matchers.h"

using namespace mlir;
using namespace weft;

/// True for ops whose results are elements of operand 0, or zeros.
static bool onlyMoves(Operation *op) {
  if (auto pad = dyn_cast<top::PadOp>(op))
    return !pad.getValue() || matchPattern(pad.getValue(), m_AnyZeroFloat());
  if (auto interleave = dyn_cast<top::InterleaveOp>(op))
    return interleave.getInputs().size() == 1;
  return llvm::isa<top::ReshapeOp, top::TransposeOp, top::SliceOp>(op);
}

Value weft::quantize::namedSource(Value value) {
  while (Operation *op = value.getDefiningOp()) {
    if (op->hasAttr(top::kValueAttr) || !onlyMoves(op))
      break;
    value = op->getOperand(0);
  }
  return value;
}

bool weft::quantize::hasCalibratedName(Value value) {
  return valueName(namedSource(value)) != "?";
}
