//===- OneDnn.h - float products by oneDNN ----------------------*- C++ -*-===//

#ifndef WEFT_TOOLS_ONEDNN_ONEDNN_H
#define WEFT_TOOLS_ONEDNN_ONEDNN_H

#include "dialects/Evaluate.h"

#include <memory>

namespace weft::tools {

/// Computes convolutions with constant filters and matrix products of f32 with
/// oneDNN, in f32: sums have the error of f32 where the ops' own evaluators
/// round once. The order of a sum does not depend on how many threads there
/// are, as each product is computed by one, nor on vectors wider than AVX2,
/// which are not used. Processors without AVX2 add in another order.
class OneDnn : public OpAccelerator {
public:
  OneDnn();
  ~OneDnn() override;

  bool evaluate(mlir::Operation *op,
                llvm::ArrayRef<const numeric::HostTensor *> operands,
                llvm::SmallVectorImpl<numeric::HostTensor> &results) override;

private:
  struct State; // oneDNN's header stays in the source file
  std::unique_ptr<State> state;
};

/// result (rows x columns) = lhs (rows x inner) x rhs (inner x columns), all
/// row-major, a side that is turned stored as its transpose. False if oneDNN
/// cannot compute it.
bool multiply(bool turnsLhs, bool turnsRhs, int64_t rows, int64_t columns,
              int64_t inner, const float *lhs, const float *rhs, float *result);

} // namespace weft::tools

#endif // WEFT_TOOLS_ONEDNN_ONEDNN_H
