//===- Norm.cpp - ONNX rows of the Norm family ----------------------------===//

#include "dialects/top/Norm.h"

#include "frontend/onnx/Compose.h"
#include "frontend/onnx/OpRows.h"

#include <numeric>

using namespace mlir;
using namespace weft;
using namespace weft::onnx;
using top::BinaryKind;
using top::ReduceKind;
using top::UnaryKind;

/// ONNX's default of most norms is a float32.
static FailureOr<double> epsilonOf(NodeImporter &n) {
  return n.floatAttribute("epsilon", double(1e-5f));
}

static SmallVector<int64_t> axesFrom(int64_t first, int64_t rank) {
  SmallVector<int64_t> axes(std::max<int64_t>(rank - first, 0));
  std::iota(axes.begin(), axes.end(), first);
  return axes;
}

/// The mean along `axes`, which stay as 1.
static Value mean(Compose &c, Value value, ArrayRef<int64_t> axes) {
  if (!value)
    return {};
  double count = 1;
  for (int64_t axis : axes)
    count *= static_cast<double>(c.shapeOf(value)[axis]);
  return c.mul(c.reduce(ReduceKind::Sum, value, axes, true), 1 / count);
}

namespace {
/// A tensor less its mean, and what it is to be multiplied with.
struct Moments {
  Value mean, centred, variance;
};
} // namespace

/// Centred first: the mean of squares less the square of the mean would cancel.
static Moments momentsOf(Compose &c, Value value, ArrayRef<int64_t> axes) {
  Moments m;
  m.mean = mean(c, value, axes);
  m.centred = c.sub(value, m.mean);
  m.variance = mean(c, c.mul(m.centred, m.centred), axes);
  return m;
}

/// 1 / sqrt(variance + epsilon).
static Value inverseDeviation(Compose &c, Value variance, double epsilon) {
  return c.unary(UnaryKind::Rsqrt, c.add(variance, epsilon));
}

static Value normalized(Compose &c, Value value, ArrayRef<int64_t> axes,
                        double epsilon) {
  Moments m = momentsOf(c, value, axes);
  return c.mul(m.centred, inverseDeviation(c, m.variance, epsilon));
}

/// A vector of one value a channel beside a tensor of rank `rank`.
static Value perChannel(Compose &c, Value vector, int64_t rank) {
  SmallVector<int64_t> shape(rank, 1);
  if (!vector)
    return {};
  shape[rank > 1 ? 1 : 0] = NodeImporter::typeOf(vector).getNumElements();
  return c.reshape(vector, shape);
}

/// `first` operands of the node, all required.
static FailureOr<SmallVector<Value>> operandsOf(NodeImporter &n,
                                                unsigned count) {
  SmallVector<Value> operands;
  for (unsigned i = 0; i < count; ++i) {
    FailureOr<Value> operand = n.operand(i);
    if (failed(operand))
      return failure();
    operands.push_back(*operand);
  }
  return operands;
}

/// Fails unless operand `i`, a vector, has one value for each of `count`
/// `what`.
static LogicalResult checkVector(NodeImporter &n, unsigned i, int64_t count,
                                 StringRef what) {
  RankedTensorType type = n.typeOf(*n.operand(i));
  if (type.getRank() == 1 && type.getDimSize(0) == count)
    return success();
  return n.error() << "input " << i << " has the shape "
                   << formatShape(type.getShape()) << ", must have one value "
                   << "for each of " << count << " " << what;
}

//===----------------------------------------------------------------------===//
// Batch normalization
//===----------------------------------------------------------------------===//

/// The statistics of the batch are used and mixed into the running ones
/// (BatchNormalization-14 in training mode).
static LogicalResult trainBatchNorm(NodeImporter &n, ArrayRef<Value> operands,
                                    double epsilon) {
  FailureOr<double> momentum = n.floatAttribute("momentum", double(0.9f));
  if (failed(momentum))
    return failure();
  Compose c(n);
  Value input = operands[0];
  int64_t rank = n.typeOf(input).getRank();
  SmallVector<int64_t> axes{0};
  llvm::append_range(axes, axesFrom(2, rank));
  Moments m = momentsOf(c, input, axes);
  Value factor = c.mul(inverseDeviation(c, m.variance, epsilon),
                       perChannel(c, operands[1], rank));
  if (failed(c.finish(
          c.add(c.mul(m.centred, factor), perChannel(c, operands[2], rank)))))
    return failure();
  Value current[] = {m.mean, m.variance};
  for (unsigned i = 0; i < 2; ++i) {
    if (!n.wantsOutput(i + 1))
      continue;
    n.selectOutput(i + 1);
    Value running = operands[3 + i];
    Value now =
        c.cast(c.reshape(current[i], c.shapeOf(running)), c.elementOf(running));
    if (failed(c.finish(
            c.add(c.mul(running, *momentum), c.mul(now, 1 - *momentum)),
            i + 1)))
      return failure();
  }
  return success();
}

/// BatchNormalization-7..15; `spatial` left with 9, `training_mode` came with
/// 14.
static LogicalResult importBatchNorm(NodeImporter &n) {
  FailureOr<SmallVector<Value>> operands = operandsOf(n, 5);
  FailureOr<double> epsilon = epsilonOf(n);
  FailureOr<bool> training = n.flagAttribute("training_mode", false);
  FailureOr<bool> spatial = n.flagAttribute("spatial", true);
  if (failed(operands) || failed(epsilon) || failed(training) ||
      failed(spatial))
    return failure();
  bool statistics = false;
  for (unsigned i = 1; i < n.node.outputs.size(); ++i)
    statistics |= n.wantsOutput(i);
  if (!*spatial)
    return n.unsupported()
           << "BatchNormalization with spatial 0; use spatial 1";
  if (*training && n.typeOf((*operands)[0]).getRank() >= 2)
    return trainBatchNorm(n, *operands, *epsilon);
  if (*training || statistics)
    return n.unsupported() << "BatchNormalization in training mode; export the "
                              "model for inference";
  // Checks shapes and folds into convolutions where the statistics are
  // constant.
  FailureOr<Value> result = n.create<top::BatchNormOp>(
      (*operands)[0], (*operands)[1], (*operands)[2], (*operands)[3],
      (*operands)[4], n.builder.getF64FloatAttr(*epsilon));
  bool areConstant =
      llvm::all_of(ArrayRef(*operands).drop_front(),
                   [](Value v) { return constantNumbersOf(v).has_value(); });
  if (failed(result) || areConstant)
    return n.setOutput(result);
  if ((*result).use_empty() && (*result).getDefiningOp())
    (*result).getDefiningOp()->erase();
  Compose c(n);
  Value input = (*operands)[0];
  int64_t rank = n.typeOf(input).getRank();
  Type element = c.elementOf(input);
  auto vector = [&](unsigned i) {
    return perChannel(c, c.cast((*operands)[i], element), rank);
  };
  Value factor = c.mul(inverseDeviation(c, vector(4), *epsilon), vector(1));
  return c.finish(c.add(c.mul(c.sub(input, vector(3)), factor), vector(2)));
}

//===----------------------------------------------------------------------===//
// Layer, instance and group normalization
//===----------------------------------------------------------------------===//

/// `stash_type` as a type: that of the first stage. Only float and double are
/// wider than what they hold.
static FailureOr<Type> stashType(NodeImporter &n) {
  FailureOr<int64_t> number = n.intAttribute("stash_type", 1);
  if (failed(number))
    return failure();
  Type type =
      elementTypeOf(static_cast<int32_t>(*number), n.builder.getContext());
  if (type && isa<FloatType>(type))
    return type;
  n.error() << "stash_type is " << *number << ", must be a float type";
  return failure();
}

namespace {
/// What LayerNormalization and RMSNormalization have in common.
struct LastAxes {
  Value input, scale;
  SmallVector<int64_t> axes; ///< from `axis` on
  double epsilon;
  Type stash;
};
} // namespace

static FailureOr<LastAxes> lastAxesOf(NodeImporter &n) {
  FailureOr<SmallVector<Value>> operands = operandsOf(n, 2);
  FailureOr<double> epsilon = epsilonOf(n);
  FailureOr<Type> stash = stashType(n);
  if (failed(operands) || failed(epsilon) || failed(stash))
    return failure();
  int64_t rank = n.typeOf((*operands)[0]).getRank();
  FailureOr<int64_t> axis = n.axisAttribute(-1, rank);
  if (failed(axis))
    return failure();
  return LastAxes{(*operands)[0], (*operands)[1], axesFrom(*axis, rank),
                  *epsilon, *stash};
}

/// LayerNormalization-17.
static LogicalResult importLayerNorm(NodeImporter &n) {
  FailureOr<LastAxes> last = lastAxesOf(n);
  if (failed(last))
    return failure();
  Value input = last->input;
  Compose c(n);
  Moments m = momentsOf(c, c.cast(input, last->stash), last->axes);
  Value inverse = inverseDeviation(c, m.variance, last->epsilon);
  Value result = c.cast(c.mul(m.centred, inverse), c.elementOf(input));
  result = c.mul(result, last->scale);
  if (Value bias = n.optionalOperand(2))
    result = c.add(result, bias);
  if (failed(c.finish(result)))
    return failure();
  if (n.wantsOutput(1) && failed(c.finish(m.mean, 1)))
    return failure();
  return n.wantsOutput(2) ? c.finish(inverse, 2) : success();
}

/// RMSNormalization-23.
static LogicalResult importRmsNorm(NodeImporter &n) {
  FailureOr<LastAxes> last = lastAxesOf(n);
  if (failed(last))
    return failure();
  Value input = last->input;
  Compose c(n);
  Value wide = c.cast(input, last->stash);
  Value square = mean(c, c.mul(wide, wide), last->axes);
  Value result = c.mul(wide, inverseDeviation(c, square, last->epsilon));
  return c.finish(c.mul(c.cast(result, c.elementOf(input)), last->scale));
}

/// InstanceNormalization-6, -22.
static LogicalResult importInstanceNorm(NodeImporter &n) {
  FailureOr<SmallVector<Value>> operands = operandsOf(n, 3);
  FailureOr<double> epsilon = epsilonOf(n);
  if (failed(operands) || failed(epsilon))
    return failure();
  Value input = (*operands)[0];
  ArrayRef<int64_t> shape = n.typeOf(input).getShape();
  int64_t rank = shape.size();
  if (rank < 3)
    return n.error() << "input 0 has rank " << rank << ", must have at least 3";
  for (unsigned i : {1u, 2u})
    if (failed(checkVector(n, i, shape[1], "channels")))
      return failure();
  Compose c(n);
  Value result = normalized(c, input, axesFrom(2, rank), *epsilon);
  result = c.mul(result, perChannel(c, (*operands)[1], rank));
  return c.finish(c.add(result, perChannel(c, (*operands)[2], rank)));
}

/// GroupNormalization-18 (scale and bias a group) and -21 (a channel).
static LogicalResult importGroupNorm(NodeImporter &n) {
  FailureOr<SmallVector<Value>> operands = operandsOf(n, 3);
  FailureOr<double> epsilon = epsilonOf(n);
  FailureOr<int64_t> groups = n.intAttribute("num_groups", 0, 1);
  FailureOr<Type> stash = stashType(n);
  if (failed(operands) || failed(epsilon) || failed(groups) || failed(stash))
    return failure();
  Value input = (*operands)[0];
  SmallVector<int64_t> shape(n.typeOf(input).getShape());
  int64_t rank = shape.size();
  if (rank < 2 || shape[1] % *groups)
    return n.error() << "input 0 has the shape " << formatShape(shape)
                     << ", its channels must divide into " << *groups
                     << " groups";
  bool perGroup = n.opset < 21;
  int64_t values = perGroup ? *groups : shape[1];
  for (unsigned i : {1u, 2u})
    if (failed(checkVector(n, i, values, perGroup ? "groups" : "channels")))
      return failure();
  int64_t count = n.typeOf(input).getNumElements();
  int64_t lines = shape[0] * *groups;
  Compose c(n);
  Value grouped = c.reshape(c.cast(input, *stash),
                            {shape[0], *groups, lines ? count / lines : 0});
  Value result =
      c.cast(normalized(c, grouped, {2}, *epsilon), c.elementOf(input));
  if (!perGroup)
    result = c.reshape(result, shape);
  int64_t resultRank = perGroup ? 3 : rank;
  result = c.mul(result, perChannel(c, (*operands)[1], resultRank));
  result = c.add(result, perChannel(c, (*operands)[2], resultRank));
  return c.finish(c.reshape(result, shape));
}

/// MeanVarianceNormalization-9, -13.
static LogicalResult importMeanVariance(NodeImporter &n) {
  FailureOr<Value> input = n.operand(0);
  if (failed(input))
    return failure();
  SmallVector<int64_t> listed{0, 2, 3};
  if (n.hasAttribute("axes")) {
    FailureOr<SmallVector<int64_t>> axes = n.intsAttribute("axes", -1, 0);
    if (failed(axes))
      return failure();
    listed = *axes;
  }
  FailureOr<SmallVector<int64_t>> axes =
      n.normalizeAxes(listed, n.typeOf(*input).getRank());
  if (failed(axes))
    return failure();
  Compose c(n);
  Moments m = momentsOf(c, *input, *axes);
  // The operator's own function adds 1e-9 to the deviation.
  Value deviation = c.add(c.unary(UnaryKind::Sqrt, m.variance), 1e-9);
  return c.finish(c.binary(BinaryKind::Div, m.centred, deviation));
}

//===----------------------------------------------------------------------===//
// Lp and local response normalization
//===----------------------------------------------------------------------===//

/// LpNormalization-1, -22.
static LogicalResult importLpNorm(NodeImporter &n) {
  FailureOr<Value> input = n.operand(0);
  FailureOr<int64_t> p = n.intAttribute("p", 2, 1, 2);
  if (failed(input) || failed(p))
    return failure();
  FailureOr<int64_t> axis = n.axisAttribute(-1, n.typeOf(*input).getRank());
  if (failed(axis))
    return failure();
  Compose c(n);
  Value powers =
      *p == 1 ? c.unary(UnaryKind::Abs, *input) : c.mul(*input, *input);
  Value norm = c.reduce(ReduceKind::Sum, powers, {*axis}, true);
  if (*p == 2)
    norm = c.unary(UnaryKind::Sqrt, norm);
  // Where the norm is 0 all values are, and so is the result.
  // Not the smallest normal number: its reciprocal is near the end of the
  // range, where a quotient made of Newton steps is NaN.
  double smallest = c.elementOf(*input).isF16() ? 0x1p-14 : 0x1p-100;
  return c.finish(c.binary(BinaryKind::Div, *input, c.max(norm, smallest)));
}

/// LRN-1, -13.
static LogicalResult importLrn(NodeImporter &n) {
  FailureOr<Value> input = n.operand(0);
  FailureOr<int64_t> size = n.intAttribute("size", 0, 1);
  FailureOr<double> alpha = n.floatAttribute("alpha", double(1e-4f));
  FailureOr<double> beta = n.floatAttribute("beta", 0.75);
  FailureOr<double> bias = n.floatAttribute("bias", 1);
  if (failed(input) || failed(size) || failed(alpha) || failed(beta) ||
      failed(bias))
    return failure();
  int64_t rank = n.typeOf(*input).getRank();
  if (rank < 2)
    return n.error() << "input 0 has rank " << rank << ", must have at least 2";
  int64_t channels = n.typeOf(*input).getDimSize(1);
  Compose c(n);
  SmallVector<int64_t> begin(rank, 0), end(rank, 0);
  begin[1] = (*size - 1) / 2;
  end[1] = *size / 2;
  // Windows wider than the tensor see nothing more.
  begin[1] = std::min(begin[1], channels);
  end[1] = std::min(end[1], channels);
  Value padded = c.pad(c.mul(*input, *input), begin, end, 0);
  Value sum;
  for (int64_t i = 0; i <= begin[1] + end[1]; ++i) {
    Value part = c.sliceAxis(padded, 1, i, channels);
    sum = sum ? c.add(sum, part) : part;
  }
  // base^-beta; a base is positive, so a logarithm will do.
  Value base = c.add(c.mul(sum, *alpha / static_cast<double>(*size)), *bias);
  Value exponent = c.mul(c.unary(UnaryKind::Log, base), -*beta);
  return c.finish(c.mul(*input, c.unary(UnaryKind::Exp, exponent)));
}

void weft::onnx::registerNormRows(OpRegistry &registry) {
  registry.add(
      "Norm",
      {
          {"BatchNormalization", 7, kLastOpset, importBatchNorm},
          {"GroupNormalization", 18, kLastOpset, importGroupNorm},
          {"InstanceNormalization", 6, kLastOpset, importInstanceNorm},
          {"LRN", 1, kLastOpset, importLrn},
          {"LayerNormalization", 17, kLastOpset, importLayerNorm},
          {"LpNormalization", 1, kLastOpset, importLpNorm},
          {"MeanVarianceNormalization", 9, kLastOpset, importMeanVariance},
          {"RMSNormalization", 23, kLastOpset, importRmsNorm},
      });
}
