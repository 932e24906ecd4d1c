//===- PrecisionSearchTest.cpp - which products become floats -------------===//

#include "tools/driver/PrecisionSearch.h"

#include "gtest/gtest.h"

#include <cmath>

using namespace weft;
using namespace weft::driver;

namespace {
/// Products whose errors add up, and whose cycles are their multiplications,
/// twice that as floats.
struct Model {
  std::vector<int64_t> products;
  std::vector<double> errors;
  double floor = 0; ///< error of floats

  MixedProgram measure(const std::vector<bool> &isFloat) const {
    MixedProgram program;
    program.isFloat = isFloat;
    OutputAccuracy output;
    output.errorRatio = floor;
    for (size_t i = 0; i < products.size(); ++i) {
      program.cycles += double(products[i]) * (isFloat[i] ? 2 : 1);
      output.errorRatio += isFloat[i] ? 0 : errors[i];
    }
    output.cosine = 1 - output.errorRatio / 2;
    program.accuracy.outputs = {output};
    return program;
  }

  PrecisionSearch search(AccuracyGoal goal) const {
    PrecisionSearch search;
    for (size_t i = 0; i < products.size(); ++i)
      search.products.push_back({"v" + std::to_string(i), products[i]});
    search.goal = goal;
    search.measure = [this](const std::vector<bool> &isFloat) {
      return rt::Result<MixedProgram>(measure(isFloat));
    };
    return search;
  }
};

AccuracyGoal cosine(double value) {
  AccuracyGoal goal;
  goal.cosine = value;
  return goal;
}

std::vector<bool> floatsOf(const PrecisionSearch::Found &found) {
  return found.chosen ? found.pareto[*found.chosen].isFloat
                      : std::vector<bool>();
}
} // namespace

TEST(PrecisionSearch, TakesTheProductsWithTheLargestErrors) {
  Model model{{100, 100, 100, 100, 100, 100},
              {0.001, 0.2, 0.001, 0.001, 0.1, 0.002}};
  auto found = model.search(cosine(0.99)).run();
  ASSERT_TRUE(bool(found));
  EXPECT_EQ(floatsOf(*found),
            (std::vector<bool>{false, true, false, false, true, false}));
}

TEST(PrecisionSearch, PrefersSmallProductsOfTheSameError) {
  Model model{{10000, 100, 10000, 100}, {0.01, 0.01, 0.01, 0.01}};
  auto found = model.search(cosine(0.989)).run();
  ASSERT_TRUE(bool(found));
  EXPECT_EQ(floatsOf(*found), (std::vector<bool>{false, true, false, true}));
}

TEST(PrecisionSearch, ReturnsWhatIsNotNeeded) {
  // By error for each multiplication the small one comes first, but the large
  // one is needed, and is enough.
  Model model{{1000, 10}, {0.1, 0.01}};
  auto found = model.search(cosine(0.99)).run();
  ASSERT_TRUE(bool(found));
  EXPECT_EQ(floatsOf(*found), (std::vector<bool>{true, false}));
}

TEST(PrecisionSearch, CodesThatAreGoodEnoughAreMeasuredOnce) {
  Model model{{100, 100}, {0.001, 0.001}};
  PrecisionSearch search = model.search(cosine(0.9));
  size_t measured = 0;
  search.progress = [&](size_t, size_t) { ++measured; };
  auto found = search.run();
  ASSERT_TRUE(bool(found));
  EXPECT_EQ(floatsOf(*found), (std::vector<bool>{false, false}));
  EXPECT_EQ(measured, 2u); // codes, floats
}

TEST(PrecisionSearch, SaysWhenFloatsMissTheGoal) {
  Model model{{100, 100}, {0.1, 0.1}, /*floor=*/0.05};
  AccuracyGoal goal;
  goal.sqnr = 20;
  auto found = model.search(goal).run();
  ASSERT_TRUE(bool(found));
  EXPECT_FALSE(found->chosen);
  EXPECT_FALSE(found->pareto.empty());
}

// The error of one product cancels that of the floats.
TEST(PrecisionSearch, AMixMayBeBetterThanFloats) {
  Model model{{100, 100, 100}, {0.5, -0.04, 0.5}, /*floor=*/0.05};
  auto found = model.search(cosine(0.99)).run();
  ASSERT_TRUE(bool(found));
  EXPECT_EQ(floatsOf(*found), (std::vector<bool>{true, false, true}));
  EXPECT_DOUBLE_EQ(found->floats.cosine(), 0.975);
}

// The goal is on the worst output, the order of the products on all of them.
TEST(PrecisionSearch, TheWorstOutputDecides) {
  PrecisionSearch search;
  search.products = {{"v0", 100}};
  search.goal.sqnr = 29;
  search.measure = [](const std::vector<bool> &isFloat) {
    MixedProgram program;
    program.isFloat = isFloat;
    program.cycles = isFloat[0] ? 200 : 100;
    double first = isFloat[0] ? 1e-3 : 1.9e-3, second = isFloat[0] ? 1e-3 : 0;
    program.accuracy.outputs = {{"a", 1, 1, first}, {"b", 1, 1, second}};
    return rt::Result<MixedProgram>(program);
  };
  auto found = search.run();
  ASSERT_TRUE(bool(found));
  ASSERT_TRUE(found->chosen);
  EXPECT_EQ(floatsOf(*found), std::vector<bool>{true});
}

TEST(PrecisionSearch, AFailedMeasurementIsTheResult) {
  Model model{{100, 100}, {0.1, 0.1}};
  PrecisionSearch search = model.search(cosine(0.99));
  search.threads = 2;
  search.measure =
      [&](const std::vector<bool> &isFloat) -> rt::Result<MixedProgram> {
    if (isFloat[0] && !isFloat[1])
      return rt::fail(rt::Code::Internal, "no program");
    return model.measure(isFloat);
  };
  EXPECT_EQ(search.run().status().message(), "no program");
}

TEST(PrecisionSearch, ThreadsDoNotMatter) {
  Model model{{}, {}};
  for (int i = 0; i < 40; ++i) {
    model.products.push_back(100 + 37 * i % 900);
    model.errors.push_back(0.0001 * (1 + 53 * i % 97));
  }
  PrecisionSearch one = model.search(cosine(0.97)), many = one;
  many.threads = 4;
  auto a = one.run(), b = many.run();
  ASSERT_TRUE(bool(a) && bool(b));
  EXPECT_EQ(floatsOf(*a), floatsOf(*b));
  ASSERT_EQ(a->pareto.size(), b->pareto.size());
  for (size_t i = 0; i < a->pareto.size(); ++i)
    EXPECT_EQ(a->pareto[i].isFloat, b->pareto[i].isFloat);
  // By cycles, and less and less error.
  for (size_t i = 1; i < a->pareto.size(); ++i) {
    EXPECT_GE(a->pareto[i].cycles, a->pareto[i - 1].cycles);
    EXPECT_LT(a->pareto[i].accuracy.outputs[0].errorRatio,
              a->pareto[i - 1].accuracy.outputs[0].errorRatio);
  }
}

TEST(Accuracy, IsThatOfTheWorstOutput) {
  Accuracy accuracy;
  accuracy.outputs = {{"a", 0.9, 0.8, 0.01}, {"b", 0.95, 0.5, 0.1}};
  EXPECT_EQ(accuracy.cosine(), 0.9);
  EXPECT_DOUBLE_EQ(accuracy.sqnr(), 10);
  EXPECT_TRUE(std::isinf(OutputAccuracy{"c", 1, 1, 0}.sqnr()));
}
