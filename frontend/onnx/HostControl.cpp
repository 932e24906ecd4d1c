//===- HostControl.cpp - graphs that the host runs as data decide ---------===//

#include "frontend/onnx/HostControl.h"

#include "dialects/HostBody.h"
#include "dialects/top/Binary.h"
#include "dialects/top/Cast.h"
#include "dialects/top/Constant.h"
#include "dialects/top/Conv.h"
#include "dialects/top/Host.h"
#include "dialects/top/MatMul.h"
#include "dialects/top/Move.h"
#include "runtime/host/Body.h"

#include "llvm/ADT/SetVector.h"

using namespace mlir;
using namespace weft;
using namespace weft::onnx;

//===----------------------------------------------------------------------===//
// Graphs by themselves
//===----------------------------------------------------------------------===//

LogicalResult onnx::importApart(StructureNode &s, const Graph &graph,
                                ArrayRef<Entity> inputs, StringRef place,
                                ApartGraph &apart) {
  OpBuilder::InsertionGuard guard(s.n.builder);
  s.n.builder.setInsertionPointToEnd(&apart.block);
  auto results = s.importGraph(graph, inputs, place);
  if (failed(results))
    return failure();
  apart.results = std::move(*results);
  return success();
}

void onnx::moveHere(StructureNode &s, ApartGraph &apart) {
  s.n.builder.getInsertionBlock()->getOperations().splice(
      s.n.builder.getInsertionPoint(), apart.block.getOperations());
}

bool onnx::needsTheHost(Block &block) {
  return llvm::any_of(block,
                      [](Operation &op) { return isa<top::HostOp>(op); });
}

bool onnx::fitsTheHost(Block &block, std::string &problem) {
  for (Operation &op : block)
    if (!isa<top::ConstantOp>(op) && !hasBodyKernel(&op)) {
      std::string node = nodeNameOf(op.getLoc());
      problem = node.empty() ? op.getName().getStringRef().str()
                             : "node '" + node + "'";
      return false;
    }
  return true;
}

/// Multiply-accumulates of a convolution or matrix product; 0 of others.
static double productsOf(Operation &op) {
  auto sizesOf = [](Value value) {
    return cast<RankedTensorType>(value.getType());
  };
  if (!isa<top::ConvOp, top::MatMulOp>(op) ||
      !sizesOf(op.getResult(0)).hasStaticShape() ||
      !sizesOf(op.getOperand(0)).hasStaticShape() ||
      !sizesOf(op.getOperand(1)).hasStaticShape())
    return 0;
  RankedTensorType lhs = sizesOf(op.getOperand(0)),
                   rhs = sizesOf(op.getOperand(1));
  double depth = isa<top::ConvOp>(op)
                     ? double(rhs.getNumElements()) / double(rhs.getDimSize(0))
                     : double(lhs.getShape().back());
  return double(sizesOf(op.getResult(0)).getNumElements()) * depth;
}

bool onnx::multipliesMuch(Block &block) {
  // Half a millisecond of the host; microseconds of the chip.
  constexpr double kMuch = 1 << 20;
  double products = 0;
  for (Operation &op : block)
    products += productsOf(op);
  return products > kMuch;
}

/// Drops what nothing reads and moves constants to where the node stands:
/// graphs take them as operands.
static void tidy(StructureNode &s, ApartGraph &apart) {
  llvm::DenseSet<Value> results;
  for (const Entity &result : apart.results)
    results.insert(result.value);
  auto isResult = [&](Value value) { return results.contains(value); };
  for (Operation &op : llvm::make_early_inc_range(llvm::reverse(apart.block)))
    if (op.use_empty() && !llvm::any_of(op.getResults(), isResult))
      op.erase();
  for (Operation &op : llvm::make_early_inc_range(apart.block))
    if (isa<top::ConstantOp>(op)) {
      op.remove();
      s.n.builder.insert(&op);
    }
}

/// Adds what `apart` takes from around it, in the order of use.
static void findCaptured(ApartGraph &apart, llvm::SetVector<Value> &captured) {
  for (Operation &op : apart.block)
    for (Value operand : op.getOperands())
      if (operand.getParentBlock() != &apart.block)
        captured.insert(operand);
  for (Entity &result : apart.results)
    if (result.value.getParentBlock() != &apart.block)
      captured.insert(result.value);
}

static SmallVector<Value> valuesOf(ArrayRef<Entity> entities) {
  SmallVector<Value> values;
  for (const Entity &entity : entities)
    values.push_back(entity.value);
  return values;
}

/// False, with a report, if the host cannot hold a value or run an op.
static bool canRun(StructureNode &s, ApartGraph &apart,
                   ArrayRef<Value> captured) {
  std::string problem;
  for (Value value : captured)
    if (failed(hostResultType(value.getType())))
      problem = "a " + describe(value) + " from around it";
  if (problem.empty() && fitsTheHost(apart.block, problem))
    return true;
  s.n.unsupported() << problem << " in a graph of " << s.n.node.opType
                    << " that the host runs as the data decide; take it out of "
                       "the graph, or make the decision constant with --bind";
  return false;
}

/// The type of a value that is of one type or of the other; null if they differ
/// in more than sizes.
static RankedTensorType joinTypes(RankedTensorType a, RankedTensorType b) {
  if (a.getElementType() != b.getElementType() || a.getRank() != b.getRank())
    return {};
  SmallVector<int64_t> shape, largest;
  for (auto [one, other, most, otherMost] : llvm::zip(
           a.getShape(), b.getShape(), *largestShape(a), *largestShape(b))) {
    shape.push_back(
        one == other && !ShapedType::isDynamic(one) ? one : host::kUnknownSize);
    largest.push_back(std::max(most, otherMost));
  }
  return boundedType(shape, largest, a.getElementType());
}

static LogicalResult checkOneElement(StructureNode &s, Value value,
                                     Type element, StringRef what) {
  RankedTensorType type = NodeImporter::typeOf(value);
  if (type.getElementType() == element && type.hasStaticShape() &&
      type.getNumElements() == 1)
    return success();
  return s.n.error() << what << " is " << describe(value)
                     << "; it must have one element of "
                     << dataTypeName(onnxTypeOf(element))
                     << (type.hasStaticShape() ? "" : ", reshape it");
}

LogicalResult onnx::checkCondition(StructureNode &s, Value value,
                                   StringRef what) {
  return checkOneElement(s, value, s.n.builder.getI1Type(), what);
}

//===----------------------------------------------------------------------===//
// If
//===----------------------------------------------------------------------===//

LogicalResult onnx::buildIf(StructureNode &s, Value condition, ApartGraph &yes,
                            ApartGraph &no) {
  if (yes.results.empty()) // nobody knows what it would be good for
    return s.n.error() << "the branches have no outputs; give them those of "
                          "the node, or take the node out";
  SmallVector<Type> types;
  for (auto [chosen, other] : llvm::zip(yes.results, no.results)) {
    RankedTensorType type = joinTypes(NodeImporter::typeOf(chosen.value),
                                      NodeImporter::typeOf(other.value));
    if (!type)
      return s.n.unsupported()
             << "output " << types.size() << " is " << describe(chosen)
             << " if the condition holds, else " << describe(other)
             << "; the condition depends on the model's inputs, so both must "
                "have one element type and equally many axes; fix the "
                "condition with --bind or export the model for one case";
    types.push_back(type);
  }
  llvm::SetVector<Value> captured;
  for (ApartGraph *graph : {&yes, &no}) {
    tidy(s, *graph);
    findCaptured(*graph, captured);
  }
  ArrayRef<Value> inputs = captured.getArrayRef();
  if (!canRun(s, yes, inputs) || !canRun(s, no, inputs))
    return failure();
  NamedAttrList parameters;
  MLIRContext *context = s.n.builder.getContext();
  parameters.append(host::kThenBranch, hostBody(context, yes.block, inputs,
                                                valuesOf(yes.results)));
  parameters.append(host::kElseBranch,
                    hostBody(context, no.block, inputs, valuesOf(no.results)));
  SmallVector<Value> operands{condition};
  operands.append(inputs.begin(), inputs.end());
  auto results = s.n.createHost("if_else", operands, types, parameters);
  if (failed(results))
    return failure();
  s.outputs.assign(results->begin(), results->end());
  return success();
}

//===----------------------------------------------------------------------===//
// Loop
//===----------------------------------------------------------------------===//

/// What an integer of one element is at most; std::nullopt if nothing is known.
static std::optional<int64_t> largestOf(Value value) {
  if (auto known = constantIntsOf(value))
    return known->size() == 1 ? std::optional(known->front()) : std::nullopt;
  Operation *op = value.getDefiningOp();
  if (isa_and_nonnull<top::ReshapeOp, top::CastOp, top::SliceOp>(op))
    return largestOf(op->getOperand(0));
  auto binary = dyn_cast_or_null<top::BinaryOp>(op);
  if (!binary || binary.getKind() != top::BinaryKind::Min)
    return std::nullopt;
  std::optional<int64_t> lhs = largestOf(binary.getLhs()),
                         rhs = largestOf(binary.getRhs());
  return lhs && rhs ? std::min(*lhs, *rhs) : lhs ? lhs : rhs;
}

/// `type` with other bounds of the sizes that data decide.
static RankedTensorType withLargest(RankedTensorType type,
                                    ArrayRef<int64_t> largest) {
  SmallVector<int64_t> shape;
  for (int64_t size : type.getShape())
    shape.push_back(ShapedType::isDynamic(size) ? host::kUnknownSize : size);
  return boundedType(shape, largest, type.getElementType());
}

constexpr StringLiteral kUneven = "and by another number each time";

namespace {
/// A Loop on its way to the host.
class LoopBuilder {
public:
  LoopBuilder(StructureNode &s, const Graph &body) : s(s), body(body) {}

  LogicalResult build();

private:
  LogicalResult readOperands();
  LogicalResult importBody(ApartGraph &apart);
  /// The types of the carried values, with those that an iteration gives.
  LogicalResult widen(const ApartGraph &apart, bool &isWider);
  LogicalResult extrapolate();
  /// A failure that names `rule`, which a value that grows breaks.
  LogicalResult refuseGrowth(StringRef rule);
  /// Whether the number of iterations is that of a constant count.
  bool runsAsOftenAsCounted(const ApartGraph &apart) const;
  LogicalResult scanTypes(const ApartGraph &apart, SmallVector<Type> &types);
  /// host::kEmptySizes of scan outputs of the types `scans`: as ONNX Runtime,
  /// what the body declares. Empty if that says nothing new.
  SmallVector<int64_t> emptySizes(ArrayRef<Type> scans) const;

  StructureNode &s;
  const Graph &body;
  SmallVector<Value> operands; ///< count, condition (or null), carried
  std::optional<int64_t> most; ///< iterations
  /// Of carried values: now, one and two rounds ago, in front of the loop.
  std::vector<RankedTensorType> types, before, beforeThat, first;
  /// What an iteration adds to the axes of each; empty before extrapolate().
  std::vector<SmallVector<int64_t>> growth;
};
} // namespace

LogicalResult LoopBuilder::readOperands() {
  constexpr int64_t kFar = host::kMostElements; // stands for "no end"
  for (unsigned i = 0; i < std::max<size_t>(s.operands.size(), 2); ++i) {
    Entity entity = s.operand(i);
    if (!entity.isTensor() && (i >= 2 || !entity.isUnknown()))
      return s.n.unsupported()
             << "input " << i << " ('" << s.n.node.inputs[i] << "') is "
             << describe(entity)
             << "; the data decide how often the loop runs, so it must be a "
                "tensor; make the decision constant with --bind";
    operands.push_back(entity.value);
  }
  if (operands[0]) {
    if (failed(checkOneElement(s, operands[0], s.n.builder.getI64Type(),
                               "the trip count")))
      return failure();
    most = largestOf(operands[0]);
    if (most && *most > kFar)
      most.reset();
  }
  if (operands[1] &&
      failed(checkCondition(s, operands[1], "the loop's condition")))
    return failure();
  for (Value carried : ArrayRef<Value>(operands).drop_front(2))
    types.push_back(NodeImporter::typeOf(carried));
  first = types;
  return success();
}

LogicalResult LoopBuilder::importBody(ApartGraph &apart) {
  OpBuilder &b = s.n.builder;
  auto argument = [&](RankedTensorType type) {
    return Entity(apart.block.addArgument(type, s.n.location));
  };
  std::vector<Entity> inputs = {
      argument(RankedTensorType::get({}, b.getI64Type())),
      argument(RankedTensorType::get({}, b.getI1Type()))};
  for (RankedTensorType type : types)
    inputs.push_back(argument(type));
  if (failed(importApart(s, body, inputs, "body", apart)))
    return failure();
  if (apart.results.size() < 1 + types.size())
    return s.n.error() << "the body has " << apart.results.size()
                       << " outputs; it must have the condition, the "
                       << types.size()
                       << " values that the loop carries, and the scan outputs";
  for (auto [i, result] : llvm::enumerate(apart.results))
    if (!result.isTensor())
      return s.n.unsupported()
             << "output " << i << " of the body is " << describe(result)
             << "; the data decide how often the loop runs, so it must be a "
                "tensor; make the decision constant with --bind";
  return checkCondition(s, apart.results[0].value, "the loop's condition");
}

LogicalResult LoopBuilder::widen(const ApartGraph &apart, bool &isWider) {
  beforeThat = before.empty() ? types : before;
  before = types;
  isWider = false;
  for (auto [i, type] : llvm::enumerate(types)) {
    const Entity &given = apart.results[1 + i];
    RankedTensorType joined =
        joinTypes(type, NodeImporter::typeOf(given.value));
    if (!joined)
      return s.n.unsupported()
             << "carried value " << i << " is " << describe(s.operands[2 + i])
             << " before the loop and " << describe(given)
             << " behind an iteration; it must keep its element type and the "
                "number of its axes";
    if (!growth.empty()) {
      // The last iteration gives the size that is extrapolated, so no iteration
      // gets it and gives more; what depends on it has that room to spare.
      SmallVector<int64_t> largest = *largestShape(joined);
      for (auto [size, known, grown] :
           llvm::zip(largest, *largestShape(type), growth[i])) {
        if (grown && size - known > grown)
          return refuseGrowth(kUneven);
        size = grown ? known : size;
      }
      joined = withLargest(joined, largest);
    }
    isWider |= joined != type;
    type = joined;
  }
  return success();
}

LogicalResult LoopBuilder::refuseGrowth(StringRef rule) {
  return s.n.unsupported() << "a carried value grows with each iteration, "
                           << rule << "; carry a tensor of fixed size";
}

/// Sizes that grow by as many elements each time become what they are in the
/// end.
LogicalResult LoopBuilder::extrapolate() {
  if (!most)
    return refuseGrowth(
        "and how often the loop runs depends on the data without a "
        "limit; give M, a constant with --bind or a Min with one");
  for (auto [type, last, beforeLast, start] :
       llvm::zip(types, before, beforeThat, first)) {
    SmallVector<int64_t> &added = growth.emplace_back();
    SmallVector<int64_t> largest = *largestShape(type),
                         earlier = *largestShape(last),
                         evenEarlier = *largestShape(beforeLast),
                         initial = *largestShape(start);
    for (size_t axis = 0; axis < largest.size(); ++axis) {
      int64_t grown = largest[axis] - earlier[axis], all;
      if (grown != earlier[axis] - evenEarlier[axis])
        return refuseGrowth(kUneven);
      added.push_back(grown);
      if (grown == 0)
        continue;
      if (llvm::MulOverflow(grown, std::max<int64_t>(*most, 0), all) ||
          llvm::AddOverflow(initial[axis], all, largest[axis]))
        return refuseGrowth("beyond all limits");
    }
    type = withLargest(type, largest);
    if (failed(hostResultType(type)))
      return refuseGrowth("beyond what the host can hold");
  }
  return success();
}

bool LoopBuilder::runsAsOftenAsCounted(const ApartGraph &apart) const {
  auto isTrue = [](Value value) {
    auto known = constantIntsOf(value);
    return known && known->size() == 1 && known->front() != 0;
  };
  Value again = apart.results[0].value;
  auto handed = dyn_cast<BlockArgument>(again);
  constexpr unsigned kCondition = 1;
  bool isHanded = handed && handed.getOwner() == &apart.block &&
                  handed.getArgNumber() == kCondition;
  bool goesOn = isHanded || isTrue(again);
  return operands[0] && constantIntsOf(operands[0]) && goesOn &&
         (!operands[1] || isTrue(operands[1]));
}

LogicalResult LoopBuilder::scanTypes(const ApartGraph &apart,
                                     SmallVector<Type> &results) {
  bool isCounted = runsAsOftenAsCounted(apart);
  for (size_t i = 1 + types.size(); i < apart.results.size(); ++i) {
    if (!most)
      return s.n.unsupported()
             << "how often the loop runs depends on the data and has no limit, "
                "but its scan outputs need room; give M, a constant with "
                "--bind or a Min with one, or carry a tensor of fixed size";
    RankedTensorType type = NodeImporter::typeOf(apart.results[i].value);
    SmallVector<int64_t> largest{std::max<int64_t>(*most, 0)},
        shape{isCounted ? largest[0] : host::kUnknownSize};
    for (auto [size, bound] : llvm::zip(type.getShape(), *largestShape(type))) {
      shape.push_back(ShapedType::isDynamic(size) ? host::kUnknownSize : size);
      largest.push_back(bound);
    }
    results.push_back(boundedType(shape, largest, type.getElementType()));
  }
  return success();
}

SmallVector<int64_t> LoopBuilder::emptySizes(ArrayRef<Type> scans) const {
  SmallVector<int64_t> sizes;
  bool isNew = false;
  for (auto [i, type] : llvm::enumerate(scans)) {
    auto shape = cast<RankedTensorType>(type).getShape().drop_front();
    const auto &dims = body.outputs[1 + types.size() + i].dims;
    bool isDeclared = dims && dims->size() == shape.size();
    for (auto [axis, size] : llvm::enumerate(shape)) {
      std::optional<int64_t> declared;
      if (isDeclared)
        declared = (*dims)[axis].value;
      sizes.push_back(std::max<int64_t>(declared.value_or(0), 0));
      isNew |= ShapedType::isDynamic(size) && sizes.back();
    }
  }
  return isNew ? sizes : SmallVector<int64_t>();
}

LogicalResult LoopBuilder::build() {
  if (failed(readOperands()))
    return failure();
  // Sizes that some iterations change settle at once; those that still grow
  // then go on to do so, and others may follow them: a part of what grows.
  constexpr int kSettled = 3, kFollowed = 2 * kSettled;
  std::unique_ptr<ApartGraph> apart;
  bool isWider = true;
  for (int round = 0; isWider; ++round) {
    if (round == kSettled && failed(extrapolate()))
      return failure();
    if (round > kFollowed)
      return refuseGrowth(kUneven);
    apart = std::make_unique<ApartGraph>();
    if (failed(importBody(*apart)) || failed(widen(*apart, isWider)))
      return failure();
  }
  SmallVector<Type> results(types.begin(), types.end());
  if (failed(scanTypes(*apart, results)))
    return failure();
  tidy(s, *apart);
  llvm::SetVector<Value> captured;
  findCaptured(*apart, captured);
  if (!canRun(s, *apart, captured.getArrayRef()))
    return failure();
  SmallVector<Value> inputs(apart->block.args_begin(), apart->block.args_end());
  inputs.append(captured.begin(), captured.end());
  operands.append(captured.begin(), captured.end());
  NamedAttrList parameters;
  parameters.append(host::kLoopBody,
                    hostBody(s.n.builder.getContext(), apart->block, inputs,
                             valuesOf(apart->results)));
  parameters.append(host::kCarried,
                    s.n.builder.getI64IntegerAttr(int64_t(types.size())));
  if (auto sizes = emptySizes(ArrayRef<Type>(results).drop_front(types.size()));
      !sizes.empty())
    parameters.append(host::kEmptySizes,
                      s.n.builder.getDenseI64ArrayAttr(sizes));
  auto made = s.n.createHost("loop", operands, results, parameters);
  if (failed(made))
    return failure();
  s.outputs.assign(made->begin(), made->end());
  return success();
}

LogicalResult onnx::buildLoop(StructureNode &s, const Graph &body) {
  return LoopBuilder(s, body).build();
}
