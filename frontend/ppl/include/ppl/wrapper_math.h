//===- wrapper_math.h - fp32 functions as sequences of TIU calls -*- C++
//-*-===//

#ifndef WEFT_FRONTEND_PPL_INCLUDE_PPL_WRAPPER_MATH_H
#define WEFT_FRONTEND_PPL_INCLUDE_PPL_WRAPPER_MATH_H

#include "ppl/kernel.h"
#include "ppl/tiu.h"

#include <cmath>

/// What the wrappers are made of. Polynomials were fitted to the smallest
/// largest relative error of the whole result (Lawson's algorithm); the number
/// behind each is that error before rounding.
namespace ppl::detail {

/// Elementwise functions of fp32 tensors. Each makes new local tensors for what
/// it computes, in lane 0 and aligned, and leaves its arguments alone. Results
/// of the commands are rounded to the nearest, ties to even; fdiv and frsqrt
/// are Newton iterations that mind neither 0 nor infinity.
class Float32 {
public:
  using Real = tensor<float>;
  using Bits = tensor<int>;
  static constexpr int kNaN = 0x7fc00000, kInfinity = 0x7f800000,
                       kMinusInfinity = -0x800000;
  /// Of the smallest normal number.
  static constexpr int kSmallestBits = 0x00800000;
  /// (artanh s - s) / s^3 for |s| up to 1/2: 1.4e-9.
  static constexpr std::initializer_list<float> kAreaTangent = {
      0.333332986f, 0.200025871f, 0.142214879f,
      0.118339494f, 0.050985951f, 0.177195832f};

  /// Temporaries have room for `block` elements, of which `real` are used.
  Float32(const dim4 &block, const dim4 &real, Line at)
      : block(block), real(real), at(at) {}

  //===-- one command each ------------------------------------------------===//

  template <class T = float>
  tensor<T> make() const {
    return make_tensor<T>(block, real, TPU_ALIGN, at);
  }
  Bits bits(const Real &x) const { return x.view<int>(at); }
  Real asReal(const Bits &x) const { return x.view<float>(at); }

  template <class B>
  Real add(const Real &a, const B &b) const {
    Real y = make();
    tiu::fadd(y, a, b, false, at);
    return y;
  }
  template <class A, class B>
  Real sub(const A &a, const B &b) const {
    Real y = make();
    tiu::fsub(y, a, b, false, at);
    return y;
  }
  template <class B>
  Real mul(const Real &a, const B &b) const {
    Real y = make();
    tiu::fmul(y, a, b, false, at);
    return y;
  }
  Real max(const Real &a, float b) const {
    Real y = make();
    tiu::fmax(y, a, b, at);
    return y;
  }
  Real min(const Real &a, float b) const {
    Real y = make();
    tiu::fmin(y, a, b, at);
    return y;
  }
  /// Within 4 ulp while b^(-1/2) and its square are normal.
  template <class A>
  Real div(const A &a, const Real &b) const {
    Real y = make();
    tiu::fdiv(y, a, b, 3, at);
    return y;
  }
  /// a^(1/2) within 3 ulp by 3 Newton steps, for 0 and for normal a.
  Real root(const Real &a, int steps = 3) const {
    Real r = make();
    tiu::frsqrt(r, a, steps, at);
    return mul(a, r);
  }
  Bits and_(const Bits &a, int b) const {
    Bits y = make<int>();
    tiu::bitwise_and(y, a, b, at);
    return y;
  }
  Bits xor_(const Bits &a, const Bits &b) const {
    Bits y = make<int>();
    tiu::bitwise_xor(y, a, b, at);
    return y;
  }
  /// To the left; bits fall off at the top.
  Bits shifted(const Bits &a, int count) const {
    Bits y = make<int>();
    tiu::shift(y, a, count, RM_DOWN, at);
    return y;
  }
  Bits toInteger(const Real &a) const {
    Bits y = make<int>();
    tiu::cast(y, a, RM_HALF_TO_EVEN, at);
    return y;
  }
  Real toReal(const Bits &a) const {
    Real y = make();
    tiu::cast(y, a, RM_HALF_TO_EVEN, at);
    return y;
  }
  // a > b ? c : d and so on. a and b are of one type, c and d are: Real or Bits
  // or, one of two, a number. equal() compares the bits of floats.
  template <class A, class B, class C, class D>
  auto greater(const A &a, const B &b, const C &c, const D &d) const {
    auto y = make<Chosen<C, D>>();
    tiu::gt_select(y, a, b, c, d, at);
    return y;
  }
  template <class A, class B, class C, class D>
  auto less(const A &a, const B &b, const C &c, const D &d) const {
    auto y = make<Chosen<C, D>>();
    tiu::lt_select(y, a, b, c, d, at);
    return y;
  }
  template <class A, class B, class C, class D>
  auto equal(const A &a, const B &b, const C &c, const D &d) const {
    auto y = make<Chosen<C, D>>();
    tiu::eq_select(y, a, b, c, d, at);
    return y;
  }
  /// coefficients[0] + coefficients[1] x + ..., by Horner's rule.
  Real polynomial(const Real &x,
                  std::initializer_list<float> coefficients) const {
    int count = int(coefficients.size()), next = 0;
    dim4 column = {1, lane_num(), 1, 1};
    tensor<float> table({1, lane_num(), 1, count}, TPU_ALIGN, -1, at);
    for (float coefficient : coefficients)
      tiu::fill(table.sub_view(column, {0, 0, 0, next++}, at), coefficient, at);
    Real y = make();
    tiu::taylor(y, x, table, count, at);
    return y;
  }
  /// x + x^3 p(x^2)
  Real odd(const Real &x, std::initializer_list<float> p) const {
    Real z = mul(x, x);
    return add(x, mul(mul(polynomial(z, p), z), x));
  }

  //===-- signs and special values ----------------------------------------===//

  Real magnitude(const Real &a) const {
    return asReal(and_(bits(a), INT32_MAX));
  }
  Real minusMagnitude(const Real &a) const {
    Bits y = make<int>();
    tiu::bitwise_or(y, bits(a), INT32_MIN, at);
    return asReal(y);
  }
  /// `a`, negated where the top bit of `sign` is set.
  Real negated(const Real &a, const Bits &sign) const {
    return asReal(xor_(bits(a), and_(sign, INT32_MIN)));
  }
  /// x where it is NaN, else y.
  Real keepNaN(const Real &x, const Real &y) const {
    return asReal(greater(bits(magnitude(x)), kInfinity, bits(x), bits(y)));
  }
  /// NaN where |x| is above `limit`, infinite or NaN, else y.
  Real within(float limit, const Real &x, const Real &y) const {
    return asReal(
        greater(bits(magnitude(x)), int(bitsOf(limit)), kNaN, bits(y)));
  }

  //===-- exponential and logarithm ---------------------------------------===//

  /// e^x * 2^power, `power` from -1 to 24: 0 where that is below the smallest
  /// normal number, the value at the end of the range beyond it.
  Real exp(const Real &x, int power = 0) const {
    const double ln2 = 0.69314718055994530942;
    float low = std::nextafter(float((-126 - power) * ln2), 0.0f),
          high = std::nextafter(float((128 - power) * ln2), 0.0f);
    Real c = min(max(x, low), high);
    Real whole = make();
    tiu::floor(whole, mul(c, 1.44269504f), at);
    Real k = min(whole, float(127 - power));
    // 355/512 has 9 bits and k has 8: that product is exact.
    Real r = sub(sub(c, mul(k, 0.693359375f)), mul(k, -2.12194442e-4f));
    // (e^r - 1 - r) / r^2 for r in [0, ln 2]: 6.0e-11.
    Real q = polynomial(r, {0.499999911f, 0.166668281f, 0.0416545793f,
                            0.00837724097f, 0.00130616641f, 0.000274781109f});
    Real p = add(add(mul(mul(q, r), r), r), 1.0f);
    Bits scale = make<int>();
    tiu::add(scale, toInteger(k), 127 + power, 23, RM_DOWN, false, at);
    return less(x, low, 0.0f, mul(p, asReal(scale)));
  }
  /// The same; NaN stays.
  Real expOrNaN(const Real &x) const { return keepNaN(x, exp(x)); }

  /// ln x: -inf for 0 and subnormal numbers, NaN below 0 and for NaN.
  Real log(const Real &x) const {
    Bits xs = bits(x);
    // x = m * 2^e with m from sqrt(1/2) to sqrt(2).
    Bits e = make<int>(), m = make<int>();
    tiu::sub(e, xs, 0x3f3504f3, -23, RM_DOWN, false, at);
    tiu::sub(m, xs, shifted(e, 23), 0, RM_DOWN, false, at);
    Real f = sub(asReal(m), 1.0f), k = toReal(e);
    // (ln(1 + f) - f + f^2 / 2) / f^3: 7.5e-10.
    Real p = polynomial(f, {0.333333135f, -0.250000089f, 0.200021192f,
                            -0.166679949f, 0.142195463f, -0.124055982f,
                            0.11888212f, -0.116756156f, 0.067464903f});
    Real z = mul(f, f);
    Real y = sub(add(mul(mul(p, f), z), mul(k, -2.12194442e-4f)), mul(z, 0.5f));
    Bits sum = bits(add(add(f, y), mul(k, 0.693359375f)));
    Bits ends = less(xs, 0, kNaN, greater(xs, 0x7f7fffff, xs, sum));
    return asReal(
        less(bits(magnitude(x)), kSmallestBits, kMinusInfinity, ends));
  }

  /// ln(1 + z) for z from 0 to 1, within 6 ulp however small z is.
  Real log1p(const Real &z) const {
    // 2 artanh(z / (z + 2)); u is twice the argument, which is never so small
    // that it counts as zero.
    Real u = mul(z, div(2.0f, add(z, 2.0f)));
    Real square = mul(mul(u, u), 0.25f);
    return add(u, mul(mul(polynomial(square, kAreaTangent), square), u));
  }

  //===-- roots -----------------------------------------------------------===//

  /// x^(1/2): NaN below 0.
  Real sqrt(const Real &x, int steps = 3) const {
    Real r = root(less(x, 0x1p-60f, mul(x, 0x1p80f), x), steps);
    Bits y = bits(less(x, 0x1p-60f, mul(r, 0x1p-40f), r));
    Bits xs = bits(x);
    Bits ends = less(xs, 0, kNaN, greater(xs, 0x7f7fffff, xs, y));
    return asReal(less(bits(magnitude(x)), kSmallestBits, xs, ends));
  }

  //===-- circular functions ----------------------------------------------===//

  /// A quarter turn k and what is left of x, from -pi/4 to pi/4, with the sine
  /// and the cosine of the rest.
  struct Turn {
    Bits quarter;
    Real sine, cosine;
  };
  /// For |x| up to 65536: pi/2 is the sum of three numbers of 8 bits and the
  /// rest, so that their products with k, of 16 bits, are exact.
  Turn turn(const Real &x) const {
    Real k = make();
    tiu::round(k, mul(x, 0.636619772f), RM_HALF_TO_EVEN, at);
    Real most = sub(sub(x, mul(k, 0x1.92p+0f)), mul(k, 0x1.fap-12f));
    Real r = sub(sub(most, mul(k, 0x1.54p-20f)), mul(k, 0x1.10b462p-30f));
    Real z = mul(r, r);
    // (sin r - r) / r^3: 3.6e-9.
    Real sine = odd(r, {-0.166666552f, 0.008332178f, -0.00019517263f});
    // (cos r - 1 + r^2 / 2) / r^4: 9.6e-11.
    Real c = polynomial(z, {0.0416666456f, -0.00138873677f, 2.44384082e-05f});
    Real cosine = add(sub(mul(mul(c, z), z), mul(z, 0.5f)), 1.0f);
    return {toInteger(k), sine, cosine};
  }
  /// sin(x + quarters * pi/2); NaN beyond |x| = 65536.
  Real sine(const Real &x, int quarters) const {
    Turn t = turn(x);
    Bits k = make<int>();
    tiu::add(k, t.quarter, quarters, 0, RM_DOWN, false, at);
    Real y = equal(and_(k, 1), 0, t.sine, t.cosine);
    return within(65536.0f, x, negated(y, shifted(k, 30)));
  }
  /// tan x, or cot x; NaN beyond |x| = 65536.
  Real tangent(const Real &x, bool cotangent) const {
    Turn t = turn(x);
    Bits odd = and_(t.quarter, 1);
    Real above = cotangent ? equal(odd, 0, t.cosine, t.sine)
                           : equal(odd, 0, t.sine, t.cosine),
         below = cotangent ? equal(odd, 0, t.sine, t.cosine)
                           : equal(odd, 0, t.cosine, t.sine);
    Real d = magnitude(below);
    // Small divisors are kept where the division is accurate.
    Real q = div(magnitude(above), less(d, 0x1p-60f, mul(d, 0x1p64f), d));
    Real y = less(d, 0x1p-60f, mul(q, 0x1p64f), q);
    Bits sign = xor_(xor_(bits(above), bits(below)), shifted(odd, 31));
    Real signedY = negated(y, sign);
    if (!cotangent)
      return within(65536.0f, x, signedY);
    // The reduction takes the sign off a zero; cot -0 is -inf.
    Real zero =
        less(bits(magnitude(x)), kSmallestBits, negated(y, bits(x)), signedY);
    return within(65536.0f, x, zero);
  }

  /// arcsin a for a from 0 to 1 as the small angle p: arcsin a up to a = 1/2,
  /// (pi/2 - arcsin a) / 2 above.
  Real halfArcSine(const Real &a) const {
    Real above = mul(sub(1.0f, min(a, 1.0f)), 0.5f);
    Real s = greater(a, 0.5f, root(above), a);
    // (arcsin s - s) / s^3 for s up to 1/2: 5.0e-9.
    return odd(s, {0.166667536f, 0.0749524161f, 0.0454770923f, 0.0241476465f,
                   0.0422184803f});
  }
  /// NaN beyond |x| = 1.
  Real arcSine(const Real &x) const {
    Real a = magnitude(x), p = halfArcSine(a);
    Real y = greater(a, 0.5f, sub(1.57079633f, mul(p, 2.0f)), p);
    return within(1.0f, x, negated(y, bits(x)));
  }
  Real arcCosine(const Real &x) const {
    Real a = magnitude(x), p = negated(halfArcSine(a), bits(x));
    Real start = less(x, 0.0f, 3.14159265f, 0.0f);
    Real y = greater(a, 0.5f, add(start, mul(p, 2.0f)), sub(1.57079633f, p));
    return within(1.0f, x, y);
  }

  //===-- hyperbolic functions --------------------------------------------===//

  /// Beyond the range of fp32: the last values in it.
  Real hyperbolicSine(const Real &x) const {
    Real a = magnitude(x), e = exp(a, -1);
    Real large = sub(e, div(0.25f, e));
    // (sinh a - a) / a^3 for a up to 1: 5.6e-11.
    Real small = odd(min(a, 1.0f), {0.166666672f, 0.00833335053f,
                                    0.000198360663f, 2.81743996e-06f});
    Real y = greater(a, 1.0f, large, small);
    return keepNaN(x, negated(y, bits(x)));
  }
  Real hyperbolicCosine(const Real &x) const {
    Real e = exp(magnitude(x), -1);
    return keepNaN(x, add(e, div(0.25f, e)));
  }
  Real hyperbolicTangent(const Real &x) const {
    Real a = magnitude(x);
    Real e = exp(mul(min(a, 10.0f), 2.0f));
    Real large = sub(1.0f, div(2.0f, add(e, 1.0f)));
    // (tanh a - a) / a^3 for a up to 5/8: 4.1e-9.
    Real small =
        odd(min(a, 0.625f), {-0.333332837f, 0.133314908f, -0.0537434854f,
                             0.0206505544f, -0.00571701117f});
    Real y = greater(a, 0.625f, large, small);
    return keepNaN(x, negated(y, bits(x)));
  }
  Real areaSine(const Real &x) const {
    Real a = magnitude(x), m = min(a, 4096.0f);
    // sqrt(a^2 + 1) is a, to fp32, from 4096 on.
    Real sum = greater(a, 4096.0f, a, add(m, root(add(mul(m, m), 1.0f))));
    Real l = log(sum);
    Real large = greater(a, 4096.0f, add(l, 0.693147181f), l);
    // (arsinh a - a) / a^3 for a up to 1/2: 1.2e-9.
    Real small =
        odd(min(a, 0.5f), {-0.166666433f, 0.0749866292f, -0.0443858542f,
                           0.0281754993f, -0.0132480031f});
    Real y = greater(a, 0.5f, large, small);
    return keepNaN(x, negated(y, bits(x)));
  }
  /// NaN below 1.
  Real areaCosine(const Real &x) const {
    Real m = min(x, 4096.0f), t = sub(m, 1.0f);
    Real sum = greater(x, 4096.0f, x, add(m, root(mul(t, add(m, 1.0f)))));
    Real l = log(sum);
    Real large = greater(x, 4096.0f, add(l, 0.693147181f), l);
    // (arcosh(1 + t) / sqrt(2 t) - 1) / t for t up to 1/2: 1.2e-9.
    Real p = polynomial(min(t, 0.5f),
                        {-0.0833332166f, 0.0187466573f, -0.00554823177f,
                         0.00176096871f, -0.000414000096f});
    Real r = root(mul(t, 2.0f));
    Real small = add(r, mul(mul(p, t), r));
    Bits y = bits(greater(x, 1.5f, large, small));
    return keepNaN(x, asReal(less(x, 1.0f, kNaN, y)));
  }
  /// NaN beyond |x| = 1.
  Real areaTangent(const Real &x) const {
    Real a = magnitude(x), m = min(a, 0.99999994f);
    Real large = mul(log(div(add(m, 1.0f), sub(1.0f, m))), 0.5f);
    Real y = greater(a, 0.5f, large, odd(min(a, 0.5f), kAreaTangent));
    Bits ends = equal(bits(a), 0x3f800000, kInfinity, bits(y));
    return within(1.0f, x, negated(asReal(ends), bits(x)));
  }

  //===-- functions of neural networks ------------------------------------===//

  Real sigmoid(const Real &x) const {
    Real e = exp(minusMagnitude(x));
    Real q = div(1.0f, add(e, 1.0f));
    return keepNaN(x, less(x, 0.0f, mul(e, q), q));
  }
  Real softsign(const Real &x) const {
    // Beyond 2^60 the quotient is 1; the division would lose it.
    Real a = min(magnitude(x), 0x1p60f);
    return keepNaN(x, negated(div(a, add(a, 1.0f)), bits(x)));
  }
  /// ln(1 + e^(beta x)) / beta
  Real softplus(const Real &x, float beta) const {
    Real e = exp(mul(minusMagnitude(x), beta));
    return keepNaN(x, add(max(x, 0.0f), mul(log1p(e), 1 / beta)));
  }
  /// x tanh(ln(1 + e^x)) = x e (e + 2) / (n + 2), e = e^x, n = e (e + 2)
  Real mish(const Real &x) const {
    Real c = max(min(x, 20.0f), -110.0f);
    // e^x times 2^24: where e^x counts as zero its product with x may not.
    Real scaled = exp(c, 24), e = mul(scaled, 0x1p-24f);
    Real sum = add(e, 2.0f);
    Real ratio = mul(sum, div(1.0f, add(mul(e, sum), 2.0f)));
    Real y = mul(mul(mul(c, scaled), ratio), 0x1p-24f);
    return keepNaN(x, greater(x, 20.0f, x, y));
  }
  Real erf(const Real &x) const {
    Real a = magnitude(x), m = min(a, 4.0f), n = min(a, 1.0f);
    // (erf a - a) / a for a up to 1: 1.2e-9.
    Real p = polynomial(mul(n, n), {0.128379166f, -0.37612626f, 0.112836003f,
                                    -0.0268544443f, 0.00518953521f,
                                    -0.000802083814f, 7.88910911e-05f});
    Real small = mul(n, add(p, 1.0f));
    // erfc(a) e^(a^2) as a polynomial of t = 1 / (1 + a / 2), a from 1 to 4:
    // 2.3e-11 of the whole.
    Real t = div(1.0f, add(mul(m, 0.5f), 1.0f));
    Real q = polynomial(t, {0.00207372312f, 0.257078409f, 0.408169746f,
                            -0.0906643644f, 0.670557022f, -0.254094005f,
                            0.00665452704f});
    Real large = sub(1.0f, mul(exp(mul(mul(m, m), -1.0f)), q));
    Real y = greater(a, 1.0f, large, small);
    return keepNaN(x, negated(y, bits(x)));
  }
  /// e^w where w = y ln x: NaN for x below 0; 1 where y is 0.
  template <class Y>
  Real power(const Real &x, const Y &y) const {
    Real e = expOrNaN(mul(log(x), y));
    if constexpr (std::is_arithmetic_v<Y>)
      return e;
    else
      return less(bits(magnitude(y)), kSmallestBits, 1.0f, e);
  }

private:
  template <class C, class D>
  using Chosen =
      std::conditional_t<std::is_same_v<C, Bits> || std::is_same_v<D, Bits> ||
                             std::is_integral_v<C>,
                         int, float>;
  dim4 block, real;
  Line at;
};

} // namespace ppl::detail

#endif // WEFT_FRONTEND_PPL_INCLUDE_PPL_WRAPPER_MATH_H
