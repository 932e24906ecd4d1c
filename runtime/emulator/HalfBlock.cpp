#include "runtime/emulator/HalfBlock.h"

#include "runtime/emulator/FloatOrder.h"

#include <cmath>
#include <limits>

namespace weft::emulator {

/// An infinity in a block hides every NaN of it, unless both infinities are
/// there.
static float specialBlockSum(bool plus, bool minus) {
  if (plus == minus)
    return numeric::floatFromBits(kInvalidBits);
  return numeric::floatFromBits(plus ? 0x7f800000u : 0xff800000u);
}

float halfBlockSum(const float *scalars, const float *vectors, size_t stride,
                   unsigned used) {
  float products[kHalfBlock];
  int largest = std::numeric_limits<int>::min();
  bool plus = false, minus = false, isSpecial = false;
  for (unsigned k = 0; k < used; ++k) {
    products[k] = scalars[k] * vectors[k * stride];
    if (!std::isfinite(products[k])) {
      isSpecial = true;
      plus |= products[k] > 0;
      minus |= products[k] < 0;
    } else if (products[k] != 0) {
      int exponent = std::ilogb(products[k]);
      largest = exponent > largest ? exponent : largest;
    }
  }
  if (isSpecial)
    return specialBlockSum(plus, minus);
  if (largest == std::numeric_limits<int>::min())
    return 0;
  double sum = 0; // at most 32 * 2^25: exact
  for (unsigned k = 0; k < used; ++k)
    sum += std::trunc(std::ldexp(double(products[k]), 24 - largest));
  return static_cast<float>(std::ldexp(sum, largest - 24));
}

} // namespace weft::emulator
