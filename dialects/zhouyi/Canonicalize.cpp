//===- Canonicalize.cpp - one form for calls that mean the same ----------===//

#include "dialects/zhouyi/Constants.h"
#include "dialects/zhouyi/Fold.h"
#include "dialects/zhouyi/Vector.h"
#include "runtime/zhouyi/Mask.h"

#include <cmath>

using namespace mlir;
using namespace weft;
using namespace weft::zhouyi;
using catalog::Argument;
using catalog::FunctionArgument;
using catalog::SlotKind;

namespace {
/// A pattern for the ops of one function of the catalog.
struct FunctionPattern : RewritePattern {
  FunctionPattern(const catalog::Operation &function, MLIRContext *context)
      : RewritePattern(
            ("zhouyi." + StringRef(function.name.data(), function.name.size()))
                .str(),
            1, context) {}

  LogicalResult matchAndRewrite(Operation *op,
                                PatternRewriter &rewriter) const final {
    return rewriteCall(zhouyi::FunctionOp(op), rewriter);
  }
  virtual LogicalResult rewriteCall(const zhouyi::FunctionOp &function,
                                    PatternRewriter &rewriter) const = 0;

  /// The same function of the same type with other arguments; fails if they
  /// are not legal or give another type.
  static LogicalResult replace(const zhouyi::FunctionOp &function,
                               ArrayRef<FunctionArgument> arguments,
                               PatternRewriter &rewriter);
};
} // namespace

LogicalResult FunctionPattern::replace(const zhouyi::FunctionOp &function,
                                       ArrayRef<FunctionArgument> arguments,
                                       PatternRewriter &rewriter) {
  Operation *op = function.operation();
  const catalog::Operation &row = function.function();
  catalog::Call call =
      catalog::callOf(function.dialect(), row, arguments, chipOf(op));
  if (!catalog::problemOf(call).empty())
    return failure();
  Type result =
      row.result ? typeOf(row.result(call), op->getContext()) : Type();
  if (result && result != op->getResult(0).getType())
    return failure();
  Operation *made =
      catalog::createFunction(rewriter, op->getLoc(), row, arguments, result);
  rewriter.replaceOp(op, made->getResults());
  return success();
}

namespace {
/// A known mask is a constant; one of all lanes is none.
struct NormalizeMask : FunctionPattern {
  using FunctionPattern::FunctionPattern;

  LogicalResult rewriteCall(const zhouyi::FunctionOp &function,
                            PatternRewriter &rewriter) const override {
    catalog::Call call = function.call();
    const Argument &mask = call["mask"];
    if (mask.kind != Argument::Kind::Mask)
      return failure();
    SmallVector<FunctionArgument> arguments = function.arguments();
    FunctionArgument &slot =
        arguments[size_t(function.function().slotIndex("mask"))];
    if (uniformMask(slot.value) == true) {
      slot = {};
      return replace(function, arguments, rewriter);
    }
    if (slot.value)
      return failure();
    rt::Result<MaskLanes> lanes = knownMask(mask, maskLanesOf(call));
    if (!lanes)
      return failure();
    slot = {};
    if (llvm::is_contained(*lanes, 0))
      slot.value =
          rewriter.create<ConstantOp>(function.operation()->getLoc(),
                                      denseMask(*lanes, rewriter.getContext()));
    return replace(function, arguments, rewriter);
  }
};

/// Parameters that change nothing are left out.
struct DropParameters : FunctionPattern {
  using FunctionPattern::FunctionPattern;

  LogicalResult rewriteCall(const zhouyi::FunctionOp &function,
                            PatternRewriter &rewriter) const override {
    SmallVector<FunctionArgument> arguments = function.arguments();
    catalog::Call call = function.call();
    bool isChanged = false;
    int saturate = function.function().slotIndex("saturate");
    if (saturate >= 0 && arguments[size_t(saturate)].attribute &&
        call.integer("saturate") == 0) {
      arguments[size_t(saturate)] = {};
      isChanged = true;
    }
    int sign = function.function().slotIndex("out_sign");
    if (sign >= 0 && arguments[size_t(sign)].attribute &&
        isTypeKeptWithout(function, arguments, size_t(sign))) {
      arguments[size_t(sign)] = {};
      isChanged = true;
    }
    return isChanged ? replace(function, arguments, rewriter) : failure();
  }

  static bool isTypeKeptWithout(const zhouyi::FunctionOp &function,
                                ArrayRef<FunctionArgument> arguments,
                                size_t slot) {
    SmallVector<FunctionArgument> fewer(arguments);
    fewer[slot] = {};
    Operation *op = function.operation();
    catalog::Call call = catalog::callOf(
        function.dialect(), function.function(), fewer, chipOf(op));
    return catalog::problemOf(call).empty() &&
           typeOf(function.function().result(call), op->getContext()) ==
               op->getResult(0).getType();
  }
};

/// A constant with one number in all lanes is the number, where one may stand:
/// it needs no register.
struct UseNumbers : FunctionPattern {
  using FunctionPattern::FunctionPattern;

  LogicalResult rewriteCall(const zhouyi::FunctionOp &function,
                            PatternRewriter &rewriter) const override {
    SmallVector<FunctionArgument> arguments = function.arguments();
    for (auto [slot, argument] :
         llvm::zip(function.function().slots, arguments)) {
      Attribute number = slot.kind == SlotKind::VectorOrScalar
                             ? numberOf(constantOf(argument.value), rewriter)
                             : Attribute();
      if (!number)
        continue;
      FunctionArgument before = std::exchange(argument, {Value(), number});
      if (succeeded(replace(function, arguments, rewriter)))
        return success();
      argument = before;
    }
    return failure();
  }

  /// Null for a NaN, whose bits a number does not keep.
  static Attribute numberOf(DenseElementsAttr lanes, mlir::Builder &builder) {
    if (!lanes || !lanes.isSplat())
      return {};
    if (mlir::isa<FloatType>(lanes.getElementType())) {
      double value = lanes.getSplatValue<FloatAttr>().getValueAsDouble();
      return std::isnan(value) ? Attribute() : builder.getF64FloatAttr(value);
    }
    APInt bits = lanes.getSplatValue<APInt>();
    return builder.getI64IntegerAttr(lanes.getElementType().isSignedInteger()
                                         ? bits.getSExtValue()
                                         : int64_t(bits.getZExtValue()));
  }
};

/// Two clips to numbers are one: the bounds of the inner, clipped by the outer.
struct MergeClips : FunctionPattern {
  using FunctionPattern::FunctionPattern;

  LogicalResult rewriteCall(const zhouyi::FunctionOp &function,
                            PatternRewriter &rewriter) const override {
    zhouyi::FunctionOp inner(function.value("x").getDefiningOp());
    if (!inner || inner.function().name != "clip")
      return failure();
    catalog::Call outerCall = function.call(), innerCall = inner.call();
    for (const catalog::Call *call : {&outerCall, &innerCall}) {
      if ((*call)["mask"].kind != Argument::Kind::None)
        return failure();
      for (std::string_view bound : {"min_val", "max_val"})
        if (!(*call)[bound].isNumber() || std::isnan((*call)[bound].number()))
          return failure();
    }
    SmallVector<FunctionArgument> arguments = inner.arguments();
    for (StringRef bound : {"min_val", "max_val"}) {
      double low = outerCall["min_val"].number(),
             high = outerCall["max_val"].number(),
             number = innerCall[{bound.data(), bound.size()}].number();
      size_t slot =
          size_t(inner.function().slotIndex({bound.data(), bound.size()}));
      if (number < low)
        arguments[slot].attribute = function.attribute("min_val");
      else if (number > high)
        arguments[slot].attribute = function.attribute("max_val");
    }
    return replace(function, arguments, rewriter);
  }
};
} // namespace

void zhouyi::addFunctionPatterns(const catalog::Operation &function,
                                 RewritePatternSet &patterns) {
  MLIRContext *context = patterns.getContext();
  if (function.slotIndex("mask") >= 0)
    patterns.add<NormalizeMask>(function, context);
  if (function.slotIndex("saturate") >= 0 ||
      function.slotIndex("out_sign") >= 0)
    patterns.add<DropParameters>(function, context);
  patterns.add<UseNumbers>(function, context);
  if (function.name == "clip")
    patterns.add<MergeClips>(function, context);
}
