//===- Window.cpp - rules of convolution, depthwise and pooling ----------===//

#include "runtime/chips/bm1684x/rules/Families.h"

using namespace weft::isa;
using namespace weft::isa::rules;

using F = Field;

static constexpr uint8_t kConv = uint8_t(TiuType::Conv);
static constexpr uint8_t kPorD = uint8_t(TiuType::PoolOrDepthwise);
static constexpr Functions kDepthwise =
    functions({pord::Depthwise, pord::DepthwiseRelu, pord::RoiDepthwise});
static constexpr Functions kAverage =
    functions({pord::AvgPool, pord::RoiAvgPool});
static constexpr Functions kRegions =
    functions({pord::RoiDepthwise, pord::RoiAvgPool, pord::RoiMaxPool});
static constexpr Functions kPlainPord = functions(
    {pord::Depthwise, pord::AvgPool, pord::DepthwiseRelu, pord::MaxPool});

/// One axis: the window, dilated, slides over the padded input, into which
/// zeros are inserted.
static void checkAxis(const Subject &s, const char *axis, Field result,
                      Field input, Field kernel, Field insert, Field dilation,
                      Field padBegin, Field padEnd, Field stride,
                      Report &report) {
  uint64_t length = (s.get(input) - 1) * (s.get(insert) + 1) + 1 +
                    s.get(padBegin) + s.get(padEnd);
  uint64_t window = (s.get(kernel) - 1) * (s.get(dilation) + 1) + 1;
  if (report.isBroken())
    return; // sizes of 0
  if (window > length)
    return report.fail("the window covers " + std::to_string(window) + " of " +
                       std::to_string(length) + " padded elements of " + axis);
  constexpr uint64_t kMaxSize = 65535;
  if (length > kMaxSize)
    report.fail("the padded input has " + std::to_string(length) +
                " elements of " + axis + ", must have at most 65535");
  uint64_t want = (length - window) / s.get(stride) + 1;
  if (s.get(result) != want)
    report.fail(nameOf(result) + " is " + std::to_string(s.get(result)) +
                ", the window gives " + std::to_string(want));
}

static void checkGeometry(const Subject &s, Report &report) {
  checkAxis(s, "h", F::res0_h, F::opd0_h, F::opd1_h, F::opd0_y_ins0,
            F::opd1_y_ins0, F::opd0_up_pad, F::opd0_dn_pad, F::res_op_y_str,
            report);
  checkAxis(s, "w", F::res0_w, F::opd0_w, F::opd1_w, F::opd0_x_ins0,
            F::opd1_x_ins0, F::opd0_lf_pad, F::opd0_rt_pad, F::res_op_x_str,
            report);
}

/// Reflected and circular padding repeats what is there, once.
static void checkPadMode(const Subject &s, Report &report) {
  PadMode mode = PadMode(s.get(F::pad_mode));
  if (mode != PadMode::Reflect && mode != PadMode::Circular)
    return;
  struct Axis {
    Field size, insert, pads[2];
  };
  for (const Axis &axis :
       {Axis{F::opd0_h, F::opd0_y_ins0, {F::opd0_up_pad, F::opd0_dn_pad}},
        Axis{F::opd0_w, F::opd0_x_ins0, {F::opd0_lf_pad, F::opd0_rt_pad}}}) {
    uint64_t extent = (s.get(axis.size) - 1) * (s.get(axis.insert) + 1) + 1;
    uint64_t most = mode == PadMode::Reflect ? extent - 1 : extent;
    for (Field pad : axis.pads)
      if (s.get(pad) > most)
        report.fail(nameOf(pad) + " is " + std::to_string(s.get(pad)) +
                    ", there are " + std::to_string(most) +
                    " elements to repeat");
  }
}

static void checkConvShift(const Subject &s, Report &report) {
  report.range(s, F::opd3_addr, 0, 31);
}

static void checkConvTypes(const Subject &s, Report &report) {
  Precision in = s.precision(F::opd0_prec);
  if (in == Precision::Fp32)
    report.type(s, F::res0_prec, types({Precision::Fp32}));
  else if (isFloat(in))
    report.type(s, F::res0_prec, types({Precision::Fp32, in}));
  else
    report.type(s, F::res0_prec, kIntegers);
}

static void checkConvInput(const Subject &s, Report &report) {
  if (s.get(F::opd0_str) != unsigned(Layout::Aligned) &&
      s.get(F::opd0_str) != unsigned(Layout::Free))
    report.fail("opd0_str is code " + std::to_string(s.get(F::opd0_str)) +
                ", must be aligned or free");
  bool isFree = s.get(F::opd0_str) == unsigned(Layout::Free);
  if (unsigned bytes = elementBytes(s.precision(F::opd0_prec)))
    report.multiple(s, F::opd0_addr, isFree ? bytes : s.chip.euBytes,
                    isFree ? ", the size of an element" : " in layout aligned");
}

/// The dot unit of 8 and 16 bits reads its channels from lane 0 on.
static void checkConvInputLane(const Subject &s, Report &report) {
  if (s.precision(F::opd0_prec) == Precision::Fp32)
    return;
  for (const char *operand : {"opd0", "opd3"})
    if (const Access *access = s.access(operand))
      if (access->firstLane != 0)
        report.fail(std::string(operand) + " begins in lane " +
                    std::to_string(access->firstLane) +
                    ", must begin in lane 0");
}

static void checkConvThird(const Subject &s, Report &report) {
  if (s.access("opd2"))
    report.multiple(s, F::opd2_addr,
                    s.isFloatType(F::opd0_prec)      ? 4
                    : s.command.func != conv::Normal ? 2
                                                     : 1,
                    ", the size of an element");
}

static void checkConvAdd(const Subject &s, Report &report) {
  if (s.get(F::res_add) && !s.isFloatType(F::opd0_prec))
    report.type(s, F::res0_prec, types({Precision::Int32}));
}

static void checkPordTypes(const Subject &s, Report &report) {
  if (s.isFloatType(F::opd0_prec))
    report.sameType(s, F::opd0_prec, F::res0_prec);
  else
    report.type(s, F::res0_prec, kIntegers);
}

static void checkDepthwiseOperands(const Subject &s, Report &report) {
  unsigned bytes = elementBytes(s.precision(F::opd0_prec));
  if (s.access("opd1") && bytes)
    report.multiple(s, F::opd1_addr, bytes, ", the size of an element");
  if (s.access("opd2") && bytes)
    report.multiple(s, F::opd2_addr, s.isFloatType(F::opd0_prec) ? bytes : 4,
                    ", the size of an element");
}

static void checkDepthwiseRounding(const Subject &s, Report &report) {
  report.range(s, F::opd2_n_str, 0, unsigned(Rounding::HalfDown));
  if (s.isFloatType(F::opd0_prec))
    return;
  uint64_t shift = s.get(F::res1_addr) >> 8 & 0xff;
  if (shift > 31)
    report.fail("the shift in res1_addr is " + std::to_string(shift) +
                ", must be 0 to 31");
}

static void checkAverage(const Subject &s, Report &report) {
  if (s.isFloatType(F::opd0_prec))
    return;
  if (s.get(F::opd1_const))
    report.range(s, F::opd1_addr, 0, 255);
  report.range(s, F::opd2_addr, 0, 31);
}

/// One box a column of the result, and one value for all that lies outside.
static void checkRegions(const Subject &s, Report &report) {
  report.range(s, F::res0_h, 1, 1);
  report.range(s, F::opd2_const, 1, 1);
}

static constexpr CodeRule kRules[] = {
    {kConv, kAllFunctions, "PPL 4.6.4: window geometry", checkGeometry},
    {kConv, kAllFunctions, "vendor emulator: wider padding reads outside",
     checkPadMode},
    {kConv, functions({conv::Requantised, conv::RequantisedRelu}),
     "PPL conv_sym: shift 0 to 31", checkConvShift},
    {kConv, kAllFunctions, "isa 5, CONV; PPL 4.6.4", checkConvTypes},
    {kConv, kAllFunctions, "isa 5, CONV; PPL fconv", checkConvInput},
    {kConv, kAllFunctions, "PPL fconv, vendor encoder", checkConvInputLane},
    {kConv, kAllFunctions, "PPL fconv: a bias begins at an element",
     checkConvThird},
    {kConv, functions({conv::Normal}), "PPL conv_asym: sums are 32 bits wide",
     checkConvAdd},
    // Regions of interest have a window of their own for every column.
    {kPorD, kPlainPord, "PPL 4.6.4: window geometry", checkGeometry},
    {kPorD, kPlainPord, "vendor emulator: wider padding reads outside",
     checkPadMode},
    {kPorD, kRegions, "vendor emulator", checkRegions},
    {kPorD, kAllFunctions, "isa 5, PorD; PPL 4.6.6", checkPordTypes},
    {kPorD, kDepthwise, "PPL dw_conv: compact operands begin at an element",
     checkDepthwiseOperands},
    {kPorD, kDepthwise, "PPL dw_conv", checkDepthwiseRounding},
    {kPorD, kAverage, "PPL pool_avg: scale 0 to 255, shift 0 to 31",
     checkAverage},
};

Rows<CodeRule> bm1684x::windowRules() { return {kRules, std::size(kRules)}; }
