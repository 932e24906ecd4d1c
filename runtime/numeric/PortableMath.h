/// Elementary functions in double precision with the same bits on every
/// machine.
///
/// A libm may differ in the last bit from another one, and a constant folded on
/// two machines would then give two bmodels. These functions use only
/// operations that IEEE 754 rounds correctly (+ - * / sqrt, floor, fmod) and
/// integers, compiled without contraction, so their results are reproducible
/// everywhere. Errors are at most 8 ulp of double
/// (tests/unit/runtime/numeric/PortableMathTest.cpp checks it), 2^-49 relative:
/// rounded to float the result is the correctly rounded one except within 2^-49
/// of a rounding boundary, and even there it is the same on every machine. pow
/// of a large exponent loses up to 2^-42. Special values are those of C99 Annex
/// F.
#ifndef WEFT_RUNTIME_NUMERIC_PORTABLEMATH_H
#define WEFT_RUNTIME_NUMERIC_PORTABLEMATH_H

namespace weft::numeric::portable {

double abs(double x);
/// min(max(x, low), high); NaN stays NaN. high wins where low > high (as ONNX
/// Clip).
inline double clamp(double x, double low, double high) {
  if (x != x)
    return x;
  double raised = x < low ? low : x;
  return raised > high ? high : raised;
}
double sqrt(double x);
double floor(double x);
double ceil(double x);
double roundHalfToEven(double x);
double exp(double x);
double expm1(double x);
double log(double x);
double log1p(double x);
double pow(double x, double y);
double sin(double x);
double cos(double x);
double tan(double x);
double asin(double x);
double acos(double x);
double atan(double x);
double sinh(double x);
double cosh(double x);
double tanh(double x);
double asinh(double x);
double acosh(double x);
double atanh(double x);
double erf(double x);
double erfc(double x);
/// 1 / (1 + exp(-x)) without overflow.
double sigmoid(double x);
/// log(1 + exp(x)) without overflow.
double softplus(double x);
/// Remainder with the sign of x (C fmod), exact.
double fmod(double x, double y);
/// Remainder with the sign of y (Python %).
double floorMod(double x, double y);

} // namespace weft::numeric::portable

#endif
