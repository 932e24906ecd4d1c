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
  EXPECT_EQ(message,
            "value 'x' holds NaN in sample 3; its range cannot be measured");
}
