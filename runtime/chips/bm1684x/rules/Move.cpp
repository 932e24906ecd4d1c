//===- Move.cpp - rules of selects, transposes, gathers, functions -------===//

#include "runtime/chips/bm1684x/rules/Families.h"

#include <tuple>

using namespace weft::isa;
using namespace weft::isa::rules;

using F = Field;

static constexpr uint8_t kCompare = uint8_t(TiuType::Compare);
static constexpr uint8_t kMove = uint8_t(TiuType::TransposeBroadcast);
static constexpr uint8_t kGather = uint8_t(TiuType::Gather);
static constexpr uint8_t kSpecial = uint8_t(TiuType::Special);
static constexpr Functions kLines =
    functions({sg::GatherLine, sg::ScatterLine});

//===-- CMP ---------------------------------------------------------------===//

static void checkCompareTypes(const Subject &s, Report &report) {
  unsigned compared = elementBytes(s.precision(F::opd0_prec)),
           selected = elementBytes(s.precision(F::opd2_prec));
  if (compared != selected && compared != 1)
    report.fail("opd0_prec is " + typeName(s.precision(F::opd0_prec)) +
                " and opd2_prec " + typeName(s.precision(F::opd2_prec)) +
                ", compared and selected must be of one size, or the "
                "compared of 8 bits");
}

/// The compared operands are aligned tensors or vectors, one value a channel.
static void checkCompareLayouts(const Subject &s, Report &report) {
  for (auto [name, layout, address] :
       {std::tuple("opd0", F::opd0_str, F::opd0_addr),
        std::tuple("opd1", F::opd1_str, F::opd1_addr)}) {
    if (!s.access(name))
      continue;
    bool isAligned = s.get(layout) == unsigned(Layout::Aligned);
    bool isVector = s.get(layout) == unsigned(Layout::Channel);
    if (!isAligned && !isVector)
      report.fail(nameOf(layout) + " is code " + std::to_string(s.get(layout)) +
                  ", must be aligned or channel");
    unsigned bytes = elementBytes(s.precision(F::opd0_prec));
    report.multiple(s, address,
                    isAligned ? s.chip.euBytes
                    : bytes   ? bytes
                              : 1,
                    isAligned ? " in layout aligned"
                              : ", the size of an element");
  }
}

//===-- TRANS_BC ----------------------------------------------------------===//

static void checkTransposeSizes(const Subject &s, Report &report) {
  if (s.get(F::opd0_c) != s.get(F::res0_w) ||
      s.get(F::opd0_w) != s.get(F::res0_c))
    report.fail("opd0 has " + std::to_string(s.get(F::opd0_c)) +
                " channels of " + std::to_string(s.get(F::opd0_w)) +
                ", the result " + std::to_string(s.get(F::res0_c)) + " of " +
                std::to_string(s.get(F::res0_w)) + "; c and w must be swapped");
}

static bool meet(const Access &a, const Access &b, const weft::Chip &chip) {
  if (a.begin >= b.end || b.begin >= a.end)
    return false;
  for (uint32_t i = 0; i < a.lanes; ++i) {
    uint32_t lane = (a.firstLane + i) % chip.lanes;
    if ((lane + chip.lanes - b.firstLane) % chip.lanes < b.lanes)
      return true;
  }
  return false;
}

static void checkNoOverlap(const Subject &s, Report &report) {
  const Access *source = s.access("opd0"), *result = s.access("res0");
  if (source && result)
    if (meet(*source, *result, s.chip))
      report.fail("source and result overlap, they must be apart");
}

static void checkBroadcastLanes(const Subject &s, Report &report) {
  const Access *result = s.access("res0");
  if (!result)
    return;
  uint64_t room = s.chip.lanes - result->firstLane;
  if (s.get(F::res0_c) > room)
    report.fail("res0_c is " + std::to_string(s.get(F::res0_c)) +
                ", from lane " + std::to_string(result->firstLane) +
                " there are " + std::to_string(room));
}

static void checkStaticSource(const Subject &s, Report &report) {
  const Access *source = s.access("opd0");
  if (source)
    if (source->memory != Memory::Static)
      report.fail("opd0_addr is " + hex(s.get(F::opd0_addr)) +
                  ", must lie in static memory");
}

//===-- SG, SGL -----------------------------------------------------------===//

static void checkTableLayout(const Subject &s, Report &report) {
  uint64_t layout = s.get(F::opd0_str);
  if (layout != unsigned(Layout::Aligned) && layout != unsigned(Layout::Free) &&
      layout != unsigned(Layout::PerLane))
    report.fail("opd0_str is code " + std::to_string(layout) +
                ", must be 0, 3 or 4 (one table a channel or a lane)");
}

static void checkListLength(const Subject &s, Report &report) {
  bool scatters = s.isFunction({sg::ScatterW, sg::ScatterHw});
  uint64_t length = scatters ? s.get(F::opd0_h) * s.get(F::opd0_w)
                             : s.get(F::res0_h) * s.get(F::res0_w);
  if (s.get(F::opd1_c) != length)
    report.fail("opd1_c is " + std::to_string(s.get(F::opd1_c)) +
                " indices for " + std::to_string(length) + " elements of " +
                (scatters ? "opd0" : "the result"));
}

static void checkOneRow(const Subject &s, Report &report) {
  report.range(s, F::res0_h, 1, 1);
}

//===-- SFU ---------------------------------------------------------------===//

static void checkExponentType(const Subject &s, Report &report) {
  Precision in = s.precision(F::opd0_prec);
  report.type(
      s, F::res0_prec,
      types({in, in == Precision::Fp32 ? Precision::Int32 : Precision::Int16}));
}

static constexpr CodeRule kRules[] = {
    {kCompare, kAllFunctions, "PPL gt_select, vendor encoder",
     checkCompareTypes},
    {kCompare, kAllFunctions, "PPL gt_select", checkCompareLayouts},
    {kMove, functions({tsbc::CwTranspose, tsbc::WcTranspose}),
     "PPL transpose_cw, transpose_wc", checkTransposeSizes},
    {kMove, functions({tsbc::CwTranspose, tsbc::WcTranspose}),
     "PPL transpose_cw, transpose_wc", checkNoOverlap},
    {kMove, functions({tsbc::LaneBroadcast, tsbc::StaticBroadcast}),
     "PPL broadcast: no second row of lanes", checkBroadcastLanes},
    {kMove, functions({tsbc::StaticBroadcast, tsbc::StaticDistribute}), "isa 1",
     checkStaticSource},
    {kGather,
     functions({sg::GatherPerChannel, sg::ScatterPerChannel, sg::GatherFourBank,
                sg::MaskSelect, sg::MaskSelectHzd, sg::GatherHzd,
                sg::ScatterHzd}) |
         kLines,
     "isa 5, SG", checkTableLayout},
    {kGather,
     functions({sg::GatherW, sg::GatherHw, sg::ScatterW, sg::ScatterHw}),
     "PPL gather_w, gather_hw: an index for every element", checkListLength},
    {kGather,
     functions({sg::GatherW, sg::ScatterW, sg::GatherPerChannel,
                sg::ScatterPerChannel, sg::GatherHzd, sg::ScatterHzd,
                sg::GatherFourBank, sg::MaskSelect, sg::MaskSelectHzd,
                sg::NonZero, sg::NonZeroHzd}),
     "PPL gather_w, mask_select: h is 1", checkOneRow},
    {kSpecial, functions({sfu::Normalize}), "isa 5, SFU; PPL norm",
     checkExponentType},
};

Rows<CodeRule> bm1684x::moveRules() { return {kRules, std::size(kRules)}; }
