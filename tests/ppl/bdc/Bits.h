//===- Bits.h - floats as bits ----------------------------------*- C++ -*-===//

#ifndef WEFT_TESTS_PPL_BDC_BITS_H
#define WEFT_TESTS_PPL_BDC_BITS_H

#include <cstdint>
#include <cstring>

namespace weft::test {

inline uint32_t bitsOf(float x) {
  uint32_t bits;
  std::memcpy(&bits, &x, 4);
  return bits;
}
inline float floatOf(uint32_t bits) {
  float x;
  std::memcpy(&x, &bits, 4);
  return x;
}

} // namespace weft::test

#endif // WEFT_TESTS_PPL_BDC_BITS_H
