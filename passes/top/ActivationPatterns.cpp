//===- ActivationPatterns.cpp - functions that exporters write as several -===//

#include "passes/top/Rewrite.h"

#include "dialects/top/Binary.h"
#include "dialects/top/Exact.h"
#include "dialects/top/Unary.h"

#include <cmath>
#include <limits>

using namespace mlir;
using namespace weft::top;

namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

/// A product of values and one number.
struct Product {
  SmallVector<Value> factors;
  double scalar = 1.0;
};

/// Flattens `value` = a * b, a / number and number * a into `product`; anything
/// else is a factor. Inner ops with other users, or that broadcast, stay whole.
void flatten(Value value, RankedTensorType type, bool isRoot,
             Product &product) {
  auto op = value.getDefiningOp<BinaryOp>();
  bool open = op && (isRoot || value.hasOneUse()) && op.getType() == type;
  if (open && op.getKind() == BinaryKind::Div &&
      op.getLhs().getType() == type) {
    if (std::optional<double> divisor = constantSplat(op.getRhs())) {
      product.scalar /= *divisor;
      return flatten(op.getLhs(), type, false, product);
    }
  }
  if (open && op.getKind() == BinaryKind::Mul) {
    for (bool swapped : {false, true}) {
      Value left = swapped ? op.getRhs() : op.getLhs();
      Value right = swapped ? op.getLhs() : op.getRhs();
      if (left.getType() != type)
        continue;
      if (std::optional<double> number = constantSplat(right)) {
        product.scalar *= *number;
        return flatten(left, type, false, product);
      }
    }
    if (op.getLhs().getType() == type && op.getRhs().getType() == type) {
      flatten(op.getLhs(), type, false, product);
      return flatten(op.getRhs(), type, false, product);
    }
  }
  product.factors.push_back(value);
}

/// True if `value` is `wanted` up to a few roundings of the element type, e.g.
/// 1/6 in f16.
bool isClose(double value, double wanted, Type element) {
  int fraction = element.isF64()   ? 52
                 : element.isF32() ? 23
                 : element.isF16() ? 10
                                   : 7;
  return std::fabs(value - wanted) <=
         std::fabs(wanted) * std::ldexp(4, -fraction);
}

/// The x of clip(x + 3, 0, 6), else null.
Value matchClipOfSum(Value value) {
  auto clip = value.getDefiningOp<UnaryOp>();
  if (!clip || clip.getKind() != UnaryKind::Clip ||
      clip.alphaOrDefault() != 0.0 || clip.betaOrDefault() != 6.0)
    return {};
  auto sum = clip.getInput().getDefiningOp<BinaryOp>();
  if (!sum || sum.getKind() != BinaryKind::Add)
    return {};
  for (bool swapped : {false, true}) {
    Value x = swapped ? sum.getRhs() : sum.getLhs();
    Value three = swapped ? sum.getLhs() : sum.getRhs();
    if (x.getType() == sum.getType() && constantSplat(three) == 3.0)
      return x;
  }
  return {};
}

/// The x of hard_sigmoid(x) with alpha 1/6 and beta 1/2, else null.
Value matchSixthHardSigmoid(Value value) {
  auto op = value.getDefiningOp<UnaryOp>();
  if (!op || op.getKind() != UnaryKind::HardSigmoid)
    return {};
  Type element = op.getType().getElementType();
  // ONNX stores alpha as f32 whatever the element type is, so the looser of the
  // two decides.
  Type parameter =
      element.isF64() ? Type(Float32Type::get(element.getContext())) : element;
  if (!isClose(op.alphaOrDefault(), 1.0 / 6, parameter) ||
      op.betaOrDefault() != 0.5)
    return {};
  return op.getInput();
}

/// `op`, the last of what exporters write, becomes one function of x.
LogicalResult replaceByFunction(PatternRewriter &rewriter, BinaryOp op,
                                Value gate, UnaryKind kind, Value x,
                                FloatAttr alpha = {}, FloatAttr beta = {}) {
  Location location = rewriter.getFusedLoc({gate.getLoc(), op.getLoc()});
  replaceFused(
      rewriter, op,
      rewriter.create<UnaryOp>(location, op.getType(), kind, x, alpha, beta));
  return success();
}

struct ProductToHardSwish : OpRewritePattern<BinaryOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(BinaryOp op,
                                PatternRewriter &rewriter) const override {
    RankedTensorType type = op.getType();
    Type element = type.getElementType();
    if ((op.getKind() != BinaryKind::Mul && op.getKind() != BinaryKind::Div) ||
        !isa<FloatType>(element))
      return failure();
    Product product;
    flatten(op, type, /*isRoot=*/true, product);
    ArrayRef<Value> factors = product.factors;
    if (factors.size() == 1 && isClose(product.scalar, 1.0 / 6, element))
      if (Value x = matchClipOfSum(factors[0]))
        return replaceByFunction(
            rewriter, op, factors[0], UnaryKind::HardSigmoid, x,
            rewriter.getF64FloatAttr(1.0 / 6), rewriter.getF64FloatAttr(0.5));
    if (factors.size() != 2)
      return failure();
    for (unsigned i : {0u, 1u}) {
      Value x = factors[i], gate = factors[1 - i];
      bool matches =
          (isClose(product.scalar, 1.0 / 6, element) &&
           matchClipOfSum(gate) == x) ||
          (product.scalar == 1.0 && matchSixthHardSigmoid(gate) == x);
      if (matches)
        return replaceByFunction(rewriter, op, gate, UnaryKind::HardSwish, x);
    }
    return failure();
  }
};

/// x * sigmoid(x), one function with one rounding where results are narrow.
struct ProductToSwish : OpRewritePattern<BinaryOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(BinaryOp op,
                                PatternRewriter &rewriter) const override {
    if (op.getKind() != BinaryKind::Mul)
      return failure();
    for (bool swapped : {false, true}) {
      Value x = swapped ? op.getRhs() : op.getLhs(),
            gate = swapped ? op.getLhs() : op.getRhs();
      auto sigmoid = gate.getDefiningOp<UnaryOp>();
      if (!sigmoid || sigmoid.getKind() != UnaryKind::Sigmoid ||
          sigmoid.getInput() != x || !gate.hasOneUse() ||
          x.getType() != op.getType())
        continue;
      return replaceByFunction(rewriter, op, gate, UnaryKind::Swish, x,
                               rewriter.getF64FloatAttr(1.0));
    }
    return failure();
  }
};

/// The y of 1 + f(y) for an element-wise function of this kind, else null.
Value matchOnePlus(UnaryKind kind, Value value) {
  auto sum = value.getDefiningOp<BinaryOp>();
  if (!sum || sum.getKind() != BinaryKind::Add)
    return {};
  for (bool swapped : {false, true}) {
    auto function =
        (swapped ? sum.getRhs() : sum.getLhs()).getDefiningOp<UnaryOp>();
    Value one = swapped ? sum.getLhs() : sum.getRhs();
    if (function && function.getKind() == kind &&
        function.getType() == sum.getType() && constantSplat(one) == 1.0)
      return function.getInput();
  }
  return {};
}

/// Whether `value` is x^`power` * `factor`.
bool isPowerOf(Value value, Value x, unsigned power, double factor) {
  auto type = cast<RankedTensorType>(x.getType());
  Product product;
  flatten(value, type, /*isRoot=*/true, product);
  SmallVector<Value> &factors = product.factors;
  if (factors.size() == 1 && power > 1)
    if (auto pow = factors.front().getDefiningOp<BinaryOp>();
        pow && pow.getKind() == BinaryKind::Pow &&
        constantSplat(pow.getRhs()) == double(power))
      factors.assign(power, pow.getLhs());
  return factors.size() == power && llvm::all_equal(factors) &&
         factors.front() == x &&
         isClose(product.scalar, factor, type.getElementType());
}

/// Whether `value` is sqrt(2/pi) (x + 0.044715 x^3), as one sum or as x (1 +
/// 0.044715 x^2).
bool isCubicOfGelu(Value value, Value x) {
  constexpr double kScale = 0.79788456080286535588, kCubic = 0.044715;
  auto type = cast<RankedTensorType>(x.getType());
  Product product;
  flatten(value, type, /*isRoot=*/true, product);
  ArrayRef<Value> factors = product.factors;
  if (!isClose(product.scalar, kScale, type.getElementType()))
    return false;
  auto isSum = [&](Value value, auto isFirst, unsigned power) {
    auto sum = value.getDefiningOp<BinaryOp>();
    if (!sum || sum.getKind() != BinaryKind::Add)
      return false;
    auto matches = [&](Value first, Value second) {
      return isFirst(first) && second.getType() == type &&
             isPowerOf(second, x, power, kCubic);
    };
    return matches(sum.getLhs(), sum.getRhs()) ||
           matches(sum.getRhs(), sum.getLhs());
  };
  if (factors.size() == 1)
    return isSum(factors[0], [&](Value first) { return first == x; }, 3);
  auto isOne = [](Value first) { return constantSplat(first) == 1.0; };
  return factors.size() == 2 &&
         ((factors[0] == x && isSum(factors[1], isOne, 2)) ||
          (factors[1] == x && isSum(factors[0], isOne, 2)));
}

/// x (1 + erf(x / sqrt(2))) / 2, and the same by a hyperbolic tangent, in
/// whatever order it is multiplied.
struct ProductToGelu : OpRewritePattern<BinaryOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(BinaryOp op,
                                PatternRewriter &rewriter) const override {
    RankedTensorType type = op.getType();
    if ((op.getKind() != BinaryKind::Mul && op.getKind() != BinaryKind::Div) ||
        !isa<FloatType>(type.getElementType()))
      return failure();
    Product product;
    flatten(op, type, /*isRoot=*/true, product);
    if (product.factors.size() != 2 || product.scalar != 0.5)
      return failure();
    for (unsigned i : {0u, 1u}) {
      Value x = product.factors[i], gate = product.factors[1 - i];
      constexpr double kRootOfHalf = 0.70710678118654752440;
      if (Value y = matchOnePlus(UnaryKind::Erf, gate);
          y && y.getType() == type && isPowerOf(y, x, 1, kRootOfHalf))
        return replaceByFunction(rewriter, op, gate, UnaryKind::Gelu, x);
      if (Value y = matchOnePlus(UnaryKind::Tanh, gate);
          y && y.getType() == type && isCubicOfGelu(y, x))
        return replaceByFunction(rewriter, op, gate, UnaryKind::GeluTanh, x);
    }
    return failure();
  }
};

/// The bounds of a relu, a clip or a max/min with a number, as an interval; `x`
/// is what it bounds.
std::optional<std::pair<double, double>> boundsOf(Operation *op, Value &x) {
  if (auto unary = dyn_cast_if_present<UnaryOp>(op)) {
    x = unary.getInput();
    if (unary.getKind() == UnaryKind::Relu)
      return {{0.0, kInfinity}};
    if (unary.getKind() == UnaryKind::Clip)
      return {{unary.alphaOrDefault(), unary.betaOrDefault()}};
    return std::nullopt;
  }
  auto binary = dyn_cast_if_present<BinaryOp>(op);
  if (!binary || (binary.getKind() != BinaryKind::Max &&
                  binary.getKind() != BinaryKind::Min))
    return std::nullopt;
  for (bool swapped : {false, true}) {
    x = swapped ? binary.getRhs() : binary.getLhs();
    Value bound = swapped ? binary.getLhs() : binary.getRhs();
    std::optional<double> number = constantSplat(bound);
    if (x.getType() != binary.getType() || !number || std::isnan(*number))
      continue;
    if (binary.getKind() == BinaryKind::Max)
      return {{*number, kInfinity}};
    return {{-kInfinity, *number}};
  }
  return std::nullopt;
}

/// Creates relu or clip for an interval, in the one form the quantizer sees.
Operation *createBounds(PatternRewriter &rewriter, Location location, Value x,
                        double low, double high) {
  if (low == 0.0 && high == kInfinity)
    return rewriter.create<UnaryOp>(location, x.getType(), UnaryKind::Relu, x,
                                    FloatAttr(), FloatAttr());
  auto bound = [&](double value) {
    return std::isinf(value) ? FloatAttr() : rewriter.getF64FloatAttr(value);
  };
  return rewriter.create<UnaryOp>(location, x.getType(), UnaryKind::Clip, x,
                                  bound(low), bound(high));
}

/// relu, clip, max and min with numbers: one op, in one form. Floats only:
/// 64-bit bounds do not fit the f64 attributes of clip.
template <typename OpT>
struct MergeBounds : OpRewritePattern<OpT> {
  using OpRewritePattern<OpT>::OpRewritePattern;
  LogicalResult matchAndRewrite(OpT op,
                                PatternRewriter &rewriter) const override {
    Value x, inner;
    if (!isa<FloatType>(op.getType().getElementType()))
      return failure();
    auto bounds = boundsOf(op, x);
    if (!bounds)
      return failure();
    auto [low, high] = *bounds;
    if (low == -kInfinity && high == kInfinity) { // bounds nothing
      rewriter.replaceOp(op, x);
      return success();
    }
    Location location = op.getLoc();
    auto innerBounds =
        x.hasOneUse() ? boundsOf(x.getDefiningOp(), inner) : std::nullopt;
    if (innerBounds) {
      // An outer interval beside the inner one collapses to its nearer end, as
      // clip of clip does.
      auto clamp = [low = low, high = high](double value) {
        return std::min(std::max(value, low), high);
      };
      location = rewriter.getFusedLoc({x.getLoc(), location});
      double newLow = clamp(innerBounds->first),
             newHigh = clamp(innerBounds->second);
      replaceFused(rewriter, op,
                   createBounds(rewriter, location, inner, newLow, newHigh));
      return success();
    }
    bool settled = false;
    if (auto unary = dyn_cast<UnaryOp>(op.getOperation()))
      settled = unary.getKind() == UnaryKind::Relu ||
                !(low == 0.0 && high == kInfinity);
    if (settled)
      return failure();
    replaceFused(rewriter, op, createBounds(rewriter, location, x, low, high));
    return success();
  }
};

/// x / sqrt(y) -> x * rsqrt(y) where y is repeated: a quotient is ten passes
/// over x.
struct QuotientByRoot : OpRewritePattern<BinaryOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(BinaryOp op,
                                PatternRewriter &rewriter) const override {
    auto root = op.getRhs().getDefiningOp<UnaryOp>();
    if (op.getKind() != BinaryKind::Div || op->hasAttr(kExactAttr) || !root ||
        root->hasAttr(kExactAttr) || root.getKind() != UnaryKind::Sqrt ||
        !root->hasOneUse() ||
        root.getType().getNumElements() >= op.getType().getNumElements())
      return failure();
    Location location = rewriter.getFusedLoc({root.getLoc(), op.getLoc()});
    auto inverse =
        rewriter.create<UnaryOp>(location, root.getType(), UnaryKind::Rsqrt,
                                 root.getInput(), FloatAttr(), FloatAttr());
    replaceFused(rewriter, op,
                 rewriter.create<BinaryOp>(location, op.getType(),
                                           BinaryKind::Mul, op.getLhs(),
                                           inverse));
    return success();
  }
};

} // namespace

void weft::top::populateActivationPatterns(RewritePatternSet &patterns) {
  patterns.add<QuotientByRoot>(patterns.getContext());
  patterns.add<ProductToGelu, ProductToHardSwish, ProductToSwish,
               MergeBounds<UnaryOp>, MergeBounds<BinaryOp>>(
      patterns.getContext(), /*benefit=*/3);
}
