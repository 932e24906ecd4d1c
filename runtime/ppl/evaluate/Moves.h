//===- Moves.h - meanings that dma, sdma and hau share --------*- C++ -*-===//

#ifndef WEFT_RUNTIME_PPL_EVALUATE_MOVES_H
#define WEFT_RUNTIME_PPL_EVALUATE_MOVES_H

#include "runtime/ppl/Interpreter.h"

namespace weft::catalog {

/// dst[i] = src[i] in row-major order.
rt::Status copyElements(const Call &call, Values &values);
rt::Status exchangeBatchAndChannel(const Call &call, Values &values);
rt::Status exchangeChannelAndWidth(const Call &call, Values &values);
/// As the choice `trans_mode` says.
rt::Status exchangeByMode(const Call &call, Values &values);
/// The number `C`.
rt::Status fillElements(const Call &call, Values &values);
rt::Status zeroElements(const Call &call, Values &values);
rt::Status gatherRows(const Call &call, Values &values);
rt::Status scatterRows(const Call &call, Values &values);
rt::Status reduceInto(const Call &call, Values &values);

/// Copies element `from` of one tensor to place `to` of another of its type.
void copyElement(Dense &dst, int64_t to, const Dense &src, int64_t from);
/// a + b in the type of `a`: integers wrap, floats are rounded once.
uint64_t sumOf(const Dense &a, int64_t i, const Dense &b, int64_t j);
/// Bits of the number converted to an element type.
uint64_t constantBits(DataType type, double value);

} // namespace weft::catalog

#endif // WEFT_RUNTIME_PPL_EVALUATE_MOVES_H
