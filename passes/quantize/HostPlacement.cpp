//===- HostPlacement.cpp - ops that the chip does not compute -------------===//

#include "passes/quantize/HostPlacement.h"

#include "dialects/top/Constant.h"
#include "dialects/top/Host.h"
#include "dialects/tpu/Host.h"

#include <cmath>

using namespace mlir;
using namespace weft;
using namespace weft::quantize;

//===----------------------------------------------------------------------===//
// Values on both sides
//===----------------------------------------------------------------------===//

Value Lowering::firstForm(Value topValue) {
  if (Value form = planned.defined.lookup(topValue))
    return form;
  if (Value form = known.defined.lookup(topValue))
    return form;
  Value host = hostForm(topValue);
  if (!host || !isOnHost(topValue))
    return {};
  auto type = tensor(shapeOf(topValue),
                     storedElement(getElementTypeOrSelf(topValue.getType())));
  Value form = builder.create<tpu::FromHostOp>(topValue.getLoc(), type, host);
  planned.defined[topValue] = form;
  return form;
}

Value Lowering::hostForm(Value topValue) const {
  if (Value form = planned.hostForms.lookup(topValue))
    return form;
  return known.hostForms.lookup(topValue);
}

/// Doubles rounded to f32, in which all other doubles come to the host: equal
/// numbers must stay equal. A constant with a number beyond f32's range and
/// those of other types as they are.
static ElementsAttr asFloats(ElementsAttr value, Location location) {
  if (!value.getElementType().isF64())
    return value;
  FailureOr<numeric::HostTensor> tensor = toHostTensor(value, location);
  if (failed(tensor))
    return value;
  double *numbers = tensor->as<double>();
  for (int64_t i = 0, n = tensor->elements(); i < n; ++i) {
    double rounded = double(static_cast<float>(numbers[i]));
    if (std::isinf(rounded) && !std::isinf(numbers[i]))
      return value;
    numbers[i] = rounded;
  }
  return toElementsAttr(*tensor, cast<RankedTensorType>(value.getType()),
                        "double");
}

Value Lowering::onHost(Value topValue) {
  if (Value form = hostForm(topValue))
    return form;
  Value made;
  if (auto constant = topValue.getDefiningOp<top::ConstantOp>()) {
    made = builder.create<tpu::HostConstantOp>(
        constant.getLoc(), asFloats(constant.getValue(), constant.getLoc()));
  } else {
    Value form = firstForm(topValue);
    if (tpu::isQuantized(form))
      form = inFloat(topValue, f32());
    made = builder.create<tpu::ToHostOp>(topValue.getLoc(), topValue.getType(),
                                         form);
  }
  return planned.hostForms[topValue] = made;
}

//===----------------------------------------------------------------------===//
// Placement
//===----------------------------------------------------------------------===//

bool weft::quantize::hasHostKernel(Operation *op) {
  if (!host::hasKernel(hostKernelName(op).str()))
    return false;
  auto isHostValue = [](Value value) {
    return tpu::isHostTensor(value.getType());
  };
  if (!llvm::all_of(op->getOperands(), isHostValue) ||
      !llvm::all_of(op->getResults(), isHostValue))
    return false;
  // A question: what the host cannot hold is no error yet.
  ScopedDiagnosticHandler unheard(op->getContext(),
                                  [](Diagnostic &) { return success(); });
  return succeeded(hostAttributes(hostParameters(op), op->getLoc()));
}

bool weft::quantize::runsGraphs(Operation *op) {
  auto host = dyn_cast<top::HostOp>(op);
  return host && (host.getKernel() == "if_else" || host.getKernel() == "loop");
}

Refusal weft::quantize::refusalOfHostOp(top::HostOp op, bool noHost) {
  StringRef kernel = op.getKernel();
  if (runsGraphs(op) && noHost)
    return Refusal(
        op,
        kernel == "loop"
            ? "data decide how often it runs, and not all iterations "
              "can be computed: that takes a limit of 64, values of "
              "one type, no scan output, and nothing of the host"
            : "data choose its graph, and not both can be computed: "
              "that takes results of one type and nothing of the "
              "host in them",
        "fix it with --bind");
  // weft info shows 120 bytes of it.
  if (kernel == "if_else")
    return Refusal(op,
                   "data choose its graph, so the host runs it (products are "
                   "slow there)",
                   "fix the condition with --bind, or use --no-host");
  if (kernel == "loop")
    return Refusal(
        op,
        "data decide how often it runs, so the host does it (products "
        "are slow there)",
        "fix that with --bind, or use --no-host");
  return Refusal(op, inWords("the chip has no form of '", kernel, "'"), "");
}

void weft::quantize::planOnHost(Operation *op, const Refusal &refusal,
                                Lowering &lowering) {
  OpBuilder &b = lowering.builder;
  SmallVector<Value> operands;
  SmallVector<int64_t> absent;
  for (auto [index, slot] : llvm::enumerate(hostOperandSlots(op))) {
    if (slot)
      operands.push_back(lowering.onHost(op->getOperand(*slot)));
    else
      absent.push_back(int64_t(index));
  }
  auto host = b.create<tpu::HostOp>(
      op->getLoc(), op->getResultTypes(), b.getStringAttr(hostKernelName(op)),
      operands, hostParameters(op), b.getStringAttr(refusal.text()),
      absent.empty() ? DenseI64ArrayAttr() : b.getDenseI64ArrayAttr(absent));
  if (Attribute names = op->getAttr(top::kValueAttr))
    host->setAttr(top::kValueAttr, names);
  for (auto [from, to] : llvm::zip(op->getResults(), host.getResults()))
    lowering.defineOnHost(from, to);
}
