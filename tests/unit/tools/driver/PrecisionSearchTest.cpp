//===- PrecisionSearchTest.cpp - which products become floats -------------===//

#include "tools/driver/PrecisionSearch.h"

#include "runtime/numeric/TensorValues.h"

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
    double all = 0, floats = 0;
    for (size_t i = 0; i < products.size(); ++i) {
      all += double(products[i]);
      floats += isFloat[i] ? double(products[i]) : 0;
    }
    program.floatShare = floats / all;
    output.cosine = 1 - output.errorRatio / 2;
    program.accuracy.outputs = {output};
    return program;
  }

  PrecisionSearch search(AccuracyGoal goal) const {
    PrecisionSearch search;
    for (size_t i = 0; i < products.size(); ++i)
      search.products.push_back({"v" + std::to_string(i), products[i]});
    search.goal = goal;
    search.measure = [this](const std::vector<bool> &isFloat, bool) {
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
  EXPECT_FALSE(found->isGoalRaised);
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
  EXPECT_DOUBLE_EQ(found->floats.accuracy.cosine(), 0.975);
}

// The goal is on the worst output, the order of the products on all of them.
TEST(PrecisionSearch, TheWorstOutputDecides) {
  PrecisionSearch search;
  search.products = {{"v0", 100}};
  search.goal.sqnr = 29;
  search.measure = [](const std::vector<bool> &isFloat, bool) {
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
  search.measure = [&](const std::vector<bool> &isFloat,
                       bool) -> rt::Result<MixedProgram> {
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

// What takes fewer cycles as a float is one, needed or not; within a bound only
// where there is room for it.
TEST(PrecisionSearch, FloatsThatTakeFewerCyclesAreTaken) {
  Model model{{100, 100, 100}, {0.001, 0.2, 0.001}};
  for (auto [bound, want] : {std::pair(std::optional<double>(),
                                       std::vector<bool>{true, true, false}),
                             {0.7, {true, true, false}},
                             {0.4, {false, true, false}}}) {
    PrecisionSearch search = model.search(cosine(0.99));
    search.mostFloats = bound;
    search.cheaperAsFloats = {true, false, false};
    search.measure = [&](const std::vector<bool> &isFloat, bool) {
      MixedProgram program = model.measure(isFloat);
      program.cycles -= isFloat[0] ? 150 : 0;
      return rt::Result<MixedProgram>(program);
    };
    auto found = search.run();
    ASSERT_TRUE(bool(found));
    EXPECT_TRUE(found->isGoalMet);
    EXPECT_EQ(floatsOf(*found), want);
  }
}

// What int8 and f16 are without a table is chosen if it is better than mixes.
TEST(PrecisionSearch, WholeProgramsAreWeighed) {
  Model model{{100, 100, 100}, {0.001, 0.2, 0.001}};
  for (auto [kind, cycles, error, want] :
       {std::tuple(ProgramKind::Int8, 390, 0.001, ProgramKind::Int8),
        {ProgramKind::Half, 390, 0.0, ProgramKind::Half},
        {ProgramKind::Half, 410, 0.0, ProgramKind::Mix}, // one float: 400
        {ProgramKind::Int8, 390, 0.1, ProgramKind::Mix}}) {
    PrecisionSearch search = model.search(cosine(0.99));
    search.wholes = {kind};
    search.measureWhole = [&, cycles = cycles, error = error](ProgramKind kind,
                                                              bool) {
      MixedProgram program = model.measure({true, true, true});
      program.kind = kind;
      program.cycles = cycles;
      program.accuracy.outputs[0].errorRatio = error;
      program.accuracy.outputs[0].cosine = 1 - error / 2;
      return rt::Result<MixedProgram>(program);
    };
    auto found = search.run();
    ASSERT_TRUE(bool(found));
    ASSERT_TRUE(found->chosen);
    EXPECT_EQ(found->pareto[*found->chosen].kind, want);
    EXPECT_EQ(found->half.has_value(), kind == ProgramKind::Half);
    // A share of floats counts.
    search.mostFloats = 0.5;
    found = search.run();
    ASSERT_TRUE(bool(found));
    EXPECT_EQ(found->pareto[*found->chosen].kind, ProgramKind::Mix);
  }
}

TEST(PrecisionSearch, AGoalThatIsMissedElsewhereIsSetHigher) {
  Model model{{100, 100, 100}, {0.03, 0.02, 0.01}};
  PrecisionSearch search = model.search(cosine(0.98)); // an error of 0.04
  size_t asked = 0;
  search.holdsElsewhere = [&](const MixedProgram &program) {
    ++asked;
    return rt::Result<bool>(program.accuracy.outputs[0].errorRatio < 0.015);
  };
  auto found = search.run();
  ASSERT_TRUE(bool(found));
  EXPECT_TRUE(found->isGoalMet);
  EXPECT_TRUE(found->isGoalRaised);
  EXPECT_EQ(asked, 2u); // 0.03 for a goal of 0.04, 0.01 for one of 0.02
  EXPECT_EQ(floatsOf(*found), (std::vector<bool>{true, true, false}));
  // Where nothing better is left, the last that met a goal stays.
  search.holdsElsewhere = [](const MixedProgram &) {
    return rt::Result<bool>(false);
  };
  found = search.run();
  ASSERT_TRUE(bool(found));
  EXPECT_EQ(floatsOf(*found), (std::vector<bool>{true, true, true}));
}

/// Products of 1000 and their errors, of which a share of floats may help.
static PrecisionSearch::Found within(const Model &model, double share,
                                     AccuracyGoal goal) {
  PrecisionSearch search = model.search(goal);
  search.mostFloats = share;
  auto found = search.run();
  EXPECT_TRUE(bool(found));
  EXPECT_TRUE(found->chosen);
  EXPECT_LE(found->pareto[*found->chosen].floatShare, share);
  return *std::move(found);
}

TEST(BoundedPrecisions, TakesWhatGainsMostWithinTheBound) {
  Model model{{700, 100, 50, 50, 100}, {0.9, 0.04, 0.03, 0.001, 0.002}};
  auto found = within(model, 0.16, cosine(0.999));
  EXPECT_EQ(floatsOf(found),
            (std::vector<bool>{false, true, true, false, false}));
  EXPECT_FALSE(found.isGoalMet);
}

TEST(BoundedPrecisions, TakesNoMoreThanTheGoalNeeds) {
  Model model{{100, 100, 100, 100}, {0.1, 0.05, 0.01, 0.01}};
  auto found = within(model, 0.8, cosine(0.96));
  EXPECT_TRUE(found.isGoalMet);
  EXPECT_EQ(floatsOf(found), (std::vector<bool>{true, false, false, false}));
}

// By gain for each multiplication the first comes first and leaves no room for
// the second, which gains most.
TEST(BoundedPrecisions, ExchangesFloatsAtTheEnd) {
  Model model{{60, 100, 840}, {0.09, 0.1, 0.01}};
  auto found = within(model, 0.1, cosine(0.999));
  EXPECT_EQ(floatsOf(found), (std::vector<bool>{false, true, false}));
}

// Several small ones make room for one that gains more than all of them.
TEST(BoundedPrecisions, SeveralLeaveForOne) {
  Model model{{30, 30, 30, 100, 810}, {0.04, 0.04, 0.04, 0.13, 0.01}};
  auto found = within(model, 0.1, cosine(0.999));
  EXPECT_EQ(floatsOf(found),
            (std::vector<bool>{false, false, false, true, false}));
}

// Both of the first two are needed: alone, neither gains much.
TEST(BoundedPrecisions, GainsAreMeasuredBesideTheOthers) {
  PrecisionSearch search;
  search.products = {{"v0", 100}, {"v1", 100}, {"v2", 100}, {"v3", 700}};
  search.goal.cosine = 0.99;
  search.mostFloats = 0.2;
  search.measure = [](const std::vector<bool> &isFloat, bool) {
    MixedProgram program;
    program.isFloat = isFloat;
    double error = isFloat[0] && isFloat[1] ? 0.004
                   : isFloat[0]             ? 0.05
                   : isFloat[1]             ? 0.09
                                            : 0.1;
    error += isFloat[2] ? 0 : 0.02;
    program.cycles = 100;
    for (size_t i = 0; i < 4; ++i)
      program.floatShare += isFloat[i] ? (i == 3 ? 0.7 : 0.1) : 0;
    program.accuracy.outputs = {{"y", 1 - error, 1 - error, error}};
    return rt::Result<MixedProgram>(program);
  };
  auto found = search.run();
  ASSERT_TRUE(bool(found) && found->chosen);
  EXPECT_EQ(floatsOf(*found), (std::vector<bool>{true, true, false, false}));
}

// The cosine of the second is better, on the few rows that it hangs on.
TEST(BoundedPrecisions, SoftmaxesAreJudgedByTheirLogits) {
  Model model{{100, 100, 800}, {0.1, 0.05, 0.1}};
  PrecisionSearch search = model.search(cosine(0.999));
  search.mostFloats = 0.1;
  search.measure = [&](const std::vector<bool> &isFloat, bool) {
    MixedProgram program = model.measure(isFloat);
    OutputAccuracy &output = program.accuracy.outputs[0];
    output.logitErrorRatio = output.errorRatio;
    output.cosine = isFloat[1] ? 0.99 : 0.9;
    return rt::Result<MixedProgram>(program);
  };
  auto found = search.run();
  ASSERT_TRUE(bool(found) && found->chosen);
  EXPECT_EQ(floatsOf(*found), (std::vector<bool>{true, false, false}));
}

TEST(BoundedPrecisions, NothingFitsWhereCodesAreAboveTheBound) {
  Model model{{100, 100}, {0.1, 0.1}};
  PrecisionSearch search = model.search(cosine(0.99));
  search.mostFloats = 0.1;
  auto inner = search.measure;
  search.measure = [&](const std::vector<bool> &isFloat, bool isScored) {
    auto program = inner(isFloat, isScored);
    program->floatShare += 0.2; // depthwise convolutions
    return program;
  };
  auto found = search.run();
  ASSERT_TRUE(bool(found));
  EXPECT_FALSE(found->chosen);
  EXPECT_DOUBLE_EQ(found->codes.floatShare, 0.2);
}

TEST(BoundedPrecisions, ThreadsDoNotMatter) {
  Model model{{}, {}};
  for (int i = 0; i < 40; ++i) {
    model.products.push_back(100 + 37 * i % 900);
    model.errors.push_back(0.0001 * (1 + 53 * i % 97));
  }
  PrecisionSearch one = model.search(cosine(0.97)), many = one;
  one.mostFloats = many.mostFloats = 0.1;
  many.threads = 4;
  auto a = one.run(), b = many.run();
  ASSERT_TRUE(bool(a) && bool(b));
  EXPECT_EQ(floatsOf(*a), floatsOf(*b));
  EXPECT_EQ(a->pareto.size(), b->pareto.size());
}

// The score counts the right things; few programs are asked for it.
TEST(PrecisionSearch, ReachesAScore) {
  for (std::optional<double> bound : {std::optional<double>(), {0.5}}) {
    Model model{{100, 100, 100, 100, 100, 100},
                {0.001, 0.2, 0.001, 0.001, 0.1, 0.002}};
    AccuracyGoal goal;
    goal.score = 90;
    PrecisionSearch search = model.search(goal);
    search.mostFloats = bound;
    size_t asked = 0;
    search.measure = [&](const std::vector<bool> &isFloat, bool isScored) {
      MixedProgram program = model.measure(isFloat);
      asked += isScored;
      if (isScored)
        program.score = 100 * (1 - program.accuracy.outputs[0].errorRatio);
      return rt::Result<MixedProgram>(program);
    };
    auto found = search.run();
    ASSERT_TRUE(bool(found) && found->chosen);
    EXPECT_TRUE(found->isGoalMet);
    EXPECT_EQ(floatsOf(*found),
              (std::vector<bool>{false, true, false, false, true, false}));
    EXPECT_GE(*found->pareto[*found->chosen].score, 90);
    EXPECT_LE(asked, 10u);
  }
}

TEST(Accuracy, SamplesAreSpread) {
  EXPECT_EQ(spread(6, 4), (std::vector<size_t>{0, 1, 3, 4}));
  EXPECT_EQ(spread(3, 8), (std::vector<size_t>{0, 1, 2}));
  EXPECT_EQ(spreadBeside(8, {0, 2, 4}), (std::vector<size_t>{1, 3, 6}));
  EXPECT_EQ(spreadBeside(6, {0, 1, 3, 4}), std::vector<size_t>());
}

static numeric::HostTensor numbers(std::vector<int64_t> shape,
                                   const std::vector<double> &values) {
  numeric::HostTensor tensor(numeric::ElementType::F32, std::move(shape));
  numeric::storeDoubles(values, tensor);
  return tensor;
}

/// Probabilities of [2, 3, 2] logits along axis 1.
static numeric::HostTensor softmaxOf(const std::vector<double> &logits) {
  std::vector<double> values(12);
  for (size_t row : {0, 1, 6, 7}) {
    double sum = 0;
    for (size_t i = 0; i < 3; ++i)
      sum += std::exp(logits[row + 2 * i]);
    for (size_t i = 0; i < 3; ++i)
      values[row + 2 * i] = std::exp(logits[row + 2 * i]) / sum;
  }
  return numbers({2, 3, 2}, values);
}

TEST(Accuracy, ProbabilitiesHaveTheErrorOfTheirLogits) {
  std::vector<double> logits = {1, 2, 3, 4, 5, 0, 7, 6, 5, 4, 3, 8};
  std::vector<double> off = logits;
  for (double &logit : off)
    logit += 9; // the same for a row: no difference
  EXPECT_LT(logitError(softmaxOf(logits), softmaxOf(off), 1).ratio(), 1e-12);
  off[1] += 0.3; // of the row 2, 4, 0: (.2, -.1, -.1) around its mean
  ErrorPower power = logitError(softmaxOf(logits), softmaxOf(off), 1);
  EXPECT_NEAR(power.error, 0.06, 1e-5);
  EXPECT_NEAR(power.power, 8 + 8 + 8 + 8, 1e-4);

  // What is next to nothing does not count, a lost number does.
  numeric::HostTensor want = numbers({1, 3}, {0.75, 0.25, 1e-7});
  EXPECT_EQ(logitError(want, numbers({1, 3}, {0.75, 0.25, 0}), 1).error, 0);
  EXPECT_GT(logitError(want, numbers({1, 3}, {0.75, 0, 0.25}), 1).ratio(), 1);
  EXPECT_TRUE(std::isinf(
      logitError(want, numbers({1, 3}, {NAN, 0.25, 0.25}), 1).ratio()));
  EXPECT_TRUE(
      std::isinf(logitError(want, numbers({1, 2}, {0.5, 0.5}), 1).ratio()));
  // What the model excludes counts where the program chooses it.
  EXPECT_GT(
      logitError(want, numbers({1, 3}, {0.0075, 0.0025, 0.99}), 1).ratio(), 1);
  numeric::HostTensor sure = numbers({1, 3}, {1, 1e-9, 1e-9});
  EXPECT_EQ(logitError(sure, sure, 1).error, 0);
  EXPECT_GT(logitError(sure, numbers({1, 3}, {1e-9, 1, 1e-9}), 1).error, 100);
  // Nothing differs where both have no number.
  numeric::HostTensor none = numbers({1, 3}, {NAN, 0.25, 0.75});
  EXPECT_EQ(logitError(none, none, 1).error, 0);
  EXPECT_TRUE(std::isinf(logitError(none, want, 1).ratio()));
}

TEST(Accuracy, IsThatOfTheWorstOutput) {
  Accuracy accuracy;
  accuracy.outputs = {{"a", 0.9, 0.8, 0.01}, {"b", 0.95, 0.5, 0.1}};
  EXPECT_EQ(accuracy.cosine(), 0.9);
  EXPECT_DOUBLE_EQ(accuracy.sqnr(), 10);
  EXPECT_TRUE(std::isinf(OutputAccuracy{"c", 1, 1, 0}.sqnr()));
}
