//===- TiuComparison.cpp - rows of the catalog: comparisons --------------===//

#include "runtime/ppl/Rows.h"
#include "runtime/ppl/rows/ElementRules.h"

using namespace weft;
using namespace weft::catalog;

static constexpr TypeSet kCompared = kIntegers | kFloats | kFp8;

/// fp8 exists beside neither of the older chips.
static void excludeFp8(Operation &row, std::vector<std::string_view> slots) {
  for (std::string_view chip : {"bm1684x", "bm1688"})
    for (std::string_view slot : slots)
      row.rules.push_back(typesOnChip(chip, slot, kAnyElement));
}

//===----------------------------------------------------------------------===//
// Minimum and maximum
//===----------------------------------------------------------------------===//

static Operation extreme(std::string_view name, std::string_view section,
                         std::string_view summary, std::string_view formula,
                         TypeSet types, std::string_view example) {
  Operation row = function(
      name, section, summary, formula,
      {result("dst", types), sourceOrScalar("src0", types),
       sourceOrScalar("src1", types)},
      {someTensor({"src0", "src1"}), sameTypes({"dst", "src0", "src1"}),
       broadcasts("dst", {"src0", "src1"}, false),
       sameLanes({"dst", "src0", "src1"}), numberFits("src0", "dst"),
       numberFits("src1", "dst"), noPartialOverlap("dst", {"src0", "src1"})},
      example);
  excludeFp8(row, {"dst"});
  return row;
}

static void addExtremes(std::vector<Operation> &rows) {
  static constexpr std::string_view
      minFormula =
          "dst(n,c,h,w) = src1 <= src0 ? src1 : src0 at (n,c,h,w), so src1 of "
          "two equal zeros and src0 beside a NaN; fp32 and bf16 subnormals "
          "become zeros",
      maxFormula =
          "dst(n,c,h,w) = src0 > src1 ? src0 : src1 at (n,c,h,w), so src1 of "
          "two equal zeros and beside a NaN; fp32 and bf16 subnormals become "
          "zeros";
  rows.push_back(extreme("tiu.min", "4.6.2.1", "smaller of two elements",
                         minFormula, kCompared,
                         "tensor<int8> dst({2, 64, 4, 8}), src0({2, 64, 4, 8}),"
                         " src1({1, 64, 1, 1});\n"
                         "tiu::min(dst, src0, src1);"));
  rows.push_back(extreme("tiu.fmin", "4.6.2.2", "smaller of two floats",
                         minFormula, kFloats | kFp8,
                         "tensor<fp32> dst({2, 64, 4, 8}), src({2, 64, 4, 8});"
                         "\ntiu::fmin(dst, src, 6.0f);"));
  rows.push_back(extreme("tiu.max", "4.6.2.3", "larger of two elements",
                         maxFormula, kCompared,
                         "tensor<uint16> dst({2, 64, 4, 8}), src0({2, 64, 4, "
                         "8}), src1({2, 64, 4, 8});\n"
                         "tiu::max(dst, src0, src1);"));
  rows.push_back(extreme("tiu.fmax", "4.6.2.4", "larger of two floats",
                         maxFormula, kFloats | kFp8,
                         "tensor<fp16> dst({2, 64, 4, 8}), src({2, 64, 4, 8});"
                         "\ntiu::fmax(dst, src, 0.0f);"));
}

//===----------------------------------------------------------------------===//
// Vectors
//===----------------------------------------------------------------------===//

/// Vectors are 1 x c x 1 x w, element m at (0, m / w, 0, m mod w); the matrix
/// has a row of the same form for every element of src0.
static Rule outerShapes() {
  return rule(
      "src0 and src1 must be 1 x c x 1 x w; dst must be (elements of src0) x c "
      "x 1 x w with c and w of src1",
      [](const Call &call) {
        const Tensor *dst = call.tensor("dst"), *a = call.tensor("src0"),
                     *b = call.tensor("src1");
        auto text = [](const Tensor *tensor) {
          std::string words;
          for (int64_t size : tensor->shape)
            words += (words.empty() ? "" : "x") + std::to_string(size);
          return words;
        };
        bool isVector = true;
        for (const Tensor *tensor : {a, b})
          isVector &= tensor->shape[0] == 1 && tensor->shape[2] == 1;
        Dims wanted = {a->elements(), b->shape[1], 1, b->shape[3]};
        if (isVector && dst->shape == wanted)
          return std::string();
        return "src0 is " + text(a) + ", src1 " + text(b) + ", dst " +
               text(dst);
      });
}

static Operation outer(std::string_view name, std::string_view section,
                       std::string_view summary, std::string_view formula,
                       TypeSet types, std::string_view example) {
  Operation row = function(
      name, section, summary, formula,
      {result("dst", types), source("src0", types), source("src1", types)},
      {sameTypes({"dst", "src0", "src1"}), outerShapes(),
       sameLanes({"dst", "src1"})},
      example);
  for (std::string_view slot : {"dst", "src0", "src1"})
    row.rules.push_back(layoutIs(slot, {AlignMode::Aligned}));
  row.rules.push_back(apart("dst", {"src0", "src1"}));
  excludeFp8(row, {"dst"});
  return row;
}

static void addVectors(std::vector<Operation> &rows) {
  static constexpr std::string_view
      minFormula = "dst(m, n) = minimum of src0(m) and src1(n) as tiu::min; "
                   "element m of a vector 1 x c x 1 x w is (0, m / w, 0, m mod "
                   "w), dst(m, n) is (m, n / w, 0, n mod w) with w of src1",
      maxFormula = "dst(m, n) = maximum of src0(m) and src1(n) as tiu::max; "
                   "element m of a vector 1 x c x 1 x w is (0, m / w, 0, m mod "
                   "w), dst(m, n) is (m, n / w, 0, n mod w) with w of src1";
  rows.push_back(outer("tiu.vc_min", "4.6.2.5",
                       "smaller one of each pair of two vectors", minFormula,
                       kCompared,
                       "tensor<int16> dst({12, 3, 1, 8}), src0({1, 3, 1, 4}), "
                       "src1({1, 3, 1, 8});\n"
                       "tiu::vc_min(dst, src0, src1);"));
  rows.push_back(outer("tiu.fvc_min", "4.6.2.6",
                       "smaller one of each pair of two float vectors",
                       minFormula, kFloats | kFp8,
                       "tensor<fp32> dst({12, 3, 1, 8}), src0({1, 3, 1, 4}), "
                       "src1({1, 3, 1, 8});\n"
                       "tiu::fvc_min(dst, src0, src1);"));
  rows.push_back(outer("tiu.vc_max", "4.6.2.7",
                       "larger one of each pair of two vectors", maxFormula,
                       kCompared,
                       "tensor<uint8> dst({12, 3, 1, 8}), src0({1, 3, 1, 4}), "
                       "src1({1, 3, 1, 8});\n"
                       "tiu::vc_max(dst, src0, src1);"));
  rows.push_back(outer("tiu.fvc_max", "4.6.2.8",
                       "larger one of each pair of two float vectors",
                       maxFormula, kFloats | kFp8,
                       "tensor<fp16> dst({12, 3, 1, 8}), src0({1, 3, 1, 4}), "
                       "src1({1, 3, 1, 8});\n"
                       "tiu::fvc_max(dst, src0, src1);"));
}

//===----------------------------------------------------------------------===//
// Masks
//===----------------------------------------------------------------------===//

/// The number and the tensor that numbers are compared with have one type.
static Rule comparedNumberFits(std::string_view name) {
  return rule("a number for " + std::string(name) +
                  " must be whole and fit the integers it is compared with",
              [=](const Call &call) {
                for (std::string_view other : {"src0", "src1"})
                  if (call.tensor(other))
                    return numberFits(name, other).check(call);
                return std::string();
              });
}

static Operation mask(std::string_view name, std::string_view section,
                      std::string_view summary, std::string_view formula,
                      std::string_view example) {
  Operation row =
      function(name, section, summary, formula,
               {result("dst", kCompared), sourceOrScalar("src0", kCompared),
                sourceOrScalar("src1", kCompared), element(real("true_val"))},
               {someTensor({"src0", "src1"}), sameTypes({"src0", "src1"}),
                broadcasts("dst", {"src0", "src1"}, false),
                sameLanes({"dst", "src0", "src1"}), notWider("dst", "src0"),
                notWider("dst", "src1"), comparedNumberFits("src0"),
                comparedNumberFits("src1"), numberFits("true_val", "dst"),
                noPartialOverlap("dst", {"src0", "src1"})},
               example);
  excludeFp8(row, {"dst", "src0", "src1"});
  return row;
}

static void addMasks(std::vector<Operation> &rows) {
  rows.push_back(mask("tiu.gt", "4.6.2.9", "where an element is greater",
                      "dst(n,c,h,w) = src0(n,c,h,w) > src1(n,c,h,w) ? "
                      "true_val : 0. False beside a NaN; +0 and -0 are equal",
                      "tensor<uint8> dst({2, 64, 4, 8});\n"
                      "tensor<fp16> src0({2, 64, 4, 8}), src1({1, 64, 1, 1});\n"
                      "tiu::gt(dst, src0, src1, 1);"));
  rows.push_back(
      mask("tiu.lt", "4.6.2.10", "where an element is less",
           "dst(n,c,h,w) = src0(n,c,h,w) < src1(n,c,h,w) ? true_val : 0. "
           "Floats: true where neither src0 >= src1 holds nor their bits are "
           "equal, so beside a NaN too, unless the bits are equal",
           "tensor<fp32> dst({2, 64, 4, 8}), src({2, 64, 4, 8});\n"
           "tiu::lt(dst, src, 0.0f, 1.0f);"));
  rows.push_back(
      mask("tiu.eq", "4.6.2.11", "where two elements are equal",
           "dst(n,c,h,w) = src0(n,c,h,w) == src1(n,c,h,w) ? true_val : 0. "
           "Floats are equal if their bits are: +0 and -0 differ, a NaN equals "
           "itself",
           "tensor<int8> dst({2, 64, 4, 8});\n"
           "tensor<int32> src0({2, 64, 4, 8}), src1({2, 64, 4, 8});\n"
           "tiu::eq(dst, src0, src1, -1);"));
}

//===----------------------------------------------------------------------===//
// Selects
//===----------------------------------------------------------------------===//

/// src0 and src1: the shape of dst, or one element a channel of at most
/// LANE_NUM channels.
static Rule comparedShapes(std::string_view dst) {
  return rule(
      "src0 and src1 must have the shape of " + std::string(dst) +
          ", or be 1 x c x 1 x 1 with the smaller one of its channels and "
          "LANE_NUM",
      [=](const Call &call) {
        const Tensor *to = call.tensor(dst);
        int64_t lanes = call.chip->lanes;
        for (std::string_view name : {"src0", "src1"}) {
          const Tensor *from = call.tensor(name);
          if (!from || from->shape == to->shape)
            continue;
          Dims vector = {1, to->shape[1] < lanes ? to->shape[1] : lanes, 1, 1};
          if (from->shape != vector)
            return std::string(name) + " has " +
                   std::to_string(from->shape[1]) + " channels and " +
                   std::to_string(from->elements()) + " elements, " +
                   std::string(dst) + " " + std::to_string(to->shape[1]) +
                   " and " + std::to_string(to->elements());
        }
        return std::string();
      });
}

static Operation select(std::string_view name, std::string_view section,
                        std::string_view summary, std::string_view formula,
                        bool givesExtreme, std::string_view example) {
  Operation row;
  row.name = name;
  row.section = section;
  row.summary = summary;
  row.formula = formula;
  std::string_view chosen = givesExtreme ? "dst1" : "dst";
  if (givesExtreme)
    row.slots.push_back(result("dst0", kCompared));
  row.slots.push_back(result(chosen, kCompared));
  for (std::string_view source : {"src0", "src1", "src2", "src3"})
    row.slots.push_back(sourceOrScalar(source, kCompared));
  row.rules = {someTensor({"src0", "src1"}),
               sameTypes({"src0", "src1"}),
               sameTypes({chosen, "src2", "src3"}),
               sameShapes({chosen, "src2", "src3"}),
               comparedShapes(chosen),
               notWider("src0", chosen),
               notWider("src1", chosen),
               comparedNumberFits("src0"),
               comparedNumberFits("src1"),
               numberFits("src2", chosen),
               numberFits("src3", chosen),
               layoutIs(chosen, {AlignMode::Aligned}),
               layoutIs("src0", {AlignMode::Aligned, AlignMode::Compact}),
               layoutIs("src1", {AlignMode::Aligned, AlignMode::Compact}),
               layoutIs("src2", {AlignMode::Aligned}),
               layoutIs("src3", {AlignMode::Aligned}),
               noPartialOverlap(chosen, {"src0", "src1", "src2", "src3"})};
  if (givesExtreme) {
    row.rules.push_back(sameTypes({"dst0", "src0", "src1"}));
    row.rules.push_back(sameShapes({"dst0", "dst1"}));
    row.rules.push_back(layoutIs("dst0", {AlignMode::Aligned}));
    row.rules.push_back(
        sameLanes({"dst0", "dst1", "src0", "src1", "src2", "src3"}));
    row.rules.push_back(apart("dst0", {"dst1", "src2", "src3"}));
    row.rules.push_back(noPartialOverlap("dst0", {"src0", "src1"}));
  } else {
    row.rules.push_back(sameLanes({"dst", "src0", "src1", "src2", "src3"}));
  }
  row.example = example;
  excludeFp8(row, {chosen, "src0", "src1"});
  return row;
}

static void addSelects(std::vector<Operation> &rows) {
  rows.push_back(
      select("tiu.gt_select", "4.6.2.12", "choice by greater",
             "dst(n,c,h,w) = src0 > src1 ? src2 : src3 at (n,c,h,w), bits "
             "moved; compared as tiu::gt does. src0 and src1 of one element a "
             "channel are read at (0, c mod LANE_NUM, 0, 0)",
             false,
             "tensor<fp32> dst({2, 64, 4, 8}), x({2, 64, 4, 8}), y({2, 64, 4, "
             "8});\ntiu::gt_select(dst, x, 0.0f, x, y);"));
  rows.push_back(
      select("tiu.lt_select", "4.6.2.13", "choice by less",
             "dst(n,c,h,w) = src0 < src1 ? src2 : src3 at (n,c,h,w), bits "
             "moved; compared as tiu::lt does. src0 and src1 of one element a "
             "channel are read at (0, c mod LANE_NUM, 0, 0)",
             false,
             "tensor<int16> dst({2, 64, 4, 8});\n"
             "tensor<int8> x({2, 64, 4, 8}), y({1, 64, 1, 1});\n"
             "tiu::lt_select(dst, x, y, 1, -1);"));
  rows.push_back(
      select("tiu.eq_select", "4.6.2.14", "choice by equality",
             "dst(n,c,h,w) = src0 == src1 ? src2 : src3 at (n,c,h,w), bits "
             "moved; compared as tiu::eq does. src0 and src1 of one element a "
             "channel are read at (0, c mod LANE_NUM, 0, 0)",
             false,
             "tensor<fp32> dst({2, 64, 4, 8}), x({2, 64, 4, 8});\n"
             "tiu::eq_select(dst, x, 0.0f, 1.0f, x);"));
  rows.push_back(
      select("tiu.max_gt_select", "4.6.2.15", "larger element, and a choice",
             "dst0(n,c,h,w) = src0 > src1 ? src0 : src1, fp32 and bf16 "
             "subnormals as zeros; dst1(n,c,h,w) = src0 > src1 ? src2 : src3, "
             "both at (n,c,h,w); compared as tiu::gt does",
             true,
             "tensor<fp16> dst0({2, 64, 4, 8}), x({2, 64, 4, 8}), y({2, 64, 4, "
             "8});\ntensor<int16> dst1({2, 64, 4, 8});\n"
             "tiu::max_gt_select(dst0, dst1, x, y, 0, 1);"));
  rows.push_back(
      select("tiu.min_lt_select", "4.6.2.16", "smaller element, and a choice",
             "dst0(n,c,h,w) = src0 < src1 ? src0 : src1, fp32 and bf16 "
             "subnormals as zeros; dst1(n,c,h,w) = src0 < src1 ? src2 : src3, "
             "both at (n,c,h,w); compared as tiu::lt does",
             true,
             "tensor<int32> dst0({2, 64, 4, 8}), dst1({2, 64, 4, 8}), x({2, "
             "64, 4, 8}), y({2, 64, 4, 8});\n"
             "tiu::min_lt_select(dst0, dst1, x, y, x, 0);"));
}

std::vector<Operation> catalog::tiuComparisonOperations() {
  std::vector<Operation> rows;
  addExtremes(rows);
  addVectors(rows);
  addMasks(rows);
  addSelects(rows);
  return rows;
}
