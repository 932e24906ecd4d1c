//===- GraphCheck.h - what every pass on a tpu graph may rely on -*- C++
//-*-===//

#ifndef WEFT_DIALECTS_TPU_GRAPHCHECK_H
#define WEFT_DIALECTS_TPU_GRAPHCHECK_H

#include "dialects/Refusal.h"
#include "runtime/chips/Chip.h"

#include "mlir/Interfaces/FunctionInterfaces.h"

namespace weft::tpu {

/// Why the DRAM of `chip` does not hold `value`, a tensor of static shape.
std::optional<Refusal> tensorRefusal(mlir::Location location, mlir::Value value,
                                     const Chip &chip);

/// Fails with one message unless `func` has a body of one block that ends in a
/// return, and every value in it, groups included, is a tensor n x c x h x w of
/// static shape, no size below 1, of whole bytes that the DRAM of `chip` holds.
/// Passes run on any text: each calls this before it multiplies sizes.
mlir::LogicalResult checkGraph(mlir::FunctionOpInterface func,
                               const Chip &chip);

} // namespace weft::tpu

#endif // WEFT_DIALECTS_TPU_GRAPHCHECK_H
