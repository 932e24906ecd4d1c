//===- ControlFlow.cpp - If, Loop and Scan --------------------------------===//
//
// What the chip runs is a straight list of commands. Branches are chosen where
// the condition is constant, loops of a known number of iterations unrolled.
// Where data decide, the host runs the graphs (HostControl.h); or all of them
// are computed and their results selected, if that is asked for and can be.
//
//===----------------------------------------------------------------------===//

#include "frontend/onnx/Compose.h"
#include "frontend/onnx/HostControl.h"
#include "frontend/onnx/Importer.h"
#include "frontend/onnx/OpRows.h"

using namespace mlir;
using namespace weft;
using namespace weft::onnx;

//===----------------------------------------------------------------------===//
// What all of them need
//===----------------------------------------------------------------------===//

FailureOr<Value> StructureNode::tensor(unsigned i) {
  Entity entity = operand(i);
  if (entity.isTensor())
    return entity.value;
  InFlightDiagnostic message = n.error();
  if (entity.isUnknown())
    message << "input " << i << " is left out; " << n.node.opType
            << " needs it";
  else
    message << "input " << i << " ('" << n.node.inputs[i] << "') is "
            << describe(entity) << "; it must be a tensor";
  return failure();
}

FailureOr<std::vector<Value>> StructureNode::sequence(unsigned i) {
  Entity entity = operand(i);
  if (entity.isSequence())
    return std::move(entity.items);
  n.error() << "input " << i << " is " << describe(entity)
            << "; it must be a sequence";
  return failure();
}

FailureOr<const Graph *> StructureNode::graph(StringRef attribute) {
  const NodeAttribute *found = n.node.find(attribute);
  if (found && found->graph)
    return found->graph.get();
  n.error() << "attribute '" << attribute << "' is missing; " << n.node.opType
            << " needs the graph";
  return failure();
}

/// The value of a constant of one element; nullopt if it is not constant.
static std::optional<int64_t> constantScalar(Value value) {
  std::optional<SmallVector<int64_t>> values = constantIntsOf(value);
  if (!values || values->size() != 1)
    return std::nullopt;
  return values->front();
}

/// Takes the name that importOperator gives to its result: a node has several,
/// and a value that stands for an output gets the name of that.
static FailureOr<Entity> withoutName(FailureOr<Entity> result) {
  Operation *op = succeeded(result) ? result->value.getDefiningOp() : nullptr;
  auto name = op ? op->getAttrOfType<StringAttr>(top::kValueAttr) : nullptr;
  if (name && name.getValue().ends_with("/result"))
    op->removeAttr(top::kValueAttr);
  return result;
}

/// `condition ? chosen : other` for two results of one meaning; `what` names
/// them in messages.
static FailureOr<Entity> select(StructureNode &s, Value condition,
                                const Entity &chosen, const Entity &other,
                                const std::string &what) {
  if (chosen.isTensor() && other.isTensor()) {
    if (chosen.value == other.value)
      return chosen;
    if (chosen.value.getType() == other.value.getType())
      return withoutName(s.importer.importOperator(
          "Where", {condition, chosen.value, other.value}, s.n.location,
          s.body));
  }
  if (chosen.isSequence() && other.isSequence() &&
      chosen.items.size() == other.items.size()) {
    std::vector<Value> items;
    for (size_t i = 0; i < chosen.items.size(); ++i) {
      FailureOr<Entity> item =
          select(s, condition, chosen.items[i], other.items[i], what);
      if (failed(item))
        return failure();
      items.push_back(item->value);
    }
    return Entity::sequence(std::move(items));
  }
  s.n.unsupported() << what << " is " << describe(chosen)
                    << " if the condition holds, else " << describe(other)
                    << "; the condition depends on the model's inputs, so both "
                       "must be of one type; fix the condition with --bind or "
                       "export the model for one case";
  return failure();
}

//===----------------------------------------------------------------------===//
// If
//===----------------------------------------------------------------------===//

static bool isConstant(Block &block) {
  return llvm::all_of(block,
                      [](Operation &op) { return isa<top::ConstantOp>(op); });
}

/// Whether both branches are computed, if they do anything, and one selected:
/// because that is asked for, because the host cannot run them or because the
/// chip has both sooner.
static bool areSelected(StructureNode &s, ApartGraph &yes, ApartGraph &no) {
  if (!yes.givesTensors() || !no.givesTensors())
    return true; // lists of values are known to the importer alone
  for (auto [chosen, other] : llvm::zip(yes.results, no.results))
    if (chosen.value.getType() != other.value.getType())
      return false;
  if (needsTheHost(yes.block) || needsTheHost(no.block))
    return false;
  std::string problem;
  return s.importer.selectsBranches() ||
         (isConstant(yes.block) && isConstant(no.block)) ||
         multipliesMuch(yes.block) || multipliesMuch(no.block) ||
         !fitsTheHost(yes.block, problem) || !fitsTheHost(no.block, problem);
}

static LogicalResult importIf(StructureNode &s) {
  FailureOr<Value> condition = s.tensor(0);
  FailureOr<const Graph *> thenGraph = s.graph("then_branch");
  FailureOr<const Graph *> elseGraph = s.graph("else_branch");
  if (failed(condition) || failed(thenGraph) || failed(elseGraph))
    return failure();
  if (std::optional<int64_t> known = constantScalar(*condition)) {
    auto results = s.importGraph(*known ? **thenGraph : **elseGraph, {},
                                 *known ? "then_branch" : "else_branch");
    if (failed(results))
      return failure();
    s.outputs = std::move(*results);
    return success();
  }
  if (failed(checkCondition(s, *condition, "the condition")))
    return failure();
  ApartGraph yes, no;
  if (failed(importApart(s, **thenGraph, {}, "then_branch", yes)) ||
      failed(importApart(s, **elseGraph, {}, "else_branch", no))) {
    // It may be one that is right for other shapes.
    emitRemark(s.n.location) << "the condition is computed, so both branches "
                                "are needed; fix it with --bind if one of them "
                                "is never taken at these shapes";
    return failure();
  }
  if (yes.results.size() != no.results.size())
    return s.n.error() << "then_branch has " << yes.results.size()
                       << " outputs, else_branch " << no.results.size()
                       << "; both must have the node's";
  if (!areSelected(s, yes, no))
    return buildIf(s, *condition, yes, no);
  moveHere(s, yes);
  moveHere(s, no);
  FailureOr<Value> scalar = s.n.reshape(*condition, {});
  if (failed(scalar))
    return failure();
  for (size_t i = 0; i < yes.results.size(); ++i) {
    FailureOr<Entity> chosen = select(s, *scalar, yes.results[i], no.results[i],
                                      "output " + std::to_string(i));
    if (failed(chosen))
      return failure();
    s.outputs.push_back(std::move(*chosen));
  }
  return success();
}

//===----------------------------------------------------------------------===//
// Loops
//===----------------------------------------------------------------------===//

/// `parts` along a new axis `axis` (of the result).
static FailureOr<Value> stack(StructureNode &s, ArrayRef<Value> parts,
                              int64_t axis) {
  Compose c(s.n);
  SmallVector<Value> rows;
  for (Value part : parts) {
    SmallVector<int64_t> shape(c.shapeOf(part));
    FailureOr<int64_t> at = s.n.normalizeAxis(axis, shape.size() + 1);
    if (failed(at))
      return failure();
    axis = *at;
    shape.insert(shape.begin() + axis, 1);
    rows.push_back(c.reshape(part, shape));
  }
  for (auto [row, part] : llvm::zip_equal(rows, parts))
    if (row && row.getType() != rows.front().getType()) {
      s.n.error() << "a scan output is "
                  << formatShape(c.shapeOf(parts.front()))
                  << " in the first iteration and "
                  << formatShape(c.shapeOf(part))
                  << " later; all must have one shape";
      return failure();
    }
  Value result = c.concat(rows, axis);
  return result ? FailureOr<Value>(result) : FailureOr<Value>(failure());
}

/// An empty scan output: its sizes are those that the body declares.
static FailureOr<Value> emptyScan(StructureNode &s, const ValueInfo &declared) {
  Type element = elementTypeOf(declared.type, s.n.builder.getContext());
  SmallVector<int64_t> shape = {0};
  bool known = element && declared.dims;
  if (known)
    for (const Dimension &dim : *declared.dims) {
      known &= dim.value.has_value() && *dim.value >= 0;
      shape.push_back(dim.value.value_or(1));
    }
  if (!known) {
    s.n.unsupported() << "the loop runs 0 times and its body does not declare "
                         "the sizes of scan output '"
                      << declared.name << "'; declare them";
    return failure();
  }
  auto type = RankedTensorType::get(shape, element);
  return s.n.constant(
      toElementsAttr(*makeHostTensor(type), type, declared.name));
}

namespace {
/// A Loop that is unrolled as long as nothing speaks against it.
struct Unrolling {
  ApartGraph apart; ///< the iterations
  int64_t trips = INT64_MAX;
  int64_t iteration = 0;
  std::vector<Entity> carried;
  /// Values of each scan output, one an iteration.
  std::vector<std::vector<Value>> scans;
  /// Whether the iteration takes place, if that is not constant.
  Value active;
  /// Whether it is known that the chip selects the values of iterations.
  bool isSelecting = false;
};

/// What comes of an iteration.
enum class Outcome { Again, Ended, ForHost };
} // namespace

/// Iterations that are unrolled at most, and nodes that they become.
constexpr int64_t kMostIterations = 10000;
constexpr uint64_t kMostUnrolledNodes = 50'000;
/// Iterations that are computed at most though the data may end the loop
/// before.
constexpr int64_t kMostSelected = 64;

/// What follows from the condition after an iteration; false: the loop ends.
static FailureOr<bool> advance(StructureNode &s, Unrolling &loop,
                               Value condition) {
  if (std::optional<int64_t> known = constantScalar(condition))
    return *known != 0;
  if (failed(checkCondition(s, condition, "the loop's condition")))
    return failure();
  FailureOr<Value> scalar = s.n.reshape(condition, {});
  if (failed(scalar))
    return failure();
  if (!loop.active) {
    loop.active = *scalar;
    return true;
  }
  auto both = withoutName(s.importer.importOperator(
      "And", {loop.active, *scalar}, s.n.location, s.body));
  if (failed(both))
    return failure();
  loop.active = both->value;
  return true;
}

/// Whether all iterations are computed and the right values selected;
/// `results` are those of the first one that data decide.
static bool areSelected(StructureNode &s, Unrolling &loop,
                        ArrayRef<Entity> results) {
  if (results.size() != 1 + loop.carried.size() || loop.trips > kMostSelected ||
      needsTheHost(loop.apart.block))
    return false;
  bool areTensors = true;
  for (auto [next, last] : llvm::zip(results.drop_front(), loop.carried)) {
    areTensors &= next.isTensor() && last.isTensor();
    if (next.isTensor() && last.isTensor() &&
        next.value.getType() != last.value.getType())
      return false;
  }
  std::string problem;
  return s.importer.selectsBranches() || !areTensors ||
         multipliesMuch(loop.apart.block) ||
         !fitsTheHost(loop.apart.block, problem);
}

/// Takes what an iteration gives.
static LogicalResult take(StructureNode &s, Unrolling &loop,
                          ArrayRef<Entity> results) {
  size_t carried = loop.carried.size();
  for (size_t i = 0; i < carried; ++i) {
    Entity next = results[1 + i];
    if (loop.active) {
      FailureOr<Entity> chosen = select(s, loop.active, next, loop.carried[i],
                                        "carried value " + std::to_string(i));
      if (failed(chosen))
        return failure();
      next = std::move(*chosen);
    }
    loop.carried[i] = std::move(next);
  }
  loop.scans.resize(results.size() - 1 - carried);
  for (size_t i = 0; i < loop.scans.size(); ++i) {
    const Entity &scanned = results[1 + carried + i];
    if (!scanned.isTensor())
      return s.n.error() << "scan output " << i << " is " << describe(scanned)
                         << "; it must be a tensor";
    loop.scans[i].push_back(scanned.value);
  }
  return success();
}

/// Runs the body once more.
static FailureOr<Outcome> iterate(StructureNode &s, const Graph &body,
                                  Unrolling &loop) {
  std::vector<Entity> inputs = {s.n.intConstant(loop.iteration, {})};
  Type i1 = s.n.builder.getI1Type();
  inputs.push_back(loop.active ? loop.active : s.n.scalar(1, i1));
  llvm::append_range(inputs, loop.carried);
  auto results =
      s.importGraph(body, inputs, "body/" + std::to_string(loop.iteration));
  if (failed(results))
    return failure();
  if (results->size() < 1 + loop.carried.size() ||
      !results->front().isTensor()) {
    s.n.error() << "the body has " << results->size()
                << " outputs; it must have the condition, the "
                << loop.carried.size()
                << " values that the loop carries, and the scan outputs";
    return failure();
  }
  if (loop.active && !loop.isSelecting && !areSelected(s, loop, *results))
    return Outcome::ForHost;
  loop.isSelecting = bool(loop.active);
  if (failed(take(s, loop, *results)))
    return failure();
  FailureOr<bool> more = advance(s, loop, results->front().value);
  if (failed(more))
    return failure();
  return *more ? Outcome::Again : Outcome::Ended;
}

/// Nodes of a graph and of those within it.
static uint64_t nodesOf(const Graph &graph) {
  uint64_t count = graph.nodes.size();
  for (const Node &node : graph.nodes)
    for (const NodeAttribute &attribute : node.attributes)
      if (attribute.graph)
        count += nodesOf(*attribute.graph);
  return count;
}

/// True if the condition that a body gives is the one that it gets.
static bool keepsCondition(const Graph &body) {
  if (body.outputs.empty() || body.inputs.size() < 2)
    return false;
  std::string name = body.outputs[0].name;
  for (const Node &node : llvm::reverse(body.nodes))
    if (llvm::is_contained(node.outputs, name)) {
      if (node.opType != "Identity" || node.inputs.size() != 1)
        return false;
      name = node.inputs[0];
    }
  return name == body.inputs[1].name;
}

/// Unrolls into `loop.apart`; false if the host has to run the loop.
static FailureOr<bool> unroll(StructureNode &s, const Graph &body,
                              Unrolling &loop) {
  OpBuilder::InsertionGuard guard(s.n.builder);
  s.n.builder.setInsertionPointToEnd(&loop.apart.block);
  bool runs = true;
  if (s.operand(1).isTensor()) {
    FailureOr<bool> first = advance(s, loop, s.operand(1).value);
    if (failed(first))
      return failure();
    runs = *first;
  }
  int64_t most = std::min<int64_t>(kMostIterations,
                                   kMostUnrolledNodes /
                                       std::max<uint64_t>(nodesOf(body), 1));
  if (runs && loop.trips > most && keepsCondition(body)) {
    if (loop.trips < INT64_MAX || loop.active)
      return false;
    s.n.error() << "the loop has no trip count and its condition stays true, "
                   "so it does not end; give M";
    return failure();
  }
  while (runs && loop.iteration < loop.trips) {
    if (loop.iteration == most)
      return false;
    FailureOr<Outcome> outcome = iterate(s, body, loop);
    if (failed(outcome))
      return failure();
    if (*outcome == Outcome::ForHost)
      return false;
    runs = *outcome == Outcome::Again;
    ++loop.iteration;
  }
  return true;
}

static LogicalResult importLoop(StructureNode &s) {
  FailureOr<const Graph *> body = s.graph("body");
  if (failed(body))
    return failure();
  Unrolling loop;
  for (size_t i = 2; i < s.operands.size(); ++i)
    loop.carried.push_back(s.operands[i]);
  if (Entity count = s.operand(0); count.isTensor()) {
    std::optional<int64_t> known = constantScalar(count.value);
    if (!known)
      return buildLoop(s, **body);
    loop.trips = *known;
  }
  FailureOr<bool> unrolled = unroll(s, **body, loop);
  if (failed(unrolled))
    return failure();
  if (!*unrolled)
    return buildLoop(s, **body);
  moveHere(s, loop.apart);
  s.outputs = loop.carried;
  size_t scans = (*body)->outputs.size() -
                 std::min((*body)->outputs.size(), 1 + loop.carried.size());
  for (size_t i = 0; i < scans; ++i) {
    FailureOr<Value> value =
        loop.iteration
            ? stack(s, loop.scans[i], 0)
            : emptyScan(s, (*body)->outputs[1 + loop.carried.size() + i]);
    if (failed(value))
      return failure();
    s.outputs.push_back(*value);
  }
  return success();
}

//===----------------------------------------------------------------------===//
// Scan
//===----------------------------------------------------------------------===//

namespace {

/// The attributes of a Scan, one entry a scanned value.
struct ScanPlan {
  const Graph *body = nullptr;
  size_t states = 0;
  SmallVector<int64_t> inputAxes, outputAxes;
  SmallVector<int64_t> inputReversed, outputReversed;
};

} // namespace

/// Element `at` of `value` along `axis`, without that axis.
static FailureOr<Value> element(StructureNode &s, Value value, int64_t axis,
                                int64_t at) {
  Compose c(s.n);
  SmallVector<int64_t> shape(c.shapeOf(value));
  shape.erase(shape.begin() + axis);
  Value part = c.reshape(c.sliceAxis(value, axis, at, 1), shape);
  return part ? FailureOr<Value>(part) : FailureOr<Value>(failure());
}

/// Runs the body over the scanned inputs; `prefix` tells several runs apart.
static FailureOr<std::vector<Entity>>
runScan(StructureNode &s, const ScanPlan &plan, std::vector<Entity> states,
        ArrayRef<Value> scanned, const std::string &prefix) {
  int64_t length = -1;
  SmallVector<int64_t> axes;
  for (auto [i, value] : llvm::enumerate(scanned)) {
    RankedTensorType type = s.n.typeOf(value);
    FailureOr<int64_t> axis =
        s.n.normalizeAxis(plan.inputAxes[i], type.getRank());
    if (failed(axis))
      return failure();
    axes.push_back(*axis);
    if (length >= 0 && type.getDimSize(*axis) != length) {
      s.n.error() << "scanned input " << i << " has " << type.getDimSize(*axis)
                  << " elements, the first has " << length
                  << "; all must have as many";
      return failure();
    }
    length = type.getDimSize(*axis);
  }
  size_t scans = plan.body->outputs.size() - plan.states;
  std::vector<SmallVector<Value>> outputs(scans);
  if (length > kMostIterations) {
    s.n.unsupported() << "a scan of " << length << " elements; it is unrolled, "
                      << "at most " << kMostIterations << " are supported";
    return failure();
  }
  for (int64_t step = 0; step < length; ++step) {
    std::vector<Entity> inputs = states;
    for (auto [i, value] : llvm::enumerate(scanned)) {
      int64_t at = plan.inputReversed[i] ? length - 1 - step : step;
      FailureOr<Value> part = element(s, value, axes[i], at);
      if (failed(part))
        return failure();
      inputs.push_back(*part);
    }
    auto results =
        s.importGraph(*plan.body, inputs, prefix + std::to_string(step));
    if (failed(results))
      return failure();
    states.assign(results->begin(), results->begin() + plan.states);
    for (size_t i = 0; i < scans; ++i)
      outputs[i].push_back((*results)[plan.states + i].value);
  }
  if (length == 0 && scans) {
    s.n.unsupported() << "the scanned inputs have no elements";
    return failure();
  }
  for (size_t i = 0; i < scans; ++i) {
    if (llvm::is_contained(outputs[i], Value())) {
      s.n.error() << "scan output " << i
                  << " of the body is a sequence or optional; it must be a "
                     "tensor";
      return failure();
    }
    if (plan.outputReversed[i])
      std::reverse(outputs[i].begin(), outputs[i].end());
    FailureOr<Value> value = stack(s, outputs[i], plan.outputAxes[i]);
    if (failed(value))
      return failure();
    states.push_back(*value);
  }
  return states;
}

/// Body, counts and the attributes `prefix`_{input,output}_{axes,directions}.
static FailureOr<ScanPlan> planScan(StructureNode &s, size_t operands) {
  ScanPlan plan;
  FailureOr<const Graph *> body = s.graph("body");
  FailureOr<int64_t> count = s.n.intAttribute("num_scan_inputs", 0, 1);
  if (failed(body) || failed(count))
    return failure();
  plan.body = *body;
  if (size_t(*count) > operands ||
      plan.body->outputs.size() < operands - size_t(*count)) {
    s.n.error() << "num_scan_inputs is " << *count << ", the node has "
                << operands << " inputs and the body "
                << plan.body->outputs.size()
                << " outputs; they must hold the states and what is scanned";
    return failure();
  }
  plan.states = operands - size_t(*count);
  int64_t scans = plan.body->outputs.size() - plan.states;
  bool old = s.n.opset < 9;
  auto inAxes = s.n.intsAttribute("scan_input_axes", *count, 0);
  auto outAxes = s.n.intsAttribute("scan_output_axes", scans, 0);
  auto inWays = s.n.intsAttribute(old ? "directions" : "scan_input_directions",
                                  *count, 0, 0);
  auto outWays = s.n.intsAttribute("scan_output_directions", scans, 0, 0);
  if (failed(inAxes) || failed(outAxes) || failed(inWays) || failed(outWays))
    return failure();
  plan.inputAxes = *inAxes;
  plan.outputAxes = *outAxes;
  plan.inputReversed = *inWays;
  plan.outputReversed = *outWays;
  return plan;
}

/// Scan-9..
static LogicalResult importScan(StructureNode &s) {
  FailureOr<ScanPlan> plan = planScan(s, s.operands.size());
  if (failed(plan))
    return failure();
  std::vector<Entity> states(s.operands.begin(),
                             s.operands.begin() + plan->states);
  SmallVector<Value> scanned;
  for (size_t i = plan->states; i < s.operands.size(); ++i) {
    FailureOr<Value> value = s.tensor(i);
    if (failed(value))
      return failure();
    scanned.push_back(*value);
  }
  auto results = runScan(s, *plan, std::move(states), scanned, "body/");
  if (failed(results))
    return failure();
  s.outputs = std::move(*results);
  return success();
}

/// Scan-8: operand 0 are the lengths, axis 0 of all others is a batch.
static LogicalResult importBatchedScan(StructureNode &s) {
  if (!s.operand(0).isUnknown())
    return s.n.unsupported() << "Scan-8 with sequence_lens; give all sequences "
                                "one length and leave the input out";
  FailureOr<ScanPlan> plan = planScan(s, s.operands.size() - 1);
  if (failed(plan))
    return failure();
  int64_t batches = -1;
  for (size_t i = 1; i < s.operands.size(); ++i) {
    FailureOr<Value> value = s.tensor(i);
    if (failed(value))
      return failure();
    ArrayRef<int64_t> shape = s.n.typeOf(*value).getShape();
    if (shape.empty() || (batches >= 0 && shape[0] != batches))
      return s.n.error() << "input " << i << " is " << formatShape(shape)
                         << "; axis 0 of all inputs is the batch and must be "
                            "the same";
    batches = shape[0];
  }
  std::vector<SmallVector<Value>> results(plan->body->outputs.size());
  for (int64_t batch = 0; batch < batches; ++batch) {
    std::vector<Entity> states;
    SmallVector<Value> scanned;
    for (size_t i = 1; i < s.operands.size(); ++i) {
      FailureOr<Value> part = element(s, s.operands[i].value, 0, batch);
      if (failed(part))
        return failure();
      if (i <= plan->states)
        states.push_back(*part);
      else
        scanned.push_back(*part);
    }
    auto run = runScan(s, *plan, std::move(states), scanned,
                       "body/" + std::to_string(batch) + "/");
    if (failed(run))
      return failure();
    for (size_t i = 0; i < run->size(); ++i)
      results[i].push_back((*run)[i].value);
  }
  for (ArrayRef<Value> parts : results) {
    if (llvm::is_contained(parts, Value()))
      return s.n.error() << "an output of the body is a sequence or optional; "
                            "it must be a tensor";
    FailureOr<Value> value = stack(s, parts, 0);
    if (failed(value))
      return failure();
    s.outputs.push_back(*value);
  }
  return success();
}

static OpRow structureRow(StringRef name, int64_t first, int64_t last,
                          StructureFunction function, StringRef limits) {
  OpRow row{name, first, last, nullptr, limits};
  row.structure = function;
  return row;
}

void weft::onnx::registerControlFlowRows(OpRegistry &registry) {
  registry.add("ControlFlow",
               {
                   structureRow("If", 1, kLastOpset, importIf,
                                "tensors, if the condition is computed"),
                   structureRow("Loop", 1, kLastOpset, importLoop,
                                "scan outputs need a limit of the trip count"),
                   structureRow("Scan", 8, 8, importBatchedScan,
                                "no sequence_lens; unrolled"),
                   structureRow("Scan", 9, kLastOpset, importScan, "unrolled"),
               });
}
