//===- EvaluateTest.cpp - the evaluator of top against small known truths
//---===//

#include "dialects/Evaluate.h"
#include "dialects/top/Top.h"
#include "dialects/top/Unary.h"
#include "runtime/host/Kinds.h"
#include "runtime/numeric/TensorValues.h"

#include "mlir/IR/BuiltinOps.h"
#include "mlir/Parser/Parser.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

using namespace mlir;
using namespace weft;
using numeric::ElementType;
using numeric::HostTensor;
using testing::ElementsAre;
using testing::ElementsAreArray;

namespace {

class Evaluate : public testing::Test {
protected:
  Evaluate() { context.loadDialect<func::FuncDialect, top::TopDialect>(); }

  /// Runs `body` (which returns %r of type `type`) and gives the result as
  /// doubles.
  std::vector<double> run(const std::string &body, const std::string &type,
                          ValueObserver observe = nullptr) {
    std::string text = "func.func @main() -> " + type + " {\n" + body +
                       "\n return %r : " + type + "\n}";
    auto module = parseSourceString<ModuleOp>(text, &context);
    EXPECT_TRUE(module) << text;
    if (!module)
      return {};
    SmallVector<HostTensor> outputs;
    auto main = module->lookupSymbol<func::FuncOp>("main");
    EXPECT_TRUE(succeeded(evaluateFunction(main, {}, outputs, observe)));
    return outputs.empty() ? std::vector<double>() : loadDoubles(outputs[0]);
  }

  MLIRContext context;
};

TEST_F(Evaluate, convSumsShiftedWindowsWithPadsStridesAndGroups) {
  // Group 0 has filter [1 2] on 1 2 3 with one zero on the right, group 1 [10
  // 0] on 4 5 6; stride 2.
  EXPECT_THAT(run(R"(
    %x = top.constant dense<[[[1., 2., 3.], [4., 5., 6.]]]> : tensor<1x2x3xf32>
    %w = top.constant dense<[[[1., 2.]], [[10., 0.]]]> : tensor<2x1x2xf32>
    %b = top.constant dense<[0.5, -1.]> : tensor<2xf32>
    %r = top.conv %x, %w, %b {strides = array<i64: 2>, pads = array<i64: 0, 1>, dilations = array<i64: 1>, group = 2 : i64}
      : (tensor<1x2x3xf32>, tensor<2x1x2xf32>, tensor<2xf32>) -> tensor<1x2x2xf32>)",
                  "tensor<1x2x2xf32>"),
              ElementsAre(5.5, 3.5, 39, 59));
}

TEST_F(Evaluate, averagePoolCountsPaddingOnlyWhenAsked) {
  std::string body = R"(
    %x = top.constant dense<[[[2., 4., 9.]]]> : tensor<1x1x3xf32>
    %r = top.pool avg %x {kernel = array<i64: 2>, strides = array<i64: 2>, pads = array<i64: 1, 0>%s}
      : tensor<1x1x3xf32> -> tensor<1x1x2xf32>)";
  auto with = [&](const char *flag) {
    std::string text = body;
    return run(text.replace(text.find("%s"), 2, flag), "tensor<1x1x2xf32>");
  };
  EXPECT_THAT(with(""), ElementsAre(2, 6.5));
  EXPECT_THAT(with(", count_include_pad"), ElementsAre(1, 6.5));
}

TEST_F(Evaluate, maxPoolKeepsNaNAndMinusInfinity) {
  auto values = run(R"(
    %x = top.constant dense<[[[0x7FC00000, 1., 2., 0xFF800000, 0xFF800000, 0xFF800000]]]> : tensor<1x1x6xf32>
    %r = top.pool max %x {kernel = array<i64: 2>, strides = array<i64: 2>, pads = array<i64: 0, 0>}
      : tensor<1x1x6xf32> -> tensor<1x1x3xf32>)",
                    "tensor<1x1x3xf32>");
  EXPECT_TRUE(std::isnan(values[0]));
  EXPECT_EQ(values[1], 2);
  EXPECT_EQ(values[2], -INFINITY);
}

TEST_F(Evaluate, integersWrapInTheirOwnWidth) {
  EXPECT_THAT(run(R"(
    %x = top.constant dense<[127, -128, 5]> : tensor<3xi8>
    %y = top.constant dense<[1, -1, 0]> : tensor<3xi8>
    %r = top.binary add %x, %y : tensor<3xi8>, tensor<3xi8>)",
                  "tensor<3xi8>"),
              ElementsAre(-128, 127, 5));
  EXPECT_THAT(run(R"(
    %x = top.constant dense<[-128, -7, 9]> : tensor<3xi8>
    %y = top.constant dense<[-1, 2, 0]> : tensor<3xi8>
    %r = top.binary div %x, %y : tensor<3xi8>, tensor<3xi8>)",
                  "tensor<3xi8>"),
              ElementsAre(-128, -3, 0));
  EXPECT_THAT(run(R"(
    %x = top.constant dense<[18446744073709551615, 1]> : tensor<2xui64>
    %y = top.constant dense<1> : tensor<ui64>
    %r = top.binary greater %x, %y : tensor<2xui64>, tensor<ui64>)",
                  "tensor<2xi1>"),
              ElementsAre(1, 0));
}

TEST_F(Evaluate, castSaturatesFloatsAndKeepsLowBitsOfIntegers) {
  EXPECT_THAT(run(R"(
    %x = top.constant dense<[1.9, -1.9, 300.0, 0x7FC00000]> : tensor<4xf32>
    %r = top.cast %x : tensor<4xf32> -> tensor<4xi8>)",
                  "tensor<4xi8>"),
              ElementsAre(1, -1, 127, 0));
  EXPECT_THAT(run(R"(
    %x = top.constant dense<[257, -1]> : tensor<2xi32>
    %r = top.cast %x : tensor<2xi32> -> tensor<2xui8>)",
                  "tensor<2xui8>"),
              ElementsAre(1, 255));
  // 2^60 + 2^36 + 1 lies just above the middle of two floats; through a double
  // it would become a tie.
  EXPECT_THAT(run(R"(
    %x = top.constant dense<1152921573326323713> : tensor<1xi64>
    %r = top.cast %x : tensor<1xi64> -> tensor<1xf32>)",
                  "tensor<1xf32>"),
              ElementsAre(0x1p60 + 0x1p37));
}

TEST_F(Evaluate, movesGatherByIndex) {
  EXPECT_THAT(run(R"(
    %x = top.constant dense<[[1, 2, 3], [4, 5, 6]]> : tensor<2x3xi16>
    %t = top.transpose %x {perm = array<i64: 1, 0>} : tensor<2x3xi16> -> tensor<3x2xi16>
    %s = top.slice %t {starts = array<i64: 2, 1>, steps = array<i64: -2, 1>} : tensor<3x2xi16> -> tensor<2x1xi16>
    %r = top.concat %s, %s {axis = 1 : i64} : (tensor<2x1xi16>, tensor<2x1xi16>) -> tensor<2x2xi16>)",
                  "tensor<2x2xi16>"),
              ElementsAre(6, 6, 4, 4));
}

/// Takes relus and says that they are 7.
struct Sevens : OpAccelerator {
  bool evaluate(Operation *op, ArrayRef<const HostTensor *> operands,
                SmallVectorImpl<HostTensor> &results) override {
    auto unary = mlir::dyn_cast<top::UnaryOp>(op);
    if (!unary || unary.getKind() != top::UnaryKind::Relu)
      return false;
    results.push_back(*operands[0]);
    results[0].setFromDouble(0, 7);
    return true;
  }
};

TEST_F(Evaluate, acceleratorIsAskedFirstAndKnownConstantsAreTaken) {
  auto module = parseSourceString<ModuleOp>(R"(
    func.func @main() -> tensor<1xf32> {
      %x = top.constant dense<1.0> : tensor<1xf32>
      %y = top.constant dense<2.0> : tensor<1xf32>
      %r = top.unary relu %x : tensor<1xf32>
      %s = top.binary add %r, %y : tensor<1xf32>, tensor<1xf32>
      %t = top.binary add %s, %x : tensor<1xf32>, tensor<1xf32>
      return %t : tensor<1xf32>
    })",
                                            &context);
  ASSERT_TRUE(module);
  auto main = module->lookupSymbol<func::FuncOp>("main");
  ValueTensors constants;
  ASSERT_TRUE(succeeded(evaluateConstants(main.getBody().front(), constants)));
  ASSERT_EQ(constants.size(), 2u);
  for (auto &[value, tensor] : constants) // not what the ops would give
    tensor.setFromDouble(0, 10 * tensor.toDouble(0));
  Sevens sevens;
  EvaluationAids aids{&sevens, &constants};
  for (int run = 0; run < 2; ++run) { // they are not used up
    SmallVector<HostTensor> outputs;
    ASSERT_TRUE(succeeded(evaluateFunction(main, {}, outputs, nullptr, aids)));
    EXPECT_EQ(outputs[0].toDouble(0), 7 + 20 + 10);
  }
}

TEST_F(Evaluate, observesNamedValuesInOrder) {
  std::vector<std::string> names;
  std::vector<double> firsts;
  run(R"(
    %x = top.constant dense<[-1., 2.]> : tensor<2xf32>
    %a = top.unary neg %x {top.value = "first"} : tensor<2xf32>
    %b = top.unary abs %x : tensor<2xf32>
    %r = top.binary mul %a, %b {top.value = "second"} : tensor<2xf32>, tensor<2xf32>)",
      "tensor<2xf32>", [&](StringRef name, const HostTensor &tensor) {
        names.push_back(name.str());
        firsts.push_back(tensor.toDouble(1));
      });
  EXPECT_THAT(names, ElementsAre("first", "second"));
  EXPECT_THAT(firsts, ElementsAre(-2, -4));
}

TEST_F(Evaluate, constantsSurviveTheRoundTripInEveryElementType) {
  Builder builder(&context);
  const Type types[] = {builder.getF32Type(),
                        builder.getF64Type(),
                        builder.getF16Type(),
                        builder.getBF16Type(),
                        builder.getI1Type(),
                        builder.getI8Type(),
                        builder.getIntegerType(16),
                        builder.getI32Type(),
                        builder.getI64Type(),
                        builder.getIntegerType(8, false),
                        builder.getIntegerType(16, false),
                        builder.getIntegerType(32, false),
                        builder.getIntegerType(64, false)};
  for (Type type : types)
    for (int64_t count : {0, 1, 7, 1024, 1025}) {
      auto tensorType = RankedTensorType::get({count}, type);
      HostTensor tensor = *makeHostTensor(tensorType);
      for (int64_t i = 0; i < count; ++i)
        tensor.setFromDouble(i, double(i % 3));
      auto back = toHostTensor(toElementsAttr(tensor, tensorType, "c"),
                               UnknownLoc::get(&context));
      ASSERT_TRUE(succeeded(back));
      EXPECT_TRUE(*back == tensor) << count;
    }
}

TEST(KindRows, spellingsAreUniqueAndReadBack) {
  for (const top::UnaryKindRow &row : top::unaryKindRows())
    EXPECT_EQ(top::symbolizeUnaryKind(row.spelling), row.kind)
        << row.spelling.str();
  for (const top::BinaryKindRow &row : top::binaryKindRows())
    EXPECT_EQ(top::symbolizeBinaryKind(row.spelling), row.kind)
        << row.spelling.str();
}

TEST(KindRows, commutingKindsGiveTheSameForSwappedOperands) {
  const double values[] = {-2.5, -1, 0, 1, 3, 7};
  for (const top::BinaryKindRow &row : top::binaryKindRows())
    if (row.commutes) {
      for (double x : values)
        for (double y : values)
          EXPECT_EQ(host::binaryFunction(row.kind)(x, y),
                    host::binaryFunction(row.kind)(y, x))
              << row.spelling.str();
    }
}

} // namespace
