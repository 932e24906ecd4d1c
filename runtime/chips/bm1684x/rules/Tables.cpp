//===- Tables.cpp - the plain rules of TIU instructions ------------------===//

#include "runtime/chips/bm1684x/rules/Families.h"

using namespace weft::isa;
using namespace weft::isa::rules;

namespace {

/// `field` lies in [low, high]; forms without the field keep the rule.
struct RangeRow {
  TiuType type;
  Functions functions;
  Field field;
  uint32_t low, high;
  const char *source;
};

/// The element type in `field` is one of `types`.
struct TypeRow {
  TiuType type;
  Functions functions;
  Field field;
  Types allowed;
  const char *source;
};

/// Two fields carry the same element type.
struct SameTypeRow {
  TiuType type;
  Functions functions;
  Field first, second;
  const char *source;
};

/// Where an operand may begin.
enum class Start : uint8_t {
  EuRow,   ///< at an EU row: 64 bytes
  Word,    ///< compact: 4 bytes
  Element, ///< at a multiple of its element
};
struct StartRow {
  TiuType type;
  Functions functions;
  const char *operand;
  Start start;
  Field precision; ///< of the operand; for Start::Element
  const char *source;
};

/// In which lane an operand begins.
enum class Lane : uint8_t { OfResult, Zero };
struct LaneRow {
  TiuType type;
  Functions functions;
  const char *operand;
  Lane lane;
  const char *source;
};

} // namespace

constexpr uint32_t kMaxSize = 65535;
constexpr const char *kSizes = "PPL 4.6: sizes are 1 to 65535";
constexpr const char *kWindow = "PPL 4.6.4: pad 0 to 15, stride and dilation 1 "
                                "to 15, insert 0 to 14";

using F = Field;
using T = TiuType;

// Regions of interest have a window of their own for every column.
static constexpr Functions kPlainPord = functions(
    {pord::Depthwise, pord::AvgPool, pord::DepthwiseRelu, pord::MaxPool});
static constexpr Functions kMm =
    functions({mm::Normal, mm::Requantised, mm::RequantisedRelu});
static constexpr Functions kMm2 = functions({mm::NN, mm::NT, mm::TT});
static constexpr Functions kTaylor = functions({sfu::Taylor4x, sfu::Taylor});
static constexpr Functions kSharedIndex =
    functions({sg::GatherW, sg::GatherHw, sg::ScatterW, sg::ScatterHw});
static constexpr Functions kLines =
    functions({sg::GatherLine, sg::ScatterLine});
static constexpr Functions kTransposes =
    functions({tsbc::CwTranspose, tsbc::WcTranspose});
static constexpr Functions kFromStatic =
    functions({tsbc::StaticBroadcast, tsbc::StaticDistribute});

// Instructions with a result of four sizes.
static constexpr TiuType kSizedResults[] = {
    T::Conv,   T::PoolOrDepthwise, T::Arith,  T::Quant,  T::TransposeBroadcast,
    T::Gather, T::Special,         T::Linear, T::Compare};

static constexpr RangeRow kRanges[] = {
    {T::Conv, kAllFunctions, F::opd0_c, 1, kMaxSize, kSizes},
    {T::Conv, kAllFunctions, F::opd0_h, 1, kMaxSize, kSizes},
    {T::Conv, kAllFunctions, F::opd0_w, 1, kMaxSize, kSizes},
    {T::Conv, kAllFunctions, F::opd1_h, 1, kMaxSize, kSizes},
    {T::Conv, kAllFunctions, F::opd1_w, 1, kMaxSize, kSizes},
    {T::Conv, kAllFunctions, F::res_op_x_str, 1, 15, kWindow},
    {T::Conv, kAllFunctions, F::res_op_y_str, 1, 15, kWindow},
    {T::Conv, kAllFunctions, F::opd0_x_ins0, 0, 14, kWindow},
    {T::Conv, kAllFunctions, F::opd0_y_ins0, 0, 14, kWindow},
    {T::Conv, kAllFunctions, F::opd1_x_ins0, 0, 14, kWindow},
    {T::Conv, kAllFunctions, F::opd1_y_ins0, 0, 14, kWindow},
    {T::PoolOrDepthwise, kAllFunctions, F::opd0_h, 1, kMaxSize, kSizes},
    {T::PoolOrDepthwise, kAllFunctions, F::opd0_w, 1, kMaxSize, kSizes},
    {T::PoolOrDepthwise, kAllFunctions, F::opd1_h, 1, kMaxSize, kSizes},
    {T::PoolOrDepthwise, kAllFunctions, F::opd1_w, 1, kMaxSize, kSizes},
    {T::PoolOrDepthwise, kPlainPord, F::res_op_x_str, 1, 15, kWindow},
    {T::PoolOrDepthwise, kPlainPord, F::res_op_y_str, 1, 15, kWindow},
    {T::PoolOrDepthwise, kPlainPord, F::opd1_x_ins0, 0, 14, kWindow},
    {T::PoolOrDepthwise, kPlainPord, F::opd1_y_ins0, 0, 14, kWindow},
    {T::PoolOrDepthwise, kAllFunctions, F::opd0_x_ins0, 0, 7,
     "PPL fpool_avg, vendor encoder refuses 8"},
    {T::PoolOrDepthwise, kAllFunctions, F::opd0_y_ins0, 0, 7,
     "PPL fpool_avg, vendor encoder refuses 8"},
    {T::MatMul, kAllFunctions, F::res0_c, 1, kMaxSize, kSizes},
    {T::MatMul, kAllFunctions, F::res0_w, 1, kMaxSize, kSizes},
    {T::MatMul, kAllFunctions, F::opd1_w, 1, kMaxSize, kSizes},
    {T::MatMul, kMm, F::opd0_n, 1, kMaxSize, kSizes},
    {T::MatMul, kMm, F::opd0_c, 1, kMaxSize, kSizes},
    {T::MatMul, kMm, F::opd0_w, 1, kMaxSize, kSizes},
    {T::MatMul, kMm2, F::opd1_c, 1, kMaxSize, kSizes},
    {T::OuterProduct, kAllFunctions, F::res0_c, 1, kMaxSize, kSizes},
    {T::OuterProduct, kAllFunctions, F::res0_w, 1, kMaxSize, kSizes},
    {T::OuterProduct, kAllFunctions, F::opd0_c, 1, kMaxSize, kSizes},
    {T::OuterProduct, kAllFunctions, F::opd0_w, 1, kMaxSize, kSizes},
    {T::OuterProduct, kAllFunctions, F::opd1_w, 1, kMaxSize, kSizes},
    {T::TransposeBroadcast, kTransposes, F::opd0_c, 1, kMaxSize, kSizes},
    {T::TransposeBroadcast, kTransposes, F::opd0_w, 1, kMaxSize, kSizes},
    {T::Special, kTaylor, F::opd1_n, 2, kMaxSize,
     "PPL taylor: len is at least 2"},
    {T::Special, functions({sfu::Rsqrt}), F::opd2_n_str, 0, 3,
     "PPL frsqrt: 1 to 4 steps"},
    {T::Arith, functions({arith::Div}), F::opd2_n_str, 0, 3,
     "PPL fdiv: 1 to 4 steps"},
    {T::Gather, kSharedIndex, F::opd1_c, 1, kMaxSize, kSizes},
    {T::Gather, kSharedIndex, F::opd0_h, 1, kMaxSize, kSizes},
    {T::Gather, kAllFunctions & ~kLines, F::opd0_w, 1, kMaxSize, kSizes},
    {T::Gather, kLines, F::opd0_h, 1, kMaxSize, kSizes},
};

constexpr const char *kConvTypes = "isa 5, CONV; PPL 4.6.4";
constexpr const char *kPoolTypes = "isa 5, PorD; PPL 4.6.6";
constexpr const char *kMatrixTypes = "isa 5, MM and MM2; PPL 4.6.5";
constexpr const char *kQuantTypes = "isa 5, RQDQ; PPL 4.6.7";

static constexpr TypeRow kTypes[] = {
    {T::Conv, functions({conv::Normal}), F::opd0_prec,
     kFloats | types({Precision::Int8}), kConvTypes},
    {T::Conv, functions({conv::Requantised, conv::RequantisedRelu}),
     F::opd0_prec, types({Precision::Int8}), kConvTypes},
    {T::Conv, functions({conv::Requantised, conv::RequantisedRelu}),
     F::res0_prec, kSmallIntegers, "PPL conv_sym"},
    {T::PoolOrDepthwise, kAllFunctions, F::opd0_prec,
     kFloats | types({Precision::Int8}), kPoolTypes},
    {T::PoolOrDepthwise, functions({pord::DepthwiseRelu}), F::opd0_prec,
     types({Precision::Int8}), "PPL fdw_conv has no relu"},
    {T::MatMul, functions({mm::Normal}), F::opd0_prec,
     kIntegers | types({Precision::Fp32}), kMatrixTypes},
    {T::MatMul, functions({mm::Requantised, mm::RequantisedRelu}), F::opd0_prec,
     types({Precision::Int8}), kMatrixTypes},
    {T::MatMul, functions({mm::Requantised, mm::RequantisedRelu}), F::res0_prec,
     kSmallIntegers, kMatrixTypes},
    {T::MatMul, kMm2, F::opd0_prec, kHalves | types({Precision::Int8}),
     kMatrixTypes},
    {T::Quant, functions({quant::Rq0, quant::Rq1}), F::opd0_prec, kWideIntegers,
     kQuantTypes},
    {T::Quant, functions({quant::Rq0, quant::Rq1}), F::res0_prec,
     kSmallIntegers, kQuantTypes},
    {T::Quant, functions({quant::Dq0, quant::Dq1}), F::opd0_prec,
     kSmallIntegers, kQuantTypes},
    {T::Quant, functions({quant::Dq0}), F::res0_prec, types({Precision::Fp32}),
     kQuantTypes},
    {T::Quant, functions({quant::Dq1}), F::res0_prec, kWideIntegers,
     kQuantTypes},
    {T::Special, kAllFunctions, F::opd0_prec, kFloats, "isa 5, SFU; PPL 4.6.9"},
    {T::Special, functions({sfu::Rsqrt}), F::opd0_prec,
     types({Precision::Fp32}), "PPL frsqrt: only fp32 on BM1684X"},
    {T::Linear, kAllFunctions, F::res0_prec, kFloats, "PPL fscale, fadd_sqr"},
    {T::Gather,
     functions({sg::GatherW, sg::ScatterW, sg::GatherPerChannel,
                sg::ScatterPerChannel, sg::GatherFourBank, sg::GatherHzd,
                sg::ScatterHzd, sg::GatherLine, sg::ScatterLine}),
     F::opd1_prec, kSmallIntegers, "PPL 4.6.3: an index has 8 or 16 bits"},
    {T::Gather, functions({sg::MaskSelect, sg::MaskSelectHzd}), F::opd1_prec,
     kIntegers, "PPL mask_select"},
};

static constexpr SameTypeRow kSameTypes[] = {
    {T::PoolOrDepthwise, functions({pord::MaxPool, pord::RoiMaxPool}),
     F::opd0_prec, F::res0_prec,
     "PPL pool_max: source and result have one type"},
    {T::Special, kTaylor | functions({sfu::Rsqrt}), F::opd0_prec, F::res0_prec,
     "PPL taylor, frsqrt"},
    {T::Gather,
     kAllFunctions & ~kLines & ~functions({sg::NonZero, sg::NonZeroHzd}),
     F::opd0_prec, F::res0_prec, "PPL 4.6.3: table and result have one type"},
};

constexpr const char *kAligned = "isa 4: an aligned tensor begins at an EU row";
constexpr const char *kCompact = "PPL 1.2.3: a compact tensor begins at a "
                                 "multiple of 4 bytes";

static constexpr StartRow kStarts[] = {
    {T::Conv, kAllFunctions, "res0", Start::EuRow, F::Reserved, kAligned},
    // The encoder wants an EU row here, the vendor's compiler does without.
    {T::Conv, kAllFunctions, "opd1", Start::Element, F::opd0_prec,
     "vendor compiler: the weights of a convolution begin at an element"},
    {T::PoolOrDepthwise, kAllFunctions, "res0", Start::EuRow, F::Reserved,
     kAligned},
    {T::PoolOrDepthwise, kAllFunctions, "opd0", Start::EuRow, F::Reserved,
     kAligned},
    {T::MatMul, kAllFunctions, "res0", Start::EuRow, F::Reserved, kAligned},
    {T::MatMul, kAllFunctions, "opd0", Start::EuRow, F::Reserved, kAligned},
    {T::MatMul, kAllFunctions, "opd1", Start::EuRow, F::Reserved, kAligned},
    {T::MatMul, kMm, "opd2", Start::EuRow, F::Reserved, kAligned},
    {T::Quant, kAllFunctions, "res0", Start::EuRow, F::Reserved, kAligned},
    {T::Quant, kAllFunctions, "opd0", Start::EuRow, F::Reserved, kAligned},
    {T::Quant, kAllFunctions, "opd1", Start::EuRow, F::Reserved,
     "isa 4: the parameters of a channel fill an EU row"},
    {T::Special, kAllFunctions, "res0", Start::EuRow, F::Reserved, kAligned},
    {T::Special, kAllFunctions, "opd0", Start::EuRow, F::Reserved, kAligned},
    {T::Special, kTaylor, "opd1", Start::EuRow, F::Reserved, kAligned},
    {T::Linear, kAllFunctions, "res0", Start::EuRow, F::Reserved, kAligned},
    {T::Linear, kAllFunctions, "opd0", Start::EuRow, F::Reserved, kAligned},
    {T::Linear, kAllFunctions, "opd1", Start::Element, F::res0_prec,
     "PPL fscale: factors begin at an element"},
    {T::Linear, kAllFunctions, "opd2", Start::Element, F::res0_prec,
     "PPL fscale: factors begin at an element"},
    {T::Compare, kAllFunctions, "res0", Start::EuRow, F::Reserved, kAligned},
    {T::Compare, kAllFunctions, "res1", Start::EuRow, F::Reserved, kAligned},
    {T::Compare, kAllFunctions, "opd2", Start::EuRow, F::Reserved, kAligned},
    {T::Compare, kAllFunctions, "opd3", Start::EuRow, F::Reserved, kAligned},
    {T::OuterProduct, kAllFunctions, "res0", Start::EuRow, F::Reserved,
     kAligned},
    {T::OuterProduct, kAllFunctions, "opd0", Start::EuRow, F::Reserved,
     kAligned},
    {T::OuterProduct, kAllFunctions, "opd1", Start::EuRow, F::Reserved,
     kAligned},
    {T::TransposeBroadcast, kAllFunctions & ~kFromStatic, "res0", Start::EuRow,
     F::Reserved, kAligned},
    {T::TransposeBroadcast, kAllFunctions & ~kFromStatic, "opd0", Start::EuRow,
     F::Reserved, kAligned},
    {T::TransposeBroadcast, kFromStatic, "res0", Start::Element, F::res0_prec,
     "PPL smem_dist: the result begins at an element"},
    {T::TransposeBroadcast, kFromStatic, "opd0", Start::Element, F::res0_prec,
     "PPL smem_dist: the source begins at an element"},
    {T::Gather, kAllFunctions, "res0", Start::EuRow, F::Reserved, kAligned},
    {T::Gather, kAllFunctions, "opd0", Start::EuRow, F::Reserved, kAligned},
    {T::Gather, kAllFunctions, "opd1", Start::EuRow, F::Reserved,
     "PPL 4.6.3: an index list begins at an EU row"},
    {T::Gather, kAllFunctions, "res1", Start::Word, F::Reserved, kCompact},
};

constexpr const char *kOneLane =
    "PPL 4.6: operands begin in the lane of the result";

static constexpr LaneRow kLanes[] = {
    {T::Conv, kAllFunctions, "opd1", Lane::OfResult, "isa 4, PPL fconv"},
    {T::Conv, kAllFunctions, "opd2", Lane::OfResult, "PPL fconv"},
    {T::PoolOrDepthwise, kAllFunctions, "opd0", Lane::OfResult, kOneLane},
    {T::PoolOrDepthwise, kAllFunctions, "opd1", Lane::OfResult, kOneLane},
    {T::PoolOrDepthwise, kAllFunctions, "opd2", Lane::OfResult, kOneLane},
    {T::MatMul, kMm, "opd1", Lane::OfResult, "PPL mm, fmm"},
    {T::MatMul, kMm, "opd2", Lane::OfResult, "PPL mm, fmm"},
    {T::MatMul, kMm2, "res0", Lane::Zero, "PPL mm2, fmm2"},
    {T::MatMul, kMm2, "opd0", Lane::Zero, "PPL mm2, fmm2"},
    {T::MatMul, kMm2, "opd1", Lane::Zero, "PPL mm2, fmm2"},
    {T::MatMul, kMm2, "opd2", Lane::Zero, "PPL mm2, fmm2"},
    {T::Arith, kAllFunctions, "opd0", Lane::OfResult, kOneLane},
    {T::Arith, kAllFunctions, "opd1", Lane::OfResult, kOneLane},
    {T::Arith, kAllFunctions, "opd2", Lane::OfResult, kOneLane},
    {T::Quant, kAllFunctions, "opd0", Lane::OfResult, kOneLane},
    {T::Quant, kAllFunctions, "opd1", Lane::OfResult, kOneLane},
    {T::Special, kAllFunctions, "opd0", Lane::OfResult, kOneLane},
    {T::Special, kTaylor, "opd1", Lane::Zero, "PPL taylor"},
    {T::Linear, kAllFunctions, "opd0", Lane::OfResult, kOneLane},
    {T::Linear, kAllFunctions, "opd1", Lane::OfResult, kOneLane},
    {T::Linear, kAllFunctions, "opd2", Lane::OfResult, kOneLane},
    {T::Compare, kAllFunctions, "opd0", Lane::OfResult, kOneLane},
    {T::Compare, kAllFunctions, "opd1", Lane::OfResult, kOneLane},
    {T::Compare, kAllFunctions, "opd2", Lane::OfResult, kOneLane},
    {T::Compare, kAllFunctions, "opd3", Lane::OfResult, kOneLane},
    {T::Compare, kAllFunctions, "res1", Lane::OfResult, kOneLane},
    {T::OuterProduct, kAllFunctions, "opd1", Lane::OfResult, "PPL vc_min"},
    {T::TransposeBroadcast, functions({tsbc::CwTranspose}), "opd0", Lane::Zero,
     "PPL transpose_cw"},
    {T::TransposeBroadcast, functions({tsbc::WcTranspose}), "res0", Lane::Zero,
     "PPL transpose_wc, vendor encoder"},
    {T::Gather, kAllFunctions, "opd0", Lane::OfResult, kOneLane},
    {T::Gather, kSharedIndex, "opd1", Lane::Zero,
     "PPL gather_w: an index list for all channels begins in lane 0"},
    {T::Gather, kAllFunctions & ~kSharedIndex, "opd1", Lane::OfResult,
     kOneLane},
    {T::Gather, kAllFunctions, "res1", Lane::OfResult, kOneLane},
};

template <typename Row>
static bool isFor(const Row &row, const Decoded &command) {
  return uint8_t(row.type) == command.type &&
         (row.functions >> command.func & 1);
}

static Field addressOf(std::string_view operand) {
  for (Field field :
       {F::res0_addr, F::res1_addr, F::opd0_addr, F::opd1_addr, F::opd2_addr})
    if (fieldName(field).substr(0, operand.size()) == operand)
      return field;
  return F::opd3_addr;
}

static void checkStart(const StartRow &row, const Subject &s, Report &report) {
  if (!s.access(row.operand))
    return;
  Field address = addressOf(row.operand);
  switch (row.start) {
  case Start::EuRow:
    report.multiple(s, address, s.chip.euBytes, "");
    return;
  case Start::Word:
    report.multiple(s, address, 4, "");
    return;
  case Start::Element:
    if (unsigned bytes = elementBytes(s.precision(row.precision)))
      report.multiple(s, address, bytes, ", the size of an element");
  }
}

static void checkLane(const LaneRow &row, const Subject &s, Report &report) {
  const Access *operand = s.access(row.operand);
  const Access *result = s.access("res0");
  if (!operand || !result || operand->memory != Memory::Local)
    return;
  uint32_t wanted = row.lane == Lane::Zero ? 0 : result->firstLane;
  if (operand->firstLane != wanted)
    report.fail(std::string(row.operand) + " begins in lane " +
                std::to_string(operand->firstLane) + ", must begin in " +
                (row.lane == Lane::Zero
                     ? "lane 0"
                     : "lane " + std::to_string(wanted) + " like the result"));
}

/// Applies `check` to the rows for this command, up to the first that it
/// breaks.
template <typename Row, size_t count, typename Check>
static void checkRows(const Row (&rows)[count], const Subject &s,
                      Report &report, Check check) {
  for (const Row &row : rows) {
    if (report.isBroken())
      return;
    if (!isFor(row, s.command))
      continue;
    report.from(row.source);
    check(row);
  }
}

static void checkResultSizes(const Subject &s, Report &report) {
  report.from(kSizes);
  for (TiuType type : kSizedResults)
    if (uint8_t(type) == s.command.type)
      for (Field size : {F::res0_n, F::res0_c, F::res0_h, F::res0_w})
        report.range(s, size, 1, kMaxSize);
}

void bm1684x::checkTables(const Subject &s, Report &report) {
  checkResultSizes(s, report);
  checkRows(kRanges, s, report, [&](const RangeRow &row) {
    report.range(s, row.field, row.low, row.high);
  });
  checkRows(kTypes, s, report, [&](const TypeRow &row) {
    report.type(s, row.field, row.allowed);
  });
  checkRows(kSameTypes, s, report, [&](const SameTypeRow &row) {
    report.sameType(s, row.first, row.second);
  });
  checkRows(kStarts, s, report,
            [&](const StartRow &row) { checkStart(row, s, report); });
  checkRows(kLanes, s, report,
            [&](const LaneRow &row) { checkLane(row, s, report); });
}

void bm1684x::appendTableSources(std::vector<std::string_view> &sources) {
  for (const RangeRow &row : kRanges)
    sources.push_back(row.source);
  for (const TypeRow &row : kTypes)
    sources.push_back(row.source);
  for (const SameTypeRow &row : kSameTypes)
    sources.push_back(row.source);
  for (const StartRow &row : kStarts)
    sources.push_back(row.source);
  for (const LaneRow &row : kLanes)
    sources.push_back(row.source);
}
