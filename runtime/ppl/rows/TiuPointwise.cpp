//===- TiuPointwise.cpp - rows of the catalog: element arithmetic --------===//

#include "runtime/ppl/Rows.h"
#include "runtime/ppl/rows/ElementRules.h"

using namespace weft;
using namespace weft::catalog;

//===----------------------------------------------------------------------===//
// Words of this group
//===----------------------------------------------------------------------===//

static constexpr DataType kInt8 = DataType::Int8;

/// dst = f(src): one shape, any layout.
static Operation unary(std::string_view name, std::string_view section,
                       std::string_view summary, std::string_view formula,
                       TypeSet types, std::string_view example) {
  return function(name, section, summary, formula,
                  {result("dst", types), source("src", types)},
                  {sameTypes({"dst", "src"}), sameShapes({"dst", "src"}),
                   sameLanes({"dst", "src"}), noPartialOverlap("dst", {"src"})},
                  example);
}

/// As `unary`, but src may be a number.
static Operation unaryOrScalar(std::string_view name, std::string_view section,
                               std::string_view summary,
                               std::string_view formula, TypeSet types,
                               std::string_view example) {
  Operation row = unary(name, section, summary, formula, types, example);
  row.slots[1] = sourceOrScalar("src", types);
  row.rules.push_back(numberFits("src", "dst"));
  return row;
}

/// The rules of two operands of which each may be repeated along any axis or
/// be a number.
static std::vector<Rule> pairRules() {
  return {someTensor({"src0", "src1"}),
          broadcasts("dst", {"src0", "src1"}, true),
          sameLanes({"dst", "src0", "src1"}),
          noPartialOverlap("dst", {"src0", "src1"})};
}

/// Float dst = f(src0, src1) of one type.
static Operation floatPair(std::string_view name, std::string_view section,
                           std::string_view summary, std::string_view formula,
                           TypeSet types, std::string_view example) {
  std::vector<Rule> rules = pairRules();
  rules.insert(rules.begin(), sameTypes({"dst", "src0", "src1"}));
  return function(name, section, summary, formula,
                  {result("dst", types), sourceOrScalar("src0", types),
                   sourceOrScalar("src1", types)},
                  std::move(rules), example);
}

/// fadd, fsub, fmul: fp8 and saturation by chip.
static Operation saturatingPair(std::string_view name, std::string_view section,
                                std::string_view summary,
                                std::string_view formula,
                                std::string_view example) {
  Operation row =
      floatPair(name, section, summary, formula, kFloats | kFp8, example);
  row.slots.push_back(flag("saturation"));
  for (std::string_view chip : {"bm1684x", "bm1688"})
    row.rules.push_back(typesOnChip(chip, "dst", kFloats));
  row.rules.push_back(floatSaturation());
  row.chipNote = "fp8 does not exist on bm1684x and bm1688. saturation: never "
                 "on these two, on bm1690 for fp8 with a number only";
  return row;
}

/// Integer dst = f(src0, src1) of one type.
static Operation bitPair(std::string_view name, std::string_view section,
                         std::string_view summary, std::string_view formula,
                         std::string_view example) {
  Operation row =
      floatPair(name, section, summary, formula, kIntegers, example);
  row.rules.push_back(numberFits("src0", "dst"));
  row.rules.push_back(numberFits("src1", "dst"));
  return row;
}

/// add, sub, mul: three integer types, a shift and saturation.
static Operation shiftedPair(std::string_view name, std::string_view section,
                             std::string_view summary, std::string_view formula,
                             TypeSet results, int64_t lowShift,
                             std::string_view example) {
  std::vector<Rule> rules = pairRules();
  if (results.contains(DataType::Uint8)) // a difference is always signed
    rules.push_back(signOfResult());
  rules.push_back(wordFits("src0"));
  rules.push_back(wordFits("src1"));
  rules.push_back(numberInRange("shift", lowShift, 31));
  rules.push_back(onePerChannel("shift", "dst"));
  rules.push_back(layoutIs("shift", {AlignMode::Compact}));
  rules.push_back(sameLanes({"dst", "shift"}));
  rules.push_back(apart("dst", {"shift"}));
  Operation row =
      function(name, section, summary, formula,
               {result("dst", results), sourceOrScalar("src0", kIntegers),
                sourceOrScalar("src1", kIntegers),
                optionalSourceOrScalar("shift", kInt8, 0),
                rounding("round_mode", 7, /*fallback=*/5), flag("saturation")},
               std::move(rules), example);
  row.spellings = {{"dst src0 src1 shift round_mode saturation"},
                   {"dst src0 src1"}};
  return row;
}

//===----------------------------------------------------------------------===//
// The rows
//===----------------------------------------------------------------------===//

static void addMagnitudes(std::vector<Operation> &rows) {
  rows.push_back(unaryOrScalar(
      "tiu.abs", "4.6.1.1", "magnitude of each element",
      "dst(n,c,h,w) = |src(n,c,h,w)|. Floats: the sign bit is cleared, a NaN "
      "keeps its payload. Signed integers: the lowest value stays as it is",
      kIntegers | kFloats | kFp8,
      "tensor<int8> dst({2, 64, 4, 8}), src({2, 64, 4, 8});\n"
      "tiu::abs(dst, src);"));
  rows.push_back(unaryOrScalar(
      "tiu.fabs", "4.6.1.2", "magnitude of each float",
      "dst(n,c,h,w) = src(n,c,h,w) with the sign bit cleared; a NaN keeps its "
      "payload",
      kFloats | kFp8,
      "tensor<fp16> dst({2, 64, 4, 8}), src({2, 64, 4, 8});\n"
      "tiu::fabs(dst, src);"));
  for (Operation &row : rows)
    for (std::string_view chip : {"bm1684x", "bm1688"})
      row.rules.push_back(typesOnChip(
          chip, "dst",
          row.name == "tiu.fabs" ? kFloats : (kIntegers | kFloats)));
}

static void addSums(std::vector<Operation> &rows) {
  rows.push_back(shiftedPair(
      "tiu.add", "4.6.1.3", "integer sum, shifted, rounded, saturated",
      "x = src0(n,c,h,w) + src1(n,c,h,w) exactly; s = shift, or "
      "shift(0,c,0,0); y = s > 0 ? x * 2^s mod 2^64 : x / 2^-s rounded by "
      "round_mode; dst = saturation ? y clamped to the type of dst : its low "
      "bits",
      kIntegers, -32,
      "tensor<int16> dst({1, 64, 4, 8});\n"
      "tensor<int8> src0({1, 64, 4, 8}), src1({1, 64, 4, 8});\n"
      "tiu::add(dst, src0, src1, -1, RM_HALF_TO_EVEN, true);"));
  rows.push_back(saturatingPair(
      "tiu.fadd", "4.6.1.4", "float sum",
      "dst(n,c,h,w) = src0(n,c,h,w) + src1(n,c,h,w), rounded once to the "
      "nearest, ties to even; with saturation the largest finite value "
      "instead of infinity",
      "tensor<fp16> dst({2, 64, 4, 8}), src0({2, 64, 4, 8}), "
      "src1({1, 64, 1, 1});\n"
      "tiu::fadd(dst, src0, src1);"));
}

static void addBits(std::vector<Operation> &rows) {
  rows.push_back(
      unaryOrScalar("tiu.bitwise_not", "4.6.1.5", "complement of the bits",
                    "dst(n,c,h,w) = ~src(n,c,h,w)", kIntegers,
                    "tensor<uint8> dst({1, 64, 4, 8}), src({1, 64, 4, 8});\n"
                    "tiu::bitwise_not(dst, src);"));
  rows.push_back(
      bitPair("tiu.bitwise_and", "4.6.1.6", "bits set in both operands",
              "dst(n,c,h,w) = src0(n,c,h,w) & src1(n,c,h,w)",
              "tensor<int32> dst({2, 64, 4, 8}), src({2, 64, 4, 8});\n"
              "tiu::bitwise_and(dst, src, 0x7fffffff);"));
  rows.push_back(
      bitPair("tiu.bitwise_or", "4.6.1.7", "bits set in either operand",
              "dst(n,c,h,w) = src0(n,c,h,w) | src1(n,c,h,w)",
              "tensor<uint16> dst({1, 64, 4, 8}), src0({1, 64, 4, 8}), "
              "src1({1, 64, 1, 8});\n"
              "tiu::bitwise_or(dst, src0, src1);"));
  rows.push_back(
      bitPair("tiu.bitwise_xor", "4.6.1.8", "bits set in one operand only",
              "dst(n,c,h,w) = src0(n,c,h,w) ^ src1(n,c,h,w)",
              "tensor<uint8> dst({1, 64, 4, 8}), src({1, 64, 4, 8});\n"
              "tiu::bitwise_xor(dst, src, 0x80);"));
}

static void addConversions(std::vector<Operation> &rows) {
  Operation cast = function(
      "tiu.cast", "4.6.1.9", "conversion to another element type",
      "dst(n,c,h,w) = src(n,c,h,w) as the type of dst. Integers: clamped. "
      "Float "
      "to integer: rounded by round_mode, clamped, NaN gives 0. To a float: "
      "rounded by round_mode, a float too large for fp16 gives infinity, NaN "
      "gives 0x7fff with its sign in 16 bits; fp32 and bf16 subnormals count "
      "as zeros. To fp8: to the nearest, ties to even, the largest finite "
      "number instead of larger ones. Same type: a copy",
      {result("dst", kAnyElement | kFp8), source("src", kAnyElement | kFp8),
       rounding("round_mode", 7, /*fallback=*/0)},
      {sameShapes({"dst", "src"}), sameLanes({"dst", "src"}),
       rule("fp16 and bf16 are not converted into each other: cast to fp32 "
            "between",
            [](const Call &call) { return halfSwapProblem(call); }),
       floatRounding(),
       rule("numbers become fp8 by RM_HALF_TO_EVEN",
            [](const Call &call) {
              const Tensor *dst = call.tensor("dst"), *src = call.tensor("src");
              int64_t mode = call.integer("round_mode");
              if (!kFp8.contains(dst->type) || dst->type == src->type ||
                  mode == 0)
                return std::string();
              return "round_mode is " +
                     std::string(
                         call.operation->slot("round_mode")->choices[mode]);
            }),
       noPartialOverlap("dst", {"src"})},
      "tensor<int8> dst({1, 64, 4, 8});\n"
      "tensor<fp32> src({1, 64, 4, 8});\n"
      "tiu::cast(dst, src, RM_HALF_AWAY_FROM_ZERO);");
  for (std::string_view chip : {"bm1684x", "bm1688"})
    for (std::string_view slot : {"dst", "src"})
      cast.rules.push_back(typesOnChip(chip, slot, kAnyElement));
  cast.chipNote = "fp8 does not exist on bm1684x and bm1688";
  rows.push_back(std::move(cast));
  rows.push_back(unary(
      "tiu.ceiling", "4.6.1.10", "smallest whole number not below",
      "dst(n,c,h,w) = src(n,c,h,w) rounded to a whole number by RM_UP. The "
      "sign stays, also of a zero; infinities and NaNs stay",
      kFloats,
      "tensor<bf16> dst({1, 64, 4, 8}), src({1, 64, 4, 8});\n"
      "tiu::ceiling(dst, src);"));
  rows.push_back(unary(
      "tiu.floor", "4.6.1.15", "largest whole number not above",
      "dst(n,c,h,w) = src(n,c,h,w) rounded to a whole number by RM_DOWN. The "
      "sign stays, also of a zero; infinities and NaNs stay",
      kFloats,
      "tensor<fp32> dst({1, 64, 4, 8}), src({1, 64, 4, 8});\n"
      "tiu::floor(dst, src);"));
  Operation round = unary(
      "tiu.round", "4.6.1.20", "nearest whole number",
      "dst(n,c,h,w) = src(n,c,h,w) rounded to a whole number by round_mode. "
      "The sign stays, also of a zero; infinities and NaNs stay",
      kFloats,
      "tensor<fp32> dst({1, 64, 4, 8}), src({1, 64, 4, 8});\n"
      "tiu::round(dst, src, RM_HALF_AWAY_FROM_ZERO);");
  round.slots.push_back(rounding("round_mode", 7, /*fallback=*/0));
  round.rules.push_back(floatRounding());
  rows.push_back(std::move(round));
}

static void addQuotients(std::vector<Operation> &rows) {
  Operation div = floatPair(
      "tiu.fdiv", "4.6.1.11", "quotient by Newton's iteration",
      "r = bits(0x5f3759df - (bits(|src1|) >> 1)); num_iter times r = r * (1.5 "
      "- ((|src1| * 0.5) * r) * r); dst(n,c,h,w) = (r * r) * (src0 with the "
      "sign of src1 applied), every operation rounded to fp32; other types "
      "round that result once",
      kFloats,
      "tensor<fp32> dst({1, 64, 4, 8}), src0({1, 64, 4, 8}), "
      "src1({1, 64, 4, 8});\n"
      "tiu::fdiv(dst, src0, src1);");
  div.slots.push_back(integer("num_iter", 1, 4, 3));
  div.rules.push_back(typesOnChip("bm1684x", "dst", DataType::Fp32));
  div.chipNote = "fp32 only on bm1684x";
  rows.push_back(std::move(div));

  Operation root = unary(
      "tiu.frsqrt", "4.6.1.27", "reciprocal square root by Newton's iteration",
      "r = bits(0x5f3759df - (bits(src) >> 1)), the shift arithmetic; num_iter "
      "times r = r * (1.5 - ((src * 0.5) * r) * r), every operation rounded to "
      "fp32; dst(n,c,h,w) = r; other types round that result once. 0 gives a "
      "finite 4.46e19, infinity gives minus infinity",
      kFloats,
      "tensor<fp32> dst({1, 64, 4, 8}), src({1, 64, 4, 8});\n"
      "tiu::frsqrt(dst, src, 3);");
  root.slots.push_back(integer("num_iter", 1, 4, 3));
  root.rules.push_back(layoutIs("dst", {AlignMode::Aligned}));
  root.rules.push_back(layoutIs("src", {AlignMode::Aligned}));
  root.rules.push_back(typesOnChip("bm1684x", "dst", DataType::Fp32));
  root.chips = {"bm1684x", "bm1688", "bm1690", "sg2380", "sg2260e", "sg2262"};
  root.chipNote = "fp32 only on bm1684x, where one command computes it";
  rows.push_back(std::move(root));
}

static void addSeries(std::vector<Operation> &rows) {
  Operation exp = unary(
      "tiu.fexp", "4.6.1.12", "power of e",
      "in fp32, every operation rounded: x = src clamped to [-103, 88]; k = x "
      "* 1.44269502 rounded to the nearest whole number; r = (x - k * "
      "0.693359375) + k * 2.12194442e-4; p = sum over i = 0 .. 9 of r^i / i! "
      "by Horner's rule; dst(n,c,h,w) = p * 2^k as the type of dst, 0 for k < "
      "-126. A NaN gives a NaN",
      kFloats,
      "tensor<fp32> dst({1, 64, 4, 8}), src({1, 64, 4, 8});\n"
      "tiu::fexp(dst, src);");
  exp.rules.push_back(planeLimit({"dst", "src"}));
  rows.push_back(std::move(exp));

  Operation log = unary(
      "tiu.flog_base", "4.6.1.13", "logarithm of 1 + x by a short series",
      "dst(n,c,h,w) = sum over k = 1 .. 15 of (-1)^(k+1) / k * "
      "src(n,c,h,w)^k by Horner's rule, every product and sum rounded to the "
      "type: ln(1 + src) for small |src|; take the wrapper flog elsewhere",
      kFloats,
      "tensor<fp32> dst({1, 64, 4, 8}), src({1, 64, 4, 8});\n"
      "tiu::flog_base(dst, src);");
  log.rules.push_back(planeLimit({"dst", "src"}));
  for (std::string_view name : {"dst", "src"})
    log.rules.push_back(layoutIs(name, {AlignMode::Aligned}));
  rows.push_back(std::move(log));

  rows.push_back(function(
      "tiu.flogx", "4.6.1.14", "logarithm to the base x",
      "in fp32, every operation rounded: u = bits(src) + 0x00d55555; k = (u >> "
      "23) - 127; z = float((u & 0x7fffff) + 0x3f2aaaab) - 1; p = sum over i = "
      "0 .. 15 of coeff(0,c mod LANE_NUM,0,i) * z^i by Horner's rule; l = (p + "
      "k * -2.12194442e-4) + k * 0.693359375; dst(n,c,h,w) = l * fp32(1 / ln "
      "x) as the type of dst. With l = -inf for 0, +inf for +inf, NaN for "
      "negative numbers and NaN. coeff holds the LOG table; work is room that "
      "need not be initialised",
      {result("dst", kFloats), source("src", kFloats), source("work", kFloats),
       source("coeff", kFloats), real("x")},
      {sameTypes({"dst", "src", "work", "coeff"}),
       sameShapes({"dst", "src", "work"}), sameLanes({"dst", "src", "work"}),
       planeLimit({"dst", "src"}), layoutIs("work", {AlignMode::Aligned}),
       layoutIs("coeff", {AlignMode::Aligned}), startsInLaneZero("coeff"),
       tableShape("coeff", 16), logarithmBase("x"), apart("dst", {"work"}),
       apart("dst", {"coeff"}), noPartialOverlap("dst", {"src"})},
      "tensor<fp32> dst({1, 64, 4, 8}), src({1, 64, 4, 8}), work({1, 64, 4, "
      "8}), coeff({1, LANE_NUM, 1, 16});\n"
      "tiu::load_coeff(coeff, LOG);\n"
      "tiu::flogx(dst, src, work, coeff, 2.0f);"));
}

static void addProducts(std::vector<Operation> &rows) {
  std::vector<Rule> macRules = pairRules();
  macRules.push_back(signOfResult());
  macRules.push_back(byteFits("src0"));
  macRules.push_back(byteFits("src1"));
  macRules.push_back(apart("dst", {"src0", "src1"}));
  constexpr TypeSet bytes = TypeSet(DataType::Int8) | DataType::Uint8;
  rows.push_back(function(
      "tiu.mac", "4.6.1.16", "integer product added to the old result",
      "dst(n,c,h,w) = ((dst(n,c,h,w) << l_shift) + src0(n,c,h,w) * "
      "src1(n,c,h,w)) / 2^r_shift rounded by round_mode and clamped to the "
      "type of dst",
      {updated("dst", TypeSet(DataType::Int16) | DataType::Uint16),
       sourceOrScalar("src0", bytes), sourceOrScalar("src1", bytes),
       integer("l_shift", 0, 31, 0), integer("r_shift", 0, 31, 0),
       rounding("round_mode", 7, /*fallback=*/0)},
      std::move(macRules),
      "tensor<int16> dst({1, 64, 4, 8});\n"
      "tensor<int8> src0({1, 64, 4, 8}), src1({1, 64, 4, 8});\n"
      "tiu::mac(dst, src0, src1, 1, 4, RM_HALF_UP);"));
  Operation fmac = floatPair(
      "tiu.fmac", "4.6.1.17", "float product added to the old result",
      "dst(n,c,h,w) = dst(n,c,h,w) + (src0(n,c,h,w) * src1(n,c,h,w)), the "
      "product and the sum each rounded to fp32",
      DataType::Fp32,
      "tensor<fp32> dst({1, 64, 4, 8}), src0({1, 64, 4, 8}), "
      "src1({1, 64, 1, 1});\n"
      "tiu::fmac(dst, src0, src1);");
  fmac.slots[0] = updated("dst", DataType::Fp32);
  rows.push_back(std::move(fmac));
  Operation mulAdd = function(
      "tiu.fmul_add", "header", "float product and sum",
      "p = src0(n,c,h,w) * src1(n,c,h,w) rounded to the type; dst(n,c,h,w) = p "
      "+ src2(n,c,h,w) rounded to the type",
      {result("dst", kFloats), sourceOrScalar("src0", kFloats),
       sourceOrScalar("src1", kFloats), sourceOrScalar("src2", kFloats)},
      {sameTypes({"dst", "src0", "src1", "src2"}), someTensor({"src0", "src1"}),
       broadcasts("dst", {"src0", "src1", "src2"}, true),
       sameLanes({"dst", "src0", "src1", "src2"}),
       noPartialOverlap("dst", {"src0", "src1", "src2"})},
      "tensor<fp16> dst({2, 64, 4, 8}), src0({2, 64, 4, 8}), "
      "src2({1, 64, 1, 1});\n"
      "tiu::fmul_add(dst, src0, 0.5f, src2);");
  mulAdd.chipNote = "not one command: product, then sum";
  rows.push_back(std::move(mulAdd));
  rows.push_back(shiftedPair(
      "tiu.mul", "4.6.1.18", "integer product, shifted, rounded, saturated",
      "x = src0(n,c,h,w) * src1(n,c,h,w) exactly; s = shift, or "
      "shift(0,c,0,0); y = s > 0 ? x * 2^s : x / 2^-s rounded by round_mode "
      "(on bm1684x -64 acts as -63); dst = saturation ? y clamped to the type "
      "of dst : its low bits",
      kIntegers, -64,
      "tensor<int8> dst({1, 64, 4, 8}), src0({1, 64, 4, 8}), "
      "src1({1, 64, 4, 8}), shift({1, 64, 1, 1}, TPU_COMPACT);\n"
      "tiu::mul(dst, src0, src1, shift, RM_HALF_UP, true);"));
  rows.push_back(saturatingPair(
      "tiu.fmul", "4.6.1.19", "float product",
      "dst(n,c,h,w) = src0(n,c,h,w) * src1(n,c,h,w), rounded once to the "
      "nearest, ties to even; with saturation the largest finite value "
      "instead of infinity",
      "tensor<bf16> dst({1, 64, 4, 8}), src({1, 64, 4, 8});\n"
      "tiu::fmul(dst, src, 0.5f);"));
}

static void addDifferences(std::vector<Operation> &rows) {
  rows.push_back(shiftedPair(
      "tiu.sub", "4.6.1.21", "integer difference, shifted, rounded, saturated",
      "x = src0(n,c,h,w) - src1(n,c,h,w) exactly; s = shift, or "
      "shift(0,c,0,0); y = s > 0 ? x * 2^s mod 2^64 : x / 2^-s rounded by "
      "round_mode; dst = saturation ? y clamped to the type of dst : its low "
      "bits",
      kSigned, -32,
      "tensor<int8> dst({1, 64, 4, 8});\n"
      "tensor<uint8> src({1, 64, 4, 8});\n"
      "tiu::sub(dst, src, 128, 0, RM_HALF_UP, true);"));
  rows.push_back(saturatingPair(
      "tiu.fsub", "4.6.1.22", "float difference",
      "dst(n,c,h,w) = src0(n,c,h,w) - src1(n,c,h,w), rounded once to the "
      "nearest, ties to even; with saturation the largest finite value "
      "instead of infinity",
      "tensor<fp32> dst({1, 64, 4, 8}), src({1, 64, 4, 8});\n"
      "tiu::fsub(dst, 1.0f, src);"));
  rows.push_back(floatPair(
      "tiu.fsub_abs", "4.6.1.23", "magnitude of a float difference",
      "d = src0(n,c,h,w) - src1(n,c,h,w) rounded to the type; dst(n,c,h,w) = d "
      "if it is positive, else src1 - src0",
      kFloats,
      "tensor<fp16> dst({1, 64, 4, 8}), src0({1, 64, 4, 8}), "
      "src1({1, 64, 4, 8});\n"
      "tiu::fsub_abs(dst, src0, src1);"));
}

static Operation shiftRow(std::string_view name, std::string_view section,
                          std::string_view summary, std::string_view formula,
                          std::string_view example) {
  Operation row = function(
      name, section, summary, formula,
      {result("dst", kIntegers), source("src", kIntegers),
       sourceOrScalar("shift", kSigned),
       rounding("round_mode", 7, /*fallback=*/0)},
      {sameShapes({"dst", "src", "shift"}), sameLanes({"dst", "src", "shift"}),
       numberInRange("shift", -32, 31), notWider("shift", "src"),
       noPartialOverlap("dst", {"src", "shift"})},
      example);
  row.spellings = {{"dst src shift round_mode"}};
  return row;
}

static void addShifts(std::vector<Operation> &rows) {
  rows.push_back(shiftRow(
      "tiu.shift", "4.6.1.24", "shift that keeps the sign",
      "s = the low byte of shift(n,c,h,w), signed; dst(n,c,h,w) = the low bits "
      "of (s > 0 ? src(n,c,h,w) * 2^s : src(n,c,h,w) / 2^-s rounded by "
      "round_mode). Beyond -32 to 31 left counts come round and right ones end "
      "at 63",
      "tensor<int32> dst({1, 64, 4, 8}), src({1, 64, 4, 8});\n"
      "tiu::shift(dst, src, -4, RM_HALF_TO_EVEN);"));
  rows.push_back(shiftRow(
      "tiu.logical_shift", "4.6.1.25", "shift of the bits",
      "s = the low byte of shift(n,c,h,w), signed; u = the bits of "
      "src(n,c,h,w) as an unsigned number; dst(n,c,h,w) = the low bits of (s > "
      "0 ? u * 2^s : u / 2^-s rounded by round_mode). Beyond -32 to 31 left "
      "counts come round and right ones end at 63",
      "tensor<uint16> dst({1, 64, 4, 8}), src({1, 64, 4, 8});\n"
      "tensor<int8> amount({1, 64, 4, 8});\n"
      "tiu::logical_shift(dst, src, amount, RM_DOWN);"));
  Operation rotate = shiftRow(
      "tiu.circular_shift", "4.6.1.26", "rotation of the bits",
      "dst(n,c,h,w) = the bits of src(n,c,h,w) rotated left by shift(n,c,h,w), "
      "right if it is negative; |shift| is below the width of src. round_mode "
      "has no effect",
      "tensor<uint32> dst({1, 64, 4, 8}), src({1, 64, 4, 8});\n"
      "tiu::circular_shift(dst, src, 7, RM_HALF_TO_EVEN);");
  rotate.slots[1] = sourceOrScalar("src", kIntegers);
  rotate.slots[2] = sourceOrScalar("shift", kInt8);
  rotate.rules.push_back(someTensor({"src", "shift"}));
  rotate.rules.push_back(
      rule("dst and src must have elements of one width",
           [](const Call &call) { return widthProblem(call, "dst", "src"); }));
  rotate.rules.push_back(
      rule("|shift| must be below the width of dst",
           [](const Call &call) { return rotationProblem(call); }));
  rotate.rules.push_back(numberFits("src", "dst"));
  rotate.chips = {"bm1684x", "sg2380"};
  rotate.chipNote =
      "the manual names sg2380 only; bm1684x has the command (AR rotate), run "
      "with equal bytes on its vendor's emulator";
  rows.push_back(std::move(rotate));
}

std::vector<Operation> catalog::tiuPointwiseOperations() {
  std::vector<Operation> rows;
  addMagnitudes(rows);
  addSums(rows);
  addBits(rows);
  addConversions(rows);
  addQuotients(rows);
  addSeries(rows);
  addProducts(rows);
  addDifferences(rows);
  addShifts(rows);
  return rows;
}
