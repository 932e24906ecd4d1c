//===- Rewrite.h - what the rewrite patterns of top share ---------*- C++
//-*-===//

#ifndef WEFT_PASSES_TOP_REWRITE_H
#define WEFT_PASSES_TOP_REWRITE_H

#include "dialects/top/Binary.h"

#include "mlir/IR/PatternMatch.h"

#include <optional>
#include <vector>

namespace weft::top {

class ConstantOp;
class MatMulOp;

/// Patterns of TopCanonicalize, by subject.
void populateConvPatterns(mlir::RewritePatternSet &patterns);
void populateActivationPatterns(mlir::RewritePatternSet &patterns);
void populateAffinePatterns(mlir::RewritePatternSet &patterns);
void populateMovePatterns(mlir::RewritePatternSet &patterns);
void populatePixelPatterns(mlir::RewritePatternSet &patterns);
void populateQuantizedPatterns(mlir::RewritePatternSet &patterns);
void populateRowPatterns(mlir::RewritePatternSet &patterns);
void populateShufflePatterns(mlir::RewritePatternSet &patterns);
void populateSlicePatterns(mlir::RewritePatternSet &patterns);
void populateWeavePatterns(mlir::RewritePatternSet &patterns);

/// The tensor of a constant, also behind a reshape of a constant; std::nullopt
/// for anything else.
std::optional<numeric::HostTensor> constantTensor(mlir::Value value);

/// Whether a product with a constant is rewritten as a convolution.
bool becomesConv(MatMulOp op);

/// The constant `matrix` (k, n) as a filter of type `type`: n,k,1,1. Null if it
/// is no constant. One that Gemm turned is the filter as it lies in the file.
mlir::ElementsAttr filterOf(mlir::Value matrix, mlir::RankedTensorType type);

/// The constant behind a transposition of a matrix, if it has its bytes in a
/// resource; null for anything else.
ConstantOp turnedConstant(mlir::Value value);

/// The one value that all elements of a constant have.
std::optional<double> constantSplat(mlir::Value value);

/// For a constant that broadcasts to `result` without enlarging it and differs
/// only along axis 1: the value of each channel. std::nullopt for anything
/// else.
std::optional<std::vector<double>> channelValues(mlir::Value value,
                                                 mlir::RankedTensorType result);

/// An operand of a binary op beside one of one number a channel.
struct BesideChannels {
  unsigned operand;
  std::vector<double> numbers; ///< of the other one, see channelValues
};

/// Which operands of an add, sub, mul or div can be followed through it: those
/// that numbers a channel shift or scale. The right one only where it can as
/// well stand on the left.
mlir::SmallVector<BesideChannels, 2> operandsBesideChannels(BinaryOp op);

/// True if `value` is a cast of 8-bit integers, less a zero point: a quantized
/// operator. Its sums are exact; with a factor in them they would not be.
bool isCastOfBytes(mlir::Value value);

/// A constant of float element type `element` with `values` rounded once.
mlir::Value
createFloatConstant(mlir::PatternRewriter &rewriter, mlir::Location location,
                    mlir::ArrayRef<int64_t> shape, mlir::Type element,
                    const std::vector<double> &values, mlir::StringRef name);

/// Replaces `last` by the one result of `fused`, which takes over the ONNX
/// value name and other discardable attributes of `last`.
void replaceFused(mlir::PatternRewriter &rewriter, mlir::Operation *last,
                  mlir::Operation *fused);

} // namespace weft::top

#endif // WEFT_PASSES_TOP_REWRITE_H
