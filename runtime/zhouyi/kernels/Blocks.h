//===- Blocks.h - loops over the lanes of vectors ---------------*- C++ -*-===//
//
// Lanes are loaded and stored one by one in loops that a compiler turns into
// vector instructions; for a vector of one register, the usual case, the count
// is a constant. Nothing needs to be aligned.
//
//===----------------------------------------------------------------------===//

#ifndef WEFT_RUNTIME_ZHOUYI_KERNELS_BLOCKS_H
#define WEFT_RUNTIME_ZHOUYI_KERNELS_BLOCKS_H

#include "runtime/numeric/Float16.h"
#include "runtime/numeric/VectorClones.h"
#include "runtime/zhouyi/kernels/Kernels.h"

#include <algorithm>
#include <cstring>
#include <limits>
#include <type_traits>

#define WEFT_INLINE __attribute__((always_inline)) inline

/// Before a loop whose passes do not meet: a result may lie on its own operand,
/// not on one of another pass. Clang tests for that itself, and its pragma
/// warns of every loop that it leaves as it is.
#if defined(__GNUC__) && !defined(__clang__)
#define WEFT_INDEPENDENT _Pragma("GCC ivdep")
#else
#define WEFT_INDEPENDENT
#endif

namespace weft::zhouyi {

/// Lanes of one register.
template <class T>
inline constexpr unsigned kRegisterLanes = kRegisterBytes / sizeof(T);

template <class T>
WEFT_INLINE T load(const uint8_t *from, unsigned lane) {
  T value;
  std::memcpy(&value, from + size_t(lane) * sizeof(T), sizeof(T));
  return value;
}

template <class T>
WEFT_INLINE void store(uint8_t *to, unsigned lane, T value) {
  std::memcpy(to + size_t(lane) * sizeof(T), &value, sizeof(T));
}

template <unsigned fixed, class T, class F>
WEFT_INLINE void loop1(const Work &work, F f) {
  const uint8_t *a = work.a;
  uint8_t *out = work.out;
  const unsigned lanes = fixed ? fixed : work.lanes;
  WEFT_INDEPENDENT
  for (unsigned i = 0; i < lanes; ++i)
    store(out, i, f(load<T>(a, i)));
}
/// out[i] = f(a[i]).
template <class T, class F>
WEFT_INLINE void lanewise1(const Work &work, F f) {
  if (work.lanes == kRegisterLanes<T>)
    loop1<kRegisterLanes<T>, T>(work, f);
  else
    loop1<0, T>(work, f);
}

template <unsigned fixed, class X, class Y, class F>
WEFT_INLINE void loop2(const Work &work, F f) {
  const uint8_t *a = work.a, *b = work.b;
  uint8_t *out = work.out;
  const unsigned lanes = fixed ? fixed : work.lanes;
  WEFT_INDEPENDENT
  for (unsigned i = 0; i < lanes; ++i)
    store(out, i, f(load<X>(a, i), load<Y>(b, i)));
}
/// out[i] = f(a[i], b[i]); all of one width.
template <class X, class Y, class F>
WEFT_INLINE void lanewise2(const Work &work, F f) {
  if (work.lanes == kRegisterLanes<X>)
    loop2<kRegisterLanes<X>, X, Y>(work, f);
  else
    loop2<0, X, Y>(work, f);
}

template <unsigned fixed, class T, class F>
WEFT_INLINE void loop3(const Work &work, F f) {
  const uint8_t *a = work.a, *b = work.b, *c = work.c;
  uint8_t *out = work.out;
  const unsigned lanes = fixed ? fixed : work.lanes;
  WEFT_INDEPENDENT
  for (unsigned i = 0; i < lanes; ++i)
    store(out, i, f(load<T>(a, i), load<T>(b, i), load<T>(c, i)));
}
/// out[i] = f(a[i], b[i], c[i]).
template <class T, class F>
WEFT_INLINE void lanewise3(const Work &work, F f) {
  if (work.lanes == kRegisterLanes<T>)
    loop3<kRegisterLanes<T>, T>(work, f);
  else
    loop3<0, T>(work, f);
}

//===----------------------------------------------------------------------===//
// Numbers
//===----------------------------------------------------------------------===//

/// Of a NaN that arithmetic makes.
inline constexpr uint32_t kCanonicalNan = 0x7fc00000u;
inline constexpr uint16_t kCanonicalHalfNan = 0x7e00u;

WEFT_INLINE bool isNanBits(uint32_t bits) {
  return (bits & 0x7fffffffu) > 0x7f800000u;
}

WEFT_INLINE uint32_t canonical(float value) {
  uint32_t bits = numeric::floatBits(value);
  return isNanBits(bits) ? kCanonicalNan : bits;
}

/// float16 to float32, exact, without branches; a NaN stays one.
WEFT_INLINE float widen(uint16_t half) {
  uint32_t magnitude = half & 0x7fffu;
  // Moves the exponent's bias from 15 to 127; a subnormal is a count of 2^-24.
  uint32_t normal = (magnitude << 13) + (112u << 23);
  uint32_t small = numeric::floatBits(float(int32_t(magnitude)) * 0x1p-24f);
  uint32_t bits = magnitude < 0x0400u ? small : normal;
  bits = magnitude >= 0x7c00u ? magnitude << 13 | 0x7f800000u : bits;
  return numeric::floatFromBits(bits | uint32_t(half & 0x8000u) << 16);
}

/// To nearest even.
WEFT_INLINE uint16_t narrow(float value) {
  uint16_t half = numeric::floatToHalfFast(value);
  return half == numeric::kNaN16 ? kCanonicalHalfNan : half;
}

/// The nearest integer, ties to even, sign kept; as bits.
WEFT_INLINE uint32_t roundBits(uint32_t bits) {
  // Adding 2^23 leaves no place for a fraction.
  uint32_t magnitude = bits & 0x7fffffffu;
  float whole = (numeric::floatFromBits(magnitude) + 8388608.0f) - 8388608.0f;
  uint32_t rounded = numeric::floatBits(whole) | (bits & 0x80000000u);
  return magnitude < 0x4b000000u ? rounded : bits; // 2^23 and NaN stay
}

template <class R, class Wide>
WEFT_INLINE R clampTo(Wide value) {
  constexpr Wide low = std::numeric_limits<R>::min(),
                 high = std::numeric_limits<R>::max();
  return static_cast<R>(value < low ? low : value > high ? high : value);
}

/// x + y clamped, for 32 bits without wider arithmetic.
WEFT_INLINE int32_t addClamped(int32_t x, int32_t y) {
  uint32_t sum = uint32_t(x) + uint32_t(y);
  bool overflows = int32_t((uint32_t(x) ^ sum) & (uint32_t(y) ^ sum)) < 0;
  return overflows ? int32_t(uint32_t(x >> 31) ^ 0x7fffffffu) : int32_t(sum);
}
WEFT_INLINE int32_t subClamped(int32_t x, int32_t y) {
  uint32_t difference = uint32_t(x) - uint32_t(y);
  bool overflows = int32_t(uint32_t(x ^ y) & (uint32_t(x) ^ difference)) < 0;
  return overflows ? int32_t(uint32_t(x >> 31) ^ 0x7fffffffu)
                   : int32_t(difference);
}
WEFT_INLINE uint32_t addClamped(uint32_t x, uint32_t y) {
  uint32_t sum = x + y;
  return sum < x ? ~uint32_t(0) : sum;
}
WEFT_INLINE uint32_t subClamped(uint32_t x, uint32_t y) {
  return x < y ? 0 : x - y;
}

//===----------------------------------------------------------------------===//
// Types of calls as types of C++
//===----------------------------------------------------------------------===//

/// make(T()) for an integer type.
template <class Make>
Kernel::Compute forInteger(catalog::DataType type, Make make) {
  using catalog::DataType;
  switch (type) {
  case DataType::Int8:
    return make(int8_t());
  case DataType::Uint8:
    return make(uint8_t());
  case DataType::Int16:
    return make(int16_t());
  case DataType::Uint16:
    return make(uint16_t());
  case DataType::Int32:
    return make(int32_t());
  case DataType::Uint32:
    return make(uint32_t());
  default:
    return nullptr;
  }
}

/// make(X(), Y()) for integers of one width.
template <class Make>
Kernel::Compute forIntegers(catalog::DataType x, catalog::DataType y,
                            Make make) {
  return forInteger(x, [&](auto first) -> Kernel::Compute {
    using X = decltype(first);
    if (isSigned(y))
      return make(X(), std::make_signed_t<X>());
    return make(X(), std::make_unsigned_t<X>());
  });
}

} // namespace weft::zhouyi

#endif // WEFT_RUNTIME_ZHOUYI_KERNELS_BLOCKS_H
