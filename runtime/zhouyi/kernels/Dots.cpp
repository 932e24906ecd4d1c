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
  Block<X> x = loadBlock<X>(accumulates ? work.b : work.a);
  Block<Y> y = loadBlock<Y>(accumulates ? work.c : work.b);
  Block<R> result = {};
  if (accumulates)
    result = loadBlock<R>(work.a);
  for (unsigned i = 0; i < result.lanes; ++i) {
    Wide total = result.lane[i];
    total += Wide(x.lane[2 * i]) * Wide(y.lane[2 * i]);
    total += Wide(x.lane[2 * i + 1]) * Wide(y.lane[2 * i + 1]);
    result.lane[i] = clampTo<R>(total);
  }
  storeBlock(work.out, result);
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

/// Products of even and odd lanes in 16 bits (each fits), then pairs of these
/// in 32 bits: shifts instead of shuffles, which every vector unit has.
template <class X, class Y>
WEFT_INLINE void quadSums(const uint8_t *from, const uint8_t *and_,
                          Block<uint32_t> &sums) {
  constexpr bool isSigned = std::is_signed_v<X> || std::is_signed_v<Y>;
  using X16 = std::conditional_t<std::is_signed_v<X>, int16_t, uint16_t>;
  using Y16 = std::conditional_t<std::is_signed_v<Y>, int16_t, uint16_t>;
  using P32 = std::conditional_t<isSigned, int32_t, uint32_t>;
  Block<uint16_t> x = loadBlock<uint16_t>(from), y = loadBlock<uint16_t>(and_),
                  even, odd;
  for (unsigned i = 0; i < x.lanes; ++i) {
    X16 evenX = X16(X16(uint16_t(x.lane[i] << 8)) >> 8),
        oddX = X16(X16(x.lane[i]) >> 8);
    Y16 evenY = Y16(Y16(uint16_t(y.lane[i] << 8)) >> 8),
        oddY = Y16(Y16(y.lane[i]) >> 8);
    even.lane[i] = uint16_t(uint32_t(evenX) * uint32_t(evenY));
    odd.lane[i] = uint16_t(uint32_t(oddX) * uint32_t(oddY));
  }
  Block<uint32_t> evens, odds;
  std::memcpy(evens.lane, even.lane, kBlockBytes);
  std::memcpy(odds.lane, odd.lane, kBlockBytes);
  for (unsigned i = 0; i < sums.lanes; ++i)
    sums.lane[i] = uint32_t(P32(evens.lane[i] << 16) >> 16) +
                   uint32_t(P32(evens.lane[i]) >> 16) +
                   uint32_t(P32(odds.lane[i] << 16) >> 16) +
                   uint32_t(P32(odds.lane[i]) >> 16);
}

template <class X, class Y, bool accumulates>
WEFT_INLINE void quadDot(const Work &work) {
  constexpr bool isSigned = std::is_signed_v<X> || std::is_signed_v<Y>;
  using R = std::conditional_t<isSigned, int32_t, uint32_t>;
  Block<uint32_t> sums;
  if (!accumulates) {
    quadSums<X, Y>(work.a, work.b, sums);
  } else {
    quadSums<X, Y>(work.b, work.c, sums);
    Block<R> acc = loadBlock<R>(work.a);
    for (unsigned i = 0; i < sums.lanes; ++i)
      sums.lane[i] = uint32_t(addClamped(acc.lane[i], R(sums.lane[i])));
  }
  storeBlock(work.out, sums);
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
  Block<uint16_t> x = loadBlock<uint16_t>(accumulates ? work.b : work.a),
                  y = loadBlock<uint16_t>(accumulates ? work.c : work.b);
  Block<uint32_t> result = {};
  if (accumulates)
    result = loadBlock<uint32_t>(work.a);
  for (unsigned group = 0; group < 4; ++group) {
    uint32_t &to = result.lane[2 * group];
    DoubleSum sum =
        accumulates ? DoubleSum(numeric::floatFromBits(to)) : DoubleSum();
    bool isActive = false;
    for (unsigned i = 4 * group; i < 4 * group + 4; ++i) {
      if (work.mask && !work.mask[i])
        continue;
      isActive = true;
      sum.addProduct(x.lane[i], y.lane[i]);
    }
    to = isActive ? sum.bits() : to;
  }
  storeBlock(work.out, result);
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
  Block<uint32_t> result = {};
  result.lane[0] = bits;
  storeBlock(out, result);
}

template <class T>
static void sumIntegers(const Work &work) {
  Block<T> x = loadBlock<T>(work.a);
  uint32_t total = 0;
  for (unsigned i = 0; i < x.lanes; ++i)
    total += uint32_t(x.lane[i]);
  storeFirst(work.out, uint32_t(std::make_unsigned_t<T>(total)));
}

template <class T>
static void sumFloats(const Work &work) {
  Block<T> x = loadBlock<T>(work.a);
  DoubleSum sum;
  for (unsigned i = 0; i < x.lanes; ++i)
    if (!work.mask || work.mask[i]) {
      if constexpr (std::is_same_v<T, float>)
        sum.add(double(x.lane[i]));
      else
        sum.add(double(widen(x.lane[i])));
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
  Block<uint16_t> x = loadBlock<uint16_t>(work.b),
                  y = loadBlock<uint16_t>(work.c);
  float result[16] = {};
  if (accumulates)
    std::memcpy(result, work.a, sizeof(result));
  uint32_t bits[16];
  for (unsigned row = 0; row < 4; ++row)
    for (unsigned column = 0; column < 4; ++column) {
      unsigned at = 4 * row + column;
      DoubleSum sum = accumulates ? DoubleSum(result[at]) : DoubleSum();
      for (unsigned k = 0; k < 4; ++k)
        sum.addProduct(x.lane[4 * row + k], y.lane[4 * column + k]);
      bits[at] = sum.bits();
    }
  std::memcpy(work.out, bits, sizeof(bits));
}

Compute zhouyi::pickMatrix(const Typing &) { return matrix<false>; }
Compute zhouyi::pickMatrixAccumulate(const Typing &) { return matrix<true>; }

/// The product of two float16 is exact in float32: the sum rounds once.
template <unsigned first>
static void halfFused(const Work &work) {
  Block<float> acc = loadBlock<float>(work.a);
  Block<uint16_t> x = loadBlock<uint16_t>(work.b),
                  y = loadBlock<uint16_t>(work.c);
  Block<uint32_t> result;
  for (unsigned i = 0; i < result.lanes; ++i)
    result.lane[i] = canonical(acc.lane[i] + widen(x.lane[2 * i + first]) *
                                                 widen(y.lane[2 * i + first]));
  storeBlock(work.out, result);
}

Compute zhouyi::pickEvenFma(const Typing &) { return halfFused<0>; }
Compute zhouyi::pickOddFma(const Typing &) { return halfFused<1>; }
