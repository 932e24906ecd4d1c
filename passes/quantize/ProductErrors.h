//===- ProductErrors.h - ranges by what products make of them ---*- C++ -*-===//

#ifndef WEFT_PASSES_QUANTIZE_PRODUCTERRORS_H
#define WEFT_PASSES_QUANTIZE_PRODUCTERRORS_H

#include "passes/quantize/RangeCollector.h"
#include "passes/quantize/WeightRecovery.h"

namespace weft::quantize {

/// rows x filter^T, each of `terms` columns.
std::vector<float> sumsOf(llvm::ArrayRef<float> rows,
                          llvm::ArrayRef<float> filter, int64_t terms,
                          const MultiplyMatrices &multiply);

/// Sum of the squares of `sums` (`rows` x channels), each channel without its
/// mean.
double powerWithoutMean(llvm::ArrayRef<float> sums, int64_t rows);

/// Gives each value of `table` that one of the products of `rows` reads the
/// range, of those by the methods max, percentile (of `options`), mse and kl,
/// with which the sums of these products err least: squared errors but for
/// their mean, which a bias takes away, in parts of the power of the sums.
/// Rounding is measured on some rows; what clipping takes, on all values, or
/// the few that are clipped would not be seen.
/// `threads` share the work; the result does not depend on their number.
void chooseRangesByProducts(
    llvm::ArrayRef<std::pair<std::string, ValueHistogram>> histograms,
    const llvm::MapVector<mlir::Operation *, ProductRows> &rows,
    const CalibrationOptions &options, const MultiplyMatrices &multiply,
    unsigned threads, CalibrationTable &table);

} // namespace weft::quantize

#endif // WEFT_PASSES_QUANTIZE_PRODUCTERRORS_H
