//===- TiuSpecial.cpp - rows of the catalog: linear and special functions ===//

#include "runtime/ppl/CoefficientTables.h"
#include "runtime/ppl/Rows.h"
#include "runtime/ppl/rows/ElementRules.h"

using namespace weft;
using namespace weft::catalog;

//===----------------------------------------------------------------------===//
// One scale and one bias a channel
//===----------------------------------------------------------------------===//

/// Aligned tensors of one type and shape, and compact ones of one element a
/// channel.
static std::vector<Rule> channelRules(std::vector<std::string_view> vectors) {
  std::vector<Rule> rules = {
      sameShapes({"dst", "src"}), layoutIs("dst", {AlignMode::Aligned}),
      layoutIs("src", {AlignMode::Aligned}), noPartialOverlap("dst", {"src"})};
  Names all = {"dst", "src"};
  for (std::string_view vector : vectors) {
    all.push_back(vector);
    rules.push_back(onePerChannel(vector, "dst"));
    rules.push_back(layoutIs(vector, {AlignMode::Compact}));
    rules.push_back(apart("dst", {vector}));
  }
  rules.push_back(sameTypes(all));
  rules.push_back(sameLanes(all));
  return rules;
}

static Operation square(std::string_view name, std::string_view section,
                        std::string_view summary, std::string_view formula,
                        std::string_view example) {
  return function(name, section, summary, formula,
                  {result("dst", kFloats), sourceOrScalar("src", kFloats),
                   sourceOrScalar("bias", kFloats)},
                  channelRules({"bias"}), example);
}

static void addLinear(std::vector<Operation> &rows) {
  rows.push_back(square(
      "tiu.fadd_sqr", "4.6.8.1", "square of a sum",
      "t = src(n,c,h,w) + bias(0,c,0,0) rounded to the type; dst(n,c,h,w) = t "
      "* t rounded to the type",
      "tensor<fp32> dst({2, 64, 4, 8}), src({2, 64, 4, 8});\n"
      "tensor<fp32> bias({1, 64, 1, 1}, TPU_COMPACT);\n"
      "tiu::fadd_sqr(dst, src, bias);"));
  rows.push_back(function(
      "tiu.fscale", "4.6.8.2", "scale and bias of each channel",
      "t = src(n,c,h,w) * scale(0,c,0,0) rounded to the type; dst(n,c,h,w) = t "
      "+ bias(0,c,0,0) rounded to the type",
      {result("dst", kFloats), sourceOrScalar("src", kFloats),
       sourceOrScalar("scale", kFloats),
       optionalSourceOrScalar("bias", kFloats, 0)},
      channelRules({"scale", "bias"}),
      "tensor<fp16> dst({2, 64, 4, 8}), src({2, 64, 4, 8});\n"
      "tensor<fp16> scale({1, 64, 1, 1}, TPU_COMPACT);\n"
      "tiu::fscale(dst, src, scale, 1.0f);"));
  rows.back().spellings = {{"dst src scale bias?"},
                           {"dst src scale:=1.0f bias", "fbias"}};
  rows.push_back(square(
      "tiu.fsub_sqr", "4.6.8.3", "square of a difference",
      "t = src(n,c,h,w) - bias(0,c,0,0) rounded to the type; dst(n,c,h,w) = t "
      "* t rounded to the type",
      "tensor<bf16> dst({2, 64, 4, 8}), src({2, 64, 4, 8});\n"
      "tiu::fsub_sqr(dst, src, 0.5f);"));
  for (Operation &row : rows)
    row.chipNote = "the manual has a number for src on sg2380 only; elsewhere "
                   "it is filled into local memory first";
}

//===----------------------------------------------------------------------===//
// Polynomials
//===----------------------------------------------------------------------===//

static std::vector<Rule> alignedPair() {
  return {sameShapes({"dst", "src"}), sameLanes({"dst", "src"}),
          layoutIs("dst", {AlignMode::Aligned}),
          layoutIs("src", {AlignMode::Aligned}),
          noPartialOverlap("dst", {"src"})};
}

static void addTaylor(std::vector<Operation> &rows) {
  std::vector<Rule> rules = alignedPair();
  rules.push_back(sameTypes({"dst", "src", "coeff"}));
  rules.push_back(layoutIs("coeff", {AlignMode::Aligned}));
  rules.push_back(startsInLaneZero("coeff"));
  rules.push_back(tableShape("coeff", 2));
  rules.push_back(
      rule("len must be at most the w of coeff", [](const Call &call) {
        int64_t room = call.tensor("coeff")->shape[3],
                len = call.integer("len");
        if (len <= room)
          return std::string();
        return "len is " + std::to_string(len) + ", coeff has " +
               std::to_string(room);
      }));
  rules.push_back(apart("dst", {"coeff"}));
  rows.push_back(function(
      "tiu.taylor", "4.6.9.1", "polynomial by Horner's rule",
      "r = coeff(0,c mod LANE_NUM,0,len - 1); for i = len - 2 .. 0: r = r * "
      "src(n,c,h,w) + coeff(0,c mod LANE_NUM,0,i), the product and the sum "
      "each rounded to the type; dst(n,c,h,w) = r",
      {result("dst", kFloats), source("src", kFloats), source("coeff", kFloats),
       integer("len", 2, 65535)},
      std::move(rules),
      "tensor<fp32> dst({1, 64, 4, 8}), src({1, 64, 4, 8}), coeff({1, "
      "LANE_NUM, 1, 10});\n"
      "tiu::load_coeff(coeff, EXP);\n"
      "tiu::taylor(dst, src, coeff, 10);"));
}

/// A polynomial whose coefficients the machine keeps.
static Operation core(std::string_view name, std::string_view summary,
                      std::string_view formula, std::string_view example) {
  Operation row = function(name, "header", summary, formula,
                           {result("dst", kFloats), source("src", kFloats)},
                           alignedPair(), example);
  row.rules.push_back(sameTypes({"dst", "src"}));
  row.rules.push_back(planeLimit({"dst", "src"}));
  return row;
}

#define CORE_EXAMPLE(name)                                                     \
  "tensor<fp32> dst({1, 64, 4, 8}), src({1, 64, 4, 8});\n"                     \
  "tiu::" name "(dst, src);"

static void addCores(std::vector<Operation> &rows) {
  rows.push_back(core("tiu.fexp_base", "power of e of a small number",
                      "dst(n,c,h,w) = sum over k = 0 .. 9 of src(n,c,h,w)^k / "
                      "k! by Horner's rule, every product and sum rounded to "
                      "the type",
                      CORE_EXAMPLE("fexp_base")));
  rows.push_back(core("tiu.fsin_base", "sine of a fraction of a turn, series",
                      "s = src(n,c,h,w); dst(n,c,h,w) = sum over k = 0 .. 15 "
                      "of (-1)^k (2 pi)^(2k+1) / (2k+1)! * s^k by Horner's "
                      "rule, every product and sum rounded to the type: sin(2 "
                      "pi r) / r for s = r^2",
                      CORE_EXAMPLE("fsin_base")));
  rows.push_back(core("tiu.fcos_base", "cosine of a fraction of a turn, series",
                      "s = src(n,c,h,w); dst(n,c,h,w) = sum over k = 0 .. 15 "
                      "of (-1)^k (2 pi)^(2k) / (2k)! * s^k by Horner's rule, "
                      "every product and sum rounded to the type: cos(2 pi r) "
                      "for s = r^2",
                      CORE_EXAMPLE("fcos_base")));
  rows.push_back(core("tiu.ftan_base", "tangent of a half turn's part, series",
                      "s = src(n,c,h,w); dst(n,c,h,w) = sum over k = 0 .. 15 "
                      "of t_k * s^k by Horner's rule with the series tan(pi d) "
                      "= sum of t_k d^(2k+1), every product and sum rounded to "
                      "the type: tan(pi d) / d for s = d^2",
                      CORE_EXAMPLE("ftan_base")));
  rows.push_back(core("tiu.farcsin_base", "arc sine, series",
                      "s = src(n,c,h,w); dst(n,c,h,w) = sum over k = 0 .. 15 "
                      "of (2k)! / (4^k (k!)^2 (2k+1)) * s^k by Horner's rule, "
                      "every product and sum rounded to the type: arcsin(x) / "
                      "x for s = x^2",
                      CORE_EXAMPLE("farcsin_base")));
  rows.push_back(core("tiu.ferf_base", "exponent of the error function",
                      "dst(n,c,h,w) = sum over k = 0 .. 9 of c_k * "
                      "src(n,c,h,w)^k by Horner's rule, every product and sum "
                      "rounded to the type, with erfc(x) = t * exp(dst - x^2) "
                      "for t = src = 1 / (1 + x / 2), x >= 0 to 1.2e-7",
                      CORE_EXAMPLE("ferf_base")));
}

#undef CORE_EXAMPLE

//===----------------------------------------------------------------------===//
// Bits of numbers
//===----------------------------------------------------------------------===//

static Rule integerOfWidth() {
  return rule("dst must be int32 for fp32, int16 for fp16 and bf16",
              [](const Call &call) {
                const Tensor *dst = call.tensor("dst"),
                             *src = call.tensor("src");
                if (bitsOf(dst->type) == bitsOf(src->type))
                  return std::string();
                return "dst is " + std::string(spelling(dst->type)) +
                       ", src is " + std::string(spelling(src->type));
              });
}

static Operation exponent(std::string_view name, std::string_view section,
                          std::string_view summary, std::string_view example) {
  std::vector<Rule> rules = alignedPair();
  rules.push_back(integerOfWidth());
  return function(
      name, section, summary,
      "e = exponent field of src(n,c,h,w), f = its fraction field of m bits; "
      "dst(n,c,h,w) = e, plus 1 if src is positive and f > 2^m / 3 (0x2aaaab "
      "in fp32, 0x155 in fp16, 0x2b in bf16), so that src / 2^(dst - bias) is "
      "in (2/3, 4/3]",
      {result("dst", TypeSet(DataType::Int32) | DataType::Int16),
       source("src", kFloats)},
      std::move(rules), example);
}

static Operation count(std::string_view name, std::string_view section,
                       std::string_view summary, std::string_view formula,
                       std::string_view example) {
  Operation row =
      function(name, section, summary, formula,
               {result("dst", kUnsigned), sourceOrScalar("src", kIntegers)},
               {broadcasts("dst", {"src"}, false), sameLanes({"dst", "src"}),
                notWider("dst", "src"), numberFits("src", "dst"),
                noPartialOverlap("dst", {"src"})},
               example);
  row.chips = {"bm1684x", "sg2380"};
  row.chipNote = "the manual names sg2380 only; bm1684x has the command (AR "
                 "clz, clo), run with equal bytes on its vendor's emulator";
  return row;
}

static void addBitFunctions(std::vector<Operation> &rows) {
  Operation norm =
      exponent("tiu.norm", "4.6.9.2", "exponent of a float as an integer",
               "tensor<int32> dst({1, 64, 4, 8});\n"
               "tensor<fp32> src({1, 64, 4, 8});\n"
               "tiu::norm(dst, src);");
  norm.chips = {"bm1684x", "sg2380", "sg2260e", "sg2262"};
  norm.chipNote =
      "the manual names sg2380 only; bm1684x has the command (SFU normalize), "
      "run with equal bytes on its vendor's emulator";
  rows.push_back(std::move(norm));
  rows.push_back(exponent("tiu.fexp_part", "header",
                          "exponent of a float as an integer",
                          "tensor<int16> dst({1, 64, 4, 8});\n"
                          "tensor<bf16> src({1, 64, 4, 8});\n"
                          "tiu::fexp_part(dst, src);"));
  rows.push_back(
      count("tiu.clz", "4.6.9.4", "zero bits above the highest one",
            "dst(n,c,h,w) = number of bits of src(n,c,h,w) above its highest "
            "bit that is 1; the width of src for 0",
            "tensor<uint8> dst({1, 64, 4, 8});\n"
            "tensor<int32> src({1, 64, 4, 8});\n"
            "tiu::clz(dst, src);"));
  rows.push_back(
      count("tiu.clo", "4.6.9.5", "one bits above the highest zero",
            "dst(n,c,h,w) = number of bits of src(n,c,h,w) above its highest "
            "bit that is 0; the width of src if all are 1",
            "tensor<uint16> dst({1, 64, 4, 8});\n"
            "tensor<uint16> src({1, 64, 4, 8});\n"
            "tiu::clo(dst, src);"));
}

/// The table that smem_dist names, in the type of dst.
static std::optional<CoefficientTable> tableOf(const Call &call) {
  return coefficientTable(call.integer("static_mem_mode"),
                          call.tensor("dst")->type);
}

static Operation distribution() {
  Operation row = function(
      "tiu.smem_dist", "4.6.9.6", "one entry of a table to each lane",
      "dst(0,c,0,0) = entry c of the table static_mem_mode, see "
      "tiu::smem_bcast; SERIAL_NUMBER is the channel's number",
      {result("dst", kFloats | DataType::Int32),
       enumerated("coeff_table_mode_t",
                  integer("static_mem_mode", 0, kSerialNumberTable))},
      {rule(
           "EXP, LOG, SIN and COS have fp32, fp16 and bf16 tables, TAN, ARCSIN "
           "and ERF fp32 ones, SERIAL_NUMBER has int32",
           [](const Call &call) {
             if (tableOf(call))
               return std::string();
             return "static_mem_mode is " +
                    std::to_string(call.integer("static_mem_mode")) +
                    ", dst is " +
                    std::string(spelling(call.tensor("dst")->type));
           }),
       shapeIs("dst", {1, -1, 1, 1}),
       rule(
           "dst must have no more channels than the table entries and the chip "
           "lanes",
           [](const Call &call) {
             int64_t channels = call.tensor("dst")->shape[1];
             if (channels <= tableOf(call)->count &&
                 channels <= call.chip->lanes)
               return std::string();
             return "dst has " + std::to_string(channels) + ", the table " +
                    std::to_string(tableOf(call)->count) + ", the chip " +
                    std::to_string(call.chip->lanes);
           }),
       startsInLaneZero("dst"),
       layoutIs("dst", {AlignMode::Compact, AlignMode::Aligned}),
       startsOnEu("dst")},
      "tensor<fp32> dst({1, 32, 1, 1});\n"
      "tiu::smem_dist(dst, SIN);");
  row.chipNote = "the manual names sg2380 only; the vendor's compiler makes "
                 "the command for every chip";
  return row;
}

std::vector<Operation> catalog::tiuSpecialOperations() {
  std::vector<Operation> rows;
  addLinear(rows);
  addTaylor(rows);
  addBitFunctions(rows);
  rows.push_back(distribution());
  addCores(rows);
  return rows;
}
