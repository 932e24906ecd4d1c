//===- wrappers.h - functions made of TIU calls ----------------*- C++ -*-===//

#ifndef WEFT_FRONTEND_PPL_INCLUDE_PPL_WRAPPERS_H
#define WEFT_FRONTEND_PPL_INCLUDE_PPL_WRAPPERS_H

#include "ppl/wrapper_math.h"
#include "ppl/wrapper_pool.h"

/// The wrapper functions of the manual (PPL 4.7) and those of its headers. As
/// there they stand outside of any namespace. `block_shape` is the shape that
/// temporaries are allocated with, `real_shape` the part in use, which is the
/// shape of `out` and `in`; both tensors start in lane 0. `out` may be `in`
/// where nothing else is said. The arithmetic is fp32's whatever the type of
/// the tensors, so that every wrapper takes fp32, fp16 and bf16 on every chip.
///
/// How exact each of them is: docs/ppl/wrappers.md, which the tests measure.
/// NaN stays NaN. fp32 and bf16 numbers below the smallest normal one may
/// count as zeros.

namespace ppl::detail {

/// Also of a tensor that could not be made: there is a message already.
inline bool hasShape(const AnyTensor &tensor, const dim4 &shape) {
  dim4 d = tensor.getShape();
  return tensor.id == 0 ||
         (d.n == shape.n && d.c == shape.c && d.h == shape.h && d.w == shape.w);
}

/// The largest finite number of a type.
template <class T>
inline constexpr float kLargest = std::is_same_v<T, fp16>   ? 65504.0f
                                  : std::is_same_v<T, bf16> ? 0x1.fep127f
                                                            : 0x1.fffffep127f;

/// Runs `function` of Float32 and tensor<float> on the values of `in`. Finite
/// results that T lacks become infinite, or its largest numbers if `saturates`.
template <class T, class Function>
void applyFloat32(const tensor<T> &out, const tensor<T> &in,
                  const dim4 *block_shape, const dim4 *real_shape,
                  bool saturates, Line at, Function &&function) {
  static_assert(std::is_same_v<T, float> || std::is_same_v<T, fp16> ||
                    std::is_same_v<T, bf16>,
                "wrappers take fp32, fp16 and bf16");
  if (!block_shape || !real_shape)
    return refuse("block_shape or real_shape is a null pointer", at);
  if (!hasShape(out, *real_shape) || !hasShape(in, *real_shape))
    return refuse("out and in must have real_shape", at);
  Float32 math(*block_shape, *real_shape, at);
  if constexpr (std::is_same_v<T, float>) {
    tiu::move(out, function(math, in), at);
  } else {
    tensor<float> x = math.make();
    tiu::cast(x, in, RM_HALF_TO_EVEN, at);
    tensor<float> y = function(math, x);
    if (saturates) {
      const float most = kLargest<T>;
      tiu::cast(out, math.keepNaN(y, math.max(math.min(y, most), -most)),
                RM_HALF_TO_EVEN, at);
    } else {
      tiu::cast(out, y, RM_HALF_TO_EVEN, at);
    }
  }
}

} // namespace ppl::detail

#define WEFT_PPL_WRAPPER(name, saturates, function)                            \
  template <class T>                                                           \
  void name(const ppl::tensor<T> &out, const ppl::tensor<T> &in,               \
            const ppl::dim4 *block_shape, const ppl::dim4 *real_shape,         \
            ppl::Line at = {}) {                                               \
    ppl::CallScope scope(#name, at);                                           \
    ppl::detail::applyFloat32(                                                 \
        out, in, block_shape, real_shape, saturates, at,                       \
        [](const ppl::detail::Float32 &math, const ppl::tensor<float> &x) {    \
          return function;                                                     \
        });                                                                    \
  }

//===----------------------------------------------------------------------===//
// Elementary functions
//===----------------------------------------------------------------------===//

/// e^x from -87.33 to 88.72 and no infinity: below it 0, above it the largest
/// value.
WEFT_PPL_WRAPPER(exp_no_overflow, true, math.expOrNaN(x))
WEFT_PPL_WRAPPER(fexp, true, math.expOrNaN(x))
/// Natural logarithm; -inf for 0, NaN below.
WEFT_PPL_WRAPPER(flog, false, math.log(x))
/// NaN below 0.
WEFT_PPL_WRAPPER(fsqrt, false, math.sqrt(x))
namespace ppl::tiu {
/// Deprecated (4.11.4): the square root with 1 to 4 Newton steps.
template <class T>
void fsqrt(const tensor<T> &dst, const tensor<T> &src, int num_iter = 3,
           Line at = {}) {
  CallScope scope("tiu::fsqrt", at);
  if (num_iter < 1 || num_iter > 4)
    return detail::refuse(
        "num_iter is " + std::to_string(num_iter) + ", must be 1 to 4", at);
  dim4 shape = src.getShape();
  detail::applyFloat32(
      dst, src, &shape, &shape, false, at,
      [&](const detail::Float32 &math, const tensor<float> &x) {
        return math.sqrt(x, num_iter);
      });
}
} // namespace ppl::tiu
// Up to |x| = 65536, beyond that NaN.
WEFT_PPL_WRAPPER(fsin, false, math.sine(x, 0))
WEFT_PPL_WRAPPER(fcos, false, math.sine(x, 1))
WEFT_PPL_WRAPPER(ftan, false, math.tangent(x, false))
WEFT_PPL_WRAPPER(fcot, false, math.tangent(x, true))
// Up to |x| = 1, beyond that NaN.
WEFT_PPL_WRAPPER(farcsin, false, math.arcSine(x))
WEFT_PPL_WRAPPER(farccos, false, math.arcCosine(x))
WEFT_PPL_WRAPPER(arctanh_fp32, false, math.areaTangent(x))
// Beyond |x| = 89.4 the last value that fp32 has.
WEFT_PPL_WRAPPER(sinh_fp32, true, math.hyperbolicSine(x))
WEFT_PPL_WRAPPER(cosh_fp32, true, math.hyperbolicCosine(x))
WEFT_PPL_WRAPPER(tanh_fp32, false, math.hyperbolicTangent(x))
WEFT_PPL_WRAPPER(arcsinh_fp32, false, math.areaSine(x))
/// NaN below 1.
WEFT_PPL_WRAPPER(arccosh_fp32, false, math.areaCosine(x))
WEFT_PPL_WRAPPER(ferf, false, math.erf(x))

//===----------------------------------------------------------------------===//
// Activations
//===----------------------------------------------------------------------===//

/// 1 / (1 + e^-x)
WEFT_PPL_WRAPPER(sigmoid_fp32, false, math.sigmoid(x))
template <class T>
void sigmoid_fp32(const ppl::tensor<T> &out, const ppl::tensor<T> &in,
                  const ppl::dim4 *shape, ppl::Line at = {}) {
  sigmoid_fp32(out, in, shape, shape, at);
}
/// x / (1 + |x|)
WEFT_PPL_WRAPPER(softsign_fp32, false, math.softsign(x))
/// x tanh(ln(1 + e^x))
WEFT_PPL_WRAPPER(mish_f32, false, math.mish(x))

#undef WEFT_PPL_WRAPPER

template <class T>
void exp_no_overflow(const ppl::tensor<T> &out, const ppl::tensor<T> &in,
                     const ppl::dim4 *shape, ppl::Line at = {}) {
  exp_no_overflow(out, in, shape, shape, at);
}

/// ln(1 + e^(beta x)) / beta, for every x.
template <class T>
void softplus_f32(const ppl::tensor<T> &out, const ppl::tensor<T> &in,
                  float beta, const ppl::dim4 *shape,
                  const ppl::dim4 *real_shape, ppl::Line at = {}) {
  ppl::CallScope scope("softplus_f32", at);
  if (!(beta > 0) || beta > 0x1p60f)
    return ppl::detail::refuse("beta is " + std::to_string(beta) +
                                   "; it must be above 0 and at most 2^60",
                               at);
  ppl::detail::applyFloat32(
      out, in, shape, real_shape, false, at,
      [&](const ppl::detail::Float32 &math, const ppl::tensor<float> &x) {
        return math.softplus(x, beta);
      });
}

/// x where it is above 0, else alpha x. `out` and `in` lie apart. For integers
/// alpha is cut to an int8; unsigned numbers stay.
template <class T>
void prelu(const ppl::tensor<T> &out, const ppl::tensor<T> &in, float alpha,
           ppl::Line at = {}) {
  ppl::CallScope scope("prelu", at);
  if constexpr (std::is_integral_v<T> && std::is_unsigned_v<T>) {
    ppl::tiu::move(out, in, at);
  } else if constexpr (std::is_integral_v<T>) {
    if (!(alpha > -129 && alpha < 128))
      return ppl::detail::refuse("alpha is " + std::to_string(alpha) +
                                     "; for integers it is an int8",
                                 at);
    ppl::tiu::mul(out, in, int(alpha), 0, ppl::RM_DOWN, true, at);
    ppl::tiu::gt_select(out, in, 0, in, out, at);
  } else {
    ppl::tiu::fmul(out, in, alpha, false, at);
    ppl::tiu::gt_select(out, in, 0.0f, in, out, at);
  }
}
/// max(x, 0)
template <class T>
void relu(const ppl::tensor<T> &out, const ppl::tensor<T> &in,
          ppl::Line at = {}) {
  ppl::CallScope scope("relu", at);
  if constexpr (std::is_integral_v<T>)
    ppl::tiu::max(out, in, 0, at);
  else
    ppl::tiu::fmax(out, in, 0.0f, at);
}

//===----------------------------------------------------------------------===//
// Powers
//===----------------------------------------------------------------------===//

namespace ppl::detail {
template <class T>
void power(const tensor<T> &out, const tensor<T> &x, const tensor<T> &y,
           const dim4 *block, const dim4 *real, Line at) {
  applyFloat32(out, x, block, real, true, at,
               [&](const Float32 &math, const tensor<float> &base) {
                 if constexpr (std::is_same_v<T, float>) {
                   return math.power(base, y);
                 } else {
                   tensor<float> exponent = math.make();
                   tiu::cast(exponent, y, RM_HALF_TO_EVEN, at);
                   return math.power(base, exponent);
                 }
               });
}
} // namespace ppl::detail

/// x^y as e^(y ln x): NaN for x below 0, 0 or the largest value where it leaves
/// the range of fp32, 1 where y is 0.
template <class T>
void pow_f32(const ppl::tensor<T> &out, const ppl::tensor<T> &x,
             const ppl::tensor<T> &y, const ppl::dim4 *block_shape,
             const ppl::dim4 *real_shape, ppl::Line at = {}) {
  ppl::CallScope scope("pow_f32", at);
  ppl::detail::power(out, x, y, block_shape, real_shape, at);
}
template <class T>
void pow_f32(const ppl::tensor<T> &out, const ppl::tensor<T> &x, float y,
             const ppl::dim4 *block_shape, const ppl::dim4 *real_shape,
             ppl::Line at = {}) {
  ppl::CallScope scope("pow_f32", at);
  if (y == 0)
    return ppl::tiu::fill(out, 1.0f, at);
  ppl::detail::applyFloat32(
      out, x, block_shape, real_shape, true, at,
      [&](const ppl::detail::Float32 &math, const ppl::tensor<float> &base) {
        return math.power(base, y);
      });
}
template <class T>
void pow_f32(const ppl::tensor<T> &out, float x, const ppl::tensor<T> &y,
             const ppl::dim4 *block_shape, const ppl::dim4 *real_shape,
             ppl::Line at = {}) {
  ppl::CallScope scope("pow_f32", at);
  if (!(x > 0))
    return ppl::detail::refuse(
        "the base is " + std::to_string(x) + "; it must be above 0", at);
  float l = std::log(x);
  ppl::detail::applyFloat32(
      out, y, block_shape, real_shape, true, at,
      [&](const ppl::detail::Float32 &math, const ppl::tensor<float> &e) {
        return math.expOrNaN(math.mul(e, l));
      });
}

/// Logarithm to the base x.
template <class T>
void flogx(const ppl::tensor<T> &out, const ppl::tensor<T> &in, float x,
           const ppl::dim4 *block_shape, const ppl::dim4 *real_shape,
           ppl::Line at = {}) {
  ppl::CallScope scope("flogx", at);
  if (!(x > 0) || x == 1)
    return ppl::detail::refuse("the base is " + std::to_string(x) +
                                   "; it must be above 0 and not 1",
                               at);
  float factor = float(1 / std::log(double(x)));
  ppl::detail::applyFloat32(
      out, in, block_shape, real_shape, false, at,
      [&](const ppl::detail::Float32 &math, const ppl::tensor<float> &v) {
        return math.mul(math.log(v), factor);
      });
}

/// Scalar ln x; -1 for x <= 0, as the manual's headers have it.
inline float log_approximation(float x) { return x > 0 ? std::log(x) : -1; }
inline float log_approximation_range_poly(float x) {
  return log_approximation(x);
}

//===----------------------------------------------------------------------===//
// Signs
//===----------------------------------------------------------------------===//

/// The sign bit of an element.
template <class T>
constexpr unsigned getSignMask() {
  return 1u << (8 * sizeof(T) - 1);
}

/// out: the sign of `in` with the bits of `mul`, which is not negative. `tmp`
/// is overwritten; all four lie apart.
template <class T>
void sign_mul(const ppl::tensor<T> &out, const ppl::tensor<T> &in,
              const ppl::tensor<T> &mul, const ppl::tensor<T> &tmp,
              ppl::Line at = {}) {
  ppl::CallScope scope("sign_mul", at);
  using Word = std::conditional_t<
      sizeof(T) == 4, ppl::uint32,
      std::conditional_t<sizeof(T) == 2, ppl::uint16, ppl::uint8>>;
  ppl::tensor<Word> sign = tmp.template view<Word>(at);
  ppl::tiu::bitwise_and(sign, in.template view<Word>(at), getSignMask<T>(), at);
  ppl::tiu::bitwise_or(out.template view<Word>(at), sign,
                       mul.template view<Word>(at), at);
}

//===----------------------------------------------------------------------===//
// Sequences
//===----------------------------------------------------------------------===//

/// start + step * w for w < num, in each of `c` channels.
inline void arange_broadcast(const ppl::tensor<int> &dst, int c, int start,
                             int step, int num, ppl::Line at = {}) {
  ppl::CallScope scope("arange_broadcast", at);
  using namespace ppl;
  auto columns = [&](int from, int count) {
    return dst.sub_view({1, c, 1, count}, {0, 0, 0, from}, at);
  };
  tiu::fill(columns(0, 1), start, at);
  // What is there is copied behind itself, `done` steps further.
  for (int done = 1; done < num; done *= 2) {
    int count = ppl::min(done, num - done);
    tiu::add(columns(done, count), columns(0, count),
             int(unsigned(step) * unsigned(done)), 0, RM_DOWN, false, at);
  }
}

#endif // WEFT_FRONTEND_PPL_INCLUDE_PPL_WRAPPERS_H
