#include "passes/quantize/Calibrate.h"

#include "dialects/top/Top.h"

#include "mlir/Parser/Parser.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <random>

using namespace weft;
using namespace weft::quantize;

static std::string parseError(llvm::StringRef body) {
  llvm::Expected<CalibrationTable> table = CalibrationTable::parse(
      ("# weft calibration table 1\n" + body).str(), "t");
  return table ? "" : llvm::toString(table.takeError());
}

TEST(CalibrationTable, TextRoundTripsWithOddNames) {
  CalibrationTable table;
  table.method = "percentile 99.99";
  table.samples = 32;
  ASSERT_TRUE(table.add({"x", 1, -1, 0.5}));
  ASSERT_TRUE(table.add({"a b#c%d\tü", 0.1f, 0, 3e-7}));
  EXPECT_FALSE(table.add({"x", 2, 0, 1}));
  llvm::Expected<CalibrationTable> back =
      CalibrationTable::parse(table.str(), "t");
  ASSERT_TRUE(bool(back)) << llvm::toString(back.takeError());
  EXPECT_EQ(back->str(), table.str());
  EXPECT_EQ(back->method, "percentile 99.99");
  EXPECT_EQ(back->samples, 32);
  ASSERT_NE(back->find("a b#c%d\tü"), nullptr);
  EXPECT_EQ(static_cast<float>(back->find("a b#c%d\tü")->threshold), 0.1f);
  EXPECT_TRUE(back->find("x")->isSigned());
  EXPECT_EQ(back->find("y"), nullptr);
}

TEST(CalibrationTable, ErrorsNameTheLine) {
  EXPECT_EQ(parseError("x 1 0 1\ny 1 0\n"),
            "t:3: found 3 words, need 4: name threshold min max");
  EXPECT_EQ(parseError("x abc 0 1\n"),
            "t:2: threshold is 'abc', must be a finite number");
  EXPECT_EQ(parseError("x 1 nan 1\n"),
            "t:2: min is 'nan', must be a finite number");
  EXPECT_EQ(parseError("x 0 0 1\n"), "t:2: threshold is 0, must be positive");
  EXPECT_EQ(parseError("x 1 2 1\n"), "t:2: min 2 is above max 1");
  EXPECT_EQ(parseError("x 1 0 1\nx 1 0 1\n"), "t:3: second entry for 'x'");
  EXPECT_EQ(parseError("a%2 1 0 1\n"),
            "t:2: name 'a%2' has a % without two hexadecimal digits");
  EXPECT_EQ(parseError("# samples: many\n"),
            "t:2: samples is 'many', must be a whole number");
  llvm::Expected<CalibrationTable> other =
      CalibrationTable::parse("x 1 0 1\n", "t");
  EXPECT_EQ(llvm::toString(other.takeError()),
            "t:1: the first line must be '# weft calibration table 1'; is this "
            "a calibration table?");
  llvm::Expected<CalibrationTable> missing =
      CalibrationTable::read("no/such/table");
  EXPECT_EQ(llvm::toString(missing.takeError()),
            "cannot read calibration table 'no/such/table': No such file or "
            "directory");
}

static std::vector<float> normal(size_t count, unsigned seed) {
  std::mt19937 random(seed);
  std::normal_distribution<float> values;
  std::vector<float> all(count);
  for (float &value : all)
    value = values(random);
  return all;
}

TEST(MagnitudeHistogram, PercentileMatchesTheSortedValues) {
  std::vector<float> values = normal(100000, 1);
  MagnitudeHistogram histogram;
  ASSERT_TRUE(histogram.add(values));
  std::vector<double> magnitudes;
  for (float value : values)
    magnitudes.push_back(std::fabs(value));
  std::sort(magnitudes.begin(), magnitudes.end());
  for (double percentile : {50.0, 99.0, 99.9, 99.99}) {
    double exact =
        magnitudes[std::llround(percentile / 100 * values.size()) - 1];
    // Both lie in one bin: 8 / 8192 wide, as the maximum is between 4 and 8.
    EXPECT_NEAR(histogram.percentile(percentile), exact, 8.0 / 8192)
        << percentile;
  }
  EXPECT_EQ(histogram.percentile(100), histogram.absMax());
}

TEST(MagnitudeHistogram, OrderOfSamplesDoesNotMatter) {
  std::vector<float> small = normal(5000, 2), large = normal(5000, 3),
                     zeros(100, 0.0f);
  for (float &value : small)
    value *= 0x1p-20f;
  MagnitudeHistogram first, second;
  for (const auto *values : {&zeros, &small, &large})
    ASSERT_TRUE(first.add(*values));
  for (const auto *values : {&large, &zeros, &small})
    ASSERT_TRUE(second.add(*values));
  for (double percentile : {10.0, 60.0, 99.0, 99.99})
    EXPECT_EQ(first.percentile(percentile), second.percentile(percentile))
        << percentile;
  EXPECT_EQ(first.leastSquares(), second.leastSquares());
  EXPECT_EQ(first.min(), second.min());
}

TEST(MagnitudeHistogram, LeastSquaresClipsARareOutlierOnly) {
  std::vector<float> uniform;
  for (int i = 0; i < 10000; ++i)
    uniform.push_back(i / 10000.0f);
  MagnitudeHistogram flat;
  ASSERT_TRUE(flat.add(uniform));
  EXPECT_GT(flat.leastSquares(), 0.95 * flat.absMax());
  uniform.push_back(8.0f); // one value in ten thousand, eight times as large:
                           // cheaper to lose some of it than 3 bits of all
  MagnitudeHistogram spiked;
  for (int i = 0; i < 100; ++i)
    ASSERT_TRUE(
        spiked.add(llvm::ArrayRef<float>(uniform).drop_back(i ? 1 : 0)));
  EXPECT_LT(spiked.leastSquares(), 0.5 * spiked.absMax());
}

TEST(MagnitudeHistogram, RefusesWhatIsNotFinite) {
  MagnitudeHistogram histogram;
  EXPECT_FALSE(histogram.add({1.0f, std::nanf("")}));
  EXPECT_FALSE(histogram.add({std::numeric_limits<float>::infinity()}));
  EXPECT_EQ(histogram.count(), 0u);
}

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
  EXPECT_EQ(table.str(), "# weft calibration table 1\n# method: max\n# "
                         "samples: 2\n# name threshold min max\n"
                         "x 4 -4 2\nn 4 -2 4\ny 4 0 4\n");
  EXPECT_FALSE(table.find("y")->isSigned());

  std::string message;
  mlir::ScopedDiagnosticHandler handler(
      &context, [&](mlir::Diagnostic &diagnostic) {
        message = diagnostic.str();
        EXPECT_EQ(diagnostic.getLocation(), origin);
      });
  samples[0].at("x").as<float>()[1] = std::nanf("");
  EXPECT_TRUE(failed(calibrator.addSample(samples[0], origin)));
  EXPECT_EQ(
      message,
      "value 'x' holds NaN or Inf in sample 2; its range cannot be measured");
}
