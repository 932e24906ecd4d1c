//===- Matrix.cpp - vmml, vmma, fma, vfmae, vfmao ------------------------===//

#include "runtime/zhouyi/rows/Words.h"

using namespace weft;
using namespace weft::zhouyi;

static Operation matrix(std::string_view name, std::string_view section,
                        std::string_view summary, std::string_view formula,
                        Slot pointer, std::string_view example) {
  return onVectors(
      catalog::function(name, section, summary, formula,
                        {pointer, vector("x", kHalf), vector("y", kHalf)},
                        {someVector({"x"}), someVector({"y"}),
                         lanesAre(VectorWidth::Register, {"x", "y"})},
                        example),
      VectorWidth::Register, {}, nullptr);
}

/// acc of fp32, x and y of the even or odd lanes of fp16.
static Operation halfMultiplyAdd(std::string_view name,
                                 std::string_view section,
                                 std::string_view summary,
                                 std::string_view formula,
                                 std::string_view example) {
  return onVectors(
      catalog::function(
          name, section, summary, formula,
          {vector("acc", kSingle), vectorOrScalar("x", kHalf),
           vectorOrScalar("y", kHalf), mask()},
          {someVector({"x", "y"}), lanesAre(VectorWidth::Register, {"x", "y"}),
           scalarsFit(), alike(), accumulatorFits(pairSums), maskFits({"acc"})},
          example),
      VectorWidth::Register, kAccumulator, pairSums);
}

/// acc is a vector if x or y is; scalars fit fp32.
static Rule fmaOperands() {
  return catalog::rule(
      "vectors of fma have the lanes of acc, and a scalar must fit fp32",
      [](const Call &call) {
        const Argument &acc = call["acc"];
        for (std::string_view name : {"x", "y"}) {
          const Argument &argument = call[name];
          std::string text = std::string(name) + " is " + textOf(argument);
          if (isWide(argument)
                  ? argument.vector.lanes != acc.vector.lanes
                  : scalarType(argument, DataType::Fp32) != DataType::Fp32)
            return text + ", acc is " + textOf(acc);
        }
        return std::string();
      });
}

static VectorType sameAsAcc(const Call &call) { return call["acc"].vector; }

std::vector<Operation> zhouyi::matrixRows() {
  std::vector<Operation> rows;
  rows.push_back(matrix(
      "vmml", ZHOUYI_SECTION("vmml"),
      "the product of two 4x4 matrices of fp16, x by rows and y by columns, to "
      "16 fp32 by rows at ptr",
      "ptr[4r+c] = sum of x[4r+k] * y[4c+k], k < 4",
      matrixPointer("ptr", catalog::Access::Write),
      "x = S.float16x16(range(16))\n"
      "ptr = np.zeros(16, np.float32)\n"
      "S.vmml(ptr, x, x)"));
  rows.push_back(
      matrix("vmma", ZHOUYI_SECTION("vmma"),
             "adds the product of two 4x4 matrices of fp16, x by rows and y by "
             "columns, to 16 fp32 by rows at acc_ptr",
             "acc_ptr[4r+c] += sum of x[4r+k] * y[4c+k], k < 4",
             matrixPointer("acc_ptr", catalog::Access::ReadWrite),
             "x = S.float16x16(range(16))\n"
             "ptr = np.ones(16, np.float32)\n"
             "S.vmma(ptr, x, x)"));
  rows.push_back(onVectors(
      catalog::function(
          "fma", ZHOUYI_SECTION("fma"),
          "acc plus products of lanes, rounded once; three scalars give a "
          "scalar",
          "out[i] = mask[i] ? acc[i] + x[i] * y[i] : acc[i]",
          {vector("acc", kSingle), vectorOrScalar("x", kSingle),
           vectorOrScalar("y", kSingle), mask()},
          {lanesAre(VectorWidth::Flexible, {"acc", "x", "y"}), fmaOperands(),
           maskFits({"acc"})},
          "acc = S.float32x8(10)\n"
          "x = S.float32x8([0, 1, 2, 3, 4, 5, 6, 7])\n"
          "out = S.fma(acc, x, 0.5, mask=\"F7T\")"),
      VectorWidth::Flexible, kAccumulator, sameAsAcc));
  rows.push_back(halfMultiplyAdd(
      "vfmae", ZHOUYI_SECTION("vfmae"),
      "acc of fp32 plus products of the even lanes of fp16, rounded once; the "
      "mask has the lanes of acc",
      "out[i] = mask[i] ? acc[i] + x[2i] * y[2i] : acc[i]",
      "acc = S.float32x8(10)\n"
      "x = S.float16x16(range(16))\n"
      "out = S.vfmae(acc, x, 2, mask=\"F7T\")"));
  rows.push_back(halfMultiplyAdd(
      "vfmao", ZHOUYI_SECTION("vfmao"),
      "acc of fp32 plus products of the odd lanes of fp16, rounded once; the "
      "mask has the lanes of acc",
      "out[i] = mask[i] ? acc[i] + x[2i+1] * y[2i+1] : acc[i]",
      "acc = S.float32x8(10)\n"
      "x = S.float16x16(range(16))\n"
      "out = S.vfmao(acc, x, 2, mask=\"F7T\")"));
  return rows;
}
