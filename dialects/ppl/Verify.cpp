//===- Verify.cpp - rules that ppl ops share -----------------------------===//

#include "dialects/ppl/Verify.h"
#include "dialects/ppl/Net.h"

using namespace mlir;
using namespace weft;
using namespace weft::ppl;

const Chip &weft::ppl::chipOf(Operation *op) {
  auto net = dyn_cast<NetOp>(op);
  if (!net)
    net = op->getParentOfType<NetOp>();
  const Chip *chip = net ? chips::findKernelTarget(net.getChip()) : nullptr;
  return chip ? *chip : *chips::all[0];
}

bool weft::ppl::isInteger(TensorViewType type) {
  return type && !type.isFloat();
}

bool weft::ppl::isInt8(TensorViewType type) {
  return isInteger(type) && elementBytesOf(type) == 1;
}

static InFlightDiagnostic &printShape(InFlightDiagnostic &diagnostic,
                                      ArrayRef<int64_t> shape) {
  llvm::interleave(
      shape, [&](int64_t size) { diagnostic << size; },
      [&] { diagnostic << "x"; });
  return diagnostic;
}

LogicalResult weft::ppl::expectLayout(Operation *op, StringRef name,
                                      TensorViewType type,
                                      ArrayRef<Layout> allowed) {
  if (!type || llvm::is_contained(allowed, type.getLayout()))
    return success();
  InFlightDiagnostic diagnostic =
      op->emitOpError() << "layout of " << name << " is "
                        << stringifyLayout(type.getLayout()) << ", must be ";
  llvm::interleave(
      allowed, [&](Layout layout) { diagnostic << stringifyLayout(layout); },
      [&] { diagnostic << " or "; });
  return diagnostic;
}

LogicalResult weft::ppl::expectShape(Operation *op, StringRef name,
                                     TensorViewType type,
                                     ArrayRef<int64_t> shape) {
  if (!type || type.getShape() == shape)
    return success();
  InFlightDiagnostic diagnostic = op->emitOpError()
                                  << "shape of " << name << " is ";
  printShape(diagnostic, type.getShape()) << ", must be ";
  return printShape(diagnostic, shape);
}

LogicalResult weft::ppl::expectSameElements(Operation *op, StringRef nameA,
                                            TensorViewType a, StringRef nameB,
                                            TensorViewType b) {
  if (!a || !b || a.getElementType() == b.getElementType())
    return success();
  return op->emitOpError() << "element types differ: " << nameA << " has "
                           << a.getElementType() << ", " << nameB << " has "
                           << b.getElementType();
}

LogicalResult weft::ppl::expectRange(Operation *op, StringRef name,
                                     int64_t value, int64_t low, int64_t high) {
  if (value >= low && value <= high)
    return success();
  return op->emitOpError() << name << " is " << value << ", must be " << low
                           << " to " << high;
}

LogicalResult weft::ppl::expectPerChannel(Operation *op, StringRef name,
                                          TensorViewType type,
                                          int64_t channels) {
  if (!type)
    return success();
  if (failed(expectShape(op, name, type, {1, channels, 1, 1})))
    return failure();
  return expectLayout(op, name, type, {Layout::Compact});
}

// (E3)
static LogicalResult verifyDestination(Operation *op, TensorViewType dst) {
  if (dst.getLayout() == Layout::Channel)
    return op->emitOpError()
           << "dst has the channel layout, which is for sources only";
  if (dst.getLayout() != Layout::Strided)
    return success();
  for (auto [size, stride] : llvm::zip(dst.getShape(), dst.getStrides()))
    if (stride == 0 && size > 1)
      return op->emitOpError() << "dst has stride 0 on an axis of size " << size
                               << "; a repeated element is for sources only";
  return success();
}

LogicalResult weft::ppl::verifyElementOperands(Operation *op,
                                               TensorViewType dst,
                                               ArrayRef<Value> sources) {
  if (failed(verifyDestination(op, dst)))
    return failure();
  for (Value source : sources) {
    if (!source)
      continue;
    TensorViewType type = tensorOf(source);
    if (!type) { // (E4)
      if (mlir::isa<FloatType>(source.getType()) != dst.isFloat() &&
          mlir::isa<FloatType>(source.getType()))
        return op->emitOpError()
               << "a scalar is f32 beside integer tensors, must be i32";
      continue;
    }
    static const char axes[] = "nchw";
    for (int axis = 0; axis < 4; ++axis) { // (E1)
      int64_t size = type.getShape()[axis], want = dst.getShape()[axis];
      if (size == want || (size == 1 && axis != 1))
        continue;
      return op->emitOpError()
             << "operand has " << size << " on axis "
             << StringRef(&axes[axis], 1) << ", dst has " << want
             << (axis == 1 ? "; channels lie in different lanes and cannot be "
                             "repeated, copy them with lane_broadcast first"
                           : "; must be equal or 1");
    }
  }
  return success();
}
