//===- ValueRangesTest.cpp - intervals hold what functions give -----------===//

#include "passes/quantize/ValueRanges.h"

#include "dialects/top/Kinds.h"
#include "dialects/top/Top.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/Parser/Parser.h"
#include "gtest/gtest.h"

#include <cmath>

using namespace weft;
using namespace weft::quantize;

namespace {
constexpr double kLow = -2, kHigh = 3; // what calibration saw of x

class ValueRangesTest : public ::testing::Test {
protected:
  ValueRangesTest() {
    context.loadDialect<mlir::func::FuncDialect, top::TopDialect>();
    table.add(CalibrationEntry::clippedAt("x", 3, kLow, kHigh));
  }

  /// The interval of the one result of a graph of x, 8 numbers, that `steps`
  /// compute as %y.
  std::optional<Interval> of(const std::string &steps,
                             const std::string &type = "tensor<8xf32>") {
    module = mlir::parseSourceString<mlir::ModuleOp>(
        "func.func @main(%x: tensor<8xf32> {top.name = \"x\"}) -> " + type +
            " {\n" + steps + "\nreturn %y : " + type + "\n}",
        &context);
    if (!module) {
      ADD_FAILURE() << steps;
      return std::nullopt;
    }
    auto func = *module->getOps<mlir::func::FuncOp>().begin();
    return ValueRanges(&table).of(
        func.getBody().front().getTerminator()->getOperand(0));
  }

  /// With the room that the values have.
  static std::vector<double> samples() {
    std::vector<double> values;
    for (int i = 0; i <= 100; ++i)
      values.push_back(ValueRanges::kRoom * (kLow + (kHigh - kLow) * i / 100));
    return values;
  }

  static void expectInside(double value, std::optional<Interval> interval,
                           const std::string &what) {
    if (!interval || std::isnan(value))
      return;
    double slack = 1e-9 * (1 + std::fabs(value)); // of the double formulas
    EXPECT_GE(value, interval->low - slack) << what;
    EXPECT_LE(value, interval->high + slack) << what;
  }

  mlir::MLIRContext context;
  CalibrationTable table;
  mlir::OwningOpRef<mlir::ModuleOp> module;
};

struct Kind {
  std::string spelling;
  host::UnaryKind kind;
};
} // namespace

TEST_F(ValueRangesTest, EveryUnaryKindStaysInside) {
  const Kind kinds[] = {
#define WEFT_UNARY(symbol, spelling, ...) {#spelling, host::UnaryKind::symbol},
#include "runtime/host/UnaryKinds.def"
  };
  int known = 0;
  for (const Kind &kind : kinds) {
    const top::UnaryKindRow &row = top::unaryKindRow(kind.kind);
    if (row.result == top::KindResult::Bool ||
        (row.types != top::KindTypes::Float &&
         row.types != top::KindTypes::Number &&
         row.types != top::KindTypes::Any))
      continue;
    auto interval =
        of("%y = top.unary " + kind.spelling + " %x : tensor<8xf32>");
    known += interval.has_value();
    for (double x : samples())
      expectInside(host::unaryFunction(kind.kind)(x,
                                                  host::defaultAlpha(kind.kind),
                                                  host::defaultBeta(kind.kind)),
                   interval, kind.spelling + " of " + std::to_string(x));
  }
  EXPECT_GE(known, 25) << "most kinds have a bound";
}

TEST_F(ValueRangesTest, EveryBinaryKindStaysInside) {
  const std::pair<std::string, host::BinaryKind> kinds[] = {
      {"add", host::BinaryKind::Add},   {"sub", host::BinaryKind::Sub},
      {"mul", host::BinaryKind::Mul},   {"div", host::BinaryKind::Div},
      {"max", host::BinaryKind::Max},   {"min", host::BinaryKind::Min},
      {"pow", host::BinaryKind::Pow},   {"mod", host::BinaryKind::Mod},
      {"fmod", host::BinaryKind::Fmod}, {"prelu", host::BinaryKind::PRelu}};
  for (const auto &[spelling, kind] : kinds)
    for (double number : {-3.0, -0.5, 0.0, 0.25, 1.0, 2.0, 3.0}) {
      std::string constant = "%c = top.constant dense<" +
                             std::to_string(number) + "> : tensor<8xf32>\n";
      auto right = of(constant + "%y = top.binary " + spelling +
                      " %x, %c : tensor<8xf32>, tensor<8xf32>");
      for (double x : samples())
        expectInside(host::binaryFunction(kind)(x, number), right,
                     spelling + " of x and " + std::to_string(number));
      auto left = of(constant + "%y = top.binary " + spelling +
                     " %c, %x : tensor<8xf32>, tensor<8xf32>");
      for (double x : samples())
        expectInside(host::binaryFunction(kind)(number, x), left,
                     spelling + " of " + std::to_string(number) + " and x");
    }
}

TEST_F(ValueRangesTest, SquaresAreNotNegative) {
  auto square = of("%y = top.binary mul %x, %x : tensor<8xf32>, tensor<8xf32>");
  ASSERT_TRUE(square);
  EXPECT_EQ(square->low, 0);
  EXPECT_EQ(square->high, 36); // (2 * 3)^2
}

TEST_F(ValueRangesTest, SumsGrowWithTheirTerms) {
  auto sum = of("%y = top.reduce sum %x {axes = array<i64: 0>, keepdims} : "
                "tensor<8xf32> -> tensor<1xf32>",
                "tensor<1xf32>");
  ASSERT_TRUE(sum);
  EXPECT_EQ(sum->low, 8 * 2 * kLow);
  EXPECT_EQ(sum->high, 8 * 2 * kHigh);
}

// x / sqrt(mean(x^2) + eps) is at most sqrt(8), whatever x is.
TEST_F(ValueRangesTest, NormalizedValuesAreBounded) {
  auto normalized = of(R"(
    %k = top.constant dense<0.125> : tensor<1xf32>
    %e = top.constant dense<1.0e-6> : tensor<1xf32>
    %0 = top.binary mul %x, %x : tensor<8xf32>, tensor<8xf32>
    %1 = top.reduce sum %0 {axes = array<i64: 0>, keepdims} : tensor<8xf32> -> tensor<1xf32>
    %2 = top.binary mul %1, %k : tensor<1xf32>, tensor<1xf32>
    %3 = top.binary add %2, %e : tensor<1xf32>, tensor<1xf32>
    %4 = top.unary sqrt %3 : tensor<1xf32>
    %y = top.binary div %x, %4 : tensor<8xf32>, tensor<1xf32>)");
  ASSERT_TRUE(normalized);
  EXPECT_NEAR(normalized->high, std::sqrt(8.0), 1e-6);
  EXPECT_EQ(normalized->low, -normalized->high);
}

// Graphs that only look like it have no such bound.
TEST_F(ValueRangesTest, OtherUsesOfNormsAreNotBounded) {
  const std::string norm = R"(
    %k = top.constant dense<1.0e+06> : tensor<1xf32>
    %0 = top.binary mul %x, %x : tensor<8xf32>, tensor<8xf32>
    %1 = top.reduce sum %0 {axes = array<i64: 0>, keepdims} : tensor<8xf32> -> tensor<1xf32>
    %n = top.unary sqrt %1 : tensor<1xf32>
    %r = top.unary rsqrt %1 : tensor<1xf32>
    %g = top.binary mul %r, %k : tensor<1xf32>, tensor<1xf32>
    %s = top.binary div %n, %k : tensor<1xf32>, tensor<1xf32>
    %c = top.constant dense<3.0> : tensor<1xf32>
    %p = top.binary pow %x, %c : tensor<8xf32>, tensor<1xf32>
    %q = top.reduce sum %p {axes = array<i64: 0>, keepdims} : tensor<8xf32> -> tensor<1xf32>
    %t = top.unary rsqrt %q : tensor<1xf32>
  )";
  for (const char *last :
       {"div %n, %x : tensor<1xf32>, tensor<8xf32>", // norm / x
        "mul %x, %n : tensor<8xf32>, tensor<1xf32>", // x * norm
        "div %x, %r : tensor<8xf32>, tensor<1xf32>",
        "div %x, %1 : tensor<8xf32>, tensor<1xf32>", // no root
        "mul %x, %g : tensor<8xf32>, tensor<1xf32>", // scaled behind the root
        "div %x, %s : tensor<8xf32>, tensor<1xf32>",
        "mul %x, %t : tensor<8xf32>, tensor<1xf32>"}) { // cubes
    auto interval = of(norm + "%y = top.binary " + last);
    EXPECT_TRUE(!interval || interval->magnitude() > 7) << last;
  }
  // Of a square without keepdims, row norms stand beside columns.
  EXPECT_FALSE(of(R"(
    %m = top.reshape %x : tensor<8xf32> -> tensor<2x4xf32>
    %f = top.slice %m {starts = array<i64: 0, 0>, steps = array<i64: 1, 1>} : tensor<2x4xf32> -> tensor<2x2xf32>
    %0 = top.binary mul %f, %f : tensor<2x2xf32>, tensor<2x2xf32>
    %1 = top.reduce sum %0 {axes = array<i64: 1>} : tensor<2x2xf32> -> tensor<2xf32>
    %n = top.unary sqrt %1 : tensor<2xf32>
    %y = top.binary div %f, %n : tensor<2x2xf32>, tensor<2xf32>)",
                  "tensor<2x2xf32>"));
}

TEST_F(ValueRangesTest, InfinitiesOfMasksDoNotCount) {
  auto mask = of("%y = top.constant dense<[0xFF800000, 0.0, 1.0, 0.0, 0.0, "
                 "0.0, 0.0, 0.0]> : tensor<8xf32>");
  ASSERT_TRUE(mask);
  EXPECT_EQ(mask->low, 0);
  EXPECT_EQ(mask->high, 1);
}

TEST_F(ValueRangesTest, NothingIsKnownWithoutATable) {
  table = CalibrationTable();
  EXPECT_FALSE(of("%y = top.unary exp %x : tensor<8xf32>"));
  auto bounded = of("%y = top.unary tanh %x : tensor<8xf32>");
  ASSERT_TRUE(bounded);
  EXPECT_EQ(bounded->high, 1);
}
