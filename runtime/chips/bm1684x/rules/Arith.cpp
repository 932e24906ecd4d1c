//===- Arith.cpp - rules of element arithmetic ---------------------------===//

#include "runtime/chips/bm1684x/rules/Families.h"

using namespace weft::isa;
using namespace weft::isa::rules;
namespace ar = weft::isa::arith;

using F = Field;

static constexpr uint8_t kType = uint8_t(TiuType::Arith);

static constexpr Functions kIndexMakers =
    functions({ar::EuIndex, ar::LaneIndex});
static constexpr Functions kSelects =
    functions({ar::SelectGreater, ar::SelectEqual, ar::SelectLess});
static constexpr Functions kShifts =
    functions({ar::LogicalShift, ar::ArithShift, ar::Rotate});
static constexpr Functions kSaturating =
    functions({ar::AddSat, ar::SubSat, ar::MulSat});
static constexpr Functions kWrapping =
    functions({ar::Add, ar::Sub, ar::Mul, ar::MulDoublingHigh});
static constexpr Functions kBitwise =
    functions({ar::Not, ar::And, ar::Or, ar::Xor});
static constexpr Functions kMinMax = functions({ar::Max, ar::Min});

static unsigned widthOf(const Subject &s, Field field) {
  return elementBytes(s.precision(field)) * 8;
}

static void checkOperandCount(const Subject &s, Report &report) {
  Functions mine = Functions(1) << s.command.func;
  if (mine & kIndexMakers)
    return;
  if (ar::isUnary(s.command.func))
    report.range(s, F::tsk_opd_num, 1, 1);
  else if (ar::isSelect(s.command.func))
    report.range(s, F::tsk_opd_num, 3, 3);
  else
    report.range(s, F::tsk_opd_num, 2, 3);
}

//===-- layouts -----------------------------------------------------------===//

namespace {
struct OperandFields {
  const char *name;
  Field address, layout, precision, n, c, h, w;
};
} // namespace

static constexpr OperandFields kOperands[] = {
    {"res0", F::res0_addr, F::res0_str, F::res0_prec, F::res0_n_str,
     F::res0_c_str, F::res0_h_str, F::res0_w_str},
    {"opd0", F::opd0_addr, F::opd0_str, F::opd0_prec, F::opd0_n_str,
     F::opd0_c_str, F::opd0_h_str, F::opd0_w_str},
    {"opd1", F::opd1_addr, F::opd1_str, F::opd1_prec, F::opd1_n_str,
     F::opd1_c_str, F::opd1_h_str, F::opd1_w_str},
};

static void checkStrides(const Subject &s, const OperandFields &fields,
                         Report &report) {
  report.from("PPL 4.6.1: strides are below 262144");
  constexpr uint64_t kMaxStride = (1 << 18) - 1;
  for (Field stride : {fields.n, fields.c, fields.h, fields.w})
    report.range(s, stride, 0, kMaxStride);
  if (fields.address != F::res0_addr)
    return;
  report.from("PPL 4.6.1: elements of a result do not share a place");
  const Field sizes[] = {F::res0_n, F::res0_c, F::res0_h, F::res0_w};
  const Field strides[] = {fields.n, fields.c, fields.h, fields.w};
  for (unsigned axis = 0; axis < 4; ++axis) {
    // Channels in different lanes have different places whatever the stride.
    uint64_t size = s.get(sizes[axis]);
    bool apart = axis == 1 ? size <= s.chip.lanes : size == 1;
    if (!apart && s.get(strides[axis]) == 0)
      report.fail(nameOf(strides[axis]) + " is 0 with " + nameOf(sizes[axis]) +
                  " " + std::to_string(size) + ", must not be 0");
  }
}

static void checkLayouts(const Subject &s, Report &report) {
  for (const OperandFields &fields : kOperands) {
    if (!s.access(fields.name))
      continue;
    report.from("isa 3: layouts of AR are aligned, compact, channel, free");
    report.range(s, fields.layout, 0, unsigned(Layout::Free));
    unsigned bytes = elementBytes(s.precision(fields.precision));
    switch (Layout(s.get(fields.layout))) {
    case Layout::Aligned:
      report.from("isa 4");
      report.multiple(s, fields.address, s.chip.euBytes, " in layout aligned");
      break;
    case Layout::Free:
      checkStrides(s, fields, report);
      [[fallthrough]];
    default:
      report.from("PPL 4.6.1: a tensor begins at an element");
      if (bytes)
        report.multiple(s, fields.address, bytes, ", the size of an element");
    }
  }
  report.from("isa 3: layout channel is for operands");
  if (s.get(F::res0_str) == unsigned(Layout::Channel))
    report.fail("res0_str is channel, a result has a place for every element");
}

//===-- element types -----------------------------------------------------===//

static void requireIntegers(const Subject &s, Report &report) {
  for (Field field : {F::res0_prec, F::opd0_prec})
    report.type(s, field, kIntegers);
  if (s.get(F::tsk_opd_num) >= 2)
    report.type(s, F::opd1_prec, kIntegers);
}

/// Two floats of one type, or two integers of any.
static void checkWrapping(const Subject &s, Report &report) {
  if (!s.isFloatType(F::opd0_prec) && !s.isFloatType(F::opd1_prec) &&
      !s.isFloatType(F::res0_prec))
    return;
  report.sameType(s, F::opd0_prec, F::opd1_prec);
  report.sameType(s, F::opd0_prec, F::res0_prec);
  if (s.get(F::tsk_opd_num) != 2)
    report.fail("tsk_opd_num is 3 with floats, which are not shifted; it must "
                "be 2");
  if (s.command.func == ar::MulDoublingHigh)
    report.fail("mulDHR of floats; it is for integers");
}

static void checkMinMax(const Subject &s, Report &report) {
  report.sameType(s, F::opd0_prec, F::opd1_prec);
  report.sameType(s, F::opd0_prec, F::res0_prec);
  if (!s.isFloatType(F::opd0_prec))
    if (s.get(F::opd0_sign) != s.get(F::opd1_sign))
      report.fail("opd0_sign and opd1_sign differ, they must be the same");
}

static void checkBitwise(const Subject &s, Report &report) {
  requireIntegers(s, report);
  report.sameType(s, F::opd0_prec, F::res0_prec);
  if (s.command.func != ar::Not)
    report.sameType(s, F::opd0_prec, F::opd1_prec);
}

static void checkSameAsResult(const Subject &s, Report &report) {
  report.sameType(s, F::opd0_prec, F::res0_prec);
}

static void checkAbsDiff(const Subject &s, Report &report) {
  report.sameType(s, F::opd0_prec, F::opd1_prec);
  if (s.isFloatType(F::opd0_prec))
    report.sameType(s, F::opd0_prec, F::res0_prec);
}

static void checkSelect(const Subject &s, Report &report) {
  report.sameType(s, F::opd0_prec, F::opd1_prec);
  if (s.has(F::opd2_prec))
    report.sameType(s, F::opd2_prec, F::res0_prec);
  if (widthOf(s, F::res0_prec) > widthOf(s, F::opd0_prec))
    report.fail("res0_prec is " + typeName(s.precision(F::res0_prec)) +
                ", wider than the compared " +
                typeName(s.precision(F::opd0_prec)));
}

static void checkDivision(const Subject &s, Report &report) {
  for (Field field : {F::res0_prec, F::opd0_prec, F::opd1_prec})
    report.type(s, field, types({Precision::Fp32}));
}

static void checkCast(const Subject &s, Report &report) {
  Precision from = s.precision(F::opd0_prec), to = s.precision(F::res0_prec);
  bool swapsHalves = (from == Precision::Fp16 && to == Precision::Bf16) ||
                     (from == Precision::Bf16 && to == Precision::Fp16);
  if (swapsHalves)
    report.fail("a cast from " + typeName(from) + " to " + typeName(to) +
                "; go through fp32");
}

static void checkCastRounding(const Subject &s, Report &report) {
  if (s.isFloatType(F::opd0_prec) || s.isFloatType(F::res0_prec))
    report.range(s, F::opd2_n_str, 0, unsigned(Rounding::Ceil));
}

static void checkRounding(const Subject &s, Report &report) {
  report.range(s, F::opd2_n_str, 0, unsigned(Rounding::HalfDown));
}

static void checkMac(const Subject &s, Report &report) {
  if (s.isFloatType(F::opd0_prec)) {
    for (Field field : {F::res0_prec, F::opd0_prec, F::opd1_prec})
      report.type(s, field, types({Precision::Fp32}));
    return;
  }
  report.type(s, F::opd0_prec, types({Precision::Int8}));
  report.type(s, F::opd1_prec, types({Precision::Int8}));
  report.type(s, F::res0_prec, types({Precision::Int16}));
}

static void checkShift(const Subject &s, Report &report) {
  requireIntegers(s, report);
  if (widthOf(s, F::opd1_prec) > widthOf(s, F::opd0_prec))
    report.fail("opd1_prec is " + typeName(s.precision(F::opd1_prec)) +
                ", wider than the shifted " +
                typeName(s.precision(F::opd0_prec)));
}

static void checkCount(const Subject &s, Report &report) {
  requireIntegers(s, report);
  if (widthOf(s, F::res0_prec) > widthOf(s, F::opd0_prec))
    report.fail("res0_prec is " + typeName(s.precision(F::res0_prec)) +
                ", wider than opd0_prec, " +
                typeName(s.precision(F::opd0_prec)));
}

static void checkIndexMaker(const Subject &s, Report &report) {
  report.type(s, F::res0_prec, kIntegers);
}

//===-- constants ---------------------------------------------------------===//

/// The third operand of integer arithmetic: an int8 shift.
static void checkShiftConstant(const Subject &s, Report &report) {
  if (s.get(F::tsk_opd_num) != 3 || s.get(F::opd2_const) == 0)
    return;
  int64_t amount = int8_t(s.get(F::opd2_addr));
  bool isProduct = s.isFunction({ar::Mul, ar::MulSat});
  int64_t low = isProduct ? -64 : -32;
  if (amount < low || amount > 31)
    report.fail("the shift in opd2_addr is " + std::to_string(amount) +
                ", must be " + std::to_string(low) + " to 31");
}

static void checkShiftAmount(const Subject &s, Report &report) {
  if (s.get(F::opd1_const) == 0)
    return;
  int64_t amount = int8_t(s.get(F::opd1_addr));
  if (amount < -32 || amount > 31)
    report.fail("the amount in opd1_addr is " + std::to_string(amount) +
                ", must be -32 to 31");
}

static void checkMacShifts(const Subject &s, Report &report) {
  if (s.isFloatType(F::opd0_prec) || s.get(F::tsk_opd_num) < 3 ||
      s.get(F::opd2_const) == 0)
    return;
  uint64_t left = s.get(F::opd2_addr) & 0xff,
           right = s.get(F::opd2_addr) >> 8 & 0xff;
  if (left > 31 || right > 31)
    report.fail("the shifts in opd2_addr are " + std::to_string(left) +
                " and " + std::to_string(right) + ", must be 0 to 31");
}

static constexpr CodeRule kRules[] = {
    {kType, kAllFunctions, "isa 5, AR", checkOperandCount},
    {kType, kAllFunctions, "", checkLayouts},
    {kType, kWrapping, "PPL 4.6.1 fadd, fsub, fmul: one type for all",
     checkWrapping},
    {kType, kSaturating, "PPL 4.6.1: floats do not saturate on BM1684X",
     requireIntegers},
    {kType, kMinMax, "PPL min, max: one type and sign for all", checkMinMax},
    {kType, kBitwise, "PPL 4.6.1 bitwise: integers of one type", checkBitwise},
    {kType, kShifts, "PPL shift, logical_shift", checkShift},
    {kType, functions({ar::Rotate}), "PPL circular_shift", checkSameAsResult},
    {kType, kSelects, "PPL gt, lt, eq", checkSelect},
    {kType, functions({ar::Div}), "PPL fdiv: only fp32 on BM1684X",
     checkDivision},
    {kType, functions({ar::Cast}), "PPL cast", checkCast},
    {kType, functions({ar::Cast}),
     "isa 3: casts from and to floats take the rounding codes 0 to 4",
     checkCastRounding},
    {kType, functions({ar::Mac}), "PPL mac, fmac", checkMac},
    {kType, functions({ar::Mac}), "PPL mac", checkMacShifts},
    {kType, functions({ar::Copy, ar::CopyOverN, ar::Abs}),
     "PPL move, abs: source and result have one type", checkSameAsResult},
    {kType, functions({ar::AbsDiff}), "PPL fsub_abs", checkAbsDiff},
    {kType, functions({ar::LeadingZeros, ar::LeadingOnes}), "PPL clz, clo",
     checkCount},
    {kType, kIndexMakers, "isa 5, AR: indices are integers", checkIndexMaker},
    {kType, kWrapping | kSaturating, "PPL add, sub, mul", checkShiftConstant},
    {kType, kShifts, "PPL shift, logical_shift", checkShiftAmount},
    {kType, kAllFunctions & ~functions({ar::Div}), "isa 3: rounding codes",
     checkRounding},
};

Rows<CodeRule> bm1684x::arithRules() { return {kRules, std::size(kRules)}; }
