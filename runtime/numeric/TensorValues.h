//===- TensorValues.h - whole tensors as doubles or integers ----*- C++ -*-===//
//
// HostTensor::toDouble switches on the type for every element; evaluators
// convert a whole tensor once instead.
//
//===------------------------------------------------------------------------===//

#ifndef WEFT_RUNTIME_NUMERIC_TENSORVALUES_H
#define WEFT_RUNTIME_NUMERIC_TENSORVALUES_H

#include "runtime/numeric/HostTensor.h"

#include <vector>

namespace weft::numeric {

/// All elements as doubles (64-bit integers above 2^53 rounded). Row-major.
std::vector<double> loadDoubles(const HostTensor &tensor);
/// Rounds `values` into the tensor as HostTensor::setFromDouble does; sizes
/// must agree.
void storeDoubles(const std::vector<double> &values, HostTensor &tensor);

/// The elements of an integer or bool tensor, sign- or zero-extended to 64 bits
/// (a u64 keeps its bit pattern). Floats are rounded toward zero and saturated.
std::vector<int64_t> loadIntegers(const HostTensor &tensor);
/// Keeps the low bits of each value; Bool: value != 0. Into floats they are
/// rounded.
void storeIntegers(const std::vector<int64_t> &values, HostTensor &tensor);

} // namespace weft::numeric

#endif // WEFT_RUNTIME_NUMERIC_TENSORVALUES_H
