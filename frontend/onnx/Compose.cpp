//===- Compose.cpp - chains of top ops for one ONNX node ------------------===//

#include "frontend/onnx/Compose.h"

#include "dialects/HostCall.h"
#include "dialects/top/Binary.h"
#include "dialects/top/Cast.h"
#include "dialects/top/Constant.h"
#include "dialects/top/Exact.h"
#include "dialects/top/Gather.h"
#include "dialects/top/MatMul.h"
#include "dialects/top/Move.h"
#include "dialects/top/Reduce.h"
#include "dialects/top/Unary.h"
#include "frontend/onnx/HostOp.h"
#include "runtime/numeric/TensorValues.h"

#include "mlir/IR/Matchers.h"
#include "mlir/IR/Verifier.h"

using namespace mlir;
using namespace weft;
using namespace weft::onnx;

Value Compose::numbers(ArrayRef<double> values, ArrayRef<int64_t> shape,
                       Type element) {
  if (!element.isIntOrFloat()) {
    // Arithmetic on types that are only stored (float4, 4-bit floats ..).
    n.unsupported() << "arithmetic on elements of type "
                    << dataTypeName(onnxTypeOf(element))
                    << "; cast them to float before it";
    element = n.builder.getF32Type();
  }
  auto type = RankedTensorType::get(shape, element);
  if (values.size() == 1) {
    mlir::Attribute value =
        isa<FloatType>(element)
            ? mlir::Attribute(n.builder.getFloatAttr(element, values[0]))
            : n.builder.getIntegerAttr(element, int64_t(values[0]));
    return n.constant(DenseElementsAttr::get(type, value));
  }
  numeric::HostTensor tensor = *makeHostTensor(type);
  storeDoubles(std::vector<double>(values.begin(), values.end()), tensor);
  return n.constant(toElementsAttr(tensor, type, n.node.name));
}

Value Compose::number(double value, Value like) {
  return numbers(value, {}, elementOf(like));
}

Value Compose::binary(top::BinaryKind kind, Value lhs, Value rhs) {
  if (!lhs || !rhs)
    return {};
  return orNull(n.create<top::BinaryOp>(kind, lhs, rhs));
}

Value Compose::unary(top::UnaryKind kind, Value value) {
  if (!value)
    return {};
  return orNull(n.create<top::UnaryOp>(kind, value, FloatAttr(), FloatAttr()));
}

Value Compose::cast(Value value, Type element) {
  if (!value || elementOf(value) == element)
    return value;
  return orNull(n.createTyped<top::CastOp>(
      RankedTensorType::get(shapeOf(value), element), value));
}

Value Compose::reshape(Value value, ArrayRef<int64_t> shape) {
  return value ? orNull(n.reshape(value, shape)) : Value();
}

Value Compose::transpose(Value value, ArrayRef<int64_t> perm) {
  if (!value)
    return {};
  if (llvm::is_sorted(perm))
    return value;
  return orNull(n.create<top::TransposeOp>(value, perm));
}

Value Compose::concat(ArrayRef<Value> values, int64_t axis) {
  if (llvm::is_contained(values, Value()))
    return {};
  if (values.size() == 1)
    return values.front();
  return orNull(n.create<top::ConcatOp>(ValueRange(values), axis));
}

Value Compose::slice(Value value, ArrayRef<int64_t> starts,
                     ArrayRef<int64_t> sizes, ArrayRef<int64_t> steps) {
  if (!value)
    return {};
  if (shapeOf(value) == sizes &&
      llvm::all_of(steps, [](int64_t step) { return step == 1; }))
    return value;
  // The step of one element is never taken, however long it is.
  SmallVector<int64_t> taken(steps);
  for (auto [step, size] : llvm::zip_equal(taken, sizes))
    step = size == 1 ? 1 : step;
  return orNull(n.createTyped<top::SliceOp>(
      NodeImporter::typeOf(value).clone(sizes), value, starts, taken));
}

Value Compose::sliceAxis(Value value, int64_t axis, int64_t start, int64_t size,
                         int64_t step) {
  if (!value)
    return {};
  SmallVector<int64_t> sizes(shapeOf(value)), starts(sizes.size(), 0),
      steps(sizes.size(), 1);
  if (axis < 0 || axis >= static_cast<int64_t>(sizes.size())) {
    n.error() << "an operand of shape " << formatShape(sizes) << " has no axis "
              << axis << "; it must have more axes";
    return {};
  }
  starts[axis] = start;
  sizes[axis] = size;
  steps[axis] = step;
  return slice(value, starts, sizes, steps);
}

Value Compose::pad(Value value, ArrayRef<int64_t> begin, ArrayRef<int64_t> end,
                   double fill) {
  if (!value)
    return {};
  SmallVector<int64_t> before(begin), after(end), sizes(shapeOf(value)),
      starts(sizes.size(), 0), ones(sizes.size(), 1);
  bool grows = false;
  for (size_t axis = 0; axis < sizes.size(); ++axis) {
    int64_t cutBegin = std::max<int64_t>(-before[axis], 0);
    int64_t cutEnd = std::max<int64_t>(-after[axis], 0);
    int64_t kept = sizes[axis] - cutBegin - cutEnd;
    if (kept < 0) { // a cut through the other side's copies, too
      (before[axis] < 0 ? after : before)[axis] += kept;
      kept = 0;
    }
    starts[axis] = kept ? cutBegin : 0;
    sizes[axis] = kept;
    before[axis] = std::max<int64_t>(before[axis], 0);
    after[axis] = std::max<int64_t>(after[axis], 0);
    grows |= before[axis] > 0 || after[axis] > 0;
  }
  value = slice(value, starts, sizes, ones);
  if (!grows || !value)
    return value;
  return orNull(n.create<top::PadOp>(value, number(fill, value), before, after,
                                     "constant"));
}

Value Compose::expand(Value value, ArrayRef<int64_t> shape) {
  if (!value || shapeOf(value) == shape)
    return value;
  return orNull(n.createTyped<top::ExpandOp>(
      NodeImporter::typeOf(value).clone(shape), value));
}

Value Compose::gather(Value table, Value indices) {
  if (!table || !indices)
    return {};
  return orNull(n.create<top::GatherOp>(table, indices));
}

Value Compose::scatter(Value base, Value indices, Value updates,
                       StringRef reduction) {
  if (!base || !indices || !updates)
    return {};
  return orNull(n.create<top::ScatterOp>(base, indices, updates, reduction));
}

Value Compose::reduce(top::ReduceKind kind, Value value, ArrayRef<int64_t> axes,
                      bool keepDims) {
  if (!value || axes.empty())
    return value;
  RankedTensorType type = n.typeOf(value);
  if (type.getNumElements() == 0) // the result does not depend on the operand
    value = n.constant(toElementsAttr(*makeHostTensor(type), type, ""));
  return orNull(n.create<top::ReduceOp>(kind, value, axes, keepDims));
}

Value Compose::matmul(Value lhs, Value rhs) {
  if (!lhs || !rhs)
    return {};
  return orNull(n.create<top::MatMulOp>(lhs, rhs));
}

/// The results of `op` as constants, if its operands are; else its results.
static SmallVector<Value> foldHost(NodeImporter &n, top::HostOp op) {
  std::vector<numeric::HostTensor> tensors;
  for (Value operand : op.getInputs()) {
    ElementsAttr constant;
    if (!matchPattern(operand, m_Constant(&constant)))
      return op.getResults();
    FailureOr<numeric::HostTensor> tensor = toHostTensor(constant, n.location);
    if (failed(tensor))
      return {};
    tensors.push_back(std::move(*tensor));
  }
  SmallVector<const numeric::HostTensor *> operands;
  for (const numeric::HostTensor &tensor : tensors)
    operands.push_back(&tensor);
  SmallVector<numeric::HostTensor> results;
  if (failed(evaluateOnHost(op, operands, results)))
    return {};
  SmallVector<Value> values;
  for (auto [i, tensor] : llvm::enumerate(results)) {
    Type element = getElementTypeOrSelf(op.getResult(i).getType());
    values.push_back(n.constant(toElementsAttr(
        tensor, RankedTensorType::get(tensor.shape(), element), n.node.name)));
  }
  op->erase();
  return values;
}

SmallVector<Value> Compose::host(StringRef kernel, ArrayRef<Value> operands,
                                 NamedAttrList parameters,
                                 ArrayRef<Type> results) {
  // Absent operands behind the last one need no mention.
  while (!operands.empty() && !operands.back())
    operands = operands.drop_back();
  auto op = createHostOp(n.builder, n.location, kernel, operands, results,
                         parameters.getDictionary(n.builder.getContext()));
  if (failed(mlir::verify(op))) {
    op->erase();
    return {};
  }
  return foldHost(n, op);
}

LogicalResult Compose::finishHost(StringRef kernel, ArrayRef<Value> operands,
                                  NamedAttrList parameters,
                                  ArrayRef<Type> results) {
  SmallVector<Value> values = host(kernel, operands, parameters, results);
  if (values.empty())
    return failure();
  for (auto [i, value] : llvm::enumerate(values))
    if (n.wantsOutput(i))
      (void)n.setOutput(i, value);
  return success();
}

LogicalResult Compose::finish(Value value, unsigned i) {
  return value ? n.setOutput(i, value) : failure();
}

LogicalResult weft::onnx::inSingle(NodeImporter &n,
                                   LogicalResult (*import)(NodeImporter &)) {
  Block *block = n.builder.getInsertionBlock();
  Operation *last = block->empty() ? nullptr : &block->back();
  LogicalResult result = import(n);
  for (Operation *op = block->empty() ? nullptr : &block->back();
       op && op != last; op = op->getPrevNode())
    if (!llvm::isa<top::ConstantOp>(op))
      op->setAttr(top::kExactAttr, n.builder.getUnitAttr());
  return result;
}
