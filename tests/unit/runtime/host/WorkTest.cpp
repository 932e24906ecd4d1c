//===- WorkTest.cpp - how long host operations take -----------------------===//

#include "runtime/host/Work.h"

#include "runtime/host/Body.h"

#include <gtest/gtest.h>

using namespace weft;
using namespace weft::host;

static ResultType typeOf(Shape shape) {
  return staticResult(ElementType::F32, std::move(shape));
}

static double unitsOf(WorkUnit unit, const std::vector<ResultType> &operands,
                      const ResultType &result, const Attributes &more = {}) {
  std::vector<const ResultType *> pointers;
  for (const ResultType &operand : operands)
    pointers.push_back(&operand);
  return workUnits(unit, more, pointers, {result});
}

TEST(HostWork, CountsWhatKernelsWalkThrough) {
  EXPECT_EQ(unitsOf(WorkUnit::Elements, {typeOf({4, 5}), typeOf({4, 5})},
                    typeOf({4, 5})),
            40);
  EXPECT_EQ(unitsOf(WorkUnit::Elements, {typeOf({4, 1})}, typeOf({4, 5})), 20);
  EXPECT_EQ(unitsOf(WorkUnit::Products, {typeOf({7, 3, 4}), typeOf({4, 5})},
                    typeOf({7, 3, 5})),
            7 * 3 * 4 * 5);
  Attributes conv;
  conv.set("strides", std::vector<int64_t>{1, 1});
  EXPECT_EQ(unitsOf(WorkUnit::Products,
                    {typeOf({1, 8, 6, 6}), typeOf({16, 8, 3, 3})},
                    typeOf({1, 16, 4, 4}), conv),
            16 * 16 * 8 * 9);
  Attributes first;
  first.set("axis", int64_t(0));
  EXPECT_EQ(unitsOf(WorkUnit::Sorted, {typeOf({64, 3})}, typeOf({2, 3}), first),
            64 * 3 * 6);
  Attributes pool;
  pool.set("kernel", std::vector<int64_t>{3, 3});
  EXPECT_EQ(
      unitsOf(WorkUnit::Windows, {typeOf({1, 1, 4, 4})}, typeOf({2, 2}), pool),
      4 * 9);
  // The largest that it may be.
  EXPECT_EQ(unitsOf(WorkUnit::Elements, {typeOf({9})},
                    {ElementType::I64, {2, kUnknownSize}, {2, 9}}),
            18);
}

static CallStep stepOf(const char *kernel, std::vector<ValueId> operands,
                       ValueId result, Shape shape) {
  CallStep step;
  step.kernel = kernel;
  step.operands = std::move(operands);
  step.results = {result};
  step.types = {typeOf(std::move(shape))};
  return step;
}

TEST(HostWork, FollowsTypesThroughAllProgramsOfAStage) {
  Program first, second;
  first.steps = {LoadStep{0, {}, ElementType::F32, {1000}}, InputStep{1, 0},
                 stepOf("binary", {0, 1}, 2, {1000})};
  second.steps = {stepOf("reshape", {2, kAbsent}, 3, {10, 100})};
  const std::vector<double> known =
                                secondsOf({&first, &second}, {typeOf({1000})}),
                            unknown = secondsOf({&first, &second}, {});
  ASSERT_EQ(known.size(), 2u);
  EXPECT_DOUBLE_EQ(known[0], 2000 * workRow("binary").picoseconds * 1e-12);
  EXPECT_DOUBLE_EQ(unknown[0], known[0] / 2);
  EXPECT_DOUBLE_EQ(known[1], 1000 * workRow("reshape").picoseconds * 1e-12);
  EXPECT_DOUBLE_EQ(unknown[1], known[1]);
}

TEST(HostWork, CountsTheIterationsThatScanOutputsHaveRoomFor) {
  Body body;
  body.results = {typeOf({100})};
  body.program.steps = {stepOf("unary", {}, 0, {100}), OutputStep{0, 0}};
  CallStep call = stepOf("loop", {}, 0, {100});
  call.attributes.set(std::string(kLoopBody), bodyTensor(body));
  call.attributes.set(std::string(kCarried), int64_t(1));
  auto seconds = [&] {
    Program program;
    program.steps = {call};
    return secondsOf({&program}, {})[0];
  };
  double once = 100 * workRow("unary").picoseconds * 1e-12;
  EXPECT_NEAR(seconds(), once, once / 2);
  call.results.push_back(1);
  call.types.push_back(typeOf({50, 2}));
  EXPECT_NEAR(seconds(), 50 * once, once);
}

TEST(HostWork, TakesTheLongerBranch) {
  auto branch = [](int64_t count) {
    Body body;
    body.inputs = {typeOf({count})};
    body.results = {typeOf({count})};
    body.program.steps = {InputStep{0, 0}, stepOf("unary", {0}, 1, {count}),
                          OutputStep{1, 0}};
    return bodyTensor(body);
  };
  CallStep call = stepOf("if_else", {}, 0, {1});
  call.attributes.set(std::string(kThenBranch), branch(10));
  call.attributes.set(std::string(kElseBranch), branch(1000000));
  Program program;
  program.steps = {call};
  double expected = 1000000 * workRow("unary").picoseconds * 1e-12;
  EXPECT_NEAR(secondsOf({&program}, {})[0], expected, expected / 1000);
}

TEST(HostWork, KernelsWithoutARowCountAsOther) {
  EXPECT_EQ(workRow("roi_align").picoseconds, workRow("other").picoseconds);
  EXPECT_GT(workRow("binary", ElementType::I64).picoseconds,
            workRow("binary").picoseconds);
}

TEST(HostWork, SaysAbout) {
  EXPECT_EQ(workText(0.0432), "about 43 ms");
  EXPECT_EQ(workText(0.2138), "about 210 ms");
  EXPECT_EQ(workText(2.5), "about 2.5 s");
  EXPECT_EQ(workText(3.1e-6), "about 3.1 us");
  EXPECT_EQ(workText(3.1e-7), "less than 1 us");
}
