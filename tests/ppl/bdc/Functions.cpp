#include "tests/ppl/bdc/Functions.h"

#include "ppl/tpu_bdc.h"
#include "tests/ppl/bdc/VendorFormulas.h"

namespace weft::test {

namespace {

constexpr float kTiny = 0x1p-126f, kLeast = 0x1p-125f, kHuge = 0x1.fffffep127f,
                /// 1 / x is well above 2^-126.
    kLarge = 0x1p125f;
/// 2^24 half turns, or quarter turns; full accuracy up to a 514th of that.
constexpr float kManyTurns = 0x1.921fb4p+25f, kManyQuarters = 0x1.921fb4p+24f;
constexpr float kFullTurns = 102542, kFullQuarters = 51271;
constexpr float kPi = 0x1.921fb6p+1f;

template <int steps>
Function reciprocalBy(double bound) {
  Function function = {
      "fp32_tunable_reciprocal, num_iter " + std::to_string(steps),
      [](const Places &p, const ppl::dim4 &s) {
        tpu_bdc_fp32_tunable_reciprocal(p.dst, p.src, &s, nullptr, nullptr,
                                        steps);
      },
      [](float x) { return vendor::reciprocal(x, steps); },
      [](mpfr_t x) { mpfr_ui_div(x, 1, x, MPFR_RNDN); },
      -kHuge,
      kHuge,
      -2,
      2,
      {-kHuge, -kLarge, -kLeast, kLeast, kLarge, kHuge},
      bound};
  function.boundedFrom = kLeast;
  function.boundedUpTo = kLarge;
  return function;
}
using Record = void (*)(const Places &, const ppl::dim4 &);
using Formula = float (*)(float);
using Exact = void (*)(mpfr_t);

Function rootBy(const char *name, int steps, Record record, Formula vendor,
                Exact exact, double bound) {
  return {name + std::string(", num_iter ") + std::to_string(steps),
          record,
          vendor,
          exact,
          kTiny,
          kHuge,
          0.5f,
          8,
          {kTiny, kLeast, kHuge},
          bound,
          kLeast};
}
template <int steps>
Function rsqrtBy(double bound) {
  return rootBy(
      "fp32_tunable_rsqrt", steps,
      [](const Places &p, const ppl::dim4 &s) {
        tpu_bdc_fp32_tunable_rsqrt(p.dst, p.src, &s, steps);
      },
      [](float x) { return vendor::rsqrt(x, steps); },
      [](mpfr_t x) { mpfr_rec_sqrt(x, x, MPFR_RNDN); }, bound);
}
template <int steps>
Function sqrtBy(double bound) {
  return rootBy(
      "fp32_tunable_sqrt", steps,
      [](const Places &p, const ppl::dim4 &s) {
        tpu_bdc_fp32_tunable_sqrt(p.dst, p.src, &s, steps);
      },
      [](float x) { return vendor::sqrt(x, steps); },
      [](mpfr_t x) { mpfr_sqrt(x, x, MPFR_RNDN); }, bound);
}

/// A power function of x, which is first cut to the range where it is exact.
template <int (*power)(mpfr_ptr, mpfr_srcptr, mpfr_rnd_t)>
void exactPower(mpfr_t x) {
  if (mpfr_cmp_si(x, 88) > 0)
    mpfr_set_si(x, 88, MPFR_RNDN);
  if (mpfr_cmp_si(x, -103) < 0)
    mpfr_set_si(x, -103, MPFR_RNDN);
  power(x, x, MPFR_RNDN);
}

Function exponential() {
  return {"fp32_exp",
          [](const Places &p, const ppl::dim4 &s) {
            tpu_bdc_load_fp32_exp_coeff(p.coeff);
            tpu_bdc_load_fp32_exp_table(p.table);
            tpu_bdc_fp32_exp(p.dst, p.src, p.work0, p.work1, p.coeff, p.table,
                             &s);
          },
          vendor::exp,
          exactPower<mpfr_exp>,
          -kHuge,
          kHuge,
          -90,
          88.72f,
          {-kHuge, -103, -10, -1, 1, 10, 88, kHuge},
          1.25};
}
Function exponentialLessOne() {
  return {"fp32_expm1",
          [](const Places &p, const ppl::dim4 &s) {
            tpu_bdc_load_fp32_exp_coeff(p.coeff);
            tpu_bdc_fp32_expm1(p.dst, p.src, p.work0, p.work1, p.coeff, p.table,
                               &s);
          },
          vendor::expm1,
          exactPower<mpfr_expm1>,
          -kHuge,
          kHuge,
          -20,
          88.72f,
          {-kHuge, -103, -1, -0.1f, 0.1f, 1, 88, kHuge},
          1.75};
}

#define WEFT_ONE_WORK(function, loader)                                        \
  [](const Places &p, const ppl::dim4 &s) {                                    \
    tpu_bdc_load_fp32_##loader##_coeff(p.coeff);                               \
    tpu_bdc_fp32_##function(p.dst, p.src, p.work0, p.coeff, &s);               \
  }

Function logarithm() {
  return {"fp32_log",
          WEFT_ONE_WORK(log, log),
          vendor::log,
          [](mpfr_t x) { mpfr_log(x, x, MPFR_RNDN); },
          kTiny,
          kHuge,
          0.5f,
          2,
          {kTiny, 0.5f, 0.6666667f, 1.3333334f, 2, 1e6f, 1.134e38f, kHuge},
          1.6};
}
Function logarithmOfSum() {
  return {"fp32_log1p",
          WEFT_ONE_WORK(log1p, log),
          vendor::log1p,
          [](mpfr_t x) { mpfr_log1p(x, x, MPFR_RNDN); },
          -0x1.fffffep-1f,
          kHuge,
          -0x1.fffffep-1f,
          4,
          {-1, -0.5f, -1e-4f, 1e-4f, 1, 1e6f, 1.134e38f, kHuge},
          2.1};
}
constexpr float kBases[] = {2, 10, 0.5f};
template <int which>
Function logarithmTo(double bound) {
  return {"fp32_logx, x = " + std::string(which == 0   ? "2"
                                          : which == 1 ? "10"
                                                       : "0.5"),
          [](const Places &p, const ppl::dim4 &s) {
            tpu_bdc_load_fp32_log_coeff(p.coeff);
            tpu_bdc_fp32_logx(p.dst, p.src, p.work0, p.coeff, &s,
                              kBases[which]);
          },
          [](float x) { return vendor::logx(x, kBases[which]); },
          [](mpfr_t x) {
            if (which == 1)
              mpfr_log10(x, x, MPFR_RNDN);
            else
              mpfr_log2(x, x, MPFR_RNDN);
            if (which == 2)
              mpfr_neg(x, x, MPFR_RNDN);
          },
          kTiny,
          kHuge,
          0.5f,
          2,
          {kTiny, 0.5f, 2, 1.134e38f, kHuge},
          bound};
}

Function circular(const char *name, Record record, Formula vendor, Exact exact,
                  float many, float full) {
  Function function = {
      name,
      record,
      vendor,
      exact,
      -many,
      many,
      -kPi,
      kPi,
      {-many, -full, -100, -kPi, -0.5f, 0.5f, kPi, 100, full, many},
      10};
  function.boundedUpTo = full;
  return function;
}
Function arc(const char *name, Record record, Formula vendor, Exact exact,
             double bound) {
  return {name,  record, vendor,
          exact, -1,     1,
          -1,    1,      {-1, -0.70710677f, -0.1f, 0.1f, 0.70710677f, 1},
          bound};
}

std::vector<Function> all() {
  return {
      reciprocalBy<1>(59000),
      reciprocalBy<2>(160),
      reciprocalBy<3>(5),
      reciprocalBy<4>(4),
      rsqrtBy<1>(29500),
      rsqrtBy<2>(80),
      rsqrtBy<3>(2.5),
      rsqrtBy<4>(2),
      sqrtBy<1>(29500),
      sqrtBy<2>(80),
      sqrtBy<3>(3),
      sqrtBy<4>(2.5),
      exponential(),
      exponentialLessOne(),
      logarithm(),
      logarithmOfSum(),
      logarithmTo<0>(2.5),
      logarithmTo<1>(2.8),
      logarithmTo<2>(2.5),
      circular(
          "fp32_sin", WEFT_ONE_WORK(sin, sin), vendor::sin,
          [](mpfr_t x) { mpfr_sin(x, x, MPFR_RNDN); }, kManyTurns, kFullTurns),
      circular(
          "fp32_cos", WEFT_ONE_WORK(cos, cos), vendor::cos,
          [](mpfr_t x) { mpfr_cos(x, x, MPFR_RNDN); }, kManyTurns, kFullTurns),
      circular(
          "fp32_tan", WEFT_ONE_WORK(tan, tan), vendor::tan,
          [](mpfr_t x) { mpfr_tan(x, x, MPFR_RNDN); }, kManyQuarters,
          kFullQuarters),
      circular(
          "fp32_cot", WEFT_ONE_WORK(cot, tan), vendor::cot,
          [](mpfr_t x) { mpfr_cot(x, x, MPFR_RNDN); }, kManyQuarters,
          kFullQuarters),
      arc(
          "fp32_arcsin", WEFT_ONE_WORK(arcsin, arcsin), vendor::arcsin,
          [](mpfr_t x) { mpfr_asin(x, x, MPFR_RNDN); }, 2.5),
      arc(
          "fp32_arccos", WEFT_ONE_WORK(arccos, arcsin), vendor::arccos,
          [](mpfr_t x) { mpfr_acos(x, x, MPFR_RNDN); }, 2.5),
  };
}

} // namespace

const std::vector<Function> &functions() {
  static const std::vector<Function> list = all();
  return list;
}

} // namespace weft::test
