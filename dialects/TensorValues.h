//===- TensorValues.h - whole tensors as doubles or integers ------*- C++
//-*-===//
//
// HostTensor::toDouble switches on the type for every element; evaluators
// convert a whole tensor once instead.
//
//===------------------------------------------------------------------------===//

#ifndef WEFT_DIALECTS_TENSORVALUES_H
#define WEFT_DIALECTS_TENSORVALUES_H

#include "runtime/numeric/HostTensor.h"

#include <vector>

namespace weft {

/// All elements as doubles (64-bit integers above 2^53 rounded). Row-major.
std::vector<double> loadDoubles(const numeric::HostTensor &tensor);
/// Rounds `values` into the tensor as HostTensor::setFromDouble does; sizes
/// must agree.
void storeDoubles(const std::vector<double> &values,
                  numeric::HostTensor &tensor);

/// The elements of an integer or bool tensor, sign- or zero-extended to 64 bits
/// (a u64 keeps its bit pattern).
std::vector<int64_t> loadIntegers(const numeric::HostTensor &tensor);
/// Keeps the low bits of each value; Bool: value != 0.
void storeIntegers(const std::vector<int64_t> &values,
                   numeric::HostTensor &tensor);

} // namespace weft

#endif // WEFT_DIALECTS_TENSORVALUES_H
