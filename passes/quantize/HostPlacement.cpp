//===- HostPlacement.cpp - ops that the chip does not compute -------------===//

#include "passes/quantize/HostPlacement.h"

#include "dialects/top/Constant.h"
#include "dialects/tpu/Host.h"

#include <cmath>

using namespace mlir;
using namespace weft;
using namespace weft::quantize;

//===----------------------------------------------------------------------===//
// Attempts
//===----------------------------------------------------------------------===//

LogicalResult Complaints::keep(llvm::function_ref<LogicalResult()> attempt) {
  ScopedDiagnosticHandler handler(context, [&](Diagnostic &diagnostic) {
    if (diagnostic.getSeverity() != DiagnosticSeverity::Error)
      return failure();
    errors.push_back(std::move(diagnostic));
    return success();
  });
  return attempt();
}

std::optional<std::string> Complaints::reason() const {
  std::optional<std::string> first;
  for (const Diagnostic &error : errors) {
    std::string text = error.str();
    StringRef message = text;
    if (!message.consume_front("unsupported: "))
      return std::nullopt;
    if (!first)
      first = message.str();
  }
  return first;
}

void Complaints::emit(StringRef hint) {
  for (Diagnostic &error : errors) {
    if (!hint.empty())
      error << hint;
    context->getDiagEngine().emit(std::move(error));
  }
  errors.clear();
}

Lowering::Mark Lowering::mark() {
  Block *block = builder.getInsertionBlock();
  return {block->empty() ? nullptr : &block->back(), takenInOrder.size()};
}

/// Forgets what stands for a top value if it was made by one of `ops`.
template <typename Key>
static void forget(llvm::DenseMap<Key, Value> &forms,
                   const llvm::DenseSet<Operation *> &ops) {
  SmallVector<Key> gone;
  for (auto &[key, value] : forms)
    if (!value || ops.contains(value.getDefiningOp()))
      gone.push_back(key);
  for (const Key &key : gone)
    forms.erase(key);
}

void Lowering::rollBack(const Mark &mark) {
  Block *block = builder.getInsertionBlock();
  SmallVector<Operation *> made;
  for (Operation *op = block->empty() ? nullptr : &block->back();
       op && op != mark.last; op = op->getPrevNode())
    made.push_back(op);
  while (takenInOrder.size() > mark.taken) {
    taken.erase(takenInOrder.back());
    takenInOrder.pop_back();
  }
  if (made.empty())
    return;
  llvm::DenseSet<Operation *> ops(made.begin(), made.end());
  forget(defined, ops);
  forget(otherForm, ops);
  forget(hostForms, ops);
  for (Operation *op : made) // the last first
    op->erase();
}

//===----------------------------------------------------------------------===//
// Values on both sides
//===----------------------------------------------------------------------===//

Value Lowering::firstForm(Value topValue) {
  if (Value form = defined.lookup(topValue))
    return form;
  Value host = hostForms.lookup(topValue);
  if (!host || !isOnHost(topValue))
    return {};
  auto type = tensor(shapeOf(topValue),
                     storedElement(getElementTypeOrSelf(topValue.getType())));
  Value form = builder.create<tpu::FromHostOp>(topValue.getLoc(), type, host);
  defined[topValue] = form;
  return form;
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
  Value &known = hostForms[topValue];
  if (known)
    return known;
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
  return hostForms[topValue] = made;
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
  Complaints unread(op->getContext());
  return succeeded(unread.keep([&] {
    return LogicalResult(hostAttributes(hostParameters(op), op->getLoc()));
  }));
}

void weft::quantize::placeOnHost(Operation *op, StringRef reason,
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
      operands, hostParameters(op), b.getStringAttr(reason),
      absent.empty() ? DenseI64ArrayAttr() : b.getDenseI64ArrayAttr(absent));
  if (Attribute names = op->getAttr(top::kValueAttr))
    host->setAttr(top::kValueAttr, names);
  for (auto [from, to] : llvm::zip(op->getResults(), host.getResults()))
    lowering.defineOnHost(from, to);
}
