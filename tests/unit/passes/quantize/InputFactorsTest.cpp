#include "passes/quantize/InputFactors.h"

#include "dialects/top/Top.h"
#include "runtime/numeric/Float16.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Parser/Parser.h"

#include <gtest/gtest.h>

#include <cmath>
#include <random>

using namespace weft;
using namespace weft::quantize;

namespace {
/// A product whose input channels differ in size by `ratio` each, with windows
/// of two numbers.
struct Case {
  static constexpr int64_t kRows = 200, kChannels = 6, kTerms = 12,
                           kResults = 5;
  ProductRows rows;
  std::vector<float> filter;
  CodeForm plain{0, 0, true};

  explicit Case(float ratio) {
    std::mt19937 rng(11);
    std::normal_distribution<float> normal;
    rows.terms = kTerms;
    float largest = 0;
    for (int64_t row = 0; row < kRows; ++row) {
      rows.keys.push_back(row);
      for (int64_t i = 0; i < kTerms; ++i) {
        rows.values.push_back(normal(rng) * std::pow(ratio, float(i / 2)));
        largest = std::max(largest, std::fabs(rows.values.back()));
      }
    }
    for (int64_t i = 0; i < kTerms * kResults; ++i)
      filter.push_back(normal(rng) *
                       std::pow(ratio, -0.5F * float(i % kTerms / 2)));
    plain.scale = largest / 127;
  }

  std::optional<FactoredInput> chosen() const {
    return chooseInputFactors(rows, filter, kChannels, plain, multiplyMatrices);
  }

  /// Squared error of sums whose inputs are codes, times `factors`.
  double errorOf(llvm::ArrayRef<float> factors, const CodeForm &form) const {
    double all = 0;
    for (int64_t row = 0; row < kRows; ++row)
      for (int64_t oc = 0; oc < kResults; ++oc) {
        double error = 0;
        for (int64_t i = 0; i < kTerms; ++i) {
          float x = rows.values[row * kTerms + i];
          error += filter[oc * kTerms + i] *
                   (form.seen(x * factors[i / 2]) / factors[i / 2] - x);
        }
        all += error * error;
      }
    return all;
  }
};
} // namespace

TEST(InputFactors, GiveSmallChannelsFinerSteps) {
  Case c(0.4F);
  std::optional<FactoredInput> found = c.chosen();
  ASSERT_TRUE(found);
  ASSERT_EQ(found->factors.size(), size_t(Case::kChannels));
  EXPECT_EQ(found->form.scale, 1);
  for (int64_t i = 0; i < Case::kChannels; ++i) {
    float factor = found->factors[i];
    EXPECT_EQ(factor, numeric::halfToFloat(numeric::floatToHalf(factor)));
    EXPECT_GT(factor, i > 0 ? found->factors[i - 1] : 0);
  }
  std::vector<float> ones(Case::kChannels, 1);
  EXPECT_LT(c.errorOf(found->factors, found->form),
            c.errorOf(ones, c.plain) / kLeastGain);
}

TEST(InputFactors, AreNotChosenWhereChannelsAreAlike) {
  EXPECT_FALSE(Case(1).chosen());
}

TEST(InputFactors, AreNotChosenWithoutRows) {
  Case c(0.4F);
  std::fill(c.rows.values.begin(), c.rows.values.end(), 0.0F);
  EXPECT_FALSE(c.chosen());
  c.rows.keys.resize(3);
  c.rows.values.resize(3 * Case::kTerms);
  EXPECT_FALSE(c.chosen());
}

TEST(InputFactors, LeaveTheSumsAsTheyAre) {
  Case c(0.4F);
  std::vector<float> factors{1, 2, 4, 0.5F, 8, 16}; // exact
  ProductRows rows = multipliedRows(c.rows, factors);
  std::vector<float> filter = dividedFilter(c.filter, Case::kTerms, factors);
  for (int64_t i = 0; i < Case::kTerms; ++i) {
    EXPECT_EQ(rows.values[i], c.rows.values[i] * factors[i / 2]);
    EXPECT_EQ(rows.values[i] * filter[i], c.rows.values[i] * c.filter[i]);
  }
}

TEST(InputFactors, AreForInputsThatAreFloatsAnyway) {
  mlir::MLIRContext context;
  context.loadDialect<top::TopDialect, mlir::func::FuncDialect>();
  auto module = mlir::parseSourceString<mlir::ModuleOp>(R"(
    func.func @main(%x: tensor<4x2xf32> {top.name = "x"}) -> (tensor<4x2xf32> {top.name = "e"}) {
      %w = top.constant dense<1.0> : tensor<2x2xf32>
      %a = top.matmul %x, %w {top.value = "a"} : tensor<4x2xf32>, tensor<2x2xf32>
      %b = top.unary relu %a {top.value = "b"} : tensor<4x2xf32>
      %c = top.matmul %b, %w {top.value = "c"} : tensor<4x2xf32>, tensor<2x2xf32>
      %d = top.unary sigmoid %c {top.value = "d"} : tensor<4x2xf32>
      %e = top.matmul %d, %w {top.value = "e"} : tensor<4x2xf32>, tensor<2x2xf32>
      %h = top.unary sigmoid %x {top.value = "h"} : tensor<4x2xf32>
      %f = top.concat %h, %h {axis = 0 : i64} : (tensor<4x2xf32>, tensor<4x2xf32>) -> tensor<8x2xf32>
      %g = top.matmul %f, %w {top.value = "g"} : tensor<8x2xf32>, tensor<2x2xf32>
      return %e : tensor<4x2xf32>
    })",
                                                        &context);
  ASSERT_TRUE(module);
  std::vector<bool> may;
  for (mlir::Operation &op :
       module->lookupSymbol<mlir::func::FuncOp>("main").getBody().front())
    if (op.getName().getStringRef() == "top.matmul")
      may.push_back(mayHaveInputFactors(&op));
  // The network's input; sums that become codes at once; a function; what is
  // moved as codes.
  EXPECT_EQ(may, std::vector<bool>({false, false, true, false}));
}
