//===- typed_functions.cpp - abs, not, neg and sign of every type -------===//

// All 65536 numbers of each 16-bit type, all 256 of each 8-bit one, many of the
// 32-bit ones, compared as bits.
//   weft ppl test tests/ppl/bdc/typed_functions.cpp
#include "ppl/ppl.h"

#include "ppl/tpu_bdc.h"

#include <limits>

using namespace ppl;

namespace {

enum Kind { ABS, NOT, NEG, SIGN };

template <class T>
constexpr bool isFloat = std::is_same_v<T, float> || std::is_same_v<T, fp16> ||
                         std::is_same_v<T, bf16>;

/// The unsigned type of a type's size.
template <class T>
using Bits =
    std::conditional_t<sizeof(T) == 4, uint32,
                       std::conditional_t<sizeof(T) == 2, uint16, uint8>>;

template <class To, class From>
To reinterpreted(From from) {
  static_assert(sizeof(To) == sizeof(From));
  To to;
  std::memcpy(&to, &from, sizeof to);
  return to;
}

/// What the machine makes of a number before it computes: only fp16 has
/// subnormals.
template <class T>
float flushed(T x) {
  float value = float(x);
  return !std::is_same_v<T, fp16> && std::fabs(value) < 0x1p-126f
             ? std::copysign(0.0f, value)
             : value;
}

template <class T>
Bits<T> wanted(Kind kind, Bits<T> bits) {
  T x = reinterpreted<T>(bits);
  if constexpr (isFloat<T>) {
    const float value = flushed(x);
    if (kind == ABS) // computes nothing, so subnormals stay
      return reinterpreted<Bits<T>>(T(std::fabs(float(x))));
    return reinterpreted<Bits<T>>(kind == NEG ? T(-value)
                                              : T(value > 0   ? 1.0f
                                                  : value < 0 ? -1.0f
                                                              : 0.0f));
  } else {
    switch (kind) {
    case ABS:
      return x < 0 ? Bits<T>(0u - bits) : bits;
    case NOT:
      return Bits<T>(~bits);
    case NEG:
      return Bits<T>(0u - bits);
    case SIGN:
      return Bits<T>(T(x > 0 ? 1 : x < 0 ? -1 : 0));
    }
    return 0;
  }
}

} // namespace

__KERNEL__ void typed(void *out, const void *in, int kind, int dtype, int bytes,
                      const dim4 *shape, int lane) {
  auto run = [&](auto zero) {
    using U = decltype(zero);
    const uint32_t dst = uint32_t(lane) * 256 * 1024, src = dst + 0x10000;
    tensor<U> from(*shape, TPU_ALIGN, src), to(*shape, TPU_ALIGN, dst);
    dma::load(from, gtensor<U>(*shape, GLOBAL, in));
    const data_type_t type = data_type_t(dtype);
    if (kind == ABS)
      tpu_bdc_abs(dst, src, shape, nullptr, nullptr, type);
    else if (kind == NOT)
      tpu_bdc_not(dst, src, shape, nullptr, nullptr, type);
    else if (kind == NEG)
      tpu_bdc_neg(dst, src, shape, nullptr, nullptr, type);
    else
      tpu_bdc_sign(dst, src, shape, type);
    dma::store(gtensor<U>(*shape, GLOBAL, out), to);
  };
  if (bytes == 4)
    run(uint32());
  else if (bytes == 2)
    run(uint16());
  else
    run(uint8());
}

namespace {

/// NaNs are left out: which one comes out is not promised.
template <class T>
void everyNumber(Kind kind) {
  using U = Bits<T>;
  dim4 shape = sizeof(T) == 1 ? dim4{1, 67, 1, 5} : dim4{1, 64, 32, 32};
  const int count = shape.c * shape.h * shape.w;
  U *out = ppl::malloc<U>(&shape), *in = ppl::malloc<U>(&shape);
  uint32_t state = 1;
  for (int i = 0; i < count; ++i) {
    // A congruence with full period: 16 bits of a 32-bit type's top, too.
    state = state * 1664525u + 1013904223u;
    in[i] = sizeof(T) == 4 ? U(uint32_t(i) << 16 | (state >> 16)) : U(i);
    if constexpr (isFloat<T>)
      if (std::isnan(float(reinterpreted<T>(in[i]))))
        in[i] = 0;
  }
  typed(out, in, kind, convert_dtype<T>(), sizeof(T), &shape, 3);
  expect(
      out, &shape, [&](int64_t i) { return double(wanted<T>(kind, in[i])); }, 0,
      0);
}

} // namespace

#define EVERY_NUMBER(name, T)                                                  \
  __TEST__ void abs_##name() { everyNumber<T>(ABS); }                          \
  __TEST__ void neg_##name() { everyNumber<T>(NEG); }                          \
  __TEST__ void sign_##name() { everyNumber<T>(SIGN); }
EVERY_NUMBER(fp32, float)
EVERY_NUMBER(fp16, fp16)
EVERY_NUMBER(bf16, bf16)
EVERY_NUMBER(int32, int32)
EVERY_NUMBER(uint32, uint32)
EVERY_NUMBER(int16, int16)
EVERY_NUMBER(uint16, uint16)
EVERY_NUMBER(int8, int8)
EVERY_NUMBER(uint8, uint8)

#define EVERY_COMPLEMENT(name, T)                                              \
  __TEST__ void not_##name() { everyNumber<T>(NOT); }
EVERY_COMPLEMENT(int32, int32)
EVERY_COMPLEMENT(uint32, uint32)
EVERY_COMPLEMENT(int16, int16)
EVERY_COMPLEMENT(uint16, uint16)
EVERY_COMPLEMENT(int8, int8)
EVERY_COMPLEMENT(uint8, uint8)

// Strides of the caller: every second column of dst, every fourth row of src,
// and one element of src for all of dst.
__KERNEL__ void strided(float *out, const float *in, bool broadcast) {
  dim4 shape = {1, 3, 4, 4}, rows = {64, 64, 16, 1}, nothing = {0, 0, 0, 0},
       columns = {64, 64, 8, 2}, box = {1, 3, 1, 64};
  tensor<float> from(box, TPU_ALIGN, 0x1000), to(box, TPU_ALIGN, 0);
  tiu::fill(to, -1.0f);
  dma::load(from, gtensor<float>(box, GLOBAL, in));
  tpu_bdc_abs(0, 0x1000, &shape, &columns, broadcast ? &nothing : &rows,
              DT_FP32);
  dma::store(gtensor<float>(box, GLOBAL, out), to);
}

static void testStrides(bool broadcast) {
  dim4 box = {1, 3, 1, 64};
  float *out = ppl::malloc<float>(&box), *in = ppl::malloc<float>(&box);
  for (int i = 0; i < 192; ++i)
    in[i] = float(i % 2 ? i : -i) - 0.5f;
  strided(out, in, broadcast);
  expect(
      out, &box,
      [&](int64_t i) {
        const int64_t c = i / 64, h = i % 64 / 8, w = i % 8 / 2;
        if (h >= 4 || i % 2)
          return -1.0;
        return std::fabs(double(in[broadcast ? c * 64 : c * 64 + h * 16 + w]));
      },
      0, 0);
}
__TEST__ void strides() { testStrides(false); }
__TEST__ void zero_strides_broadcast() { testStrides(true); }
