//===- Functions.h - the functions that are sequences -----------*- C++ -*-===//

#ifndef WEFT_DIALECTS_TPU_SEQUENCE_FUNCTIONS_H
#define WEFT_DIALECTS_TPU_SEQUENCE_FUNCTIONS_H

#include "dialects/tpu/sequence/Expression.h"

#include <optional>

namespace weft::tpu::sequence {

// Each function is within a few ulp of the exact value of its f32 argument
// where its comment says nothing else. Subnormal numbers are zeros.

// Exponential.cpp

/// Infinite from 128 ln 2 on, 0 below -125.5 ln 2 (the smallest normal number
/// is at -126 ln 2).
Real exp(Real x);
/// exp(x) / 2, finite as long as the quotient is.
Real halfExp(Real x);
/// exp(x) - 1 for x <= 0; anything finite for other x.
Real expm1OfNegative(Real x);
/// e^x 2^count for |x| <= 0.35 and a whole count of -126 (gives 0) to 129
/// (gives infinity).
Real scaledExp(Real x, Real count);
/// x = 2^exponent (1 + fraction) with 1 + fraction in [sqrt(1/2), sqrt(2)), for
/// 0 < x < inf.
struct Decomposed {
  Real exponent, fraction;
};
Decomposed decompose(Real x);
/// Coefficients c with log(1 + f) = f + f^2 (c0 + c1 f + ..) for the fraction
/// f; all times `scale`. Within 7e-10 of f.
std::vector<double> logTail(double scale);
Real log(Real x);
/// log(1 + x) for x > -1, also where 1 + x is rounded.
Real log1p(Real x);
Real sigmoid(Real x);
/// x sigmoid(alpha x).
Real swish(Real x, double alpha);
Real softplus(Real x);
Real tanh(Real x);
Real sinh(Real x);
Real cosh(Real x);
Real asinh(Real x);
Real acosh(Real x);
Real atanh(Real x);
/// x tanh(softplus(x)).
Real mish(Real x);
Real erf(Real x);
/// The left tails of the two lose the bits that their exponents have: up to
/// 2^-17 of a value of 1e-8.
Real gelu(Real x);
Real geluTanh(Real x);

// For results of 16 bits: within 2^-13.5 of the exact value, relative, so that
// rounding to f16 makes it 0.7 ulp.

/// Coefficients of 2^x for |x| <= 1/2: 3e-6; for f16 commands 1e-4.
std::vector<double> powerSeries16();
std::vector<double> powerSeriesOfHalves();

Real sigmoid16(Real x);
Real swish16(Real x, double alpha);
Real tanh16(Real x);
Real erf16(Real x);
/// These two within 2^-14 besides: they are 1e-5 of x or less below -4.2.
Real gelu16(Real x);
Real geluTanh16(Real x);

// Of f16 commands alone.

/// For alpha > 0. Where alpha x is below -10.4 as at -10.4, so that nothing
/// overflows: -0.0003 / alpha at most for less. Within 2^-7.7 of the exact
/// value from -8 on, 2^-8.4 from -4 on, about 2^-11 on the average.
Real swishOfHalves(Real x, double alpha);
/// Below -3.85 as at -3.85: -0.00014. Within 2^-8 of the exact value or, on the
/// left, of 1/8.
Real geluOfHalves(Real x);
Real geluTanhOfHalves(Real x);

// Roots.cpp

/// sqrt of a negative number is NaN.
Real sqrt(Real x);
Real rsqrt(Real x);
/// For results of 16 bits, as sigmoid16.
Real rsqrt16(Real x);
/// |x|^y with the sign of an odd power; NaN for a negative x and a y that is
/// not a whole number (C pow).
Real pow(Real x, Real y);
/// The same for a number y, by products and roots where they do.
Real powOf(Real x, double y);
/// Remainder with the sign of x (C fmod); exact for quotients below 2^30.
Real fmod(Real x, Real y);
/// Remainder with the sign of y (Python %).
Real floorMod(Real x, Real y);
/// x < 0 ? x * slope : x; only the product reads `slope`.
Real prelu(Real x, Real slope);

// Trigonometric.cpp

/// Within 2^-23 of the exact value for |x| up to 1e5; beyond, the multiples of
/// pi/2 are no longer subtracted exactly.
Real sin(Real x);
Real cos(Real x);
Real tan(Real x);
Real asin(Real x);
Real acos(Real x);
Real atan(Real x);

// Piecewise.cpp

Real sign(Real x);
Real elu(Real x, double alpha);
Real celu(Real x, double alpha);
Real selu(Real x, double alpha, double gamma);
Real thresholdedRelu(Real x, double alpha);
Real shrink(Real x, double lambda, double bias);
Real softsign(Real x);
/// 1 or 0.
Real isNaN(Real x);
Real isInfinite(Real x, bool negative, bool positive);

} // namespace weft::tpu::sequence

namespace weft::tpu {
class BinaryOp;
class UnaryOp;
enum class UnaryKind : uint32_t;

/// Whether the kind has a sequence of f16 commands, in which `alpha` (if there
/// is one) has all its digits and times -10.4 neither overflows.
bool hasNarrowSteps(UnaryKind kind, std::optional<double> alpha);
/// Whether the kind has a sequence of fewer commands for results of 16 bits.
bool hasShortSteps(UnaryKind kind);
/// Whether UnaryFunctions.def has a row for the kind.
bool isSequence(UnaryKind kind);

/// The sequence of an op; std::nullopt if its kind has commands of its own.
std::optional<Sequence> sequenceOf(UnaryOp op);
std::optional<Sequence> sequenceOf(BinaryOp op);

/// Whether the one command of `op` on floats has the operands in the other
/// order: `reversed`, or a max or min of a constant, so that a NaN of the other
/// operand stays (docs/numbers.md).
bool changesPlaces(BinaryOp op);

} // namespace weft::tpu

#endif // WEFT_DIALECTS_TPU_SEQUENCE_FUNCTIONS_H
