//===- DataDependent.cpp - nodes that read values of unknown size ---------===//

#include "frontend/onnx/DataDependent.h"

#include "dialects/Refusal.h"
#include "dialects/top/Constant.h"
#include "dialects/top/Host.h"
#include "mlir/IR/IRMapping.h"

using namespace mlir;
using namespace weft;
using namespace weft::onnx;

bool onnx::isDataDependent(Value value) {
  return value && !NodeImporter::typeOf(value).hasStaticShape();
}

bool onnx::usesSizes(const Node &node) {
  return node.domain.empty() &&
         (node.opType == "Shape" || node.opType == "Size" ||
          node.opType == "Slice");
}

namespace {
/// A node imported into a block of its own, for certain sizes.
struct Sample {
  Block block;
  SmallVector<Value> outputs;
  /// What the arguments of `block` stand for.
  SmallVector<Value> sources;
};
} // namespace

/// The type with each unknown size at its largest or, `smaller`, one below; 2
/// stands for the one below 1, as nodes on tensors without elements become
/// constants.
static RankedTensorType sampleType(RankedTensorType type, bool smaller) {
  SmallVector<int64_t> shape = *largestShape(type);
  for (auto [size, declared] : llvm::zip(shape, type.getShape()))
    if (smaller && ShapedType::isDynamic(declared) && size > 0)
      size = size == 1 ? 2 : size - 1;
  return RankedTensorType::get(shape, type.getElementType());
}

static LogicalResult importSample(const OpRow &row, const Node &node,
                                  int64_t opset, OpBuilder &builder,
                                  Location location, ArrayRef<Value> operands,
                                  top::FoldBudget &budget, bool smaller,
                                  Sample &sample) {
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPointToEnd(&sample.block);
  SmallVector<Value> stand(operands);
  for (Value &operand : stand)
    if (isDataDependent(operand)) {
      sample.sources.push_back(operand);
      operand = sample.block.addArgument(
          sampleType(NodeImporter::typeOf(operand), smaller), location);
    }
  NodeImporter importer(node, opset, builder, location, stand, budget);
  if (failed(row.import(importer)))
    return failure();
  for (size_t i = 0; i < node.outputs.size(); ++i)
    sample.outputs.push_back(importer.output(i));
  return success();
}

/// The type of what is `large` for the largest sizes and `small` for smaller
/// ones; null if that is no tensor of one rank.
static RankedTensorType mergeTypes(Type large, Type small) {
  auto from = cast<RankedTensorType>(large);
  auto other = cast<RankedTensorType>(small);
  if (from.getElementType() != other.getElementType() ||
      from.getRank() != other.getRank())
    return {};
  SmallVector<int64_t> shape;
  for (auto [size, less] : llvm::zip(from.getShape(), other.getShape()))
    shape.push_back(size == less && !ShapedType::isDynamic(size)
                        ? size
                        : host::kUnknownSize);
  return boundedType(shape, *largestShape(from), from.getElementType());
}

/// True if the two samples differ in the sizes of results only.
static bool isSameButSizes(Sample &large, Sample &small) {
  if (large.block.getOperations().size() != small.block.getOperations().size())
    return false;
  for (auto [op, other] : llvm::zip(large.block, small.block)) {
    if (op.getName() != other.getName() ||
        op.getAttrDictionary() != other.getAttrDictionary())
      return false;
    for (auto [type, less] :
         llvm::zip(op.getResultTypes(), other.getResultTypes()))
      if (!mergeTypes(type, less))
        return false;
  }
  return true;
}

/// Appends the ops of `large` to the graph as host ops. False if one of them
/// has no kernel.
static bool buildHostOps(Sample &large, Sample &small, OpBuilder &builder,
                         IRMapping &mapping) {
  for (Operation &op : large.block)
    if (!isa<top::ConstantOp>(op) &&
        !host::hasKernel(hostKernelName(&op).str()))
      return false;
  for (auto [argument, source] :
       llvm::zip(large.block.getArguments(), large.sources))
    mapping.map(argument, source);
  for (auto [op, other] : llvm::zip(large.block, small.block)) {
    if (isa<top::ConstantOp>(op)) {
      builder.clone(op, mapping);
      continue;
    }
    SmallVector<Value> operands;
    SmallVector<int64_t> absent;
    for (auto [index, slot] : llvm::enumerate(hostOperandSlots(&op))) {
      if (slot)
        operands.push_back(mapping.lookupOrDefault(op.getOperand(*slot)));
      else
        absent.push_back(int64_t(index));
    }
    SmallVector<Type> types;
    for (auto [type, less] :
         llvm::zip(op.getResultTypes(), other.getResultTypes()))
      types.push_back(mergeTypes(type, less));
    auto made = builder.create<top::HostOp>(
        op.getLoc(), types, hostKernelName(&op), operands, hostParameters(&op),
        absent.empty() ? DenseI64ArrayAttr()
                       : builder.getDenseI64ArrayAttr(absent));
    mapping.map(op.getResults(), made.getResults());
  }
  return true;
}

LogicalResult onnx::importOnHost(const OpRow &row, const Node &node,
                                 int64_t opset, OpBuilder &builder,
                                 Location location, ArrayRef<Value> operands,
                                 top::FoldBudget &budget,
                                 SmallVectorImpl<Value> &results) {
  Sample large, small;
  if (failed(importSample(row, node, opset, builder, location, operands, budget,
                          /*smaller=*/false, large)))
    return failure();
  bool imported = false;
  {
    // What it says about sizes that nobody gave would only confuse.
    ScopedDiagnosticHandler silent(builder.getContext(),
                                   [](Diagnostic &) { return success(); });
    imported =
        succeeded(importSample(row, node, opset, builder, location, operands,
                               budget, /*smaller=*/true, small));
  }
  IRMapping mapping;
  if (!imported || !isSameButSizes(large, small) ||
      !buildHostOps(large, small, builder, mapping))
    return unsupported(location)
           << node.opType
           << " of a value whose size depends on data; end the model before "
              "it, or pad the value to a fixed size";
  for (Value output : large.outputs)
    results.push_back(output ? mapping.lookupOrDefault(output) : Value());
  return success();
}
