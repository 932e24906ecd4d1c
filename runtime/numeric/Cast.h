/// Conversion of element types with the meaning of ONNX's Cast.
#ifndef WEFT_RUNTIME_NUMERIC_CAST_H
#define WEFT_RUNTIME_NUMERIC_CAST_H

#include "runtime/numeric/SmallFloats.h"

namespace weft::numeric {

struct CastOptions {
  /// For results of 8-bit floats: values out of range become the largest finite
  /// one; else infinity, or NaN where there is none.
  bool saturate = true;
  /// For results of type F8E8M0.
  ScaleRounding rounding = ScaleRounding::Up;
};

/// Bits of an element in ONNX's memory, where kinds below a byte are packed.
unsigned elementBits(ElementType type);

/// Converts all elements of `input` into `output`, whose type is the target and
/// whose number of elements is the same. Complex types are not converted:
/// callers refuse them.
/// * float to float: to nearest even; wider types overflow to infinity
/// * float to integers of 8 bits and more: towards zero, saturated (ONNX leaves
///   what does not fit undefined), NaN gives 0; to narrower integers: towards
///   zero, low bits, as Python's ml_dtypes
/// * integer to integer: low bits; to float: to nearest even, rounded once
/// * anything to bool: is not 0; bool to number: 0 or 1
void castElements(const HostTensor &input, HostTensor &output,
                  const CastOptions &options = {});

} // namespace weft::numeric

#endif
