//===- Blocks.h - walks over vectors in pieces of a register ----*- C++ -*-===//
//
// A register has 32 bytes whatever its type. Its lanes are copied to arrays of
// fixed size, computed in loops of fixed count, which a compiler turns into
// vector instructions, and copied back: neither alignment nor overlap matters.
//
//===----------------------------------------------------------------------===//

#ifndef WEFT_RUNTIME_ZHOUYI_KERNELS_BLOCKS_H
#define WEFT_RUNTIME_ZHOUYI_KERNELS_BLOCKS_H

#include "runtime/numeric/Float16.h"
#include "runtime/zhouyi/kernels/Kernels.h"

#include <algorithm>
#include <cstring>
#include <limits>
#include <type_traits>

#define WEFT_INLINE __attribute__((always_inline)) inline

/// Builds a function for AVX2 and FMA too and picks at start. Sanitizers cannot
/// instrument the resolver that does the picking.
#if defined(__x86_64__) && defined(__GNUC__) && !defined(__clang__) &&         \
    !defined(__SANITIZE_ADDRESS__)
#define WEFT_VECTOR_CLONES                                                     \
  __attribute__((target_clones("arch=x86-64-v3", "default")))
#else
#define WEFT_VECTOR_CLONES
#endif

namespace weft::zhouyi {

inline constexpr unsigned kBlockBytes = 32;

template <class T>
struct Block {
  static constexpr unsigned lanes = kBlockBytes / sizeof(T);
  T lane[lanes];
};

template <class T>
WEFT_INLINE Block<T> loadBlock(const uint8_t *from) {
  Block<T> block;
  std::memcpy(block.lane, from, kBlockBytes);
  return block;
}

template <class T>
WEFT_INLINE void storeBlock(uint8_t *to, const Block<T> &block) {
  std::memcpy(to, block.lane, kBlockBytes);
}

/// body(a, b, c, out) for every 32 bytes of lanes of `width` bytes. What is
/// left at the end is padded with zeros and its padding dropped again.
template <unsigned Sources, class Body>
WEFT_INLINE void eachBlock(const Work &work, unsigned width, Body body) {
  uint8_t room[Sources + 1][kBlockBytes];
  const uint8_t *given[3] = {work.a, work.b, work.c};
  unsigned total = work.lanes * width;
  for (unsigned at = 0; at < total; at += kBlockBytes) {
    const uint8_t *from[3] = {nullptr, nullptr, nullptr};
    bool isWhole = total - at >= kBlockBytes;
    for (unsigned i = 0; i < Sources; ++i) {
      from[i] = given[i] + at;
      if (isWhole)
        continue;
      std::memset(room[i], 0, kBlockBytes);
      std::memcpy(room[i], given[i] + at, total - at);
      from[i] = room[i];
    }
    body(from[0], from[1], from[2], isWhole ? work.out + at : room[Sources]);
    if (!isWhole)
      std::memcpy(work.out + at, room[Sources], total - at);
  }
}

/// out[i] = f(a[i]).
template <class T, class F>
WEFT_INLINE void lanewise1(const Work &work, F f) {
  eachBlock<1>(
      work, sizeof(T),
      [&](const uint8_t *a, const uint8_t *, const uint8_t *, uint8_t *out) {
        Block<T> x = loadBlock<T>(a), result;
        for (unsigned i = 0; i < x.lanes; ++i)
          result.lane[i] = f(x.lane[i]);
        storeBlock(out, result);
      });
}

/// out[i] = f(a[i], b[i]); all of one width.
template <class X, class Y, class R, class F>
WEFT_INLINE void lanewise2(const Work &work, F f) {
  eachBlock<2>(
      work, sizeof(X),
      [&](const uint8_t *a, const uint8_t *b, const uint8_t *, uint8_t *out) {
        Block<X> x = loadBlock<X>(a);
        Block<Y> y = loadBlock<Y>(b);
        Block<R> result;
        for (unsigned i = 0; i < x.lanes; ++i)
          result.lane[i] = f(x.lane[i], y.lane[i]);
        storeBlock(out, result);
      });
}

/// out[i] = f(a[i], b[i], c[i]).
template <class T, class F>
WEFT_INLINE void lanewise3(const Work &work, F f) {
  eachBlock<3>(
      work, sizeof(T),
      [&](const uint8_t *a, const uint8_t *b, const uint8_t *c, uint8_t *out) {
        Block<T> x = loadBlock<T>(a), y = loadBlock<T>(b), z = loadBlock<T>(c),
                 result;
        for (unsigned i = 0; i < x.lanes; ++i)
          result.lane[i] = f(x.lane[i], y.lane[i], z.lane[i]);
        storeBlock(out, result);
      });
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
  uint32_t magnitude = uint32_t(half & 0x7fffu) << 13;
  // Moves the exponent's bias from 15 to 127, and normalises subnormals.
  uint32_t bits =
      numeric::floatBits(numeric::floatFromBits(magnitude) * 0x1p112f);
  bits |= (half & 0x7c00u) == 0x7c00u ? 0x7f800000u : 0u;
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
