//===- ConvPatterns.cpp - what goes into a convolution
//----------------------===//

#include "passes/top/Rewrite.h"

#include "dialects/top/Binary.h"
#include "dialects/top/Constant.h"
#include "dialects/top/Conv.h"
#include "dialects/top/MatMul.h"
#include "dialects/top/Move.h"
#include "dialects/top/Norm.h"
#include "runtime/numeric/MatrixTranspose.h"
#include "runtime/numeric/TensorValues.h"

#include "mlir/IR/DialectResourceBlobManager.h"

#include <cmath>

using namespace mlir;
using namespace weft;
using namespace weft::top;

namespace {

/// y = multiplier[c] * x + offset[c].
struct ChannelAffine {
  std::vector<double> multiplier, offset;
};

/// A conv with constant filter and bias that only `value` reads, perhaps behind
/// a reshape that keeps n and c: what a matmul or patches leave.
struct ConvMatch {
  ConvOp conv;
  ReshapeOp reshape; ///< null if the conv itself is read
};

std::optional<ConvMatch> matchConv(Value value) {
  ConvMatch match;
  if (!value.hasOneUse())
    return std::nullopt;
  match.reshape = value.getDefiningOp<ReshapeOp>();
  if (match.reshape) {
    ArrayRef<int64_t> from = match.reshape.getInput().getType().getShape();
    ArrayRef<int64_t> to = match.reshape.getType().getShape();
    bool keepsChannels = to.size() >= 2 && from.size() > 2 &&
                         from.take_front(2) == to.take_front(2);
    if (!keepsChannels || !match.reshape.getInput().hasOneUse())
      return std::nullopt;
    value = match.reshape.getInput();
  }
  match.conv = value.getDefiningOp<ConvOp>();
  if (!match.conv)
    return std::nullopt;
  return match;
}

/// Replaces conv [+ reshape] + `last` by a conv [+ reshape] that computes
/// `affine` of it.
LogicalResult foldAffine(PatternRewriter &rewriter, ConvMatch match,
                         Operation *last, const ChannelAffine &affine) {
  ConvOp conv = match.conv;
  std::optional<numeric::HostTensor> bias;
  if (conv.getBias() && !(bias = constantTensor(conv.getBias())))
    return failure();
  // A large filter is only read if it changes.
  bool scaled = llvm::any_of(affine.multiplier,
                             [](double value) { return value != 1.0; });
  std::optional<numeric::HostTensor> filter;
  Value source = conv.getFilter();
  while (auto reshape = source.getDefiningOp<ReshapeOp>())
    source = reshape.getInput();
  if (!source.getDefiningOp<ConstantOp>() ||
      (scaled && !(filter = constantTensor(conv.getFilter()))))
    return failure();
  int64_t channels = conv.getFilter().getType().getShape()[0];
  std::vector<double> biases =
      bias ? loadDoubles(*bias) : std::vector<double>(channels, 0.0);
  for (int64_t c = 0; c < channels; ++c)
    biases[c] = biases[c] * affine.multiplier[c] + affine.offset[c];
  Location location = rewriter.getFusedLoc({conv.getLoc(), last->getLoc()});
  Type element = conv.getType().getElementType();
  rewriter.setInsertionPoint(last);
  Value newFilter = conv.getFilter();
  if (scaled) {
    std::vector<double> weights = loadDoubles(*filter);
    size_t window = weights.size() / channels;
    for (size_t i = 0; i < weights.size(); ++i)
      weights[i] *= affine.multiplier[i / window];
    newFilter =
        createFloatConstant(rewriter, conv.getFilter().getLoc(),
                            filter->shape(), element, weights, "filter");
  }
  Value newBias = createFloatConstant(rewriter, location, {channels}, element,
                                      biases, "bias");
  Operation *fused = rewriter.create<ConvOp>(
      location, conv.getType(), conv.getInput(), newFilter, newBias,
      conv.getStrides(), conv.getPads(), conv.getDilations(), conv.getGroup());
  if (match.reshape) {
    // Without axes of size 1 the ONNX value is the conv's result too, which
    // carries the name as well.
    Attribute name = last->getDiscardableAttr(kValueAttr);
    if (name && match.reshape.getType().getRank() == 2)
      fused->setDiscardableAttr(kValueAttr, name);
    fused = rewriter.create<ReshapeOp>(location, match.reshape.getType(),
                                       fused->getResult(0));
  }
  replaceFused(rewriter, last, fused);
  return success();
}

/// The affine map of a batch normalization with constant parameters.
std::optional<ChannelAffine> affineOf(BatchNormOp op) {
  auto scale = constantTensor(op.getScale()),
       bias = constantTensor(op.getBias()), mean = constantTensor(op.getMean()),
       variance = constantTensor(op.getVariance());
  if (!scale || !bias || !mean || !variance)
    return std::nullopt;
  ChannelAffine affine;
  double epsilon = op.getEpsilon().convertToDouble();
  for (int64_t c = 0; c < scale->elements(); ++c) {
    double k = scale->toDouble(c) / std::sqrt(variance->toDouble(c) + epsilon);
    affine.multiplier.push_back(k);
    affine.offset.push_back(bias->toDouble(c) - mean->toDouble(c) * k);
  }
  return affine;
}

struct BatchNormIntoConv : OpRewritePattern<BatchNormOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(BatchNormOp op,
                                PatternRewriter &rewriter) const override {
    std::optional<ConvMatch> match = matchConv(op.getInput());
    std::optional<ChannelAffine> affine = affineOf(op);
    if (!match || !affine)
      return failure();
    return foldAffine(rewriter, *match, op, *affine);
  }
};

/// Where no conv takes it, a batch normalization is a multiplication and an
/// addition per channel.
struct BatchNormToAffine : OpRewritePattern<BatchNormOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(BatchNormOp op,
                                PatternRewriter &rewriter) const override {
    std::optional<ChannelAffine> affine = affineOf(op);
    if (!affine)
      return failure();
    RankedTensorType type = op.getType();
    SmallVector<int64_t> shape(type.getRank() - 1, 1);
    shape.front() = type.getDimSize(1);
    auto constant = [&](const std::vector<double> &values, StringRef name) {
      return createFloatConstant(rewriter, op.getLoc(), shape,
                                 type.getElementType(), values, name);
    };
    Value scaled = rewriter.create<BinaryOp>(
        op.getLoc(), type, BinaryKind::Mul, op.getInput(),
        constant(affine->multiplier, "scale"));
    Operation *sum =
        rewriter.create<BinaryOp>(op.getLoc(), type, BinaryKind::Add, scaled,
                                  constant(affine->offset, "offset"));
    replaceFused(rewriter, op, sum);
    return success();
  }
};

/// conv + c, conv - c, conv * c, conv / c with a constant per channel.
struct BinaryIntoConv : OpRewritePattern<BinaryOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(BinaryOp op,
                                PatternRewriter &rewriter) const override {
    BinaryKind kind = op.getKind();
    for (const auto &[operand, values] : operandsBesideChannels(op)) {
      Value value = op->getOperand(operand);
      if (value.getType() != op.getType())
        continue;
      std::optional<ConvMatch> match = matchConv(value);
      bool scales = kind == BinaryKind::Mul || kind == BinaryKind::Div;
      if (!match || (scales && isCastOfBytes(match->conv.getInput())))
        continue;
      ChannelAffine affine{std::vector<double>(values.size(), 1.0),
                           std::vector<double>(values.size(), 0.0)};
      for (size_t c = 0; c < values.size(); ++c) {
        double v = values[c];
        if (kind == BinaryKind::Add || kind == BinaryKind::Sub)
          affine.offset[c] = kind == BinaryKind::Add ? v : -v;
        else
          affine.multiplier[c] = kind == BinaryKind::Mul ? v : 1.0 / v;
        if (!std::isfinite(affine.multiplier[c]))
          return failure(); // a division by 0 stays visible
      }
      return foldAffine(rewriter, *match, op, affine);
    }
    return failure();
  }
};

/// matmul(x: m,k; constant w: k,n) -> reshape(conv(reshape(x): m,k,1,1;
/// n,k,1,1)): m,n.
struct MatMulToConv : OpRewritePattern<MatMulOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(MatMulOp op,
                                PatternRewriter &rewriter) const override {
    RankedTensorType rhs = op.getRhs().getType();
    if (!becomesConv(op))
      return failure();
    int64_t rows = op.getLhs().getType().getDimSize(0),
            inner = rhs.getDimSize(0), columns = rhs.getDimSize(1);
    Type element = rhs.getElementType();
    auto filterType = RankedTensorType::get({columns, inner, 1, 1}, element);
    ElementsAttr weights = filterOf(op.getRhs(), filterType);
    if (!weights)
      return failure();
    Value filter = rewriter.create<ConstantOp>(op.getRhs().getLoc(), weights);
    Value input = rewriter.create<ReshapeOp>(
        op.getLoc(), RankedTensorType::get({rows, inner, 1, 1}, element),
        op.getLhs());
    auto conv = rewriter.create<ConvOp>(
        op.getLoc(), RankedTensorType::get({rows, columns, 1, 1}, element),
        input, filter, Value(), ArrayRef<int64_t>{1, 1},
        ArrayRef<int64_t>{0, 0, 0, 0}, ArrayRef<int64_t>{1, 1}, 1);
    if (Attribute name = op->getDiscardableAttr(kValueAttr))
      conv->setDiscardableAttr(kValueAttr, name);
    replaceFused(rewriter, op,
                 rewriter.create<ReshapeOp>(op.getLoc(), op.getType(), conv));
    return success();
  }
};

} // namespace

bool weft::top::becomesConv(MatMulOp op) {
  RankedTensorType lhs = op.getLhs().getType(), rhs = op.getRhs().getType();
  // Each row becomes an image of one pixel: of many rows the matrix unit
  // makes more.
  constexpr int64_t kMostRows = 16;
  return lhs.getRank() == 2 && rhs.getRank() == 2 &&
         rhs.getNumElements() != 0 && isa<FloatType>(lhs.getElementType()) &&
         lhs.getDimSize(0) <= kMostRows;
}

ConstantOp weft::top::turnedConstant(Value value) {
  auto transpose = value.getDefiningOp<TransposeOp>();
  ConstantOp constant = transpose
                            ? transpose.getInput().getDefiningOp<ConstantOp>()
                            : ConstantOp();
  if (!constant || !isa<DenseResourceElementsAttr>(constant.getValue()) ||
      transpose.getPerm() != ArrayRef<int64_t>{1, 0})
    return {};
  return constant;
}

ElementsAttr weft::top::filterOf(Value matrix, RankedTensorType type) {
  if (ConstantOp turned = turnedConstant(matrix))
    return DenseResourceElementsAttr::get(
        type,
        cast<DenseResourceElementsAttr>(turned.getValue()).getRawHandle());
  std::optional<numeric::HostTensor> tensor = constantTensor(matrix);
  if (!tensor)
    return nullptr;
  numeric::HostTensor transposed = *makeHostTensor(type);
  if (!numeric::transposeMatrix(tensor->bytes(), transposed.bytes(),
                                type.getDimSize(1), type.getDimSize(0),
                                type.getElementTypeBitWidth() / 8))
    return nullptr;
  return toElementsAttr(std::move(transposed), type, "filter");
}

void weft::top::populateConvPatterns(RewritePatternSet &patterns) {
  patterns.add<BatchNormIntoConv>(patterns.getContext(), /*benefit=*/2);
  patterns.add<BatchNormToAffine, BinaryIntoConv, MatMulToConv>(
      patterns.getContext(), /*benefit=*/1);
}
