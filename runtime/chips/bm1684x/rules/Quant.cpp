//===- Quant.cpp - rules of requantising and dequantising ----------------===//

#include "runtime/chips/bm1684x/rules/Families.h"

using namespace weft::isa;
using namespace weft::isa::rules;

using F = Field;

static constexpr uint8_t kType = uint8_t(TiuType::Quant);

/// rq0 converts twice, and carries a rounding code for each.
static void checkRq0Rounding(const Subject &s, Report &report) {
  uint64_t codes = s.get(F::opd2_n_str);
  constexpr uint64_t kLast = unsigned(Rounding::Ceil);
  if ((codes & 7) > kLast || codes >> 3 > kLast)
    report.fail("the rounding codes in opd2_n_str are " +
                std::to_string(codes & 7) + " and " +
                std::to_string(codes >> 3) + ", must be 0 to 4");
}

static void checkFloatRounding(const Subject &s, Report &report) {
  report.range(s, F::opd2_n_str, 0, unsigned(Rounding::Ceil));
}

static void checkRounding(const Subject &s, Report &report) {
  report.range(s, F::opd2_n_str, 0, unsigned(Rounding::HalfDown));
}

static void checkShift(const Subject &s, Report &report) {
  if (s.get(F::opd1_const) == 0)
    return;
  bool isRq = s.command.func == quant::Rq1;
  int64_t shift = isRq ? int64_t(int8_t(s.get(F::opd2_addr)))
                       : int64_t(int16_t(s.get(F::opd1_addr) >> 16));
  if (shift < -64 || shift > 31)
    report.fail(std::string("the shift in ") +
                (isRq ? "opd2_addr" : "opd1_addr") + " is " +
                std::to_string(shift) + ", must be -64 to 31");
}

static constexpr CodeRule kRules[] = {
    {kType, functions({quant::Rq0}), "PPL rq0", checkRq0Rounding},
    {kType, functions({quant::Dq0}), "PPL dq0", checkFloatRounding},
    {kType, functions({quant::Rq1, quant::Dq1}), "PPL rq1, dq1", checkRounding},
    {kType, functions({quant::Rq1, quant::Dq1}), "PPL rq1, dq1", checkShift},
};

Rows<CodeRule> bm1684x::quantRules() { return {kRules, std::size(kRules)}; }
