#include "runtime/emulator/Rows.h"

#include "runtime/emulator/kernels/Simd.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "runtime/emulator/Rows.cpp"
#include "runtime/emulator/kernels/SimdTargets.inc"

HWY_BEFORE_NAMESPACE();
namespace weft::emulator::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

// Integer rows are plain loops: the compiler turns them into vectors of each
// target.

template <class T>
HWY_INLINE void loadRow(const uint8_t *from, uint64_t step, int64_t *to,
                        unsigned count) {
  if (step == sizeof(T))
    for (unsigned i = 0; i < count; ++i)
      to[i] = loadAs<T>(from + i * sizeof(T));
  else
    for (unsigned i = 0; i < count; ++i)
      to[i] = loadAs<T>(from + i * step);
}

void loadIntegersOn(const uint8_t *from, uint64_t step, ElementKind kind,
                    int64_t *to, unsigned count) {
  switch (kind.bytes()) {
  case 1:
    return kind.isSigned ? loadRow<int8_t>(from, step, to, count)
                         : loadRow<uint8_t>(from, step, to, count);
  case 2:
    return kind.isSigned ? loadRow<int16_t>(from, step, to, count)
                         : loadRow<uint16_t>(from, step, to, count);
  default:
    return kind.isSigned ? loadRow<int32_t>(from, step, to, count)
                         : loadRow<uint32_t>(from, step, to, count);
  }
}

template <class T>
HWY_INLINE void storeRow(uint8_t *to, uint64_t step, const int64_t *from,
                         unsigned count) {
  if (step == sizeof(T))
    for (unsigned i = 0; i < count; ++i)
      storeAs(to + i * sizeof(T), static_cast<T>(from[i]));
  else
    for (unsigned i = 0; i < count; ++i)
      storeAs(to + i * step, static_cast<T>(from[i]));
}

void storeIntegersOn(uint8_t *to, uint64_t step, Precision precision,
                     const int64_t *from, unsigned count) {
  switch (isa::elementBytes(precision)) {
  case 1:
    return storeRow<uint8_t>(to, step, from, count);
  case 2:
    return storeRow<uint16_t>(to, step, from, count);
  default:
    return storeRow<uint32_t>(to, step, from, count);
  }
}

using Floats = hn::ScalableTag<float>;
using VF = hn::Vec<Floats>;
constexpr size_t kN = hn::MaxLanes(Floats());

/// kN 16-bit floats -> fp32. The processor's conversion would quieten NaNs, so
/// those are done by the definition.
template <Precision precision>
HWY_INLINE void widen(const uint16_t *from, float *to) {
  const Floats d;
  const hn::Rebind<uint16_t, Floats> du16;
  const hn::RebindToUnsigned<Floats> du;
  if (precision == Precision::Bf16) {
    auto bits = hn::PromoteTo(du, hn::LoadU(du16, from));
    hn::StoreU(hn::ShiftLeft<16>(bits), du, reinterpret_cast<uint32_t *>(to));
    return;
  }
#if HWY_TARGET == HWY_AVX3
  VF wide = {_mm512_cvtph_ps(hn::LoadU(du16, from).raw)};
#elif HWY_TARGET == HWY_AVX2
  VF wide = {_mm256_cvtph_ps(hn::LoadU(du16, from).raw)};
#else
  VF wide = hn::Inf(d);
#endif
  if (hn::AllTrue(d, hn::Lt(hn::Abs(wide), hn::Inf(d))))
    return hn::StoreU(wide, d, to);
  for (size_t i = 0; i < kN; ++i)
    to[i] = numeric::halfToFloat(from[i]);
}

/// kN fp32 -> 16-bit floats, to nearest even. NaNs become kNaN16.
template <Precision precision>
HWY_INLINE void narrow(const float *from, uint16_t *to) {
  const Floats d;
  VF wide = hn::LoadU(d, from);
  bool isPlain = hn::AllTrue(d, hn::Eq(wide, wide));
#if HWY_TARGET == HWY_AVX3 || HWY_TARGET == HWY_AVX2
  const hn::Rebind<uint16_t, Floats> du16;
  if (isPlain && precision == Precision::Bf16) {
    const hn::RebindToUnsigned<Floats> du;
    const hn::RebindToSigned<Floats> di;
    auto bits = hn::BitCast(du, wide);
    auto odd = hn::And(hn::ShiftRight<16>(bits), hn::Set(du, 1));
    bits = hn::Add(bits, hn::Add(hn::Set(du, 0x7fff), odd));
    return hn::StoreU(
        hn::DemoteTo(du16, hn::BitCast(di, hn::ShiftRight<16>(bits))), du16,
        to);
  }
  if (isPlain) {
    hn::Vec<hn::Rebind<uint16_t, Floats>> halves;
#if HWY_TARGET == HWY_AVX3
    halves.raw = _mm512_cvtps_ph(wide.raw,
                                 _MM_FROUND_TO_NEAREST_INT | _MM_FROUND_NO_EXC);
#else
    halves.raw = _mm256_cvtps_ph(wide.raw, _MM_FROUND_TO_NEAREST_INT);
#endif
    return hn::StoreU(halves, du16, to);
  }
#endif
  (void)isPlain;
  for (size_t i = 0; i < kN; ++i)
    to[i] = precision == Precision::Fp16 ? numeric::floatToHalfFast(from[i])
                                         : numeric::floatToBf16Fast(from[i]);
}

template <Precision precision>
HWY_INLINE void loadHalves(const uint8_t *from, uint64_t step, float *to,
                           unsigned count) {
  uint16_t part[kN];
  for (unsigned i = 0; i < count; i += kN) {
    unsigned used = count - i < kN ? count - i : unsigned(kN);
    if (used == kN && step == 2) {
      std::memcpy(part, from + size_t(i) * 2, sizeof(part));
      widen<precision>(part, to + i);
      continue;
    }
    std::memset(part, 0, sizeof(part));
    float wide[kN];
    for (unsigned j = 0; j < used; ++j)
      part[j] = loadAs<uint16_t>(from + (i + j) * step);
    widen<precision>(part, wide);
    std::memcpy(to + i, wide, used * sizeof(float));
  }
}

void loadFloatsOn(const uint8_t *from, uint64_t step, Precision precision,
                  float *to, unsigned count) {
  if (precision == Precision::Fp16)
    return loadHalves<Precision::Fp16>(from, step, to, count);
  if (precision == Precision::Bf16)
    return loadHalves<Precision::Bf16>(from, step, to, count);
  if (step == 4)
    std::memcpy(to, from, size_t(count) * 4);
  else
    for (unsigned i = 0; i < count; ++i)
      to[i] = loadAs<float>(from + i * step);
}

template <Precision precision>
HWY_INLINE void storeHalves(uint8_t *to, uint64_t step, const float *from,
                            unsigned count) {
  uint16_t part[kN];
  for (unsigned i = 0; i < count; i += kN) {
    unsigned used = count - i < kN ? count - i : unsigned(kN);
    if (used == kN) {
      narrow<precision>(from + i, part);
    } else {
      float rest[kN] = {};
      std::memcpy(rest, from + i, used * sizeof(float));
      narrow<precision>(rest, part);
    }
    if (step == 2)
      std::memcpy(to + size_t(i) * 2, part, used * 2);
    else
      for (unsigned j = 0; j < used; ++j)
        storeAs(to + (i + j) * step, part[j]);
  }
}

void storeFloatsOn(uint8_t *to, uint64_t step, Precision precision,
                   const float *from, unsigned count) {
  if (precision == Precision::Fp16)
    return storeHalves<Precision::Fp16>(to, step, from, count);
  if (precision == Precision::Bf16)
    return storeHalves<Precision::Bf16>(to, step, from, count);
  if (step == 4)
    std::memcpy(to, from, size_t(count) * 4);
  else
    for (unsigned i = 0; i < count; ++i)
      storeAs(to + i * step, from[i]);
}

template <Precision precision>
HWY_INLINE void roundRow(float *values, unsigned count) {
  uint16_t part[kN];
  for (unsigned i = 0; i < count; i += kN) {
    unsigned used = count - i < kN ? count - i : unsigned(kN);
    float room[kN] = {}, *at = used == kN ? values + i : room;
    if (used < kN)
      std::memcpy(room, values + i, used * sizeof(float));
    narrow<precision>(at, part);
    widen<precision>(part, at);
    if (used < kN)
      std::memcpy(values + i, room, used * sizeof(float));
  }
}

void roundFloatsOn(Precision precision, float *values, unsigned count) {
  if (precision == Precision::Fp16)
    roundRow<Precision::Fp16>(values, count);
  else if (precision == Precision::Bf16)
    roundRow<Precision::Bf16>(values, count);
}

} // namespace weft::emulator::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace weft::emulator {

void loadIntegers(const uint8_t *from, uint64_t step, ElementKind kind,
                  int64_t *to, unsigned count) {
  WEFT_SIMD_CALL(loadIntegersOn)(from, step, kind, to, count);
}
void storeIntegers(uint8_t *to, uint64_t step, Precision precision,
                   const int64_t *from, unsigned count) {
  WEFT_SIMD_CALL(storeIntegersOn)(to, step, precision, from, count);
}
void loadFloats(const uint8_t *from, uint64_t step, Precision precision,
                float *to, unsigned count) {
  WEFT_SIMD_CALL(loadFloatsOn)(from, step, precision, to, count);
}
void storeFloats(uint8_t *to, uint64_t step, Precision precision,
                 const float *from, unsigned count) {
  WEFT_SIMD_CALL(storeFloatsOn)(to, step, precision, from, count);
}
void roundFloats(Precision precision, float *values, unsigned count) {
  WEFT_SIMD_CALL(roundFloatsOn)(precision, values, count);
}

void copyElements(uint8_t *to, uint64_t toStep, const uint8_t *from,
                  uint64_t fromStep, unsigned bytes, unsigned count) {
  if (toStep == bytes && fromStep == bytes) {
    std::memmove(to, from, size_t(count) * bytes);
    return;
  }
  for (unsigned i = 0; i < count; ++i)
    switch (bytes) {
    case 1:
      to[i * toStep] = from[i * fromStep];
      break;
    case 2:
      storeAs(to + i * toStep, loadAs<uint16_t>(from + i * fromStep));
      break;
    default:
      storeAs(to + i * toStep, loadAs<uint32_t>(from + i * fromStep));
      break;
    }
}

} // namespace weft::emulator
#endif
