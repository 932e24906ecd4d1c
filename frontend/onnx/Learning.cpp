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

void weft::onnx::registerLearningRows(OpRegistry &registry) {
  OpRow extractor{"ArrayFeatureExtractor", 1, 5, nullptr, "", kMachineLearning};
  extractor.structure = importArrayFeatureExtractor;
  registry.add("Learning",
               {
                   {"Adagrad", 1, 1, importAdagrad, "", kTraining},
                   {"Adam", 1, 1, importAdam, "", kTraining},
                   {"Momentum", 1, 1, importMomentum, "", kTraining},
                   {"Binarizer", 1, 5, importBinarizer, "", kMachineLearning},
                   extractor,
               });
}
