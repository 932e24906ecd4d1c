//===- Reduce.cpp - ONNX rows of the Reduce family ------------------------===//

#include "dialects/top/Reduce.h"

#include "dialects/top/Pool.h"
#include "frontend/onnx/Compose.h"
#include "frontend/onnx/OpRows.h"

using namespace mlir;
using namespace weft;
using namespace weft::onnx;
using top::ReduceKind;
using top::UnaryKind;

/// Axes of a reduction: an attribute before `operandOpset`, then an operand;
/// none means all (or none, with `noop_with_empty_axes`).
static FailureOr<SmallVector<int64_t>>
reducedAxes(NodeImporter &n, int64_t rank, int64_t operandOpset) {
  FailureOr<bool> noop = n.flagAttribute("noop_with_empty_axes", false);
  if (failed(noop))
    return failure();
  SmallVector<int64_t> axes;
  bool isAttribute = n.opset < operandOpset;
  bool given =
      isAttribute ? n.hasAttribute("axes") : n.optionalOperand(1) != nullptr;
  if (given) {
    FailureOr<SmallVector<int64_t>> listed =
        isAttribute ? n.intsAttribute("axes", -1, 0)
                    : n.constantInts(1, "axes");
    if (failed(listed))
      return failure();
    axes = *listed;
  }
  if (axes.empty() && !*noop)
    for (int64_t axis = 0; axis < rank; ++axis)
      axes.push_back(axis);
  return n.normalizeAxes(axes, rank);
}

namespace {
/// A reduction as the node describes it.
struct Reduction {
  Value input;
  SmallVector<int64_t> axes;
  bool keepDims;

  int64_t count() const {
    int64_t product = 1;
    for (int64_t axis : axes)
      product *= NodeImporter::typeOf(input).getDimSize(axis);
    return product;
  }
};
} // namespace

static FailureOr<Reduction> bindReduction(NodeImporter &n,
                                          int64_t operandOpset) {
  FailureOr<Value> input = n.operand(0);
  FailureOr<bool> keepDims = n.flagAttribute("keepdims", true);
  if (failed(input) || failed(keepDims))
    return failure();
  FailureOr<SmallVector<int64_t>> axes =
      reducedAxes(n, n.typeOf(*input).getRank(), operandOpset);
  if (failed(axes))
    return failure();
  return Reduction{*input, *axes, *keepDims};
}

static bool isFloat(Value value) {
  return isa<FloatType>(Compose::elementOf(value));
}

/// Global average pooling in disguise: the window that the pooling unit and the
/// 8-bit quantizer know.
static bool isGlobalPool(const Reduction &r) {
  constexpr int64_t kLargestWindow = 4096; // fits a lane several times
  return isFloat(r.input) && NodeImporter::typeOf(r.input).getRank() == 4 &&
         r.axes == SmallVector<int64_t>{2, 3} && r.count() > 0 &&
         r.count() <= kLargestWindow;
}

static Value globalPool(Compose &c, const Reduction &r) {
  ArrayRef<int64_t> shape = c.shapeOf(r.input);
  Value pooled = c.orNull(c.n.create<top::PoolOp>(
      top::PoolKind::Avg, r.input, shape.drop_front(2), ArrayRef<int64_t>{1, 1},
      ArrayRef<int64_t>{0, 0, 0, 0},
      /*count_include_pad=*/false));
  return r.keepDims ? pooled : c.reshape(pooled, shape.take_front(2));
}

/// The mean; of integers it is truncated towards zero.
static Value mean(Compose &c, const Reduction &r) {
  if (isGlobalPool(r))
    return globalPool(c, r);
  Value sum = c.reduce(ReduceKind::Sum, r.input, r.axes, r.keepDims);
  if (!sum)
    return {};
  if (isFloat(r.input))
    return c.mul(sum, 1.0 / static_cast<double>(r.count()));
  return c.binary(top::BinaryKind::Div, sum,
                  c.number(static_cast<double>(r.count()), sum));
}

/// log(sum(exp(x))) with the largest x taken out, so that nothing overflows.
static Value logSumExp(Compose &c, const Reduction &r) {
  // An infinite maximum would give inf - inf.
  Value largest = c.clamp(c.reduce(ReduceKind::Max, r.input, r.axes, true),
                          std::numeric_limits<float>::lowest() / 2,
                          std::numeric_limits<float>::max() / 2);
  Value powers = c.unary(UnaryKind::Exp, c.sub(r.input, largest));
  Value sum = c.reduce(ReduceKind::Sum, powers, r.axes, r.keepDims);
  if (!sum)
    return {};
  return c.add(c.unary(UnaryKind::Log, sum),
               c.reshape(largest, c.shapeOf(sum)));
}

/// One value for integers too: functions of floats are computed in f32 there.
template <typename Function>
static Value inFloats(Compose &c, Value value, Function function) {
  if (!value)
    return {};
  Type element = c.elementOf(value);
  if (isa<FloatType>(element))
    return function(value);
  return c.cast(function(c.cast(value, c.n.builder.getF32Type())), element);
}

static Value reduceL2(Compose &c, const Reduction &r) {
  Value squares =
      c.reduce(ReduceKind::Sum, c.mul(r.input, r.input), r.axes, r.keepDims);
  return inFloats(c, squares,
                  [&](Value v) { return c.unary(UnaryKind::Sqrt, v); });
}

static Value reduceL1(Compose &c, const Reduction &r) {
  bool isUnsigned = c.elementOf(r.input).isUnsignedInteger();
  Value sizes = isUnsigned ? r.input : c.unary(UnaryKind::Abs, r.input);
  return c.reduce(ReduceKind::Sum, sizes, r.axes, r.keepDims);
}

static Value sumSquare(Compose &c, const Reduction &r) {
  return c.reduce(ReduceKind::Sum, c.mul(r.input, r.input), r.axes, r.keepDims);
}

static Value logSum(Compose &c, const Reduction &r) {
  Value sum = c.reduce(ReduceKind::Sum, r.input, r.axes, r.keepDims);
  return inFloats(c, sum, [&](Value v) { return c.unary(UnaryKind::Log, v); });
}

template <ReduceKind Kind>
static Value plain(Compose &c, const Reduction &r) {
  return c.reduce(Kind, r.input, r.axes, r.keepDims);
}

/// Reduce*-1 ..: `Build` is the formula, `OperandOpset` the first opset whose
/// axes are an operand.
template <Value (*Build)(Compose &, const Reduction &),
          int64_t OperandOpset = 18>
static LogicalResult importReduce(NodeImporter &n) {
  FailureOr<Reduction> reduction = bindReduction(n, OperandOpset);
  if (failed(reduction))
    return failure();
  Compose c(n);
  return c.finish(Build(c, *reduction));
}

/// ArgMax, ArgMin-1 ..; `select_last_index` came with 12.
template <ReduceKind Kind>
static LogicalResult importArgReduce(NodeImporter &n) {
  FailureOr<Value> input = n.operand(0);
  FailureOr<int64_t> attribute = n.intAttribute("axis", 0);
  FailureOr<bool> keepDims = n.flagAttribute("keepdims", true);
  FailureOr<bool> last = n.flagAttribute("select_last_index", false);
  if (failed(input) || failed(attribute) || failed(keepDims) || failed(last))
    return failure();
  FailureOr<int64_t> axis =
      n.normalizeAxis(*attribute, n.typeOf(*input).getRank());
  if (failed(axis))
    return failure();
  return n.setOutput(
      n.create<top::ArgReduceOp>(Kind, *input, *axis, *keepDims, *last));
}

/// CumSum-11, -14 and CumProd-26: the axis is an operand.
template <ReduceKind Kind>
static LogicalResult importCumulative(NodeImporter &n) {
  FailureOr<Value> input = n.operand(0);
  FailureOr<double> number = n.constantNumber(1, "axis");
  FailureOr<bool> exclusive = n.flagAttribute("exclusive", false);
  FailureOr<bool> reverse = n.flagAttribute("reverse", false);
  if (failed(input) || failed(number) || failed(exclusive) || failed(reverse))
    return failure();
  FailureOr<int64_t> axis = n.normalizeAxis(static_cast<int64_t>(*number),
                                            n.typeOf(*input).getRank());
  if (failed(axis))
    return failure();
  return n.setOutput(
      n.create<top::CumulativeOp>(Kind, *input, *axis, *exclusive, *reverse));
}

void weft::onnx::registerReduceRows(OpRegistry &registry) {
  registry.add(
      "Reduce",
      {
          {"ArgMax", 1, kLastOpset, importArgReduce<ReduceKind::Max>},
          {"ArgMin", 1, kLastOpset, importArgReduce<ReduceKind::Min>},
          {"CumProd", 26, kLastOpset, importCumulative<ReduceKind::Prod>},
          {"CumSum", 11, kLastOpset, importCumulative<ReduceKind::Sum>},
          {"ReduceL1", 1, kLastOpset, importReduce<reduceL1>},
          {"ReduceL2", 1, kLastOpset, importReduce<reduceL2>},
          {"ReduceLogSum", 1, kLastOpset, importReduce<logSum>},
          {"ReduceLogSumExp", 1, kLastOpset, importReduce<logSumExp>},
          {"ReduceMax", 1, kLastOpset, importReduce<plain<ReduceKind::Max>>},
          {"ReduceMean", 1, kLastOpset, importReduce<mean>},
          {"ReduceMin", 1, kLastOpset, importReduce<plain<ReduceKind::Min>>},
          {"ReduceProd", 1, kLastOpset, importReduce<plain<ReduceKind::Prod>>},
          {"ReduceSum", 1, kLastOpset,
           importReduce<plain<ReduceKind::Sum>, 13>},
          {"ReduceSumSquare", 1, kLastOpset, importReduce<sumSquare>},
      });
}
