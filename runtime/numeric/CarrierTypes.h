/// Element types that NumPy lacks travel in arrays of types that it has.
#ifndef WEFT_RUNTIME_NUMERIC_CARRIERTYPES_H
#define WEFT_RUNTIME_NUMERIC_CARRIERTYPES_H

#include "runtime/numeric/HostTensor.h"

namespace weft::numeric {

/// The type of arrays that elements of `type` travel in: f32 (values) for bf16,
/// u8 (bit patterns) for floats of 4 and 8 bits, u8 or i8 (values) for integers
/// below 8 bits, `type` itself for all others.
ElementType carrierType(ElementType type);

/// Whether arrays of type `given` can stand for `wanted`: it itself, its
/// carrier, or bytes of its width (u16 bit patterns for bf16, u8 for all of 8
/// bits and less).
bool carries(ElementType given, ElementType wanted);

/// Turns `tensor` into elements of `wanted`; false, and no change, if its type
/// does not carry `wanted` or an integer is out of the range of `wanted`.
[[nodiscard]] bool fromCarrier(HostTensor &tensor, ElementType wanted);

/// The same values (or bit patterns) in the carrier type.
HostTensor toCarrier(HostTensor tensor);

} // namespace weft::numeric

#endif
