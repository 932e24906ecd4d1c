//===- Neighbours.cpp - sums of two lanes, products of half a register ----===//

#include "runtime/zhouyi/kernels/Blocks.h"

using namespace weft;
using namespace weft::zhouyi;

using Compute = Kernel::Compute;

//===----------------------------------------------------------------------===//
// vaddh, vsubh
//===----------------------------------------------------------------------===//

/// The sums of the lanes of one operand; `lanes` / 2 of them.
template <class T, bool subtracts>
static void combineNeighbours(const uint8_t *from, uint8_t *to,
                              unsigned lanes) {
  using Wide = std::conditional_t<sizeof(T) == 4, int64_t, int32_t>;
  for (unsigned i = 0; i < lanes / 2; ++i) {
    Wide even = load<T>(from, 2 * i), odd = load<T>(from, 2 * i + 1);
    store(to, i, clampTo<T>(subtracts ? even - odd : even + odd));
  }
}

template <class T, bool subtracts>
static void neighbours(const Work &work) {
  unsigned half = work.lanes / 2 * sizeof(T);
  combineNeighbours<T, subtracts>(work.a, work.out, work.lanes);
  combineNeighbours<T, subtracts>(work.b, work.out + half, work.lanes);
}

Compute zhouyi::pickAddNeighbours(const Typing &typing) {
  return forInteger(typing.x, [](auto x) -> Compute {
    return neighbours<decltype(x), false>;
  });
}

Compute zhouyi::pickSubNeighbours(const Typing &typing) {
  return forInteger(typing.x, [](auto x) -> Compute {
    return neighbours<decltype(x), true>;
  });
}

//===----------------------------------------------------------------------===//
// vmull, vmulh
//===----------------------------------------------------------------------===//

/// The bits of a product of twice the width are the same for both signs of the
/// result. The 64 bits of a product of 32-bit lanes are two lanes, low word
/// first.
template <class X, class Y, bool isHigh>
static void wideProducts(const Work &work) {
  using Bits = std::conditional_t<
      sizeof(X) == 1, uint16_t,
      std::conditional_t<sizeof(X) == 2, uint32_t, uint64_t>>;
  constexpr unsigned lanes = kRegisterLanes<Bits>, first = isHigh ? lanes : 0;
  Bits result[lanes]; // `out` may be x
  for (unsigned i = 0; i < lanes; ++i) {
    // Extended by the sign of each, multiplied modulo 2^64.
    uint64_t left = uint64_t(int64_t(load<X>(work.a, first + i))),
             right = uint64_t(int64_t(load<Y>(work.b, first + i)));
    if constexpr (sizeof(X) < 4)
      result[i] = Bits(uint32_t(left) * uint32_t(right));
    else
      result[i] = left * right;
  }
  std::memcpy(work.out, result, sizeof(result));
}

template <bool isHigh>
static Compute pickProducts(const Typing &typing) {
  return forIntegers(typing.x, typing.y, [](auto x, auto y) -> Compute {
    return wideProducts<decltype(x), decltype(y), isHigh>;
  });
}

Compute zhouyi::pickLowProducts(const Typing &typing) {
  return pickProducts<false>(typing);
}

Compute zhouyi::pickHighProducts(const Typing &typing) {
  return pickProducts<true>(typing);
}
