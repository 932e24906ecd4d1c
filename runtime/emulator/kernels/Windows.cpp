#include "runtime/emulator/kernels/Windows.h"

#include "runtime/emulator/Rows.h"
#include "runtime/emulator/kernels/Simd.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "runtime/emulator/kernels/Windows.cpp"
#include "runtime/emulator/kernels/SimdTargets.inc"

HWY_BEFORE_NAMESPACE();
namespace weft::emulator::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

using Floats = hn::ScalableTag<float>;
using Ints = hn::ScalableTag<int32_t>;
using VF = hn::Vec<Floats>;
using VI = hn::Vec<Ints>;
constexpr size_t kN = hn::MaxLanes(Floats());
/// Vectors of a tile, enough to hide the latency of the chain of additions.
constexpr size_t kV = kLaneBlock / kN < 4 ? kLaneBlock / kN : 4;
static_assert(kLaneBlock % (kV * kN) == 0, "tiles must fill a lane block");

struct Fp16Rounding {
  HWY_INLINE VF operator()(VF x) const {
#if HWY_TARGET == HWY_AVX3
    return VF{_mm512_cvtph_ps(
        _mm512_cvtps_ph(x.raw, _MM_FROUND_TO_NEAREST_INT | _MM_FROUND_NO_EXC))};
#elif HWY_TARGET == HWY_AVX2
    return VF{_mm256_cvtph_ps(_mm256_cvtps_ph(x.raw, 0))};
#else
    float lanes[kN];
    hn::StoreU(x, Floats(), lanes);
    for (float &lane : lanes)
      lane = roundedTo(Precision::Fp16, lane);
    return hn::LoadU(Floats(), lanes);
#endif
  }
  HWY_INLINE VF product(VF x, VF y) const { return (*this)(hn::Mul(x, y)); }
};

struct Bf16Rounding {
  HWY_INLINE VF operator()(VF x) const {
    const Floats d;
    const hn::RebindToUnsigned<Floats> du;
    auto bits = hn::BitCast(du, x);
    auto odd = hn::And(hn::ShiftRight<16>(bits), hn::Set(du, 1));
    auto rounded = hn::And(hn::Add(bits, hn::Add(hn::Set(du, 0x7fff), odd)),
                           hn::Set(du, 0xffff0000u));
    return hn::IfThenElse(hn::IsNaN(x), x, hn::BitCast(d, rounded));
  }
  /// A product that fp32 flushes is rounded to 8 bits before it is compared
  /// with the smallest normal number (see tinyBf16Product). 2^64 times it is
  /// exact where it is that small.
  HWY_INLINE VF product(VF x, VF y) const {
    const Floats d;
    VF result = hn::Mul(x, y);
    VF scaled = hn::Mul(hn::Mul(x, hn::Set(d, 0x1p64f)), y);
    auto reaches = hn::And(hn::Eq(result, hn::Zero(d)),
                           hn::Ge(hn::Abs(scaled), hn::Set(d, 0x1.ffp-63f)));
    VF smallest = hn::CopySign(hn::Set(d, 0x1p-126f), scaled);
    return (*this)(hn::IfThenElse(reaches, smallest, result));
  }
};

template <class Rounding>
HWY_INLINE void roundedTiles(const WindowTerms<float> &t, const float *scalars,
                             float even, float *sums, Rounding rounding) {
  const Floats d;
  for (size_t f = 0; f < t.lanes; f += kV * kN) {
    VF first[kV], second[kV]; // first: terms 0, 2, ..
    for (size_t v = 0; v < kV; ++v) {
      first[v] = hn::Set(d, even);
      second[v] = hn::LoadU(d, sums + f + v * kN);
    }
    for (size_t k = 0; k < t.terms; ++k) {
      const float *vectors = t.vectors + t.offsets[k] + f;
      VF s = hn::Set(d, scalars[k]);
#pragma GCC unroll 4
      for (size_t v = 0; v < kV; ++v) {
        VF product = rounding.product(s, hn::LoadU(d, vectors + v * kN));
        VF sum = rounding(hn::Add(first[v], product));
        first[v] = second[v]; // the accumulators take turns
        second[v] = sum;
      }
    }
    for (size_t v = 0; v < kV; ++v)
      hn::StoreU(hn::Add(first[v], second[v]), d, sums + f + v * kN);
  }
}

void roundedProductsOn(const WindowTerms<float> &t, const float *scalars,
                       isa::Precision precision, float even, float *sums) {
  if (precision == isa::Precision::Fp16)
    roundedTiles(t, scalars, even, sums, Fp16Rounding());
  else
    roundedTiles(t, scalars, even, sums, Bf16Rounding());
}

void largestFloatsOn(const WindowTerms<float> &t, float lowest,
                     float *results) {
  const Floats d;
  for (size_t f = 0; f < t.lanes; f += kV * kN) {
    VF largest[kV];
    for (size_t v = 0; v < kV; ++v)
      largest[v] = hn::Set(d, lowest);
    for (size_t k = 0; k < t.terms; ++k) {
      const float *vectors = t.vectors + t.offsets[k] + f;
#pragma GCC unroll 4
      for (size_t v = 0; v < kV; ++v) {
        // A selection, because a maximum instruction would flush subnormals.
        VF term = hn::LoadU(d, vectors + v * kN);
        largest[v] = hn::IfThenElse(hn::Gt(largest[v], term), largest[v], term);
      }
    }
    for (size_t v = 0; v < kV; ++v)
      hn::StoreU(largest[v], d, results + f + v * kN);
  }
}

void largestIntegersOn(const WindowTerms<int32_t> &t, int32_t *results) {
  const Ints d;
  for (size_t f = 0; f < t.lanes; f += kV * kN) {
    VI largest[kV];
    for (size_t v = 0; v < kV; ++v)
      largest[v] = hn::LoadU(d, t.vectors + t.offsets[0] + f + v * kN);
    for (size_t k = 1; k < t.terms; ++k) {
      const int32_t *vectors = t.vectors + t.offsets[k] + f;
#pragma GCC unroll 4
      for (size_t v = 0; v < kV; ++v)
        largest[v] = hn::Max(largest[v], hn::LoadU(d, vectors + v * kN));
    }
    for (size_t v = 0; v < kV; ++v)
      hn::StoreU(largest[v], d, results + f + v * kN);
  }
}

} // namespace weft::emulator::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace weft::emulator {

void roundedProducts(const WindowTerms<float> &terms, const float *scalars,
                     isa::Precision precision, float even, float *sums) {
  WEFT_SIMD_CALL(roundedProductsOn)(terms, scalars, precision, even, sums);
}
void largestFloats(const WindowTerms<float> &terms, float lowest,
                   float *results) {
  WEFT_SIMD_CALL(largestFloatsOn)(terms, lowest, results);
}
void largestIntegers(const WindowTerms<int32_t> &terms, int32_t *results) {
  WEFT_SIMD_CALL(largestIntegersOn)(terms, results);
}

} // namespace weft::emulator
#endif
