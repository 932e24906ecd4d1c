//===- KernelsTest.cpp - host kernels: results and refusals ---------------===//

#include "runtime/host/Convert.h"
#include "runtime/host/Host.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

using namespace weft;
using namespace weft::host;
using testing::ElementsAre;
using testing::HasSubstr;

namespace {

HostTensor tensorOf(Shape shape, const std::vector<double> &values,
                    ElementType type = ElementType::F32) {
  HostTensor tensor(type, std::move(shape));
  for (size_t i = 0; i < values.size(); ++i)
    tensor.setFromDouble(int64_t(i), values[i]);
  return tensor;
}

std::vector<double> valuesOf(const HostTensor &tensor) {
  std::vector<double> values;
  for (int64_t i = 0; i < tensor.elements(); ++i)
    values.push_back(tensor.toDouble(i));
  return values;
}

/// A call of `kernel` with one f32 result of `shape`.
Call callOf(const char *kernel, std::vector<const HostTensor *> operands,
            Shape shape) {
  Call call;
  call.kernel = kernel;
  call.operands = std::move(operands);
  call.results = {staticResult(ElementType::F32, std::move(shape))};
  return call;
}

TEST(HostKernels, moveElements) {
  HostTensor input = tensorOf({2, 3}, {1, 2, 3, 4, 5, 6});
  std::vector<HostTensor> results;
  Call transpose = callOf("transpose", {&input}, {3, 2});
  transpose.attributes.set("perm", std::vector<int64_t>{1, 0});
  ASSERT_TRUE(run(transpose, results).isOk());
  EXPECT_THAT(valuesOf(results[0]), ElementsAre(1, 4, 2, 5, 3, 6));
  Call slice = callOf("slice", {&input}, {2, 2});
  slice.attributes.set("starts", std::vector<int64_t>{0, 2});
  slice.attributes.set("steps", std::vector<int64_t>{1, -2});
  ASSERT_TRUE(run(slice, results).isOk());
  EXPECT_THAT(valuesOf(results[1]), ElementsAre(3, 1, 6, 4));
}

TEST(HostKernels, gatherAndScatterRows) {
  HostTensor table = tensorOf({1, 3, 2}, {1, 2, 3, 4, 5, 6});
  HostTensor rows = tensorOf({1, 3}, {2, 3, 2}, ElementType::I64);
  std::vector<HostTensor> results;
  ASSERT_TRUE(
      run(callOf("gather", {&table, &rows}, {1, 3, 2}), results).isOk());
  EXPECT_THAT(valuesOf(results[0]), ElementsAre(5, 6, 0, 0, 5, 6));
  HostTensor updates = tensorOf({1, 3, 2}, {10, 20, 30, 40, 50, 60});
  Call scatter = callOf("scatter", {&table, &rows, &updates}, {1, 3, 2});
  scatter.attributes.set("reduction", std::string("add"));
  ASSERT_TRUE(run(scatter, results).isOk());
  EXPECT_THAT(valuesOf(results[1]), ElementsAre(1, 2, 3, 4, 65, 86));
  scatter.attributes.set("reduction", std::string("sub"));
  EXPECT_THAT(run(scatter, results).message(), HasSubstr("reduction is 'sub'"));
  HostTensor flat = tensorOf({3}, {0, 1, 2}, ElementType::I64);
  EXPECT_THAT(
      run(callOf("gather", {&table, &flat}, {1, 3, 2}), results).message(),
      HasSubstr("lists B x K or 1 x K"));
}

TEST(HostKernels, padAndExpand) {
  HostTensor input = tensorOf({3}, {1, 2, 3});
  std::vector<HostTensor> results;
  for (const char *mode : {"reflect", "edge", "wrap"}) {
    Call pad = callOf("pad", {&input, nullptr}, {8});
    pad.attributes.set("begins", std::vector<int64_t>{2});
    pad.attributes.set("ends", std::vector<int64_t>{3});
    pad.attributes.set("mode", std::string(mode));
    ASSERT_TRUE(run(pad, results).isOk()) << mode;
  }
  EXPECT_THAT(valuesOf(results[0]), ElementsAre(3, 2, 1, 2, 3, 2, 1, 2));
  EXPECT_THAT(valuesOf(results[1]), ElementsAre(1, 1, 1, 2, 3, 3, 3, 3));
  EXPECT_THAT(valuesOf(results[2]), ElementsAre(2, 3, 1, 2, 3, 1, 2, 3));
  ASSERT_TRUE(run(callOf("expand", {&input}, {2, 3}), results).isOk());
  EXPECT_THAT(valuesOf(results[3]), ElementsAre(1, 2, 3, 1, 2, 3));
  EXPECT_FALSE(run(callOf("expand", {&input}, {2, 4}), results).isOk());
}

TEST(HostKernels, sortAndPick) {
  HostTensor input = tensorOf({4}, {2, 7, 2, 9});
  std::vector<HostTensor> results;
  Call top = callOf("top_k", {&input}, {3});
  top.results.push_back(staticResult(ElementType::I64, {3}));
  top.attributes.set("axis", int64_t(0));
  top.attributes.set("k", int64_t(3));
  ASSERT_TRUE(run(top, results).isOk());
  EXPECT_THAT(valuesOf(results[0]), ElementsAre(9, 7, 2));
  EXPECT_THAT(valuesOf(results[1]), ElementsAre(3, 1, 0));
  top.attributes.set("k", int64_t(5));
  EXPECT_THAT(run(top, results).message(), HasSubstr("k is 5"));

  results.clear();
  Call unique = callOf("unique", {&input}, {3});
  unique.results[0] = {ElementType::F32, {kUnknownSize}, {4}};
  ResultType places{ElementType::I64, {kUnknownSize}, {4}};
  unique.results.insert(unique.results.end(),
                        {places, staticResult(ElementType::I64, {4}), places});
  ASSERT_TRUE(run(unique, results).isOk());
  EXPECT_THAT(valuesOf(results[0]), ElementsAre(2, 7, 9));
  EXPECT_THAT(valuesOf(results[1]), ElementsAre(0, 1, 3));
  EXPECT_THAT(valuesOf(results[2]), ElementsAre(0, 1, 0, 2));
  EXPECT_THAT(valuesOf(results[3]), ElementsAre(2, 1, 1));
}

TEST(HostKernels, broadcastBinaryFunctions) {
  HostTensor lhs = tensorOf({2, 1}, {1, 2}), rhs = tensorOf({3}, {10, 20, 30});
  Call call = callOf("binary", {&lhs, &rhs}, {2, 3});
  call.attributes.set("kind", std::string("add"));
  std::vector<HostTensor> results;
  ASSERT_TRUE(run(call, results).isOk());
  EXPECT_THAT(valuesOf(results[0]), ElementsAre(11, 21, 31, 12, 22, 32));
}

TEST(HostKernels, refuseWhatTheirDeclarationDoesNotAllow) {
  HostTensor input = tensorOf({2, 3}, {1, 2, 3, 4, 5, 6});
  std::vector<HostTensor> results;
  auto message = [&](const Call &call) {
    rt::Status status = run(call, results);
    EXPECT_TRUE(results.empty());
    return status.message();
  };
  EXPECT_THAT(message(callOf("no_such", {&input}, {6})),
              HasSubstr("no host kernel is named 'no_such'"));
  EXPECT_THAT(message(callOf("reshape", {}, {6})), HasSubstr("0 operands"));
  EXPECT_THAT(message(callOf("reshape", {nullptr}, {6})),
              HasSubstr("operand 0 is absent"));
  EXPECT_THAT(message(callOf("reshape", {&input}, {7})),
              HasSubstr("6 elements into shape 7"));
  Call transpose = callOf("transpose", {&input}, {3, 2});
  transpose.attributes.set("perm", std::vector<int64_t>{1, 1});
  EXPECT_THAT(message(transpose), HasSubstr("no permutation"));
  transpose.attributes.set("perm", std::vector<int64_t>{0, 1});
  EXPECT_THAT(message(transpose), HasSubstr("result 0 has shape 2x3"));
  Call slice = callOf("slice", {&input}, {2, 3});
  slice.attributes.set("starts", std::vector<int64_t>{0, 2});
  slice.attributes.set("steps", std::vector<int64_t>{1, INT64_MAX});
  EXPECT_THAT(message(slice), HasSubstr("must lie inside"));
  Call unary = callOf("unary", {&input}, {2, 3});
  unary.attributes.set("kind", int64_t(3));
  EXPECT_THAT(message(unary), HasSubstr("there is no function ''"));
}

TEST(HostKernels, slicesOfUnknownSizeRunToTheEndOfTheAxis) {
  HostTensor input = tensorOf({2, 3}, {1, 2, 3, 4, 5, 6});
  Call call = callOf("slice", {&input}, {});
  call.results = {{ElementType::F32, {2, kUnknownSize}, {2, 3}}};
  call.attributes.set("starts", std::vector<int64_t>{0, 2});
  for (auto [step, values] :
       {std::pair<int64_t, std::vector<double>>{-1, {3, 2, 1, 6, 5, 4}},
        {-2, {3, 1, 6, 4}},
        {INT64_MIN, {3, 6}},
        {1, {3, 6}},
        {INT64_MAX, {3, 6}}}) {
    call.attributes.set("steps", std::vector<int64_t>{1, step});
    std::vector<HostTensor> results;
    ASSERT_TRUE(run(call, results).isOk()) << step;
    EXPECT_EQ(valuesOf(results[0]), values) << step;
  }
}

TEST(HostKernels, slicesOfRangesGoAsFarAsTheDataDo) {
  HostTensor input = tensorOf({2, 3}, {1, 2, 3, 4, 5, 6});
  auto list = [](int64_t value) {
    return tensorOf({1}, {double(value)}, ElementType::I64);
  };
  struct Case {
    int64_t start, end, step;
    std::vector<double> values;
  };
  for (const Case &c :
       {Case{0, 2, 1, {1, 2, 4, 5}}, Case{1, 99, 1, {2, 3, 5, 6}},
        Case{-1, 99, 1, {3, 6}}, Case{-1, -99, -2, {3, 1, 6, 4}},
        Case{2, 1, 1, {}}, Case{-99, -98, 1, {}}}) {
    HostTensor start = list(c.start), end = list(c.end), axis = list(1),
               step = list(c.step);
    Call call = callOf("slice_range", {&input, &start, &end, &axis, &step}, {});
    call.results = {{ElementType::F32, {2, kUnknownSize}, {2, 3}}};
    std::vector<HostTensor> results;
    rt::Status status = run(call, results);
    ASSERT_TRUE(status.isOk()) << status.message();
    EXPECT_EQ(valuesOf(results[0]), c.values) << c.start;
    HostTensor wrong = list(2);
    call.operands[3] = &wrong;
    EXPECT_THAT(run(call, results).message(), HasSubstr("axis 2 with step"));
    call.operands[3] = &input;
    EXPECT_THAT(run(call, results).message(),
                HasSubstr("operand 3 is f32 2x3"));
  }
}

TEST(HostKernels, tellSizes) {
  HostTensor input(ElementType::F32, {2, 0, 5});
  Call call = callOf("shape_of", {&input}, {});
  call.results = {staticResult(ElementType::I64, {2})};
  call.attributes.set("start", int64_t(1));
  std::vector<HostTensor> results;
  ASSERT_TRUE(run(call, results).isOk());
  EXPECT_THAT(valuesOf(results[0]), ElementsAre(0, 5));
  call.attributes.set("end", int64_t(4));
  EXPECT_THAT(run(call, results).message(), HasSubstr("axes 1 to 4 of rank 3"));
  Call expand = callOf("expand", {&input}, {});
  HostTensor row = tensorOf({1, 2}, {1, 2});
  expand.operands = {&row};
  expand.results = {{ElementType::F32, {2, kUnknownSize}, {2, 9}}};
  ASSERT_TRUE(run(expand, results).isOk());
  EXPECT_THAT(valuesOf(results[1]), ElementsAre(1, 2, 1, 2));
}

TEST(HostKernels, sizesMayDependOnDataUpToTheirBound) {
  HostTensor input = tensorOf({2, 3}, {1, 2, 3, 4, 5, 6});
  Call call = callOf("reshape", {&input}, {});
  call.results = {{ElementType::F32, {3, kUnknownSize}, {3, 4}}};
  std::vector<HostTensor> results;
  ASSERT_TRUE(run(call, results).isOk());
  EXPECT_THAT(results[0].shape(), ElementsAre(3, 2));
  call.results[0].largest = {3, 1};
  EXPECT_THAT(run(call, results).message(), HasSubstr("at most 3x1"));
}

TEST(HostConvert, namesTheIntegerThatDoesNotFit) {
  HostTensor wide = tensorOf({2}, {7, 3e9}, ElementType::I64);
  EXPECT_THAT(
      convert(wide, ElementType::I32).status().message(),
      HasSubstr("element 1 is 3000000000, which does not fit into i32"));
  HostTensor negative = tensorOf({1}, {-1}, ElementType::I64);
  EXPECT_FALSE(convert(negative, ElementType::U64).isOk());
  auto bits =
      convert(tensorOf({2}, {0, 1}, ElementType::U8), ElementType::Bool);
  ASSERT_TRUE(bits.isOk());
  EXPECT_THAT(valuesOf(*bits), ElementsAre(0, 1));
  EXPECT_FALSE(convert(wide, ElementType::F32).isOk());
}

} // namespace
