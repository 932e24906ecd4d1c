//===- TensorChecks.h - what tensors of a kernel can be ---------*- C++ -*-===//

#ifndef WEFT_FRONTEND_PPL_TENSORCHECKS_H
#define WEFT_FRONTEND_PPL_TENSORCHECKS_H

#include "dialects/ppl/Memory.h"
#include "runtime/catalog/Catalog.h"

#include <string>

namespace weft::frontend {

ppl::TensorViewType typeOfTensor(const catalog::Tensor &tensor,
                                 const Chip &chip, mlir::MLIRContext &context);

/// Empty if a tensor type can have these four sizes.
std::string shapeProblem(const int64_t *shape, catalog::Memory memory,
                         const Chip &chip);

/// Whether such sizes are too large, so that smaller ones may do.
bool isTooLarge(const int64_t *shape, catalog::Memory memory, const Chip &chip);

/// Empty if a tensor of four sizes can have these strides, in elements.
std::string strideProblem(const int64_t *strides, const int64_t *shape);

/// "1x64x1x8"
std::string sizesText(const int64_t *sizes);

/// Whether the bytes of `tensor` lie inside [0, rootBytes) from `start`.
bool isInside(const catalog::Tensor &tensor, uint64_t start, uint64_t rootBytes,
              const Chip &chip);

/// Empty if the type of dst has the numbers among the operands of a legal call.
std::string numberProblem(const catalog::Call &call);

} // namespace weft::frontend

#endif // WEFT_FRONTEND_PPL_TENSORCHECKS_H
