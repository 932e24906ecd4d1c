//===- Learning.cpp - rows of the domains ai.onnx.ml and training ---------===//

#include "frontend/onnx/Compose.h"
#include "frontend/onnx/Importer.h"
#include "frontend/onnx/OpRows.h"

using namespace mlir;
using namespace weft;
using namespace weft::onnx;

constexpr StringLiteral kTraining = "ai.onnx.preview.training";
constexpr StringLiteral kMachineLearning = "ai.onnx.ml";

//===----------------------------------------------------------------------===//
// Optimizers
//===----------------------------------------------------------------------===//

namespace {

/// The operands of an optimizer: rate, count of updates, then `groups` lists of
/// as many tensors (weights, gradients, states). Results are the new weights,
/// then the new states.
struct Update {
  NodeImporter &n;
  Compose c;
  Value rate, count;
  size_t tensors = 0;

  explicit Update(NodeImporter &n) : n(n), c(n) {}

  /// Binds operands; fails, with a message, if their number is wrong.
  LogicalResult bind(size_t groups) {
    FailureOr<Value> first = n.operand(0), second = n.operand(1);
    if (failed(first) || failed(second))
      return failure();
    size_t rest = n.numOperands() - 2;
    tensors = rest / groups;
    if (tensors == 0 || rest % groups)
      return n.error() << "the node has " << n.numOperands()
                       << " inputs; it must have the rate, the count and "
                       << groups << " for each optimized tensor";
    rate = *first;
    count = *second;
    return success();
  }
  /// Tensor `i` of a group: 0 weights, 1 gradients, 2 .. states.
  Value tensor(size_t group, size_t i) {
    FailureOr<Value> value = n.operand(2 + group * tensors + i);
    return succeeded(value) ? *value : Value();
  }
  /// norm_coefficient * weights + gradients.
  Value gradient(size_t i, double normCoefficient) {
    return c.add(c.mul(tensor(0, i), normCoefficient), tensor(1, i));
  }
  /// 1 if there was an update before, else 0.
  Value started(Type element) {
    return c.cast(c.binary(top::BinaryKind::Greater, count, c.number(0, count)),
                  element);
  }
  LogicalResult set(size_t group, size_t i, Value value) {
    return c.finish(value, group * tensors + i);
  }
};

} // namespace

/// Reads float attributes in order; false, with a message, if one is wrong.
static bool numbersOf(NodeImporter &n,
                      ArrayRef<std::pair<StringRef, double>> names,
                      SmallVector<double> &values) {
  for (const auto &[name, fallback] : names) {
    FailureOr<double> value = n.floatAttribute(name, fallback);
    if (failed(value))
      return false;
    values.push_back(*value);
  }
  return true;
}

static LogicalResult importAdagrad(NodeImporter &n) {
  SmallVector<double> a;
  Update u(n);
  if (failed(u.bind(3)) || !numbersOf(n,
                                      {{"decay_factor", 0},
                                       {"epsilon", double(1e-6f)},
                                       {"norm_coefficient", 0}},
                                      a))
    return failure();
  Compose &c = u.c;
  Type element = c.elementOf(u.rate);
  Value decay = c.add(c.mul(c.cast(u.count, element), a[0]), 1);
  Value rate = c.binary(top::BinaryKind::Div, u.rate, decay);
  for (size_t i = 0; i < u.tensors; ++i) {
    Value gradient = u.gradient(i, a[2]);
    Value squares = c.add(u.tensor(2, i), c.mul(gradient, gradient));
    Value root = c.add(c.unary(top::UnaryKind::Sqrt, squares), a[1]);
    Value step = c.binary(top::BinaryKind::Div, c.mul(gradient, rate), root);
    if (failed(u.set(0, i, c.sub(u.tensor(0, i), step))) ||
        failed(u.set(1, i, squares)))
      return failure();
  }
  return success();
}

static LogicalResult importAdam(NodeImporter &n) {
  SmallVector<double> a;
  Update u(n);
  if (failed(u.bind(4)) || !numbersOf(n,
                                      {{"alpha", double(0.9f)},
                                       {"beta", double(0.999f)},
                                       {"epsilon", double(1e-6f)},
                                       {"norm_coefficient", 0},
                                       {"norm_coefficient_post", 0}},
                                      a))
    return failure();
  auto [alpha, beta, epsilon] = std::tuple(a[0], a[1], a[2]);
  Compose &c = u.c;
  Type element = c.elementOf(u.rate);
  Value count = c.cast(u.count, element), started = u.started(element);
  auto oneMinusPower = [&](double base) { // 1 - base^count
    Value power = c.binary(top::BinaryKind::Pow, c.number(base, u.rate), count);
    return power ? c.sub(c.number(1, u.rate), power) : Value();
  };
  // rate * sqrt(1 - beta^t) / (1 - alpha^t), and the rate for t = 0, where the
  // divisor is replaced by 1.
  Value factor = c.unary(top::UnaryKind::Sqrt, oneMinusPower(beta));
  Value notStarted = started ? c.sub(c.number(1, u.rate), started) : Value();
  Value divisor = c.add(oneMinusPower(alpha), notStarted);
  factor = c.add(c.binary(top::BinaryKind::Div, factor, divisor), notStarted);
  Value rate = c.mul(u.rate, factor);
  for (size_t i = 0; i < u.tensors; ++i) {
    Value gradient = u.gradient(i, a[3]);
    Value momentum =
        c.add(c.mul(u.tensor(2, i), alpha), c.mul(gradient, 1 - alpha));
    Value squares = c.add(c.mul(u.tensor(3, i), beta),
                          c.mul(c.mul(gradient, gradient), 1 - beta));
    Value root = c.add(c.unary(top::UnaryKind::Sqrt, squares), epsilon);
    Value step = c.mul(c.binary(top::BinaryKind::Div, momentum, root), rate);
    Value weights = c.mul(c.sub(u.tensor(0, i), step), 1 - a[4]);
    if (failed(u.set(0, i, weights)) || failed(u.set(1, i, momentum)) ||
        failed(u.set(2, i, squares)))
      return failure();
  }
  return success();
}

static LogicalResult importMomentum(NodeImporter &n) {
  SmallVector<double> a;
  Update u(n);
  FailureOr<std::string> mode =
      n.wordAttribute("mode", "standard", {"standard", "nesterov"});
  if (failed(mode) || failed(u.bind(3)) ||
      !numbersOf(n, {{"alpha", 0}, {"beta", 0}, {"norm_coefficient", 0}}, a))
    return failure();
  Compose &c = u.c;
  // `beta` counts from the second update on.
  Value weight = c.add(c.mul(u.started(c.elementOf(u.rate)), a[1] - 1), 1);
  for (size_t i = 0; i < u.tensors; ++i) {
    Value gradient = u.gradient(i, a[2]);
    Value momentum =
        c.add(c.mul(u.tensor(2, i), a[0]), c.mul(gradient, weight));
    Value direction =
        *mode == "nesterov" ? c.add(gradient, c.mul(momentum, a[0])) : momentum;
    Value weights = c.sub(u.tensor(0, i), c.mul(direction, u.rate));
    if (failed(u.set(0, i, weights)) || failed(u.set(1, i, momentum)))
      return failure();
  }
  return success();
}

//===----------------------------------------------------------------------===//
// ai.onnx.ml
//===----------------------------------------------------------------------===//

/// Binarizer-1: x > threshold.
static LogicalResult importBinarizer(NodeImporter &n) {
  FailureOr<Value> input = n.operand(0);
  FailureOr<double> threshold = n.floatAttribute("threshold", 0);
  if (failed(input) || failed(threshold))
    return failure();
  Compose c(n);
  Value above =
      c.binary(top::BinaryKind::Greater, *input, c.number(*threshold, *input));
  return c.finish(c.cast(above, c.elementOf(*input)));
}

/// ArrayFeatureExtractor-1: elements of the last axis.
static LogicalResult importArrayFeatureExtractor(StructureNode &s) {
  FailureOr<Value> input = s.tensor(0), indices = s.tensor(1);
  if (failed(input) || failed(indices))
    return failure();
  NodeImporter &n = s.n;
  RankedTensorType type = n.typeOf(*input);
  int64_t count = n.typeOf(*indices).getNumElements();
  FailureOr<Value> list = n.reshape(*indices, {count});
  if (failed(list) || type.getRank() == 0)
    return failed(list) ? failure()
                        : n.error() << "the input is a scalar; it must have "
                                       "an axis to take elements of";
  NodeAttribute axis;
  axis.name = "axis";
  axis.kind = NodeAttribute::Kind::Int;
  axis.intValue = type.getRank() - 1;
  FailureOr<Entity> taken = s.importer.importOperator(
      "Gather", {*input, *list}, n.location, s.body, {axis});
  if (failed(taken))
    return failure();
  if (type.getRank() > 1)
    return s.setOutput(std::move(*taken));
  FailureOr<Value> row = n.reshape(taken->value, {1, count});
  return failed(row) ? failure() : s.setOutput(*row);
}

//===----------------------------------------------------------------------===//
// Tree ensembles
//===----------------------------------------------------------------------===//

namespace {

/// The attributes of a TreeEnsemble, checked. Lists have one entry a node
/// unless said otherwise.
struct Trees {
  std::vector<double> splits;
  std::vector<int64_t> features, modes, whenTrue, whenFalse, trueIsLeaf,
      falseIsLeaf, missingIsTrue;
  std::vector<double> leafWeights;          ///< one a leaf
  std::vector<int64_t> leafTargets;         ///< one a leaf
  std::vector<int64_t> roots;               ///< one a tree
  std::vector<std::vector<double>> members; ///< of nodes of mode kMember
  int64_t targets = 1;
};

/// A way from a root to a leaf.
struct Path {
  std::vector<std::pair<int64_t, bool>> steps; ///< node, taken if true
  int64_t leaf = 0;
};

} // namespace

/// nodes_modes.
enum TreeMode { kLeq, kLess, kGeq, kGreater, kEqual, kNotEqual, kMember };

/// The elements of a tensor attribute as doubles; empty if it is absent.
static std::vector<double> tensorNumbers(NodeImporter &n, StringRef name) {
  const NodeAttribute *attribute = n.node.find(name);
  if (!attribute || !attribute->tensor)
    return {};
  Value value =
      n.constant(constantAttribute(*attribute->tensor, n.builder.getContext()));
  std::optional<SmallVector<double>> numbers = constantNumbersOf(value);
  return numbers ? std::vector<double>(numbers->begin(), numbers->end())
                 : std::vector<double>();
}

static std::vector<int64_t> listOf(NodeImporter &n, StringRef name) {
  const NodeAttribute *attribute = n.node.find(name);
  return attribute ? attribute->ints : std::vector<int64_t>();
}

static FailureOr<Trees> bindTrees(NodeImporter &n) {
  Trees t;
  t.splits = tensorNumbers(n, "nodes_splits");
  t.features = listOf(n, "nodes_featureids");
  for (double mode : tensorNumbers(n, "nodes_modes"))
    t.modes.push_back(int64_t(mode));
  t.whenTrue = listOf(n, "nodes_truenodeids");
  t.whenFalse = listOf(n, "nodes_falsenodeids");
  t.trueIsLeaf = listOf(n, "nodes_trueleafs");
  t.falseIsLeaf = listOf(n, "nodes_falseleafs");
  t.missingIsTrue = listOf(n, "nodes_missing_value_tracks_true");
  t.leafWeights = tensorNumbers(n, "leaf_weights");
  t.leafTargets = listOf(n, "leaf_targetids");
  t.roots = listOf(n, "tree_roots");
  FailureOr<int64_t> targets = n.intAttribute("n_targets", 1, 1, 1 << 16);
  FailureOr<int64_t> transform = n.intAttribute("post_transform", 0);
  FailureOr<int64_t> aggregate = n.intAttribute("aggregate_function", 1);
  if (failed(targets) || failed(transform) || failed(aggregate))
    return failure();
  t.targets = *targets;
  if (*transform != 0 || *aggregate != 1) {
    n.unsupported() << "post_transform " << *transform
                    << " with aggregate_function " << *aggregate
                    << "; use sums (1) without a transform (0)";
    return failure();
  }
  size_t nodes = t.splits.size();
  t.missingIsTrue.resize(t.missingIsTrue.empty() ? nodes
                                                 : t.missingIsTrue.size());
  bool sameSize = nodes > 0 && t.leafWeights.size() == t.leafTargets.size();
  for (const std::vector<int64_t> *list :
       {&t.features, &t.modes, &t.whenTrue, &t.whenFalse, &t.trueIsLeaf,
        &t.falseIsLeaf, &t.missingIsTrue})
    sameSize &= list->size() == nodes;
  if (!sameSize) {
    n.error() << "there are " << nodes
              << " nodes_splits; every nodes_ attribute must have as many "
                 "values, and leaf_weights as many as leaf_targetids";
    return failure();
  }
  t.members.resize(nodes);
  return t;
}

/// Walks from `node` to all leaves below it. False, with a message, if the
/// nodes are no tree.
static bool walkTree(NodeImporter &n, const Trees &t, int64_t node, Path &path,
                     std::vector<Path> &paths) {
  int64_t nodes = t.splits.size(), leaves = t.leafWeights.size();
  constexpr size_t kDeepest = 512;
  if (path.steps.size() > kDeepest) {
    n.unsupported() << "a tree deeper than " << kDeepest
                    << " nodes; use a shallower one";
    return false;
  }
  if (node < 0 || node >= nodes || path.steps.size() > size_t(nodes) ||
      paths.size() > t.leafWeights.size() * 2 + 2) {
    n.error() << "node " << node << " of " << nodes
              << " is no node of a tree; each must be reached once";
    return false;
  }
  for (bool taken : {true, false}) {
    int64_t next = taken ? t.whenTrue[node] : t.whenFalse[node];
    bool isLeaf = taken ? t.trueIsLeaf[node] : t.falseIsLeaf[node];
    path.steps.push_back({node, taken});
    if (isLeaf && (next < 0 || next >= leaves || t.leafTargets[next] < 0 ||
                   t.leafTargets[next] >= t.targets)) {
      n.error() << "leaf " << next << " does not exist or has no target; there "
                << "are " << leaves << " leaves and " << t.targets
                << " targets";
      return false;
    }
    if (isLeaf) {
      path.leaf = next;
      paths.push_back(path);
    } else if (!walkTree(n, t, next, path, paths)) {
      return false;
    }
    path.steps.pop_back();
  }
  return true;
}

/// The lists of membership_values, separated by NaN, in the order in which the
/// walk meets the nodes.
static bool bindMembers(NodeImporter &n, Trees &t, ArrayRef<Path> paths) {
  std::vector<double> values = tensorNumbers(n, "membership_values");
  std::vector<bool> seen(t.splits.size());
  size_t at = 0;
  for (const Path &path : paths)
    for (auto [node, taken] : path.steps) {
      if (seen[node])
        continue;
      seen[node] = true;
      if (t.modes[node] != kMember)
        continue;
      for (; at < values.size() && values[at] == values[at]; ++at)
        t.members[node].push_back(values[at]);
      if (at++ >= values.size()) {
        n.error() << "membership_values lacks the values of node " << node;
        return false;
      }
    }
  return true;
}

/// [batch, nodes] of 0 and 1 in the element type of `values` ([batch, nodes],
/// the feature of each node): whether each node's test holds.
static Value testNodes(Compose &c, const Trees &t, Value values) {
  Type element = c.elementOf(values);
  auto nodes = int64_t(t.splits.size());
  Value splits = c.numbers(t.splits, {1, nodes}, element), holds;
  auto add = [&](top::BinaryKind kind, Value against,
                 const std::vector<double> &mask) {
    Value test = c.cast(c.binary(kind, values, against), element);
    test = c.mul(test, c.numbers(mask, {1, nodes}, element));
    holds = holds ? c.max(holds, test) : test;
  };
  static constexpr top::BinaryKind kKinds[] = {
      top::BinaryKind::LessOrEqual, top::BinaryKind::Less,
      top::BinaryKind::GreaterOrEqual, top::BinaryKind::Greater,
      top::BinaryKind::Equal};
  size_t longest = 0;
  for (int64_t mode = kLeq; mode <= kEqual; ++mode) {
    std::vector<double> mask(nodes);
    for (int64_t i = 0; i < nodes; ++i)
      mask[i] = t.modes[i] == mode;
    if (llvm::is_contained(mask, 1.0))
      add(kKinds[mode], splits, mask);
  }
  for (const std::vector<double> &members : t.members)
    longest = std::max(longest, members.size());
  for (size_t k = 0; k < longest; ++k) {
    std::vector<double> mask(nodes), member(nodes);
    for (int64_t i = 0; i < nodes; ++i)
      if (k < t.members[i].size()) {
        mask[i] = 1;
        member[i] = t.members[i][k];
      }
    add(top::BinaryKind::Equal, c.numbers(member, {1, nodes}, element), mask);
  }
  std::vector<double> unequal(nodes), missing(nodes);
  for (int64_t i = 0; i < nodes; ++i) {
    unequal[i] = t.modes[i] == kNotEqual;
    missing[i] = t.missingIsTrue[i] != 0;
  }
  if (llvm::is_contained(unequal, 1.0)) {
    Value same =
        c.cast(c.binary(top::BinaryKind::Equal, values, splits), element);
    Value test = c.mul(c.sub(c.numbers(1.0, {1, nodes}, element), same),
                       c.numbers(unequal, {1, nodes}, element));
    holds = holds ? c.max(holds, test) : test;
  }
  if (llvm::is_contained(missing, 1.0)) {
    Value nan = c.cast(c.unary(top::UnaryKind::IsNaN, values), element);
    holds = c.max(holds, c.mul(nan, c.numbers(missing, {1, nodes}, element)));
  }
  return holds;
}

/// TreeEnsemble-5: all nodes are tested at once; a leaf is reached where the
/// tests on its way count up to the number of steps that want `true`.
static LogicalResult importTreeEnsemble(StructureNode &s) {
  NodeImporter &n = s.n;
  FailureOr<Value> input = s.tensor(0);
  FailureOr<Trees> t = bindTrees(n);
  if (failed(input) || failed(t))
    return failure();
  std::vector<Path> paths;
  for (int64_t root : t->roots) {
    Path path;
    int64_t nodes = t->splits.size();
    bool isLeaf = root >= 0 && root < nodes && t->trueIsLeaf[root] &&
                  t->falseIsLeaf[root] &&
                  t->whenTrue[root] == t->whenFalse[root];
    size_t before = paths.size();
    if (!walkTree(n, *t, root, path, paths))
      return failure();
    if (isLeaf) { // both ways lead to it: one of the paths without conditions
      paths.resize(before + 1);
      paths.back().steps.clear();
    }
  }
  if (!bindMembers(n, *t, paths))
    return failure();
  Compose c(n);
  RankedTensorType type = n.typeOf(*input);
  if (type.getRank() != 2 || !isa<FloatType>(type.getElementType()))
    return n.error() << "the input is " << formatShape(type.getShape()) << " "
                     << dataTypeName(onnxTypeOf(type.getElementType()))
                     << "; it must be a matrix of floats";
  for (int64_t feature : t->features)
    if (feature < 0 || feature >= type.getDimSize(1))
      return n.error() << "nodes_featureids has " << feature << "; there are "
                       << type.getDimSize(1) << " features";
  SmallVector<Value> columns;
  for (int64_t feature : t->features)
    columns.push_back(c.sliceAxis(*input, 1, feature, 1));
  Value features = c.concat(columns, 1);
  if (!features)
    return failure();
  Value holds = testNodes(c, *t, features);
  auto nodes = int64_t(t->splits.size()), ways = int64_t(paths.size());
  std::vector<double> turns(nodes * ways), wanted(ways),
      weights(ways * t->targets);
  for (int64_t way = 0; way < ways; ++way) {
    for (auto [node, taken] : paths[way].steps) {
      turns[node * ways + way] = taken ? 1 : -1;
      wanted[way] += taken;
    }
    int64_t leaf = paths[way].leaf;
    weights[way * t->targets + t->leafTargets[leaf]] = t->leafWeights[leaf];
  }
  Type element = type.getElementType();
  Value reached =
      c.binary(top::BinaryKind::Equal,
               c.matmul(holds, c.numbers(turns, {nodes, ways}, element)),
               c.numbers(wanted, {1, ways}, element));
  Value result = c.matmul(c.cast(reached, element),
                          c.numbers(weights, {ways, t->targets}, element));
  return result ? s.setOutput(result) : failure();
}

void weft::onnx::registerLearningRows(OpRegistry &registry) {
  OpRow extractor{"ArrayFeatureExtractor", 1, 5, nullptr, "", kMachineLearning};
  extractor.structure = importArrayFeatureExtractor;
  OpRow ensemble{"TreeEnsemble",  5, 5, nullptr, "sums without post_transform",
                 kMachineLearning};
  ensemble.structure = importTreeEnsemble;
  registry.add("Learning",
               {
                   {"Adagrad", 1, 1, importAdagrad, "", kTraining},
                   {"Adam", 1, 1, importAdam, "", kTraining},
                   {"Momentum", 1, 1, importMomentum, "", kTraining},
                   {"Binarizer", 1, 5, importBinarizer, "", kMachineLearning},
                   extractor,
                   ensemble,
               });
}
