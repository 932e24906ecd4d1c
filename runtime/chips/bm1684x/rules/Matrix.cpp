//===- Matrix.cpp - rules of matrix and outer products -------------------===//

#include "runtime/chips/bm1684x/rules/Families.h"

using namespace weft::isa;
using namespace weft::isa::rules;

using F = Field;

static constexpr uint8_t kMatMul = uint8_t(TiuType::MatMul);
static constexpr uint8_t kOuter = uint8_t(TiuType::OuterProduct);
static constexpr Functions kMm2 = functions({mm::NN, mm::NT, mm::TT});

static void checkMmTypes(const Subject &s, Report &report) {
  if (s.isFloatType(F::opd0_prec))
    report.type(s, F::res0_prec, types({Precision::Fp32}));
  else
    report.type(s, F::res0_prec, types({Precision::Int32}));
}

/// The vendor's emulator adds a part of the old integers only.
static void checkMmAdd(const Subject &s, Report &report) {
  if (s.get(F::res_add) != 0 && !s.isFloatType(F::opd0_prec))
    report.fail("res_add is 1 with integers");
}

/// The left matrix fills its channels but for the last one.
static void checkLastChannel(const Subject &s, Report &report) {
  if (s.get(F::opd1_w) > s.get(F::opd0_w))
    report.fail("opd1_w, the columns in the last channel, is " +
                std::to_string(s.get(F::opd1_w)) +
                ", must be at most opd0_w, " +
                std::to_string(s.get(F::opd0_w)));
}

static void checkMmShifts(const Subject &s, Report &report) {
  uint64_t left = s.get(F::opd3_addr) & 0xff,
           right = s.get(F::opd3_addr) >> 8 & 0xff;
  if (left > 31 || right > 31)
    report.fail("the shifts in opd3_addr are " + std::to_string(left) +
                " and " + std::to_string(right) + ", must be 0 to 31");
}

static void checkMm2Types(const Subject &s, Report &report) {
  Precision in = s.precision(F::opd0_prec);
  if (isFloat(in))
    report.type(s, F::res0_prec, types({Precision::Fp32, in}));
  else
    report.type(s, F::res0_prec, types({Precision::Int32}));
}

/// One size of the right matrix is the result's.
static void checkMm2Sizes(const Subject &s, Report &report) {
  Field right = s.command.func == mm::NN ? F::opd1_w : F::opd1_c;
  Field result = s.command.func == mm::TT ? F::res0_c : F::res0_w;
  if (s.get(right) != s.get(result))
    report.fail(nameOf(right) + " is " + std::to_string(s.get(right)) +
                " and " + nameOf(result) + " " + std::to_string(s.get(result)) +
                ", they must be the same");
}

static void checkMm2Add(const Subject &s, Report &report) {
  if (s.get(F::res_add) != 0)
    report.fail("res_add is 1; nt does not add to its result");
}

static void checkOuterTypes(const Subject &s, Report &report) {
  bool isFloatProduct =
      s.isFloatType(F::opd0_prec) || s.isFloatType(F::opd1_prec);
  if (!isFloatProduct)
    return;
  report.sameType(s, F::opd0_prec, F::opd1_prec);
  if (s.isFunction({arith::And, arith::Or, arith::Xor, arith::AddSat,
                    arith::SubSat, arith::MulSat, arith::MulDoublingHigh}))
    report.fail("floats; the function is for integers");
}

static void checkOuterLength(const Subject &s, Report &report) {
  if (s.get(F::opd1_w) > s.get(F::opd0_w))
    report.fail("opd1_w, the elements in the last channel of opd0, is " +
                std::to_string(s.get(F::opd1_w)) +
                ", must be at most opd0_w, " +
                std::to_string(s.get(F::opd0_w)));
}

static constexpr CodeRule kRules[] = {
    {kMatMul, functions({mm::Normal}), "isa 5, MM; PPL mm, fmm", checkMmTypes},
    {kMatMul, functions({mm::Normal}),
     "PPL mm: only the requantised product adds", checkMmAdd},
    {kMatMul, functions({mm::Normal, mm::Requantised, mm::RequantisedRelu}),
     "isa 5, MM", checkLastChannel},
    {kMatMul, functions({mm::Requantised, mm::RequantisedRelu}), "PPL mm",
     checkMmShifts},
    {kMatMul, kMm2, "isa 5, MM2; PPL mm2, fmm2", checkMm2Types},
    {kMatMul, kMm2, "isa 5, MM2", checkMm2Sizes},
    {kMatMul, functions({mm::NT}), "PPL mm2, fmm2, vendor encoder",
     checkMm2Add},
    {kOuter, kAllFunctions, "PPL vc_min, fvc_min", checkOuterTypes},
    {kOuter, kAllFunctions, "isa 5, VC", checkOuterLength},
};

Rows<CodeRule> bm1684x::matrixRules() { return {kRules, std::size(kRules)}; }
