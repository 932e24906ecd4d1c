#include "tools/onednn/OneDnn.h"

#include "dialects/top/Constant.h"
#include "dialects/top/Conv.h"
#include "dialects/top/Top.h"

#include "mlir/IR/BuiltinOps.h"
#include "mlir/Parser/Parser.h"

#include <gtest/gtest.h>

#include <cmath>
#include <random>
#include <thread>

using namespace mlir;
using namespace weft;
using numeric::HostTensor;

namespace {

/// One op whose operands are arguments, but for its filter.
struct Graph {
  const char *name;
  const char *body; ///< of a filter, type and shape count
  int terms;        ///< products of one sum
};

const Graph kGraphs[] = {
    {"Conv",
     R"(func.func @main(%x: tensor<2x5x9x11xf32>, %b: tensor<7xf32>) -> tensor<2x7x4x6xf32> {
      %w = top.constant dense<0.0> : tensor<7x5x3x3xf32>
      %0 = top.conv %x, %w, %b {strides = array<i64: 2, 2>, pads = array<i64: 0, 1, 1, 1>, dilations = array<i64: 1, 1>, group = 1 : i64}
        : (tensor<2x5x9x11xf32>, tensor<7x5x3x3xf32>, tensor<7xf32>) -> tensor<2x7x4x6xf32>
      return %0 : tensor<2x7x4x6xf32> })",
     46},
    {"ConvDilated",
     R"(func.func @main(%x: tensor<1x16x9x9xf32>) -> tensor<1x32x5x7xf32> {
      %w = top.constant dense<0.0> : tensor<32x16x3x2xf32>
      %0 = top.conv %x, %w {strides = array<i64: 1, 1>, pads = array<i64: 0, 0, 0, 0>, dilations = array<i64: 2, 2>, group = 1 : i64}
        : (tensor<1x16x9x9xf32>, tensor<32x16x3x2xf32>) -> tensor<1x32x5x7xf32>
      return %0 : tensor<1x32x5x7xf32> })",
     96},
    {"ConvPointwise",
     R"(func.func @main(%x: tensor<1x64x6x10xf32>) -> tensor<1x48x6x10xf32> {
      %w = top.constant dense<0.0> : tensor<48x64x1x1xf32>
      %0 = top.conv %x, %w {strides = array<i64: 1, 1>, pads = array<i64: 0, 0, 0, 0>, dilations = array<i64: 1, 1>, group = 1 : i64}
        : (tensor<1x64x6x10xf32>, tensor<48x64x1x1xf32>) -> tensor<1x48x6x10xf32>
      return %0 : tensor<1x48x6x10xf32> })",
     64},
    {"ConvDepthwise",
     R"(func.func @main(%x: tensor<1x19x8x8xf32>) -> tensor<1x19x8x8xf32> {
      %w = top.constant dense<0.0> : tensor<19x1x5x5xf32>
      %0 = top.conv %x, %w {strides = array<i64: 1, 1>, pads = array<i64: 2, 2, 2, 2>, dilations = array<i64: 1, 1>, group = 19 : i64}
        : (tensor<1x19x8x8xf32>, tensor<19x1x5x5xf32>) -> tensor<1x19x8x8xf32>
      return %0 : tensor<1x19x8x8xf32> })",
     25},
    {"ConvGrouped",
     R"(func.func @main(%x: tensor<1x6x7x7xf32>) -> tensor<1x4x5x5xf32> {
      %w = top.constant dense<0.0> : tensor<4x3x3x3xf32>
      %0 = top.conv %x, %w {strides = array<i64: 1, 1>, pads = array<i64: 0, 0, 0, 0>, dilations = array<i64: 1, 1>, group = 2 : i64}
        : (tensor<1x6x7x7xf32>, tensor<4x3x3x3xf32>) -> tensor<1x4x5x5xf32>
      return %0 : tensor<1x4x5x5xf32> })",
     27},
    {"Conv1D",
     R"(func.func @main(%x: tensor<1x8x20xf32>) -> tensor<1x3x10xf32> {
      %w = top.constant dense<0.0> : tensor<3x8x3xf32>
      %0 = top.conv %x, %w {strides = array<i64: 2>, pads = array<i64: 1, 1>, dilations = array<i64: 1>, group = 1 : i64}
        : (tensor<1x8x20xf32>, tensor<3x8x3xf32>) -> tensor<1x3x10xf32>
      return %0 : tensor<1x3x10xf32> })",
     24},
    {"Conv3D",
     R"(func.func @main(%x: tensor<1x2x4x5x6xf32>) -> tensor<1x3x3x4x5xf32> {
      %w = top.constant dense<0.0> : tensor<3x2x2x2x2xf32>
      %0 = top.conv %x, %w {strides = array<i64: 1, 1, 1>, pads = array<i64: 0, 0, 0, 0, 0, 0>, dilations = array<i64: 1, 1, 1>, group = 1 : i64}
        : (tensor<1x2x4x5x6xf32>, tensor<3x2x2x2x2xf32>) -> tensor<1x3x3x4x5xf32>
      return %0 : tensor<1x3x3x4x5xf32> })",
     16},
    {"RowsTimesMatrix",
     R"(func.func @main(%x: tensor<2x3x33xf32>) -> tensor<2x3x17xf32> {
      %w = top.constant dense<0.0> : tensor<33x17xf32>
      %0 = top.matmul %x, %w : tensor<2x3x33xf32>, tensor<33x17xf32>
      return %0 : tensor<2x3x17xf32> })",
     33},
    {"Matrices",
     R"(func.func @main(%x: tensor<2x3x5x7xf32>, %y: tensor<2x3x7x4xf32>) -> tensor<2x3x5x4xf32> {
      %0 = top.matmul %x, %y : tensor<2x3x5x7xf32>, tensor<2x3x7x4xf32>
      return %0 : tensor<2x3x5x4xf32> })",
     7},
};

/// Ops that it leaves to their own evaluators.
const char *const kOthers[] = {
    // A computed filter.
    R"(func.func @main(%x: tensor<1x2x5x5xf32>, %w: tensor<3x2x3x3xf32>) -> tensor<1x3x3x3xf32> {
      %0 = top.conv %x, %w {strides = array<i64: 1, 1>, pads = array<i64: 0, 0, 0, 0>, dilations = array<i64: 1, 1>, group = 1 : i64}
        : (tensor<1x2x5x5xf32>, tensor<3x2x3x3xf32>) -> tensor<1x3x3x3xf32>
      return %0 : tensor<1x3x3x3xf32> })",
    // Broadcast matrices, and a vector.
    R"(func.func @main(%x: tensor<3x5x7xf32>, %y: tensor<1x7x4xf32>) -> tensor<3x5x4xf32> {
      %0 = top.matmul %x, %y : tensor<3x5x7xf32>, tensor<1x7x4xf32>
      return %0 : tensor<3x5x4xf32> })",
    R"(func.func @main(%x: tensor<7xf32>, %y: tensor<7x4xf32>) -> tensor<4xf32> {
      %0 = top.matmul %x, %y : tensor<7xf32>, tensor<7x4xf32>
      return %0 : tensor<4xf32> })",
    // Other types and other ops.
    R"(func.func @main(%x: tensor<5x7xf64>, %y: tensor<7x4xf64>) -> tensor<5x4xf64> {
      %0 = top.matmul %x, %y : tensor<5x7xf64>, tensor<7x4xf64>
      return %0 : tensor<5x4xf64> })",
    R"(func.func @main(%x: tensor<5x7xi32>, %y: tensor<7x4xi32>) -> tensor<5x4xi32> {
      %0 = top.matmul %x, %y : tensor<5x7xi32>, tensor<7x4xi32>
      return %0 : tensor<5x4xi32> })",
    R"(func.func @main(%x: tensor<5xf32>) -> tensor<5xf32> {
      %0 = top.unary exp %x : tensor<5xf32>
      return %0 : tensor<5xf32> })",
};

class OneDnnTest : public testing::Test {
protected:
  OneDnnTest() { context.loadDialect<func::FuncDialect, top::TopDialect>(); }

  /// Parses `text`; dense<0.0> becomes seeded random values.
  func::FuncOp parse(const std::string &text) {
    module = parseSourceString<ModuleOp>(text, &context);
    EXPECT_TRUE(module) << text;
    auto main = module->lookupSymbol<func::FuncOp>("main");
    main.walk([&](top::ConstantOp op) {
      auto type = cast<RankedTensorType>(op.getResult().getType());
      op.setValueAttr(toElementsAttr(random(type), type, "w"));
    });
    return main;
  }

  HostTensor random(Type type) {
    HostTensor tensor = *makeHostTensor(type);
    std::normal_distribution<double> normal;
    for (int64_t i = 0; i < tensor.elements(); ++i)
      tensor.setFromDouble(i, normal(generator));
    return tensor;
  }

  SmallVector<HostTensor> randomInputs(func::FuncOp main) {
    SmallVector<HostTensor> inputs;
    for (Type type : main.getArgumentTypes())
      inputs.push_back(random(type));
    return inputs;
  }

  static HostTensor run(func::FuncOp main, ArrayRef<HostTensor> inputs,
                        OpAccelerator *accelerator) {
    SmallVector<HostTensor> outputs;
    EXPECT_TRUE(succeeded(evaluateFunction(main, inputs, outputs, nullptr,
                                           {accelerator, nullptr})));
    return outputs.empty() ? HostTensor() : outputs[0];
  }

  static HostTensor magnitudes(HostTensor tensor) {
    for (int64_t i = 0; i < tensor.elements(); ++i)
      tensor.setFromDouble(i, std::fabs(tensor.toDouble(i)));
    return tensor;
  }

  MLIRContext context;
  OwningOpRef<ModuleOp> module;
  std::mt19937 generator{1};
};

/// Counts what an accelerator takes.
struct Counting : OpAccelerator {
  explicit Counting(OpAccelerator &inner) : inner(inner) {}
  bool evaluate(Operation *op, ArrayRef<const HostTensor *> operands,
                SmallVectorImpl<HostTensor> &results) override {
    bool isTaken = inner.evaluate(op, operands, results);
    taken += isTaken;
    return isTaken;
  }
  OpAccelerator &inner;
  int taken = 0;
};

} // namespace

TEST_F(OneDnnTest, SumsAreWithinTheErrorOfFloatSums) {
  for (const Graph &graph : kGraphs) {
    func::FuncOp main = parse(graph.body);
    SmallVector<HostTensor> inputs = randomInputs(main), positive;
    tools::OneDnn oneDnn;
    Counting counting(oneDnn);
    HostTensor fast = run(main, inputs, &counting);
    EXPECT_EQ(counting.taken, 1) << graph.name;
    HostTensor exact = run(main, inputs, nullptr);
    // The same sum of magnitudes.
    main.walk([&](top::ConstantOp op) {
      auto type = cast<RankedTensorType>(op.getResult().getType());
      HostTensor values = *toHostTensor(op.getValue(), op.getLoc());
      op.setValueAttr(toElementsAttr(magnitudes(values), type, "w"));
    });
    for (const HostTensor &input : inputs)
      positive.push_back(magnitudes(input));
    HostTensor scale = run(main, positive, nullptr);
    ASSERT_EQ(fast.shape(), exact.shape()) << graph.name;
    for (int64_t i = 0; i < exact.elements(); ++i)
      // A sum of n products in any order, each operation rounded to 24 bits:
      // n * 2^-24 of the sum of magnitudes (Higham, 3.5), and `exact` and
      // `scale` are rounded once, too.
      EXPECT_NEAR(fast.as<float>()[i], exact.as<float>()[i],
                  (graph.terms + 2) * 0x1p-24 * scale.as<float>()[i])
          << graph.name << " element " << i;
  }
}

TEST_F(OneDnnTest, LeavesOtherOpsToTheirEvaluators) {
  for (const char *text : kOthers) {
    func::FuncOp main = parse(text);
    SmallVector<HostTensor> inputs = randomInputs(main);
    tools::OneDnn oneDnn;
    Counting counting(oneDnn);
    EXPECT_EQ(run(main, inputs, &counting), run(main, inputs, nullptr)) << text;
    EXPECT_EQ(counting.taken, 0) << text;
  }
}

TEST_F(OneDnnTest, ThreadsShareAGraphAndGiveTheSameBits) {
  func::FuncOp main = parse(kGraphs[0].body);
  Operation *conv = nullptr;
  main.walk([&](top::ConvOp op) { conv = op; });
  ValueTensors constants;
  ASSERT_TRUE(succeeded(evaluateConstants(main.getBody().front(), constants)));
  const HostTensor &filter = constants.find(conv->getOperand(1))->second;
  constexpr int kThreads = 4, kRuns = 20;
  std::vector<SmallVector<HostTensor>> inputs;
  std::vector<HostTensor> expected;
  tools::OneDnn alone, shared;
  auto compute = [&](tools::OneDnn &oneDnn, int i) {
    SmallVector<HostTensor> results;
    oneDnn.evaluate(conv, {&inputs[i][0], &filter, &inputs[i][1]}, results);
    return results.empty() ? HostTensor() : results[0];
  };
  for (int i = 0; i < kThreads; ++i) {
    inputs.push_back(randomInputs(main));
    expected.push_back(compute(alone, i));
    ASSERT_GT(expected.back().elements(), 0);
  }
  std::vector<int> equal(kThreads, 0);
  std::vector<std::thread> threads;
  for (int i = 0; i < kThreads; ++i)
    threads.emplace_back([&, i] {
      for (int k = 0; k < kRuns; ++k)
        equal[i] += compute(shared, i) == expected[i];
    });
  for (std::thread &thread : threads)
    thread.join();
  EXPECT_EQ(equal, std::vector<int>(kThreads, kRuns));
}
