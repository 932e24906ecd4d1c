#include "passes/quantize/Calibrate.h"

#include "dialects/top/Top.h"

#include "mlir/Parser/Parser.h"

#include <gtest/gtest.h>

#include <cmath>

using namespace weft;
using namespace weft::quantize;

TEST(Calibrate, MeasuresInputsAndNamedValuesOfAGraph) {
  mlir::MLIRContext context;
  context.loadDialect<top::TopDialect, mlir::func::FuncDialect>();
  auto module = mlir::parseSourceString<mlir::ModuleOp>(R"(
    func.func @main(%x: tensor<1x4xf32> {top.name = "x"}) -> (tensor<1x4xf32> {top.name = "y"}) {
      %0 = top.unary neg %x {top.value = "n"} : tensor<1x4xf32>
      %1 = top.unary relu %0 {top.value = "y"} : tensor<1x4xf32>
      return %1 : tensor<1x4xf32>
    })",
                                                        &context);
  ASSERT_TRUE(module);
  std::vector<NamedTensors> samples(2);
  for (int i = 0; i < 2; ++i) {
    numeric::HostTensor x(numeric::ElementType::F32, {1, 4});
    for (int k = 0; k < 4; ++k)
      x.as<float>()[k] = static_cast<float>((i + 1) * (k - 2));
    samples[i].emplace("x", x);
  }
  mlir::Location origin =
      mlir::NameLoc::get(mlir::StringAttr::get(&context, "a.npz"));
  Calibrator calibrator(*module);
  for (const NamedTensors &sample : samples)
    ASSERT_TRUE(succeeded(calibrator.addSample(sample, origin)));
  CalibrationTable table = calibrator.finish({CalibrationMethod::Max, 0});
  EXPECT_EQ(table.str(), "# weft calibration table 2\n# method: max\n# "
                         "samples: 2\n# name threshold min max low high\n"
                         "x 4 -4 2 -4 2\nn 4 -2 4 -2 4\ny 4 0 4 0 4\n");
  EXPECT_FALSE(table.find("y")->isSigned());

  std::string message;
  mlir::ScopedDiagnosticHandler handler(
      &context, [&](mlir::Diagnostic &diagnostic) {
        message = diagnostic.str();
        EXPECT_EQ(diagnostic.getLocation(), origin);
      });
  // An infinity beside numbers does not count.
  CalibrationTable before = calibrator.finish({CalibrationMethod::Max, 0});
  samples[0].at("x").as<float>()[1] = -INFINITY;
  EXPECT_TRUE(succeeded(calibrator.addSample(samples[0], origin)));
  EXPECT_EQ(calibrator.finish({CalibrationMethod::Max, 0}).find("x")->min,
            before.find("x")->min);
  samples[0].at("x").as<float>()[1] = std::nanf("");
  EXPECT_TRUE(failed(calibrator.addSample(samples[0], origin)));
  EXPECT_EQ(message, "value 'x' holds NaN; its range cannot be measured");
}

TEST(Calibrate, WarnsOfSamplesThatAreLikelyMistakes) {
  mlir::MLIRContext context;
  context.loadDialect<top::TopDialect, mlir::func::FuncDialect>();
  auto module = mlir::parseSourceString<mlir::ModuleOp>(R"(
    func.func @main(%p: tensor<1x4xf32> {top.name = "p"}, %q: tensor<1x4xf32> {top.name = "q"})
        -> (tensor<1x1xf32> {top.name = "y"}) {
      %w = top.constant dense<1.0> : tensor<4x1xf32>
      %0 = top.matmul %p, %w : tensor<1x4xf32>, tensor<4x1xf32>
      %1 = top.unary neg %q : tensor<1x4xf32>
      %2 = top.matmul %1, %w : tensor<1x4xf32>, tensor<4x1xf32>
      %3 = top.binary add %0, %2 {top.value = "y"} : tensor<1x1xf32>, tensor<1x1xf32>
      return %3 : tensor<1x1xf32>
    })",
                                                        &context);
  ASSERT_TRUE(module);
  auto warningsOf = [&](std::vector<std::vector<float>> samples,
                        CalibrationOptions options) {
    Calibrator calibrator(*module);
    for (const std::vector<float> &values : samples) {
      NamedTensors sample;
      for (const char *name : {"p", "q"}) {
        numeric::HostTensor tensor(numeric::ElementType::F32, {1, 4});
        std::copy(values.begin(), values.end(), tensor.as<float>());
        sample.emplace(name, tensor);
      }
      EXPECT_TRUE(succeeded(
          calibrator.addSample(sample, mlir::UnknownLoc::get(&context))));
    }
    return calibrator.warnings(calibrator.finish(options));
  };
  using Lines = std::vector<std::string>;
  CalibrationOptions max{CalibrationMethod::Max, 0};
  EXPECT_EQ(warningsOf({{0, 1, 2, -3}, {0, 1, 2, 0.5}}, max), Lines());
  EXPECT_EQ(warningsOf({{0, 1, 2, 1}, {0, 1, 0, 1}}, max), Lines());
  // Both are pixels, but the model changes q before a product reads it.
  EXPECT_EQ(warningsOf({{0, 1, 255, 7}}, max),
            Lines({"input 'p' holds whole numbers from 0 to 255 and the model "
                   "does not scale them; scale them as for training"}));
  EXPECT_EQ(
      warningsOf({{1, 1, 1, 1}, {0.5, 1, 1, 1}, {0.5, 1, 1, 1}}, max),
      Lines({"1 of 3 samples repeat another one; give different samples",
             "input 'p' has one value everywhere in 1 of 3 samples; calibrate "
             "with inputs like those of use",
             "input 'q' has one value everywhere in 1 of 3 samples; calibrate "
             "with inputs like those of use"}));
  // Half of the values stay: two of four of each input, neither at the edge of
  // a bin.
  EXPECT_EQ(warningsOf({{-0.1f, 0.2f, 3.3f, 4.4f}},
                       {CalibrationMethod::Percentile, 50}),
            Lines({"the thresholds of 2 of 3 values clip more than 1 % of what "
                   "was seen, most of 'p': 50.0 %; choose another --method, or "
                   "a larger --percentile"}));
}
