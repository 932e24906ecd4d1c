//===- Dot.cpp - vdot, vqdot, vdpa, vqdpa, vrpadd ------------------------===//

#include "runtime/zhouyi/rows/Words.h"

using namespace weft;
using namespace weft::zhouyi;

using Sums = VectorType (*)(const Call &);

static Operation dot(std::string_view name, std::string_view section,
                     std::string_view summary, std::string_view formula,
                     TypeSet types, Sums sums, std::string_view example) {
  return onVectors(
      catalog::function(
          name, section, summary, formula,
          {vectorOrScalar("x", types), vectorOrScalar("y", types), mask()},
          {someVector({"x", "y"}), lanesAre(VectorWidth::Register, {"x", "y"}),
           scalarsFit(), alike(), maskFits({"x", "y"})},
          example),
      VectorWidth::Register, kLeftOut, sums);
}

static Operation accumulated(std::string_view name, std::string_view section,
                             std::string_view summary, std::string_view formula,
                             TypeSet types, TypeSet accTypes, Sums sums,
                             std::string_view example) {
  Operation row = dot(name, section, summary, formula, types, sums, example);
  row.slots.insert(row.slots.begin(), vector("acc", accTypes));
  // The mask comes last in the messages too.
  row.rules.insert(row.rules.end() - 1, accumulatorFits(sums));
  return row;
}

std::vector<Operation> zhouyi::dotRows() {
  std::vector<Operation> rows;
  rows.push_back(
      dot("vdot", ZHOUYI_SECTION("vdot"),
          "sums of two neighbouring products, of twice the width, clamped; "
          "unsigned if x and y are; undefined without an active lane",
          "out[i] = clamp(sum of x[q] * y[q] over active q in {2i, 2i+1})",
          kBytes | kShorts, pairSums,
          "x = S.int16x16(range(16))\n"
          "y = S.int16x16(range(1, 17))\n"
          "out = S.vdot(x, y, mask=\"2F_T2F9T_FT\")"));
  rows.push_back(
      dot("vqdot", ZHOUYI_SECTION("vqdot"),
          "sums of four neighbouring products: of bytes in 32 bits, unsigned "
          "if x and y are; of fp16 as fp32 in the even lanes, the odd ones "
          "undefined; undefined without an active lane",
          "out[i] = sum of x[q] * y[q] over active q in {4i .. 4i+3}; fp16: "
          "out[2i]",
          kBytes | kHalf, quadSums,
          "x = S.int8x32(range(32))\n"
          "out = S.vqdot(x, 1, mask=\"TFF25T3F1T\")"));
  rows.push_back(accumulated(
      "vdpa", ZHOUYI_SECTION("vdpa"),
      "acc plus sums of two neighbouring products, of twice the width, clamped "
      "once; acc is unsigned if x and y are",
      "out[i] = clamp(acc[i] + sum of x[q] * y[q] over active q in {2i, 2i+1})",
      kBytes | kShorts, kShorts | kWords, pairSums,
      "acc = S.int32x8(range(0, 80, 10))\n"
      "x = S.int16x16(range(16))\n"
      "out = S.vdpa(acc, x, 2, mask=\"2F3T10F1T\")"));
  rows.push_back(accumulated(
      "vqdpa", ZHOUYI_SECTION("vqdpa"),
      "acc plus sums of four neighbouring products: of bytes in 32 bits, "
      "clamped once, unsigned if x and y are; of fp16 in the even lanes of "
      "fp32, the odd ones keep acc",
      "out[i] = clamp(acc[i] + sum of x[q] * y[q] over active q in {4i .. "
      "4i+3}); fp16: out[2i] = acc[2i] + ..., out[2i+1] = acc[2i+1]",
      kBytes | kHalf, kWords | kSingle, quadSums,
      "acc = S.int32x8(0)\n"
      "x = S.int8x32(range(32))\n"
      "y = S.int8x32(2)\n"
      "out = S.vqdpa(acc, x, y)"));
  for (Operation &row : rows)
    if (row.slot("acc"))
      row.inactiveLanes = "left out of the sum; a group of them keeps acc";
    else
      row.inactiveLanes = "left out of the sum; a group of them is undefined";
  rows.push_back(onVectors(
      catalog::function(
          "vrpadd", ZHOUYI_SECTION("vrpadd"),
          "the sum of all active lanes in lane 0, the other lanes undefined; "
          "integers wrap, fp16 gives fp32 with half the lanes",
          "out[0] = sum of x[i] over active i", {vector("x", kNumbers), mask()},
          {someVector({"x"}), lanesAre(VectorWidth::Register, {"x"}),
           maskFits({"x"})},
          "x = S.int32x8([0, 1, 2, 3, 4, 5, 6, 7])\n"
          "out = S.vrpadd(x, mask=\"6T1F1T\")"),
      VectorWidth::Register, kLeftOut, [](const Call &call) {
        VectorType x = call["x"].vector;
        return x.type == DataType::Fp16
                   ? VectorType{DataType::Fp32, x.lanes / 2}
                   : x;
      }));
  return rows;
}
