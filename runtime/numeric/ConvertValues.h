/// Tensors in another element type with the same values.
#ifndef WEFT_RUNTIME_NUMERIC_CONVERTVALUES_H
#define WEFT_RUNTIME_NUMERIC_CONVERTVALUES_H

#include "runtime/numeric/HostTensor.h"

namespace weft::numeric {

/// Whether values of type `given` can become `wanted`: both are real numbers or
/// bools.
bool convertsByValue(ElementType given, ElementType wanted);

/// Turns the elements of `tensor` into `wanted`, for which convertsByValue() is
/// true. Floats of 16 bits and more are rounded among each other, to nearest
/// even, and must not become infinite by that; everything else must be exact:
/// 0.5 and NaN are no integers, 2 is no bool, 16777217 is no f32.
///
/// The row-major place of the first element that `wanted` does not have, and no
/// change; std::nullopt: all are converted.
[[nodiscard]] std::optional<int64_t> convertValues(HostTensor &tensor,
                                                   ElementType wanted);

/// Element `index` (row-major) for messages: integers digit by digit, of floats
/// as many digits as tell it from its neighbours.
std::string elementText(const HostTensor &tensor, int64_t index);

/// "[0, 2, 1, 5]" of the `index`-th element (row-major).
std::string placeText(const std::vector<int64_t> &shape, int64_t index);

} // namespace weft::numeric

#endif
