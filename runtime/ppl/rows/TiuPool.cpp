//===- TiuPool.cpp - rows of the poolings --------------------------------===//

#include "runtime/ppl/Rows.h"
#include "runtime/ppl/Window.h"

using namespace weft;
using namespace weft::catalog;

static constexpr std::string_view kMax =
    R"(dst(n,c,y,x) = max_{p,q} X(n, c, y*sh + p*dh - top, x*sw + q*dw - left)
X is src, and the smallest finite value of the type outside it.)";
static constexpr std::string_view kMin =
    R"(dst(n,c,y,x) = min_{p,q} X(n, c, y*sh + p*dh - top, x*sw + q*dw - left)
X is src, and the largest finite value of the type outside it.)";
static constexpr std::string_view kAvg =
    R"(a = scale * sum_{p,q} X(n, c, y*sh + p*dh - top, x*sw + q*dw - left)
dst(n,c,y,x) = floor((a + 2^(rshift-1)) / 2^rshift), saturated to the type of dst
X is src with zeros for padding and insertion, which count. There is no division: scale / 2^rshift stands for it.)";
static constexpr std::string_view kFloatAvg =
    R"(dst(n,c,y,x) = sum_{p,q} X(n, c, y*sh + p*dh - top, x*sw + q*dw - left) * s, s = scale rounded to the type
X is src with zeros for padding and insertion.
Order: even = -0, odd = -0. Product j (order p, q) rounded to the type goes to even if j is even, else to odd; every addition rounds to the type; the result is even + odd.)";

static std::vector<Slot> poolSlots(TypeSet results, TypeSet sources) {
  return {result("dst", results), source("src", sources),
          kernelSlot("kernel"),   padSlot(),
          strideSlot(),           dilationSlot()};
}

static std::vector<Rule> poolRules() {
  return {followsWindow(),
          sameAxis("dst", 'c', "src", 'c'),
          layoutIs("dst", {AlignMode::Aligned}),
          layoutIs("src", {AlignMode::Aligned}),
          sameLanes({"dst", "src"}),
          apart("dst", {"src"})};
}

static Operation extremeRow(std::string_view name, std::string_view section,
                            std::string_view summary, std::string_view formula,
                            TypeSet types, std::string_view example) {
  Operation op = function(name, section, summary, formula,
                          poolSlots(types, types), poolRules(), example);
  op.spellings = {{"dst src kernel pad stride dilation"},
                  {"dst src kernel stride dilation pad"}};
  op.rules.insert(op.rules.begin(), sameTypes({"dst", "src"}));
  return op;
}

/// BM1684X and MARS3 have no search for the minimum.
static Operation withMinimum(Operation op) {
  op.chips = {"bm1688", "bm1690", "sg2380", "sg2260e", "sg2262"};
  op.chipNote = "the pooling unit of bm1684x and mars3 has no minimum: take "
                "the maximum of the negated input";
  return op;
}

static Operation poolAvgRow() {
  Operation op = function(
      "tiu.pool_avg", "4.6.6.5",
      "int8 window sum times a scale, right shift half up and saturation", kAvg,
      poolSlots(kIntegers, k8), poolRules(),
      R"(tensor<int8> dst({1, 64, 3, 3}), src({1, 64, 6, 6});
dim2 kernel = {2, 2}, stride = {2, 2}, dilation = {1, 1}, insert = {0, 0};
padding_t pad = {0, 0, 0, 0};
tiu::pool_avg(dst, src, &kernel, &pad, &stride, &dilation, &insert, 64, 8);)");
  for (const Slot &slot : {insertSlot("ins", 7), integer("scale", 0, 255, 1),
                           integer("rshift", 0, 31, 0)})
    op.slots.push_back(slot);
  op.spellings = {{"dst src kernel pad stride dilation ins scale rshift"},
                  {"dst src kernel stride dilation pad ins scale? rshift?"},
                  {"dst src kernel stride dilation pad scale? rshift?"}};
  op.rules.push_back(
      rule("dst must be signed exactly if src is", [](const Call &call) {
        const Tensor *dst = call.tensor("dst"), *src = call.tensor("src");
        if (!dst || !src || isSigned(dst->type) == isSigned(src->type))
          return std::string();
        return "dst is " + std::string(spelling(dst->type)) + ", src is " +
               std::string(spelling(src->type));
      }));
  return op;
}

static Operation fpoolAvgRow() {
  Operation op =
      function("tiu.fpool_avg", "4.6.6.6",
               "float window sum of every element times a scale", kFloatAvg,
               poolSlots(kFloats, kFloats), poolRules(),
               R"(tensor<fp16> dst({1, 64, 3, 3}), src({1, 64, 6, 6});
dim2 kernel = {2, 2}, stride = {2, 2}, dilation = {1, 1}, insert = {0, 0};
padding_t pad = {0, 0, 0, 0};
tiu::fpool_avg(dst, src, &kernel, &pad, &stride, &dilation, &insert, 0.25f);)");
  op.slots.push_back(insertSlot("ins", 7));
  op.slots.push_back(real("scale", 1.0));
  op.spellings = {{"dst src kernel pad stride dilation ins scale?"},
                  {"dst src kernel stride dilation pad ins scale?"},
                  {"dst src kernel stride dilation pad scale?"}};
  op.rules.insert(op.rules.begin(), sameTypes({"dst", "src"}));
  return op;
}

std::vector<Operation> catalog::tiuPoolOperations() {
  return {
      extremeRow("tiu.pool_max", "4.6.6.1",
                 "int8 maximum of every window; padding never wins", kMax, k8,
                 R"(tensor<int8> dst({1, 64, 3, 3}), src({1, 64, 6, 6});
dim2 kernel = {2, 2}, stride = {2, 2}, dilation = {1, 1};
padding_t pad = {0, 0, 0, 0};
tiu::pool_max(dst, src, &kernel, &pad, &stride, &dilation);)"),
      extremeRow("tiu.fpool_max", "4.6.6.2",
                 "float maximum of every window; padding never wins", kMax,
                 kFloats,
                 R"(tensor<fp32> dst({1, 64, 3, 3}), src({1, 64, 6, 6});
dim2 kernel = {2, 2}, stride = {2, 2}, dilation = {1, 1};
padding_t pad = {0, 0, 0, 0};
tiu::fpool_max(dst, src, &kernel, &pad, &stride, &dilation);)"),
      withMinimum(extremeRow(
          "tiu.pool_min", "4.6.6.3",
          "int8 minimum of every window; padding never wins", kMin, k8,
          R"(tensor<int8> dst({1, 64, 3, 3}), src({1, 64, 6, 6});
dim2 kernel = {2, 2}, stride = {2, 2}, dilation = {1, 1};
padding_t pad = {0, 0, 0, 0};
tiu::pool_min(dst, src, &kernel, &pad, &stride, &dilation);)")),
      withMinimum(extremeRow(
          "tiu.fpool_min", "4.6.6.4",
          "float minimum of every window; padding never wins", kMin, kFloats,
          R"(tensor<fp32> dst({1, 64, 3, 3}), src({1, 64, 6, 6});
dim2 kernel = {2, 2}, stride = {2, 2}, dilation = {1, 1};
padding_t pad = {0, 0, 0, 0};
tiu::fpool_min(dst, src, &kernel, &pad, &stride, &dilation);)")),
      poolAvgRow(),
      fpoolAvgRow()};
}
