#include "passes/quantize/WeightRecovery.h"

#include "dialects/top/Top.h"
#include "passes/quantize/Calibrate.h"

#include "mlir/Parser/Parser.h"
#include "llvm/ADT/StringExtras.h"

#include <gtest/gtest.h>

#include <cmath>
#include <random>

using namespace weft;
using namespace weft::quantize;

static mlir::OwningOpRef<mlir::ModuleOp> parse(mlir::MLIRContext &context,
                                               const char *text) {
  context.loadDialect<top::TopDialect, mlir::func::FuncDialect>();
  return mlir::parseSourceString<mlir::ModuleOp>(text, &context);
}

static NamedTensors normalSample(std::vector<int64_t> shape, int seed) {
  std::mt19937 rng(seed);
  std::normal_distribution<float> normal;
  numeric::HostTensor x(numeric::ElementType::F32, std::move(shape));
  for (int64_t i = 0; i < x.elements(); ++i)
    x.as<float>()[i] = normal(rng);
  NamedTensors sample;
  sample.emplace("x", std::move(x));
  return sample;
}

/// Rows that `sampler` takes of the samples in this order.
static llvm::MapVector<mlir::Operation *, ProductRows>
rowsOf(mlir::func::FuncOp func, std::vector<NamedTensors> samples,
       int64_t most) {
  RowSampler sampler(func, nullptr, most);
  for (const NamedTensors &sample : samples) {
    NamedTensors outputs;
    EXPECT_TRUE(succeeded(
        evaluateNamed(func, sample, outputs, nullptr, {&sampler, nullptr})));
  }
  return sampler.rows();
}

static const char *const kWindows = R"(
  func.func @main(%x: tensor<2x2x5x6xf32> {top.name = "x"}) -> (tensor<2x1x2x3xf32> {top.name = "y"}) {
    %w = top.constant dense<[[[[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]], [[7.0, 8.0], [9.0, 10.0], [11.0, 12.0]]]]> : tensor<1x2x3x2xf32>
    %y = top.conv %x, %w {strides = array<i64: 2, 3>, pads = array<i64: 1, 2, 0, 0>, dilations = array<i64: 1, 1>, group = 1 : i64, top.value = "y"} : (tensor<2x2x5x6xf32>, tensor<1x2x3x2xf32>) -> tensor<2x1x2x3xf32>
    return %y : tensor<2x1x2x3xf32>
  })";

TEST(RowSampler, WindowsTimesFiltersAreTheConvolution) {
  mlir::MLIRContext context;
  auto module = parse(context, kWindows);
  ASSERT_TRUE(module);
  auto func = module->lookupSymbol<mlir::func::FuncOp>("main");
  NamedTensors sample = normalSample({2, 2, 5, 6}, 1), outputs;
  ASSERT_TRUE(succeeded(evaluateNamed(func, sample, outputs)));
  auto rows = rowsOf(func, {sample}, 100);
  ASSERT_EQ(rows.size(), 1u);
  const auto &[op, taken] = *rows.begin();
  ASSERT_EQ(taken.terms, 12);
  ASSERT_EQ(taken.rows(), 12);
  std::vector<float> sums, wanted;
  for (int64_t row = 0; row < 12; ++row) {
    float sum = 0;
    for (int64_t i = 0; i < 12; ++i)
      sum += taken.values[row * 12 + i] * filterOf(op, 12)[i];
    sums.push_back(sum);
    wanted.push_back(outputs.at("y").as<float>()[row]);
  }
  std::sort(sums.begin(), sums.end()); // rows come by their keys
  std::sort(wanted.begin(), wanted.end());
  for (size_t i = 0; i < 12; ++i)
    EXPECT_NEAR(sums[i], wanted[i], 1e-4); // sums of f32 in another order
}

TEST(RowSampler, TakesTheSameRowsOfSamplesInAnyOrder) {
  mlir::MLIRContext context;
  auto module = parse(context, kWindows);
  auto func = module->lookupSymbol<mlir::func::FuncOp>("main");
  std::vector<NamedTensors> samples;
  for (int seed = 0; seed < 9; ++seed)
    samples.push_back(normalSample({2, 2, 5, 6}, seed));
  auto first = rowsOf(func, samples, 20);
  std::reverse(samples.begin(), samples.end());
  auto second = rowsOf(func, samples, 20);
  EXPECT_EQ(first.begin()->second.rows(), 20);
  EXPECT_EQ(first.begin()->second.keys, second.begin()->second.keys);
  EXPECT_EQ(first.begin()->second.values, second.begin()->second.values);
}

namespace {
/// A product of inputs that depend on each other.
struct Case {
  ProductRows rows;
  std::vector<float> filter;
  CodeForm form{6.0 / 127, 0, true};

  Case(int64_t count, int64_t terms, int64_t channels) {
    std::mt19937 rng(7);
    std::normal_distribution<float> normal;
    rows.terms = terms;
    for (int64_t row = 0; row < count; ++row) {
      rows.keys.push_back(row);
      float shared = normal(rng);
      for (int64_t i = 0; i < terms; ++i)
        rows.values.push_back(1 + shared + 0.2F * normal(rng));
    }
    for (int64_t i = 0; i < channels * terms; ++i)
      filter.push_back(normal(rng));
  }

  /// Mean squared error that these weights make of the sums of all rows, whose
  /// inputs are what their codes stand for.
  double errorOf(const RecoveredProduct &product) const {
    double all = 0;
    for (int64_t row = 0; row < rows.rows(); ++row)
      for (int64_t oc = 0; oc < product.channels(); ++oc) {
        double error = -product.shifts[oc];
        for (int64_t i = 0; i < rows.terms; ++i)
          error +=
              double(form.seen(rows.values[row * rows.terms + i])) *
              (filter[oc * rows.terms + i] -
               double(product.scales[oc]) * product.codes[oc * rows.terms + i]);
        all += error * error;
      }
    return all / double(rows.rows() * product.channels());
  }

  RecoveredProduct rounded(const RecoveredProduct &like) const {
    RecoveredProduct product = like;
    for (size_t i = 0; i < filter.size(); ++i)
      product.codes[i] = static_cast<int8_t>(
          std::lround(filter[i] / product.scales[i / rows.terms]));
    std::fill(product.shifts.begin(), product.shifts.end(), 0.0F);
    return product;
  }
};
} // namespace

TEST(WeightRecovery, ErrsLessThanRoundedWeights) {
  Case some(1000, 48, 5);
  auto product = recoverWeights(some.rows, some.filter, some.form, false,
                                multiplyMatrices);
  ASSERT_TRUE(product);
  EXPECT_EQ(product->inputScale, some.form.scale);
  EXPECT_TRUE(product->inputIsSigned);
  // Inputs move together, so the errors of weights are to cancel: what is left
  // is a small part (0.03 when this was written).
  EXPECT_LT(some.errorOf(*product), 0.2 * some.errorOf(some.rounded(*product)));
}

TEST(WeightRecovery, GoesOnOverBlocksOfTerms) {
  Case large(2100, 600, 2); // more than a block of 512
  auto product = recoverWeights(large.rows, large.filter, large.form, false,
                                multiplyMatrices);
  ASSERT_TRUE(product);
  EXPECT_LT(large.errorOf(*product),
            0.2 * large.errorOf(large.rounded(*product)));
}

TEST(WeightRecovery, ShiftsSumsOnlyOfFewRows) {
  Case few(40, 48, 5);
  auto product =
      recoverWeights(few.rows, few.filter, few.form, false, multiplyMatrices);
  ASSERT_TRUE(product);
  EXPECT_EQ(product->codes, few.rounded(*product).codes);
  EXPECT_LT(few.errorOf(*product), few.errorOf(few.rounded(*product)));
  EXPECT_FALSE(recoverWeights(Case(8, 48, 5).rows, few.filter, few.form, false,
                              multiplyMatrices));
}

TEST(WeightRecovery, LeavesWeightsThatRoundingDoesNotChange) {
  Case exact(1000, 8, 2);
  for (size_t i = 0; i < exact.filter.size(); ++i)
    exact.filter[i] = static_cast<float>(
        static_cast<int>(i % 8) - 4 == 3 ? 127 : static_cast<int>(i % 8) - 4);
  for (float &value : exact.rows.values)
    value = std::round(value * 4);
  exact.form.scale = 1;
  EXPECT_FALSE(recoverWeights(exact.rows, exact.filter, exact.form, false,
                              multiplyMatrices));
}

/// The table of `func`, one product of x, calibrated on samples of x.
static CalibrationTable tableOf(mlir::func::FuncOp func,
                                llvm::ArrayRef<NamedTensors> samples,
                                CalibrationMethod method, unsigned threads) {
  Calibrator calibrator(func->getParentOfType<mlir::ModuleOp>());
  calibrator.keepRows();
  for (const NamedTensors &sample : samples)
    EXPECT_TRUE(succeeded(calibrator.addSample(sample, func.getLoc())));
  CalibrationOptions options;
  options.method = method;
  return calibrator.finish(options, multiplyMatrices, threads);
}

TEST(ProductErrors, TakeTheRangeThatErrsLeast) {
  constexpr int64_t kRows = 40, kTerms = 16, kChannels = 3;
  std::string weights;
  std::mt19937 rng(3);
  for (int64_t i = 0; i < kTerms * kChannels; ++i)
    weights += (i ? "," : "") + std::string(i % kChannels ? "" : "[") +
               std::to_string(double(rng() % 1000) / 700 - 0.7) +
               (i % kChannels == kChannels - 1 ? "]" : "");
  mlir::MLIRContext context;
  auto module = parse(context, (R"(
    func.func @main(%x: tensor<40x16xf32> {top.name = "x"}) -> (tensor<40x3xf32> {top.name = "z"}) {
      %b = top.constant dense<1.0> : tensor<3xf32>
      %c = top.constant dense<[)" +
                                weights + R"(]> : tensor<16x3xf32>
      %y = top.matmul %x, %c {top.value = "y"} : tensor<40x16xf32>, tensor<16x3xf32>
      %z = top.binary add %y, %b {top.value = "z"} : tensor<40x3xf32>, tensor<3xf32>
      return %z : tensor<40x3xf32>
    })")
                                   .c_str());
  ASSERT_TRUE(module);
  auto func = module->lookupSymbol<mlir::func::FuncOp>("main");
  std::vector<NamedTensors> samples; // 240 rows: all count
  for (int seed = 0; seed < 6; ++seed) {
    samples.push_back(normalSample({kRows, kTerms}, seed));
    for (int64_t i = 0; i < kRows * kTerms; ++i) // most lie near 0
      samples.back().at("x").as<float>()[i] *=
          std::fabs(samples.back().at("x").as<float>()[i]);
  }
  auto rows = rowsOf(func, samples, kRows * 6);
  const auto &[op, taken] = *rows.begin();
  ASSERT_EQ(taken.rows(), kRows * 6);
  std::vector<float> filter = filterOf(op, kTerms);
  auto errorOf = [&, &taken = taken](const CalibrationTable &table) {
    CodeForm form = codeFormOf(*table.find("x"), true);
    double all = 0;
    for (int64_t oc = 0; oc < kChannels; ++oc) {
      double sum = 0, squares = 0;
      for (int64_t row = 0; row < taken.rows(); ++row) {
        double error = 0;
        for (int64_t i = 0; i < kTerms; ++i) {
          float x = taken.values[row * kTerms + i];
          error += double(x - form.seen(x)) * filter[oc * kTerms + i];
        }
        sum += error;
        squares += error * error;
      }
      all += squares - sum * sum / double(taken.rows());
    }
    return all;
  };
  CalibrationTable chosen = tableOf(func, samples, CalibrationMethod::Auto, 1);
  EXPECT_EQ(chosen.method, "auto");
  bool differs = false;
  for (auto method : {CalibrationMethod::Max, CalibrationMethod::Percentile,
                      CalibrationMethod::Mse, CalibrationMethod::Kl}) {
    CalibrationTable other = tableOf(func, samples, method, 1);
    EXPECT_LE(errorOf(chosen), errorOf(other) * 1.000001); // f32 sums
    differs |= errorOf(other) > 1.01 * errorOf(chosen);
  }
  EXPECT_TRUE(differs);
  EXPECT_TRUE(chosen.findRecovered("y"));
  EXPECT_EQ(chosen.str(),
            tableOf(func, samples, CalibrationMethod::Auto, 3).str());
}

// Without a bias zeros give zeros: no shift, though sums are off on average.
TEST(WeightRecovery, AProductWithoutABiasKeepsZero) {
  Case some(512, 24, 7);
  std::optional<RecoveredProduct> shifted = recoverWeights(
      some.rows, some.filter, some.form, false, multiplyMatrices);
  ASSERT_TRUE(shifted);
  EXPECT_TRUE(llvm::any_of(shifted->shifts, [](float s) { return s != 0; }));
  std::optional<RecoveredProduct> kept =
      recoverWeights(some.rows, some.filter, some.form, true, multiplyMatrices);
  ASSERT_TRUE(kept);
  EXPECT_TRUE(llvm::all_of(kept->shifts, [](float s) { return s == 0; }));
  EXPECT_NE(kept->codes, shifted->codes); // they answer for the mean
}

static RecoveredProduct someProduct() {
  return {"a b%",
          0.0123456789,
          -7,
          true,
          {0.5F, 0x1p-20F},
          {0, -3.25F},
          {1, -127, 127, 0, 5, 6},
          {},
          {1.5, -0.25}};
}

TEST(RecoveredProduct, IsALineOfText) {
  RecoveredProduct product = someProduct();
  std::string line = product.str();
  EXPECT_EQ(line.substr(0, 45),
            "a%20b%25 0.0123456789 -7 i8 2 3 1.5 -0.25 AAA");
  auto parsed = RecoveredProduct::parse(line);
  ASSERT_TRUE(bool(parsed));
  EXPECT_EQ(parsed->str(), line);
  EXPECT_EQ(parsed->name, product.name);
  EXPECT_EQ(parsed->codes, product.codes);
  EXPECT_EQ(parsed->shifts, product.shifts);
  EXPECT_EQ(parsed->channels(), 2);
  EXPECT_EQ(parsed->terms(), 3);

  CalibrationTable table;
  table.add(CalibrationEntry::clippedAt("x", 1, -1, 1));
  EXPECT_TRUE(table.add(product));
  EXPECT_FALSE(table.add(product));
  auto read = CalibrationTable::parse(table.str(), "t");
  ASSERT_TRUE(bool(read));
  EXPECT_EQ(read->str(), table.str());
  EXPECT_TRUE(read->findRecovered("a b%"));
  EXPECT_FALSE(read->findRecovered("x"));
}

// A network that was trained on has other sums; one that another build folded
// has the same but for the last digits.
TEST(WeightSums, TellWeightsApart) {
  std::vector<float> weights;
  for (int i = 0; i < 600; ++i)
    weights.push_back(std::sin(float(i)));
  WeightSums sums = WeightSums::of(weights);
  EXPECT_NEAR(sums.magnitudes, 600 * 2 / M_PI, 1); // the mean of |sin|
  std::vector<float> folded = weights, trained = weights, swapped = weights;
  for (float &weight : folded)
    weight = std::nextafter(weight, 2.0F);
  trained[17] += 0.01F;
  std::swap(swapped[3], swapped[4]);
  EXPECT_TRUE(sums.isLike(WeightSums::of(folded)));
  EXPECT_FALSE(sums.isLike(WeightSums::of(trained)));
  EXPECT_FALSE(sums.isLike(WeightSums::of(swapped)));
  EXPECT_FALSE(sums.isLike({}));
  EXPECT_TRUE(WeightSums().isLike({}));
}

/// A line as older versions wrote it.
static std::string withoutChecksum(const RecoveredProduct &product) {
  std::string line = product.str();
  return line.substr(0, line.rfind(" crc32:"));
}

TEST(RecoveredProduct, KnowsADamagedLine) {
  std::string line = someProduct().str();
  for (size_t i = line.find(" AAA") + 1; i < line.size(); ++i) {
    std::string damaged = line;
    damaged[i] = damaged[i] == 'B' ? 'C' : 'B';
    EXPECT_TRUE(llvm::errorToBool(RecoveredProduct::parse(damaged).takeError()))
        << i;
  }
  line[line.find(" AAA") + 1] = 'B';
  auto read = CalibrationTable::parse(
      "# weft calibration table 2\n# recovered: " + line + "\n", "t");
  EXPECT_EQ(llvm::toString(read.takeError()),
            "t:2: recovered weights: the line is damaged, its checksum is "
            "another one; calibrate the model again");
  auto old = RecoveredProduct::parse(withoutChecksum(someProduct()));
  ASSERT_TRUE(bool(old));
  EXPECT_EQ(old->str(), someProduct().str());
}

TEST(RecoveredProduct, SaysWhatIsWrongWithALine) {
  std::string good = withoutChecksum(someProduct());
  llvm::SmallVector<llvm::StringRef> words;
  llvm::StringRef(good).split(words, ' ');
  auto messageOf = [&](size_t index, llvm::StringRef word) {
    auto changed = words;
    changed[index] = word;
    auto product = RecoveredProduct::parse(llvm::join(changed, " "));
    return product ? std::string("none") : llvm::toString(product.takeError());
  };
  auto has = [](const std::string &text, const char *part) {
    return text.find(part) != std::string::npos;
  };
  EXPECT_EQ(messageOf(0, words[0]), "none");
  EXPECT_TRUE(has(messageOf(0, "a%2"), "without two hexadecimal digits"));
  EXPECT_TRUE(has(messageOf(0, "a b c"), "found 11 words, need 9 or 10"));
  EXPECT_TRUE(has(messageOf(1, "nan"), "scale is 'nan'"));
  EXPECT_TRUE(has(messageOf(1, "0"), "scale is '0'"));
  EXPECT_TRUE(has(messageOf(2, "256"), "zero point is '256'"));
  EXPECT_TRUE(has(messageOf(3, "u8"), "zero point is '-7'"));
  EXPECT_TRUE(has(messageOf(3, "i4"), "type is 'i4'"));
  EXPECT_TRUE(has(messageOf(4, "0"), "'0' channels"));
  EXPECT_TRUE(has(messageOf(4, "3"), "22 bytes for 3 channels of 3"));
  // A product of sizes that leaves 64 bits.
  EXPECT_TRUE(has(messageOf(4, "6148914691236517206"), "22 bytes for"));
  EXPECT_TRUE(has(messageOf(5, "18446744073709551615"), "22 bytes for"));
  EXPECT_TRUE(
      has(messageOf(6, "-1"), "the sums of the float weights are '-1'"));
  EXPECT_TRUE(has(messageOf(7, "nan"), "and 'nan', must be finite"));
  EXPECT_TRUE(has(messageOf(8, "A"), "no base64"));
  RecoveredProduct product = someProduct();
  product.codes[2] = -128;
  EXPECT_TRUE(
      has(llvm::toString(RecoveredProduct::parse(product.str()).takeError()),
          "a code is -128"));
  product = someProduct();
  product.scales[1] = NAN;
  EXPECT_TRUE(
      has(llvm::toString(RecoveredProduct::parse(product.str()).takeError()),
          "the scale or shift of channel 1"));
}

TEST(RecoveredProduct, MayHaveFactorsOfItsInput) {
  RecoveredProduct product = someProduct();
  product.inputFactors = {1.5F, 64, 0x1p-14F};
  auto parsed = RecoveredProduct::parse(product.str());
  ASSERT_TRUE(bool(parsed));
  EXPECT_EQ(parsed->inputFactors, product.inputFactors);
  EXPECT_EQ(parsed->str(), product.str());
  auto messageOf = [&](const std::string &factors) {
    auto read =
        RecoveredProduct::parse(withoutChecksum(someProduct()) + " " + factors);
    return read ? std::string("none") : llvm::toString(read.takeError());
  };
  EXPECT_NE(messageOf("AAA").find("no base64"), std::string::npos);
  EXPECT_NE(messageOf("AACAPwAAgD8=").find("8 bytes of factors for 3 weights"),
            std::string::npos); // two for three weights
  EXPECT_NE(messageOf("AAAAAA==").find("the factor of input channel 0"),
            std::string::npos); // 0
  EXPECT_NE(messageOf("AADAfw==").find("the factor of input channel 0"),
            std::string::npos); // NaN
}
