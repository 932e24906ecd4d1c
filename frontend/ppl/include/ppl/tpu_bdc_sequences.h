//===- tpu_bdc_sequences.h - commands of the unary functions --*- C++ -*-===//

#ifndef WEFT_FRONTEND_PPL_INCLUDE_PPL_TPU_BDC_SEQUENCES_H
#define WEFT_FRONTEND_PPL_INCLUDE_PPL_TPU_BDC_SEQUENCES_H

#include "ppl/tiu.h"

#include <cmath>
#include <limits>
#include <utility>

/// The commands behind ppl/tpu_bdc.h, for operands whose contract holds.
///
/// The machine reads a subnormal as zero and gives zero for a tiny result, and
/// rounds every multiply and every add to the nearest. A function may use only
/// the buffers that its signature names, all of the shape of dst: "two cells"
/// below means dst and work. Each sequence reads src in its first command only,
/// so that src may lie in one of the cells.
///
/// Two properties of the comparisons are relied on: "greater" is false of a
/// NaN, so NaNs pass `gt_select(dst, x, c, y, x)`; equality is one of bits, so
/// it is asked of the int32 view.
namespace ppl::bdc {

/// A buffer and its bits.
struct Cell {
  tensor<fp32> f;
  tensor<int32> i;
  Cell(uint32_t address, const dim4 &shape, Line at)
      : f(shape, TPU_ALIGN, address, at), i(f.template view<int32>(at)) {}
};

inline constexpr int kInfinityBits = 0x7f800000, kMaxBits = 0x7f7fffff,
                     kOneBits = 0x3f800000;
inline constexpr float kInfinity = std::numeric_limits<float>::infinity(),
                       kNaN = std::numeric_limits<float>::quiet_NaN(),
                       kMax = std::numeric_limits<float>::max(),
                       kHalfPi = 0x1.921fb6p+0f;

//===----------------------------------------------------------------------===//
// Coefficients
//===----------------------------------------------------------------------===//

// Polynomials of least relative error (tests/ppl/bdc/coefficients.py makes and
// checks them). A leading zero stands where the value is x + x * series, which
// rounds better than x * (1 + series): one addition decides the last bit.

/// e^r, |r| <= 0.3472, error 1.3e-10; and (e^r - 1 - r) / r.
inline constexpr float kExpTerms[] = {
    1.0f,           1.0f,           0x1.000000p-1f,  0x1.555552p-3f,
    0x1.5554e4p-5f, 0x1.1115bcp-7f, 0x1.6d5172p-10f, 0x1.9a87bep-13f};
inline constexpr float kExpm1Terms[] = {
    0.0f,           0x1.000000p-1f,  0x1.555552p-3f, 0x1.5554e4p-5f,
    0x1.1115bcp-7f, 0x1.6d5172p-10f, 0x1.9a87bep-13f};
/// ln(1 + z), |z| <= 1/3: the first terms of its series, so that ln of a number
/// near 1 has the bits of the vendor's library.
inline constexpr float kLogSeries[] = {
    0.0f,       1.0f,      -1.0f / 2,  1.0f / 3, -1.0f / 4,  1.0f / 5,
    -1.0f / 6,  1.0f / 7,  -1.0f / 8,  1.0f / 9, -1.0f / 10, 1.0f / 11,
    -1.0f / 12, 1.0f / 13, -1.0f / 14, 1.0f / 15};
/// ln(1 + z), 1 + z from sqrt(1/2) to sqrt(2), error 9.0e-10. The last term is
/// a positive one of odd power, as above: the series of an infinity is that
/// infinity.
inline constexpr float kLogTerms[] = {0.0f,
                                      1.0f,
                                      -0x1.000000p-1f,
                                      0x1.555546p-2f,
                                      -0x1.00000ap-2f,
                                      0x1.99a546p-3f,
                                      -0x1.555ae4p-3f,
                                      0x1.232cf8p-3f,
                                      -0x1.fc4d9ap-4f,
                                      0x1.e7a586p-4f,
                                      -0x1.dd6576p-4f,
                                      0x1.11c852p-4f};
/// sin(r) / r - 1 in r^2, |r| <= 1.574, error 5.6e-10.
inline constexpr float kSinTerms[] = {0.0f,
                                      -0x1.555556p-3f,
                                      0x1.111130p-7f,
                                      -0x1.a02128p-13f,
                                      0x1.727038p-19f,
                                      -0x1.addb1cp-26f};
/// tan(r) / r - 1 in r^2, |r| <= 0.786, error 1.5e-9.
inline constexpr float kTanTerms[] = {
    0.0f,           0x1.555562p-2f, 0x1.110d34p-3f,  0x1.bae96ep-5f,
    0x1.5c337cp-6f, 0x1.655d4ep-7f, 0x1.e32230p-18f, 0x1.214d00p-8f};
/// arcsin(v) / v - 1 in v^2, |v| <= sqrt(1/2), error 3.9e-10.
inline constexpr float kArcsinTerms[] = {0.0f,
                                         0x1.555560p-3f,
                                         0x1.332cecp-4f,
                                         0x1.6efe8ap-5f,
                                         0x1.d12620p-6f,
                                         0x1.2b9b1ep-5f,
                                         -0x1.5cd222p-5f,
                                         0x1.5058f4p-3f,
                                         -0x1.989bd2p-3f,
                                         0x1.290a44p-3f};

/// The words of a coefficient buffer after its loader.
inline constexpr unsigned kExpm1Word = 16, kLogWord = 16;

/// Writes numbers to consecutive words of every lane, from lane 0 on.
template <size_t count>
void loadTerms(uint32_t address, unsigned word, const float (&terms)[count],
               Line at) {
  const weft_ppl_recorder &recorder = detail::recorder();
  const int64_t lanes = recorder.get(recorder.self, WEFT_PPL_LANES, 0);
  const int64_t shape[4] = {1, lanes, 1, 1}, strides[4] = {1, 1, 1, 1};
  for (size_t k = 0; k < count; ++k) {
    int64_t id = recorder.make_tensor(recorder.self, WEFT_PPL_LOCAL, DT_FP32,
                                      shape, NONE_ALIGN, strides,
                                      address + 4 * (word + uint32_t(k)), at);
    tiu::fill(tensor<fp32>(tensor<fp32>::Made{id}), terms[k], at);
  }
}

/// The polynomial with `count` terms from `word` on of `coeff`, in dst.
template <size_t count>
void series(const Cell &dst, const Cell &x, uint32_t coeff, unsigned word,
            const float (&)[count], Line at) {
  const weft_ppl_recorder &recorder = detail::recorder();
  const int lanes = int(recorder.get(recorder.self, WEFT_PPL_LANES, 0));
  tensor<fp32> terms({1, lanes, 1, int(count)}, TPU_ALIGN, coeff + 4 * word,
                     at);
  tiu::taylor(dst.f, x.f, terms, int(count), at);
}

//===----------------------------------------------------------------------===//
// Reciprocal and roots: dst is the only cell
//===----------------------------------------------------------------------===//

/// Newton's steps halve x first, which is zero below 2^-125: there the results
/// are those of 2^-125, but for reciprocal's infinities.
inline constexpr float kLeast = 0x1p-125f, kNormal = 0x1p-126f;
inline constexpr int kLeastBits = 0x01000000;

/// Any layout. An infinity would give an infinity: the largest number gives
/// zero. A NaN that is the first operand of min, the second of max, stays.
inline void reciprocal(const tensor<fp32> &dst, const tensor<fp32> &src,
                       int iterations, Line at) {
  tiu::fmin(dst, src, kMax, at);
  detail::call("tiu.fmax", at, {dst, -kMax, dst});
  tiu::fdiv(dst, 1.0f, dst, iterations, at);
}

/// src may be dst, so nothing can be repaired afterwards that is not marked in
/// the result: -1 stands for zeros and gives +Inf, 0 stands for +Inf and gives
/// what no other number gives.
inline void rsqrt(const Cell &dst, const Cell &src, int iterations, Line at) {
  float ofZero = detail::floatOf(0x5f3759df);
  for (int i = 0; i < iterations; ++i)
    ofZero *= 1.5f;
  tensor<uint32> bits = dst.f.template view<uint32>(at);
  tiu::gt_select(dst.f, 0.0f, src.f, kNaN, src.f, at);
  tiu::gt_select(dst.f, kNormal, dst.f, -1.0f, dst.f, at);
  tiu::gt_select(bits, kLeastBits, bits, kLeastBits, bits, at);
  tiu::eq_select(dst.i, dst.i, kInfinityBits, 0, dst.i, at);
  tiu::frsqrt(dst.f, dst.f, iterations, at);
  tiu::eq_select(dst.i, dst.i, int(detail::bitsOf(ofZero)), 0, dst.i, at);
}

/// x * rsqrt(x); src is not dst.
inline void sqrt(const Cell &dst, const Cell &src, int iterations, Line at) {
  tiu::gt_select(dst.f, kLeast, src.f, kLeast, src.f, at);
  tiu::frsqrt(dst.f, dst.f, iterations, at);
  tiu::eq_select(dst.i, src.i, kInfinityBits, kOneBits, dst.i, at);
  tiu::gt_select(dst.f, 0.0f, src.f, kNaN, dst.f, at);
  tiu::fmul(dst.f, dst.f, src.f, false, at);
}

//===----------------------------------------------------------------------===//
// Exponentials: three cells
//===----------------------------------------------------------------------===//

// ln 2 in two parts. The first has 16 bits, so its product with a whole number
// below 256 is exact.
inline constexpr float kLn2High = 0x1.62e4p-1f, kLn2Low = 0x1.7f7d1cp-20f;

/// x = clamped src, k = the whole number nearest to x / ln 2, x -= k ln 2.
inline void splitPower(const Cell &x, const Cell &k, const Cell &src, float low,
                       Line at) {
  tiu::gt_select(x.f, src.f, 88.0f, 88.0f, src.f, at);
  tiu::gt_select(x.f, low, x.f, low, x.f, at);
  tiu::fmul(k.f, x.f, 0x1.715476p+0f, false, at);
  tiu::round(k.f, k.f, RM_HALF_TO_EVEN, at);
  tiu::fmac(x.f, k.f, -kLn2High, at);
  tiu::fmac(x.f, k.f, -kLn2Low, at);
  tiu::cast(k.i, k.f, RM_HALF_TO_EVEN, at);
}

inline void exp(const Cell &dst, const Cell &src, const Cell &x, const Cell &k,
                uint32_t coeff, Line at) {
  splitPower(x, k, src, -103.0f, at);
  series(dst, x, coeff, 0, kExpTerms, at);
  tiu::max(k.i, k.i, -127, at); // 2^-127 counts as zero
  tiu::add(k.i, k.i, 127, 23, RM_HALF_UP, false, at);
  tiu::fmul(dst.f, dst.f, k.f, false, at);
}

/// 2^k (q + (1 - 2^-k)) with q = e^x - 1. Below -25 it is -1.
inline void expm1(const Cell &dst, const Cell &src, const Cell &x,
                  const Cell &k, uint32_t coeff, Line at) {
  splitPower(x, k, src, -25.0f, at);
  series(dst, x, coeff, kExpm1Word, kExpm1Terms, at);
  tiu::fmac(x.f, x.f, dst.f, at);
  tiu::sub(dst.i, 127, k.i, 23, RM_HALF_UP, false, at);
  tiu::fsub(dst.f, 1.0f, dst.f, false, at);
  tiu::fadd(dst.f, dst.f, x.f, false, at);
  tiu::add(k.i, k.i, 127, 23, RM_HALF_UP, false, at);
  tiu::fmul(dst.f, dst.f, k.f, false, at);
}

//===----------------------------------------------------------------------===//
// Logarithms: two cells
//===----------------------------------------------------------------------===//

/// Where the border between two powers of two lies: the first fraction field
/// that counts for the next power. With sqrt(2) |ln m| is smaller and takes
/// less away from k ln 2.
inline constexpr int kFourThirds = 0x2aaaac, kRootTwo = 0x3504f4;

/// k of x = 2^k m, with m from half the border to the border.
inline void exponent(const Cell &k, const Cell &x, int border, Line at) {
  tiu::add(k.i, x.i, 0x00800000 - border - kOneBits, -23, RM_DOWN, false, at);
}

/// ln m in dst, x as it was; what is not a positive number or +Inf is settled.
template <size_t count>
void logOfFraction(const Cell &dst, const Cell &src, const Cell &x, int border,
                   uint32_t coeff, unsigned word, const float (&terms)[count],
                   Line at) {
  tiu::fadd(x.f, src.f, 0.0f, false, at); // no subnormals, no -0
  exponent(dst, x, border, at);
  tiu::shift(dst.i, dst.i, 23, RM_DOWN, at);
  tiu::sub(dst.i, x.i, dst.i, at);
  tiu::fsub(dst.f, dst.f, 1.0f, false, at);
  series(dst, dst, coeff, word, terms, at);
  tiu::gt_select(dst.i, x.i, kMaxBits, x.i, dst.i, at); // +Inf, NaN
  tiu::gt_select(dst.f, 0, x.i, kNaN, dst.f, at);
  tiu::eq_select(dst.f, x.i, 0, -kInfinity, dst.f, at);
}

/// dst += k * step, where k is a whole number below 256 and `step` is split so
/// that its high part times k is exact.
inline void addSteps(const Cell &dst, const Cell &k, double step, Line at) {
  tiu::cast(k.f, k.i, RM_HALF_TO_EVEN, at);
  const float high = detail::floatOf(detail::bitsOf(float(step)) & 0xffffff00u);
  tiu::fmac(dst.f, k.f, float(step - double(high)), at);
  tiu::fmac(dst.f, k.f, high, at);
}

inline constexpr double kLn2 = 0x1.62e42fefa39efp-1;

inline void log(const Cell &dst, const Cell &src, const Cell &work,
                uint32_t coeff, Line at) {
  logOfFraction(dst, src, work, kFourThirds, coeff, 0, kLogSeries, at);
  exponent(work, work, kFourThirds, at);
  addSteps(dst, work, kLn2, at);
}

/// (ln m + k ln 2) / ln base, with ln 2 / ln base as one number.
inline void logx(const Cell &dst, const Cell &src, const Cell &work,
                 uint32_t coeff, float base, Line at) {
  const double scale = 1 / std::log(double(base));
  logOfFraction(dst, src, work, kRootTwo, coeff, kLogWord, kLogTerms, at);
  tiu::fmul(dst.f, dst.f, float(scale), false, at);
  exponent(work, work, kRootTwo, at);
  addSteps(dst, work, kLn2 * scale, at);
}

/// With P the power of two near 1 + x the fraction is (x - (P - 1)) / P, which
/// unlike (1 + x) / P - 1 is exact nearly everywhere. P - 1 keeps what k is.
inline void log1p(const Cell &dst, const Cell &src, const Cell &work,
                  uint32_t coeff, Line at) {
  tiu::gt_select(dst.f, -1.0f, src.f, kNaN, src.f, at);
  tiu::eq_select(dst.f, dst.i, int(detail::bitsOf(-1.0f)), -kInfinity, dst.f,
                 at);
  tiu::fadd(work.f, dst.f, 1.0f, false, at);
  tiu::add(work.i, work.i, 0x00800000 - kRootTwo, at);
  tiu::bitwise_and(work.i, work.i, kInfinityBits, at); // P
  tiu::fsub(work.f, work.f, 1.0f, false, at);
  tiu::fmin(work.f, work.f, kMax, at); // of 2^128
  tiu::fsub(dst.f, dst.f, work.f, false, at);
  tiu::fadd(work.f, work.f, 1.0f, false, at);
  exponent(work, work, kRootTwo, at);
  // 4 / P, because 1 / P may be too small.
  tiu::sub(work.i, 129, work.i, 23, RM_HALF_UP, false, at);
  tiu::fmul(dst.f, dst.f, work.f, false, at);
  tiu::fmul(dst.f, dst.f, 0.25f, false, at);
  series(dst, dst, coeff, kLogWord, kLogTerms, at);
  tiu::sub(work.i, 129 << 23, work.i, -23, RM_DOWN, false, at);
  addSteps(dst, work, kLn2, at);
}

//===----------------------------------------------------------------------===//
// Circular functions
//===----------------------------------------------------------------------===//

/// x -= k * scale * pi. Four parts of 8 bits and a rest: exact products for k
/// of 16 bits.
inline void subtractTurns(const Cell &x, const Cell &k, float scale, Line at) {
  for (float part :
       {0x1.92p+1f, 0x1.fap-11f, 0x1.54p-19f, 0x1.1p-29f, 0x1.68c234p-38f})
    tiu::fmac(x.f, k.f, -part * scale, at);
}

/// Takes multiples of 256 units of pi from an |x| of 128 such multiples and
/// more, k is spent. The rest is below 403 units and exact to its last place,
/// which is coarse for a small rest, so smaller |x| (full accuracy) must stay
/// as they are: their multiple is scaled down until it counts as zero. An |x|
/// above 2^24 units says nothing about the angle and becomes `instead`; only an
/// infinity becomes a NaN.
inline void subtractManyTurns(const Cell &x, const Cell &k, float unit,
                              float instead, Line at) {
  const float most = 0x1.921fb4p+25f * unit;
  tiu::fmac(x.f, x.f, 0.0f, at);
  tiu::gt_select(x.f, x.f, most, instead, x.f, at);
  tiu::gt_select(x.f, -most, x.f, instead, x.f, at);
  tiu::fmul(k.f, x.f, 0x1.45f306p-10f / unit, false, at);
  tiu::round(k.f, k.f, RM_HALF_TO_EVEN, at);
  tiu::fmul(k.f, k.f, 0x1p-100f, false, at);
  tiu::fmul(k.f, k.f, 0x1p-33f, false, at);
  tiu::fmul(k.f, k.f, 0x1p126f, false, at); // a 128th of the multiple
  subtractTurns(x, k, 0x1p15f * unit, at);
}

/// dst = sin of dst with the sign turned where the lowest bit of k is set.
inline void signedSine(const Cell &dst, const Cell &k, uint32_t coeff,
                       Line at) {
  tiu::bitwise_xor(dst.i, dst.i, k.i, at);
  tiu::fmul(k.f, dst.f, dst.f, false, at);
  series(k, k, coeff, 0, kSinTerms, at);
  tiu::fmac(dst.f, dst.f, k.f, at);
}

/// (-1)^k sin(x - k pi); two cells.
inline void sin(const Cell &dst, const Cell &src, const Cell &work,
                uint32_t coeff, Line at) {
  tiu::move(dst.f, src.f, at);
  subtractManyTurns(dst, work, 1, 0, at);
  tiu::fmul(work.f, dst.f, 0x1.45f306p-2f, false, at);
  tiu::round(work.f, work.f, RM_HALF_TO_EVEN, at);
  subtractTurns(dst, work, 1, at);
  tiu::cast(work.i, work.f, RM_HALF_TO_EVEN, at);
  tiu::shift(work.i, work.i, 31, RM_DOWN, at);
  signedSine(dst, work, coeff, at);
}

/// (-1)^(k+1) sin(x - (k + 1/2) pi); two cells.
inline void cos(const Cell &dst, const Cell &src, const Cell &work,
                uint32_t coeff, Line at) {
  tiu::move(dst.f, src.f, at);
  subtractManyTurns(dst, work, 1, 0, at);
  tiu::fmul(work.f, dst.f, 0x1.45f306p-2f, false, at);
  tiu::fsub(work.f, work.f, 0.5f, false, at);
  tiu::round(work.f, work.f, RM_HALF_TO_EVEN, at);
  tiu::fadd(work.f, work.f, 0.5f, false, at);
  subtractTurns(dst, work, 1, at);
  tiu::cast(work.i, work.f, RM_DOWN, at);
  tiu::add(work.i, work.i, 1, 31, RM_HALF_UP, false, at);
  signedSine(dst, work, coeff, at);
}

/// x = tan(x - k pi / 2), k's lowest bit in k; t is spent.
inline void tangentOfRest(const Cell &x, const Cell &k, const Cell &t,
                          float instead, uint32_t coeff, Line at) {
  subtractManyTurns(x, k, 0.5f, instead, at);
  tiu::fmul(k.f, x.f, 0x1.45f306p-1f, false, at);
  tiu::round(k.f, k.f, RM_HALF_TO_EVEN, at);
  subtractTurns(x, k, 0.5f, at);
  tiu::fmul(t.f, x.f, x.f, false, at);
  series(t, t, coeff, 0, kTanTerms, at);
  tiu::fmac(x.f, x.f, t.f, at);
  tiu::cast(k.i, k.f, RM_HALF_TO_EVEN, at);
  tiu::bitwise_and(k.i, k.i, 1, at);
}

/// dst = n / d, where d is dst; r is spent. One exact step behind Newton's
/// takes most of their error away; after 1 / 0 it would be a NaN.
inline void divide(const Cell &dst, const Cell &n, const Cell &r, Line at) {
  tiu::fdiv(r.f, 1.0f, dst.f, 3, at);
  tiu::fmul(dst.f, dst.f, r.f, false, at);
  tiu::fsub(dst.f, 1.0f, dst.f, false, at);
  tiu::gt_select(dst.f, 1.0f, dst.f, dst.f, 0x1p-100f, at);
  tiu::fmac(r.f, r.f, dst.f, at);
  tiu::fmul(dst.f, n.f, r.f, false, at);
}

/// tan(r), or -1 / tan(r) at an odd quarter turn; three cells, src is spent.
inline void tan(const Cell &dst, const Cell &src, const Cell &work,
                uint32_t coeff, Line at) {
  tangentOfRest(src, work, dst, 0, coeff, at);
  tiu::gt_select(dst.f, work.i, 0, src.f, 1.0f, at);
  tiu::gt_select(work.f, work.i, 0, -1.0f, src.f, at);
  divide(dst, work, src, at);
}

/// 1 / tan(r), or -tan(r). Both are scaled: Newton's steps fail below 2^-125.
inline void cot(const Cell &dst, const Cell &src, const Cell &work,
                uint32_t coeff, Line at) {
  tangentOfRest(src, work, dst, kHalfPi, coeff, at);
  tiu::fmul(dst.f, src.f, 0x1p24f, false, at);
  tiu::gt_select(dst.f, work.i, 0, -1.0f, dst.f, at);
  tiu::gt_select(work.f, work.i, 0, src.f, 0x1p24f, at);
  divide(dst, work, src, at);
}

//===----------------------------------------------------------------------===//
// Inverse circular functions: two cells
//===----------------------------------------------------------------------===//

inline constexpr float kRootHalf = 0x1.6a09e6p-1f;
/// What kHalfPi lacks, as a fraction of it.
inline constexpr float kHalfPiRest = -0x1.de12cap-26f;

/// Prepares both. For |x| <= sqrt(1/2) the series is of v = x. Above it is of
/// v = sqrt((1 - |x|) / 2), for arcsin x = pi/2 - 2 arcsin v; there v is kept
/// with the sign of x and 2^64 times too large, which tells the two apart
/// without a third cell, and clearing the top bit of the exponent of v^2
/// scales it back. Result: x = arcsin(v), so scaled, and -2 arcsin(v), so
/// scaled back (about 0 below the border), in dst; x within +-pi/2, so +-pi/2
/// above the border. (The border is not 1/2: near it the error of the root
/// counts twice.)
inline void arcsinParts(const Cell &dst, const Cell &src, const Cell &x,
                        float factor, uint32_t coeff, Line at) {
  tiu::gt_select(x.f, src.f, 1.0f, kNaN, src.f, at);
  tiu::gt_select(x.f, -1.0f, x.f, kNaN, x.f, at);
  // dst = (sign(x) - x) 2^127, and of |x| = 1 a tiny number with its sign
  tiu::fadd(dst.f, x.f, x.f, false, at);
  tiu::fmax(dst.f, dst.f, -1.0f, at);
  tiu::fmin(dst.f, dst.f, 1.0f, at);
  tiu::fsub(dst.f, dst.f, x.f, false, at);
  tiu::fmul(dst.f, dst.f, 0x1p127f, false, at);
  tiu::fmac(dst.f, x.f, 4.0f, at);
  tiu::gt_select(x.f, x.f, kRootHalf, dst.f, x.f, at);
  tiu::gt_select(x.f, -kRootHalf, x.f, dst.f, x.f, at);
  // its root
  tiu::fabs(dst.f, x.f, at);
  tiu::frsqrt(dst.f, dst.f, 4, at);
  tiu::fmul(dst.f, dst.f, x.f, false, at);
  tiu::gt_select(x.f, x.f, 1.0f, dst.f, x.f, at);
  tiu::gt_select(x.f, -1.0f, x.f, dst.f, x.f, at);
  tiu::fmul(dst.f, x.f, x.f, false, at);
  tiu::bitwise_and(dst.i, dst.i, int(0xbfffffffu), at);
  series(dst, dst, coeff, 0, kArcsinTerms, at);
  tiu::fmac(x.f, x.f, dst.f, at);
  tiu::fmul(dst.f, x.f, factor, false, at);
  tiu::fmax(x.f, x.f, -kHalfPi, at);
  tiu::fmin(x.f, x.f, kHalfPi, at);
}

/// +-pi/2 - 2 arcsin(v), or arcsin(v).
inline void arcsin(const Cell &dst, const Cell &src, const Cell &work,
                   uint32_t coeff, Line at) {
  arcsinParts(dst, src, work, -0x1p-63f, coeff, at);
  tiu::fmac(dst.f, work.f, kHalfPiRest, at);
  tiu::fadd(dst.f, dst.f, work.f, false, at);
}

/// 2 arcsin(v), pi - 2 arcsin(v), or pi/2 - arcsin(v).
inline void arccos(const Cell &dst, const Cell &src, const Cell &work,
                   uint32_t coeff, Line at) {
  arcsinParts(dst, src, work, 0x1p-63f, coeff, at);
  tiu::fsub(work.f, kHalfPi, work.f, false, at);
  tiu::fmac(dst.f, work.f, kHalfPiRest, at);
  tiu::fadd(dst.f, dst.f, work.f, false, at);
  // of 1, where v is not quite zero
  tiu::gt_select(dst.f, 0x1p-30f, dst.f, 0.0f, dst.f, at);
}

} // namespace ppl::bdc

#endif // WEFT_FRONTEND_PPL_INCLUDE_PPL_TPU_BDC_SEQUENCES_H
