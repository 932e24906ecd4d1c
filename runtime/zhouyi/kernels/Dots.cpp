//===- Dots.cpp - sums of products, matrices ------------------------------===//

#include "runtime/zhouyi/kernels/Blocks.h"

using namespace weft;
using namespace weft::zhouyi;

using catalog::DataType;
using Compute = Kernel::Compute;

//===----------------------------------------------------------------------===//
// Pairs of integers
//===----------------------------------------------------------------------===//

/// The type of twice the bits, signed if one of the two is.
template <class X, class Y>
using PairSum =
    std::conditional_t<std::is_unsigned_v<X> && std::is_unsigned_v<Y>,
                       std::conditional_t<sizeof(X) == 1, uint16_t, uint32_t>,
                       std::conditional_t<sizeof(X) == 1, int16_t, int32_t>>;

/// Inactive lanes of x are 0 here. One clamp of the exact sum.
template <class X, class Y, bool accumulates>
static void pairDot(const Work &work) {
  using R = PairSum<X, Y>;
  using Wide = std::conditional_t<sizeof(X) == 1, int32_t, int64_t>;
  const uint8_t *x = accumulates ? work.b : work.a,
                *y = accumulates ? work.c : work.b;
  WEFT_INDEPENDENT
  for (unsigned i = 0; i < kRegisterLanes<R>; ++i) {
    Wide total = accumulates ? load<R>(work.a, i) : R(0);
    total += Wide(load<X>(x, 2 * i)) * Wide(load<Y>(y, 2 * i));
    total += Wide(load<X>(x, 2 * i + 1)) * Wide(load<Y>(y, 2 * i + 1));
    store(work.out, i, clampTo<R>(total));
  }
}

template <bool accumulates>
static Compute pickPairs(const Typing &typing) {
  return forIntegers(typing.x, typing.y, [](auto x, auto y) -> Compute {
    if constexpr (sizeof(x) == 4)
      return nullptr;
    else
      return pairDot<decltype(x), decltype(y), accumulates>;
  });
}

Compute zhouyi::pickPairDot(const Typing &typing) {
  return pickPairs<false>(typing);
}

Compute zhouyi::pickPairAccumulate(const Typing &typing) {
  return pickPairs<true>(typing);
}

//===----------------------------------------------------------------------===//
// Quads of bytes
//===----------------------------------------------------------------------===//

/// A register as a value; any address, any type of what lies there.
template <class T>
using Register
    __attribute__((vector_size(kRegisterBytes), aligned(1), may_alias)) = T;

/// Products of even and odd lanes in 16 bits (each fits), then pairs of these
/// in 32 bits: shifts instead of shuffles, which every vector unit has.
template <class X, class Y, bool accumulates>
WEFT_INLINE void quadDot(const Work &work) {
  constexpr bool isSigned = std::is_signed_v<X> || std::is_signed_v<Y>;
  using X16 =
      Register<std::conditional_t<std::is_signed_v<X>, int16_t, uint16_t>>;
  using Y16 =
      Register<std::conditional_t<std::is_signed_v<Y>, int16_t, uint16_t>>;
  using P16 = Register<uint16_t>;
  using U32 = Register<uint32_t>;
  using R = std::conditional_t<isSigned, int32_t, uint32_t>;
  using P32 = Register<R>;
  X16 x;
  Y16 y;
  std::memcpy(&x, accumulates ? work.b : work.a, sizeof(x));
  std::memcpy(&y, accumulates ? work.c : work.b, sizeof(y));
  // Lane 2i lies in the low half of a 16-bit element.
  P16 even = P16(X16(P16(x) << 8) >> 8) * P16(Y16(P16(y) << 8) >> 8),
      odd = P16(x >> 8) * P16(y >> 8);
  P32 sums = (P32(U32(even) << 16) >> 16) + (P32(even) >> 16) +
             (P32(U32(odd) << 16) >> 16) + (P32(odd) >> 16);
  if (accumulates) {
    for (unsigned i = 0; i < kRegisterLanes<R>; ++i)
      sums[i] = addClamped(load<R>(work.a, i), sums[i]);
  }
  std::memcpy(work.out, &sums, sizeof(sums));
}

#define QUADS(suffix, X, Y)                                                    \
  WEFT_VECTOR_CLONES static void dot##suffix(const Work &work) {               \
    quadDot<X, Y, false>(work);                                                \
  }                                                                            \
  WEFT_VECTOR_CLONES static void accumulate##suffix(const Work &work) {        \
    quadDot<X, Y, true>(work);                                                 \
  }
QUADS(Signed, int8_t, int8_t)
QUADS(SignedUnsigned, int8_t, uint8_t)
QUADS(UnsignedSigned, uint8_t, int8_t)
QUADS(Unsigned, uint8_t, uint8_t)
#undef QUADS

//===----------------------------------------------------------------------===//
// Sums of floats
//===----------------------------------------------------------------------===//

namespace {
/// A sum in double from the lowest lane up; nothing is added to nothing, so
/// that a lone -0 stays one.
class DoubleSum {
public:
  DoubleSum() = default;
  explicit DoubleSum(float start) : total(double(start)), isEmpty(false) {}
  void add(double value) {
    total = isEmpty ? value : total + value;
    isEmpty = false;
  }
  void addProduct(uint16_t x, uint16_t y) {
    add(double(widen(x)) * double(widen(y)));
  }
  uint32_t bits() const { return canonical(static_cast<float>(total)); }

private:
  double total = 0;
  bool isEmpty = true;
};
} // namespace

/// Four products a group in its even lane; the odd one keeps acc or is 0.
template <bool accumulates>
static void halfQuads(const Work &work) {
  const uint8_t *x = accumulates ? work.b : work.a,
                *y = accumulates ? work.c : work.b;
  uint32_t result[kRegisterLanes<uint32_t>] = {};
  if (accumulates)
    std::memcpy(result, work.a, sizeof(result));
  for (unsigned group = 0; group < kRegisterLanes<uint16_t> / 4; ++group) {
    uint32_t &to = result[2 * group];
    DoubleSum sum =
        accumulates ? DoubleSum(numeric::floatFromBits(to)) : DoubleSum();
    bool isActive = false;
    for (unsigned i = 4 * group; i < 4 * group + 4; ++i) {
      if (work.mask && !work.mask[i])
        continue;
      isActive = true;
      sum.addProduct(load<uint16_t>(x, i), load<uint16_t>(y, i));
    }
    to = isActive ? sum.bits() : to;
  }
  std::memcpy(work.out, result, sizeof(result));
}

Compute zhouyi::pickQuadDot(const Typing &typing) {
  if (isFloat(typing.x))
    return halfQuads<false>;
  bool x = isSigned(typing.x), y = isSigned(typing.y);
  return x ? (y ? dotSigned : dotSignedUnsigned)
           : (y ? dotUnsignedSigned : dotUnsigned);
}

Compute zhouyi::pickQuadAccumulate(const Typing &typing) {
  if (isFloat(typing.x))
    return halfQuads<true>;
  bool x = isSigned(typing.x), y = isSigned(typing.y);
  return x ? (y ? accumulateSigned : accumulateSignedUnsigned)
           : (y ? accumulateUnsignedSigned : accumulateUnsigned);
}

/// Lane 0 of a register; the others 0.
static void storeFirst(uint8_t *out, uint32_t bits) {
  uint32_t result[kRegisterLanes<uint32_t>] = {bits};
  std::memcpy(out, result, sizeof(result));
}

template <class T>
static void sumIntegers(const Work &work) {
  uint32_t total = 0;
  for (unsigned i = 0; i < kRegisterLanes<T>; ++i)
    total += uint32_t(load<T>(work.a, i));
  storeFirst(work.out, uint32_t(std::make_unsigned_t<T>(total)));
}

template <class T>
static void sumFloats(const Work &work) {
  DoubleSum sum;
  for (unsigned i = 0; i < kRegisterLanes<T>; ++i)
    if (!work.mask || work.mask[i]) {
      if constexpr (std::is_same_v<T, float>)
        sum.add(double(load<float>(work.a, i)));
      else
        sum.add(double(widen(load<uint16_t>(work.a, i))));
    }
  storeFirst(work.out, sum.bits());
}

Compute zhouyi::pickSum(const Typing &typing) {
  if (isFloat(typing.x))
    return typing.x == DataType::Fp16 ? sumFloats<uint16_t> : sumFloats<float>;
  return forInteger(typing.x,
                    [](auto x) -> Compute { return sumIntegers<decltype(x)>; });
}

//===----------------------------------------------------------------------===//
// Matrices and products of half the lanes
//===----------------------------------------------------------------------===//

template <bool accumulates>
static void matrix(const Work &work) {
  float result[16] = {};
  if (accumulates)
    std::memcpy(result, work.a, sizeof(result));
  uint32_t bits[16];
  for (unsigned row = 0; row < 4; ++row)
    for (unsigned column = 0; column < 4; ++column) {
      unsigned at = 4 * row + column;
      DoubleSum sum = accumulates ? DoubleSum(result[at]) : DoubleSum();
      for (unsigned k = 0; k < 4; ++k)
        sum.addProduct(load<uint16_t>(work.b, 4 * row + k),
                       load<uint16_t>(work.c, 4 * column + k));
      bits[at] = sum.bits();
    }
  std::memcpy(work.out, bits, sizeof(bits));
}

Compute zhouyi::pickMatrix(const Typing &) { return matrix<false>; }
Compute zhouyi::pickMatrixAccumulate(const Typing &) { return matrix<true>; }

/// The product of two float16 is exact in float32: the sum rounds once.
template <unsigned first>
static void halfFused(const Work &work) {
  WEFT_INDEPENDENT
  for (unsigned i = 0; i < kRegisterLanes<float>; ++i) {
    float x = widen(load<uint16_t>(work.b, 2 * i + first)),
          y = widen(load<uint16_t>(work.c, 2 * i + first));
    store(work.out, i, canonical(load<float>(work.a, i) + x * y));
  }
}

Compute zhouyi::pickEvenFma(const Typing &) { return halfFused<0>; }
Compute zhouyi::pickOddFma(const Typing &) { return halfFused<1>; }
