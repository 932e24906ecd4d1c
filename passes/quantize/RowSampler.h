//===- RowSampler.h - what products read in samples -------------*- C++ -*-===//

#ifndef WEFT_PASSES_QUANTIZE_ROWSAMPLER_H
#define WEFT_PASSES_QUANTIZE_ROWSAMPLER_H

#include "dialects/Evaluate.h"

#include "llvm/ADT/MapVector.h"

#include <vector>

namespace weft::quantize {

/// Some of the rows that a product with constant weights multiplies: of a
/// convolution the windows of some pixels (channels, then rows and columns of
/// the window; padding is 0), of a matrix product some rows of lhs.
struct ProductRows {
  int64_t terms = 0;
  std::vector<uint64_t> keys;  ///< of each row, ascending in RowSampler::rows()
  std::vector<float> values;   ///< rows x terms
  uint64_t limit = UINT64_MAX; ///< no row with a key of it or above can stay

  int64_t rows() const { return keys.size(); }
};

/// Takes rows from every product of f32 with constant weights that stand for an
/// ONNX value, but grouped convolutions and those of three axes. Which rows
/// depends on what the product reads, not on the order of samples or on how
/// they are stored: each row has a pseudo random key, made of all values that
/// the product reads and of its place, and those with the smallest stay.
class RowSampler : public OpAccelerator {
public:
  /// Keeps up to `most` rows a product. `inner`, which may be null, computes.
  RowSampler(mlir::func::FuncOp func, OpAccelerator *inner,
             int64_t most = kRows);

  static constexpr int64_t kRows = 4096;

  bool evaluate(mlir::Operation *op,
                llvm::ArrayRef<const numeric::HostTensor *> operands,
                llvm::SmallVectorImpl<numeric::HostTensor> &results) override;

  /// The rows so far, in the order of the graph's products and of their keys.
  const llvm::MapVector<mlir::Operation *, ProductRows> &rows();

private:
  void add(mlir::Operation *op, const numeric::HostTensor &input,
           ProductRows &rows);

  OpAccelerator *inner;
  int64_t most;
  llvm::MapVector<mlir::Operation *, ProductRows> products;
};

} // namespace weft::quantize

#endif // WEFT_PASSES_QUANTIZE_ROWSAMPLER_H
