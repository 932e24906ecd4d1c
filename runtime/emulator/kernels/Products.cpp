#include "runtime/emulator/kernels/Products.h"

#include "runtime/emulator/FloatOrder.h"
#include "runtime/emulator/HalfBlock.h"
#include "runtime/emulator/kernels/Simd.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "runtime/emulator/kernels/Products.cpp"
#include "runtime/emulator/kernels/SimdTargets.inc"

HWY_BEFORE_NAMESPACE();
namespace weft::emulator::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

using Floats = hn::ScalableTag<float>;
using Ints = hn::ScalableTag<int32_t>;
using VF = hn::Vec<Floats>;
using VI = hn::Vec<Ints>;

constexpr size_t kN = hn::MaxLanes(Floats());
/// Vectors of a tile; kLaneBlock is a multiple of their lanes on every target.
constexpr size_t kV = 2;
static_assert(kLaneBlock % (kV * kN) == 0, "tiles must fill a lane block");
/// Rows of a tile: as many as the registers hold two accumulators of.
#if HWY_TARGET == HWY_AVX3
constexpr unsigned kRows = 4;
#else
constexpr unsigned kRows = 2;
#endif

/// Recomputes the NaNs among the results of a row's tile. The start values are
/// still in place.
HWY_NOINLINE void orderNaNs(const FloatProducts &t, unsigned r, size_t f,
                            float *results) {
  for (size_t lane = 0; lane < kV * kN; ++lane) {
    if (!isNaN(results[lane]))
      continue;
    size_t at = f + lane;
    TwoSums sums = {t.evenStart, t.sums[r][at]};
    if (t.old)
      sums = {t.sums[r][at], t.old[r][at]};
    for (size_t k = 0; k < t.terms; ++k) {
      float scalar = t.rows[r][k], vector = t.vectors[t.offsets[k] + at];
      float &sum = k & 1 ? sums.odd : sums.even;
      sum = addOrdered(sum, t.rowsAreWeights ? multiplyOrdered(vector, scalar)
                                             : multiplyOrdered(scalar, vector));
    }
    results[lane] = t.oddIsFirst ? addOrdered(sums.odd, sums.even)
                                 : addOrdered(sums.even, sums.odd);
  }
}

/// One tile of R rows and kV vectors from lane `f` on.
template <unsigned R>
HWY_INLINE void floatTile(const FloatProducts &t, unsigned row, size_t f) {
  const Floats d;
  const float *rows[R];
  VF a[R][kV], b[R][kV]; // b takes terms 0, 2, ..
  bool hasOld = t.old != nullptr;
#pragma GCC unroll 4
  for (unsigned r = 0; r < R; ++r) {
    rows[r] = t.rows[row + r];
#pragma GCC unroll 4
    for (size_t v = 0; v < kV; ++v) {
      VF sum = hn::LoadU(d, t.sums[row + r] + f + v * kN);
      a[r][v] = hasOld ? hn::LoadU(d, t.old[row + r] + f + v * kN) : sum;
      b[r][v] = hasOld ? sum : hn::Set(d, t.evenStart);
    }
  }
  const float *vectors = t.vectors + f;
  size_t k = 0;
  for (; k + 1 < t.terms; k += 2) {
    const float *even = vectors + t.offsets[k],
                *odd = vectors + t.offsets[k + 1];
    VF x[kV], y[kV];
#pragma GCC unroll 4
    for (size_t v = 0; v < kV; ++v) {
      x[v] = hn::LoadU(d, even + v * kN);
      y[v] = hn::LoadU(d, odd + v * kN);
    }
#pragma GCC unroll 4
    for (unsigned r = 0; r < R; ++r) {
      VF s = hn::Set(d, rows[r][k]), u = hn::Set(d, rows[r][k + 1]);
#pragma GCC unroll 4
      for (size_t v = 0; v < kV; ++v) {
        b[r][v] = hn::Add(b[r][v], hn::Mul(s, x[v]));
        a[r][v] = hn::Add(a[r][v], hn::Mul(u, y[v]));
      }
    }
  }
#pragma GCC unroll 4
  for (unsigned r = 0; r < R; ++r) {
    bool hasNaN = false;
#pragma GCC unroll 4
    for (size_t v = 0; v < kV; ++v) {
      if (k < t.terms)
        b[r][v] = hn::Add(
            b[r][v], hn::Mul(hn::Set(d, rows[r][k]),
                             hn::LoadU(d, vectors + t.offsets[k] + v * kN)));
      b[r][v] = hn::Add(b[r][v], a[r][v]);
      hasNaN |= !hn::AllFalse(d, hn::IsNaN(b[r][v]));
    }
    float results[kV * kN];
    if (hasNaN) {
      for (size_t v = 0; v < kV; ++v)
        hn::StoreU(b[r][v], d, results + v * kN);
      orderNaNs(t, row + r, f, results);
    }
#pragma GCC unroll 4
    for (size_t v = 0; v < kV; ++v)
      hn::StoreU(hasNaN ? hn::LoadU(d, results + v * kN) : b[r][v], d,
                 t.sums[row + r] + f + v * kN);
  }
}

void floatProductsOn(const FloatProducts &t) {
  for (size_t f = 0; f < t.lanes; f += kV * kN) {
    unsigned r = 0;
    for (; r + kRows <= t.rowCount; r += kRows)
      floatTile<kRows>(t, r, f);
    for (; r < t.rowCount; ++r)
      floatTile<1>(t, r, f);
  }
}

/// Toward zero; |x| < 2^31.
HWY_INLINE VI truncated(VF x) {
#if HWY_TARGET == HWY_AVX3
  return VI{_mm512_cvttps_epi32(x.raw)};
#elif HWY_TARGET == HWY_AVX2
  return VI{_mm256_cvttps_epi32(x.raw)};
#else
  return hn::ConvertTo(Ints(), x); // with a check that is not needed here
#endif
}

/// Adds a block to the lanes one by one, where special values or exponents at
/// the ends of the range forbid the fast way.
HWY_NOINLINE void addBlockSlowly(const HalfProducts &t, const Segment &segment,
                                 const float *row, size_t f, float *sums) {
  for (size_t lane = 0; lane < kV * kN; ++lane) {
    float block = halfBlockSum(row + segment.scalar,
                               t.vectors + segment.vector + f + lane, t.step,
                               segment.count);
    sums[lane] = t.blockIsFirst ? addOrdered(block, sums[lane])
                                : addOrdered(sums[lane], block);
  }
}

HWY_INLINE void halfTile(const HalfProducts &t, unsigned r, size_t f) {
  const Floats d;
  const Ints di;
  const VI magnitudeMask = hn::Set(di, 0x7fffffff);
  // Scale and its inverse are powers of two of normal floats for exponents from
  // here on (biased).
  constexpr int kLeast = 27;
  const VI least = hn::Set(di, kLeast << 23);
  alignas(64) float products[kHalfBlock * kV * kN];
  const float *row = t.rows[r];
  float *to = t.sums[r] + f;
  VF sum[kV];
  for (size_t v = 0; v < kV; ++v)
    sum[v] = hn::LoadU(d, to + v * kN);
  for (size_t i = 0; i < t.segmentCount; ++i) {
    const Segment segment = t.segments[i];
    const float *scalars = row + segment.scalar;
    const float *vectors = t.vectors + segment.vector + f;
    VI largest[kV];
    for (size_t v = 0; v < kV; ++v)
      largest[v] = hn::Zero(di);
    for (unsigned k = 0; k < segment.count; ++k, vectors += t.step) {
      VF s = hn::Set(d, scalars[k]);
#pragma GCC unroll 4
      for (size_t v = 0; v < kV; ++v) {
        VF product = hn::Mul(s, hn::LoadU(d, vectors + v * kN));
        hn::Store(product, d, products + (k * kV + v) * kN);
        largest[v] = hn::Max(largest[v],
                             hn::And(hn::BitCast(di, product), magnitudeMask));
      }
    }
    bool isSlow = false;
    VF scale[kV], back[kV];
    VI total[kV];
#pragma GCC unroll 4
    for (size_t v = 0; v < kV; ++v) {
      const VI zero = hn::Zero(di);
      isSlow |=
          !hn::AllFalse(di, hn::Or(hn::Gt(largest[v], hn::Set(di, 0x7f7fffff)),
                                   hn::AndNot(hn::Eq(largest[v], zero),
                                              hn::Lt(largest[v], least))));
      VI exponent =
          hn::ShiftLeft<23>(hn::ShiftRight<23>(hn::Max(largest[v], least)));
      scale[v] = hn::BitCast(d, hn::Sub(hn::Set(di, 278 << 23), exponent));
      back[v] = hn::BitCast(d, hn::Sub(exponent, hn::Set(di, 24 << 23)));
      total[v] = zero;
    }
    if (isSlow) {
      float lanes[kV * kN];
      for (size_t v = 0; v < kV; ++v)
        hn::StoreU(sum[v], d, lanes + v * kN);
      addBlockSlowly(t, segment, row, f, lanes);
      for (size_t v = 0; v < kV; ++v)
        sum[v] = hn::LoadU(d, lanes + v * kN);
      continue;
    }
    for (unsigned k = 0; k < segment.count; ++k)
#pragma GCC unroll 4
      for (size_t v = 0; v < kV; ++v)
        total[v] =
            hn::Add(total[v],
                    truncated(hn::Mul(hn::Load(d, products + (k * kV + v) * kN),
                                      scale[v])));
#pragma GCC unroll 4
    for (size_t v = 0; v < kV; ++v)
      sum[v] = hn::Add(sum[v], hn::Mul(hn::ConvertTo(d, total[v]), back[v]));
  }
  for (size_t v = 0; v < kV; ++v)
    hn::StoreU(sum[v], d, to + v * kN);
}

void halfProductsOn(const HalfProducts &t) {
  for (size_t f = 0; f < t.lanes; f += kV * kN)
    for (unsigned r = 0; r < t.rowCount; ++r)
      halfTile(t, r, f);
}

/// sum + a.low * b.low + a.high * b.high. `vnni`: the processor has it.
template <bool vnni>
HWY_INLINE VI addPairs(VI sum, VI a, VI b) {
#if HWY_TARGET == HWY_AVX3
  if (vnni) {
    // An intrinsic would need a target of its own for one instruction.
    __asm__("vpdpwssd %2, %1, %0" : "+v"(sum.raw) : "v"(a.raw), "v"(b.raw));
    return sum;
  }
  return VI{_mm512_add_epi32(sum.raw, _mm512_madd_epi16(a.raw, b.raw))};
#elif HWY_TARGET == HWY_AVX2
  return VI{_mm256_add_epi32(sum.raw, _mm256_madd_epi16(a.raw, b.raw))};
#else
  VI low = hn::Mul(hn::ShiftRight<16>(hn::ShiftLeft<16>(a)),
                   hn::ShiftRight<16>(hn::ShiftLeft<16>(b)));
  VI high = hn::Mul(hn::ShiftRight<16>(a), hn::ShiftRight<16>(b));
  return hn::Add(sum, hn::Add(low, high));
#endif
}

template <unsigned R, bool vnni>
HWY_INLINE void pairTile(const PairProducts &t, unsigned row, size_t f) {
  const Ints d;
  VI sums[R][kV];
#pragma GCC unroll 4
  for (unsigned r = 0; r < R; ++r)
#pragma GCC unroll 4
    for (size_t v = 0; v < kV; ++v)
      sums[r][v] = hn::LoadU(d, t.sums[row + r] + f + v * kN);
  for (size_t i = 0; i < t.segmentCount; ++i) {
    const Segment segment = t.segments[i];
    const int32_t *vectors = t.vectors + segment.vector + f;
    const int32_t *rows[R];
#pragma GCC unroll 4
    for (unsigned r = 0; r < R; ++r)
      rows[r] = t.rows[row + r] + segment.scalar;
    for (unsigned k = 0; k < segment.count; ++k, vectors += t.step) {
      VI x[kV];
#pragma GCC unroll 4
      for (size_t v = 0; v < kV; ++v)
        x[v] = hn::LoadU(d, vectors + v * kN);
#pragma GCC unroll 4
      for (unsigned r = 0; r < R; ++r) {
        VI s = hn::Set(d, rows[r][k]);
#pragma GCC unroll 4
        for (size_t v = 0; v < kV; ++v)
          sums[r][v] = addPairs<vnni>(sums[r][v], s, x[v]);
      }
    }
  }
#pragma GCC unroll 4
  for (unsigned r = 0; r < R; ++r)
#pragma GCC unroll 4
    for (size_t v = 0; v < kV; ++v)
      hn::StoreU(sums[r][v], d, t.sums[row + r] + f + v * kN);
}

template <bool vnni>
HWY_INLINE void pairTiles(const PairProducts &t) {
  constexpr unsigned rows = 4;
  for (size_t f = 0; f < t.lanes; f += kV * kN) {
    unsigned r = 0;
    for (; r + rows <= t.rowCount; r += rows)
      pairTile<rows, vnni>(t, r, f);
    for (; r < t.rowCount; ++r)
      pairTile<1, vnni>(t, r, f);
  }
}

void pairProductsOn(const PairProducts &t) {
  if (HWY_TARGET == HWY_AVX3 && simdTarget() >= SimdTarget::Avx512Vnni)
    pairTiles<true>(t);
  else
    pairTiles<false>(t);
}

} // namespace weft::emulator::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace weft::emulator {

void floatProducts(const FloatProducts &task) {
  WEFT_SIMD_CALL(floatProductsOn)(task);
}
void halfProducts(const HalfProducts &task) {
  WEFT_SIMD_CALL(halfProductsOn)(task);
}
void pairProducts(const PairProducts &task) {
  WEFT_SIMD_CALL(pairProductsOn)(task);
}

} // namespace weft::emulator
#endif
