//===- NGrams.h - counts of word sequences as top ops -----------*- C++ -*-===//

#ifndef WEFT_FRONTEND_ONNX_NGRAMS_H
#define WEFT_FRONTEND_ONNX_NGRAMS_H

#include "frontend/onnx/Compose.h"

namespace weft::onnx {

/// The attributes of ONNX TfIdfVectorizer-9 of integers.
struct NGrams {
  std::string mode; ///< TF, IDF or TFIDF
  int64_t shortest = 1, longest = 1, skips = 0;
  llvm::SmallVector<int64_t> counts, places, words;
  llvm::SmallVector<double> weights;
  int64_t width = 0; ///< of the result
};

/// True if `countNGrams` is the better way for an input of shape C or N x C:
/// the pool is well cut, no two sequences share a place, and there are not too
/// many comparisons.
bool areFewNGrams(const NGrams &grams, llvm::ArrayRef<int64_t> shape);

/// The result: every sequence is compared with every piece of a row.
mlir::Value countNGrams(Compose &c, const NGrams &grams, mlir::Value input);

} // namespace weft::onnx

#endif // WEFT_FRONTEND_ONNX_NGRAMS_H
