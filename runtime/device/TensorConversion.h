//===- TensorConversion.h - user's elements and stored ones -----*- C++ -*-===//
//
// A bmodel stores int64 as i32, uint64 as u32, bool as u8 and double as f32.
// Here values travel between the two, and floats are quantized for integer
// inputs.
//
//===----------------------------------------------------------------------===//

#ifndef WEFT_RUNTIME_DEVICE_TENSORCONVERSION_H
#define WEFT_RUNTIME_DEVICE_TENSORCONVERSION_H

#include "runtime/bmodel/Bmodel.h"

namespace weft::rt {

/// Whether elements of type `given` can be fed to `tensor`: its own type, or
/// float types (f16, bf16, f32, f64) for an input that is quantized or stored
/// in 16-bit floats.
bool acceptsType(const TensorSpec &tensor, numeric::ElementType given);

/// Writes `tensor.storedBytes` bytes to `stored` from `tensor.elements`
/// elements of type `given`. Integers must fit the stored type; floats for a
/// quantized input become round(x * scale + zeroPoint), half to even,
/// saturated. NaN cannot be quantized. Codes: TypeMismatch, OutOfRange (names
/// element, value and range).
Status toStored(const TensorSpec &tensor, numeric::ElementType given,
                const uint8_t *elements, uint8_t *stored);

/// Writes `tensor.bytes()` bytes to `elements` from the stored bytes. Exact.
void fromStored(const TensorSpec &tensor, const uint8_t *stored,
                uint8_t *elements);

} // namespace weft::rt

#endif // WEFT_RUNTIME_DEVICE_TENSORCONVERSION_H
