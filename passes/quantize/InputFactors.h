//===- InputFactors.h - a step for each input channel -----------*- C++ -*-===//

#ifndef WEFT_PASSES_QUANTIZE_INPUTFACTORS_H
#define WEFT_PASSES_QUANTIZE_INPUTFACTORS_H

#include "passes/quantize/WeightRecovery.h"

namespace weft::quantize {

/// An input that is multiplied channel by channel before it becomes codes; the
/// weights are divided by the same numbers (after Xiao et al., SmoothQuant,
/// 2023). Channels of small numbers get finer steps, their weights coarser
/// ones.
struct FactoredInput {
  std::vector<float> factors; ///< of each input channel; normal f16 numbers > 0
  CodeForm form;              ///< of the products, with scale 1
};

/// Whether the input of `op` can have factors for nearly nothing: where it is
/// computed in floats anyway, just before it becomes codes. The sums of integer
/// products that only other products read become codes at once, which would be
/// held as floats instead; nor are factors for the inputs of the network, whose
/// codes a user may hand over.
bool mayHaveInputFactors(mlir::Operation *op);

/// So much smaller, 2 dB, errors must be with factors: each factored input
/// costs a multiplication of all its pixels (1 dB took 5 % more cycles of
/// PP-OCR cls and gave no more accuracy).
inline constexpr double kLeastGain = 1.58;

/// The factors with which rounded weights and inputs err least on `rows`, of
/// the channels' largest magnitudes to some powers; std::nullopt if their
/// squared error is not kLeastGain times smaller than with codes of `plain`.
/// They are judged on other rows than they are made of.
///
/// `filter`: channels x terms of `inputChannels` each.
std::optional<FactoredInput>
chooseInputFactors(const ProductRows &rows, llvm::ArrayRef<float> filter,
                   int64_t inputChannels, const CodeForm &plain,
                   const MultiplyMatrices &multiply);

/// Rows that are multiplied, and weights that are divided, by the factor of
/// their channel.
ProductRows multipliedRows(const ProductRows &rows,
                           llvm::ArrayRef<float> factors);
std::vector<float> dividedFilter(llvm::ArrayRef<float> filter, int64_t terms,
                                 llvm::ArrayRef<float> factors);

} // namespace weft::quantize

#endif // WEFT_PASSES_QUANTIZE_INPUTFACTORS_H
