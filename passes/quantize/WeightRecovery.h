//===- WeightRecovery.h - weights that answer for rounding ------*- C++ -*-===//

#ifndef WEFT_PASSES_QUANTIZE_WEIGHTRECOVERY_H
#define WEFT_PASSES_QUANTIZE_WEIGHTRECOVERY_H

#include "passes/quantize/Calibration.h"
#include "passes/quantize/RowSampler.h"

#include <functional>

namespace weft::quantize {

/// Matrices in row-major order: result (rows x columns) = lhs (rows x inner) x
/// rhs (inner x columns), each side stored turned if `turnsLhs`, `turnsRhs`.
/// May be called by several threads at once.
struct MatrixProduct {
  bool turnsLhs, turnsRhs;
  int64_t rows, columns, inner;
  const float *lhs, *rhs;
  float *result;
};
using MultiplyMatrices = std::function<void(const MatrixProduct &)>;

/// With plain loops.
void multiplyMatrices(const MatrixProduct &product);

/// Weights for products whose inputs are codes, found by least squares on
/// `rows`: those that come nearest to the float sums of the float inputs, given
/// the codes of these (after Frantar et al., GPTQ, 2022, whose inputs are the
/// same on both sides). Weights are rounded one after the other; each takes
/// over what the roundings before left. What sums are off on average goes to
/// the bias, unless rows of zeros give zeros (`keepsZero`). Every fourth row is
/// held back: an output channel has the new weights, or its rounded ones with a
/// shift, only if that errs less there. std::nullopt if no channel does.
///
/// `filter`: channels x terms.
std::optional<RecoveredProduct>
recoverWeights(const ProductRows &rows, llvm::ArrayRef<float> filter,
               const CodeForm &input, bool keepsZero,
               const MultiplyMatrices &multiply);

/// Weights as 127 steps of the largest of each output channel, the nearest
/// ones: what the conversion takes if it is told nothing.
struct RoundedWeights {
  std::vector<float> scales; ///< of each output channel
  std::vector<int8_t> codes; ///< channels x terms
};
RoundedWeights roundWeights(llvm::ArrayRef<float> filter, int64_t terms);

/// The weights of a product of which rows were taken, as channels x `terms`;
/// empty if they are no finite f32 numbers.
std::vector<float> filterOf(mlir::Operation *op, int64_t terms);

/// recoverWeights() for all products of which `rows` were taken and whose input
/// `table` knows, added to it. `threads` of them share the work; the result
/// does not depend on their number.
void recoverProducts(
    const llvm::MapVector<mlir::Operation *, ProductRows> &rows,
    const MultiplyMatrices &multiply, unsigned threads,
    CalibrationTable &table);

} // namespace weft::quantize

#endif // WEFT_PASSES_QUANTIZE_WEIGHTRECOVERY_H
