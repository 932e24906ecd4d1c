//===- Library.cpp - what kernels of the library compute to tpu -----------===//

#include "dialects/CustomKernels.h"
#include "dialects/tpu/Decision.h"
#include "dialects/tpu/Host.h"
#include "passes/quantize/HostPlacement.h"

using namespace mlir;
using namespace weft;
using namespace weft::quantize;

bool weft::quantize::hasLibraryKernel(top::HostOp op) {
  const CustomKernels *kernels = customKernelsOf(op.getContext());
  return kernels && kernels->hasLibraryKernel(op.getKernel()) &&
         !op.getAbsent();
}

/// Floats are computed as between functions of elements.
Answer<> weft::quantize::planLibraryKernel(top::HostOp op, Lowering &lowering) {
  auto elementOf = [&](Value value) {
    return mlir::isa<FloatType>(topElement(value))
               ? lowering.elementwiseType(op.getInputs())
               : storedElement(topElement(value));
  };
  auto typed = [&](Value value) {
    auto type = cast<RankedTensorType>(value.getType());
    return lowering.tensor(type.getShape(), elementOf(value));
  };
  SmallVector<RankedTensorType> operands, results;
  for (Value input : op.getInputs())
    operands.push_back(typed(input));
  for (Value output : op.getOutputs())
    results.push_back(typed(output));
  std::vector<LibraryKernel> kernels =
      customKernelsOf(op.getContext())
          ->libraryKernels(op.getKernel(), op.getParameters(), lowering.chip(),
                           operands, results);
  if (kernels.empty())
    return Refusal(op,
                   inWords("'", op.getKernel(),
                           "' of these sizes does not fit local memory, or "
                           "takes too many commands"),
                   "");
  SmallVector<Value> values;
  for (auto [input, type] : llvm::zip(op.getInputs(), operands)) {
    Answer<Value> value = lowering.value(input, type.getElementType(), op);
    if (!value)
      return value.no();
    values.push_back(*value);
  }
  OpBuilder &b = lowering.builder;
  SmallVector<Type> types;
  for (Value output : op.getOutputs())
    types.push_back(
        lowering.tensor(lowering.shapeOf(output), elementOf(output)));
  auto typesOf = [&](ArrayRef<RankedTensorType> list) {
    return b.getTypeArrayAttr(llvm::to_vector_of<Type>(list));
  };
  auto custom = b.create<tpu::CustomOp>(
      op.getLoc(), types, b.getStringAttr(kLibraryDomain),
      b.getStringAttr(kernels.front().name), b.getI64IntegerAttr(1), values,
      op.getParametersAttr(), typesOf(operands), typesOf(results),
      DenseI64ArrayAttr(), DenseI64ArrayAttr());
  SmallVector<tpu::Way> ways;
  for (const LibraryKernel &kernel : kernels)
    ways.push_back({kernel.name.str(), int64_t(kernel.cycles)});
  if (ways.size() > 1)
    tpu::addChoice(custom, rt::Question::Recipe, ways, 0);
  for (auto [from, to] : llvm::zip(op.getOutputs(), custom.getOutputs()))
    lowering.define(from, to);
  return Yes();
}
