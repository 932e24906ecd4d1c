//===- RowTilesTest.cpp - convolutions that make several rows together ----===//

#include "tests/unit/codegen/emit/ProgramRunner.h"

#include "dialects/tpu/recipe/RowTiles.h"

#include "gtest/gtest.h"

#include <cmath>
#include <cstdio>
#include <cstring>
#include <random>

using namespace weft;
using namespace weft::test;

namespace {
/// Two convolutions of random sizes, one after the other, with a function in
/// between whose command has no strides: tiles have more rows than it wants.
class RandomPair {
public:
  RandomPair(uint32_t seed, int64_t rows)
      : generator(seed), rows(rows), images(pick(2)), channels(pick(90)),
        height(14 + pick(20)), width(14 + pick(20)) {
    input = type();
    inputElements = images * channels * height * width;
    addConv();
    addActivation();
    addConv();
  }

  /// Both convolutions by `recipe`.
  std::string text(const std::string &recipe) const {
    std::string by = body;
    for (size_t at; (at = by.find("RECIPE")) != std::string::npos;)
      by.replace(at, 6, recipe);
    return "module attributes {tpu.chip = \"bm1684x\", tpu.precision = "
           "\"f32\"} {\nfunc.func @main(%x: " +
           input + " {tpu.io = {name = \"x\", type = " + input + "}}) -> (" +
           type() + " {tpu.io = {name = \"y\", type = " + type() + "}}) {\n" +
           by + "return " + value + " : " + type() + "\n}\n}\n";
  }

  int64_t imageCount() const { return images; }

  std::vector<uint8_t> inputBytes() {
    std::normal_distribution<float> numbers;
    std::vector<float> floats(inputElements);
    for (float &number : floats)
      number = numbers(generator);
    std::vector<uint8_t> bytes(floats.size() * sizeof(float));
    std::memcpy(bytes.data(), floats.data(), bytes.size());
    return bytes;
  }

private:
  int64_t pick(int64_t most) { return int64_t(1 + generator() % most); }
  static std::string number(int64_t n) { return std::to_string(n); }
  std::string type() const {
    return "tensor<" + number(images) + "x" + number(channels) + "x" +
           number(height) + "x" + number(width) + "xf32>";
  }

  void addConv() {
    // All windows for which there are points.
    int64_t kernelH = rows == 2 && pick(2) == 1 ? 5 : 3, kernelW = pick(3),
            outputs = pick(90), strideW = pick(2), dilationW = pick(2),
            top = pick(kernelH) / 2, bottom = pick(kernelH) / 2,
            left = pick(kernelW) / 2, right = pick(kernelW) / 2;
    std::string from = type(), name = number(count++);
    std::string filter = "tensor<" + number(outputs) + "x" + number(channels) +
                         "x" + number(kernelH) + "x" + number(kernelW) +
                         "xf32>",
                bias = "tensor<1x" + number(outputs) + "x1x1xf32>";
    std::vector<float> weights(outputs * channels * kernelH * kernelW),
        biases(outputs);
    std::normal_distribution<float> numbers(
        0, 1 / std::sqrt(float(channels * kernelH * kernelW)));
    body += "%w" + name + " = tpu.weight dense<\"" + hex(weights, numbers) +
            "\"> : " + filter + "\n%b" + name + " = tpu.weight dense<\"" +
            hex(biases, numbers) + "\"> : " + bias + "\n";
    channels = outputs;
    height += top + bottom - kernelH + 1;
    width =
        (width + left + right - (kernelW - 1) * dilationW - 1) / strideW + 1;
    bool hasBias = pick(3) > 1;
    body += "%v" + name + " = tpu.conv " + value + ", %w" + name +
            (hasBias ? ", %b" + name : "") + " strides [1, " + number(strideW) +
            "] pads [" + number(top) + ", " + number(left) + ", " +
            number(bottom) + ", " + number(right) + "] dilations [1, " +
            number(dilationW) + "] group 1 {" + (pick(2) == 1 ? "relu, " : "") +
            "tpu.recipe = \"RECIPE\"} : " + from + ", " + filter +
            (hasBias ? ", " + bias : "") + " -> " + type() + "\n";
    value = "%v" + name;
  }

  void addActivation() {
    body += "%a = tpu.unary hard_swish " + value + " : " + type() + "\n";
    value = "%a";
  }

  std::string hex(std::vector<float> &values,
                  std::normal_distribution<float> &numbers) {
    std::string text = "0x";
    for (float &number : values) {
      number = numbers(generator);
      unsigned char bytes[sizeof(float)];
      std::memcpy(bytes, &number, sizeof(float));
      for (unsigned char byte : bytes) {
        char digits[3];
        std::snprintf(digits, sizeof(digits), "%02X", byte);
        text += digits;
      }
    }
    return text;
  }

  std::mt19937 generator;
  int64_t rows, images, channels, height, width, inputElements, count = 0;
  std::string body, value = "%x", input;
};
} // namespace

static std::vector<float> floatsOf(const std::vector<uint8_t> &bytes) {
  std::vector<float> floats(bytes.size() / sizeof(float));
  std::memcpy(floats.data(), bytes.data(), bytes.size());
  return floats;
}

static void expectTiled(int64_t rows, const std::string &recipe) {
  const tpu::Tiling tilings[] = {
      {{1, 1, 2, 1}}, {{1, 1, 3, 2}}, {{1, 1, 5, 1}}};
  for (uint32_t seed = 0; seed < 16; ++seed) {
    RandomPair pair(seed, rows);
    std::string text = pair.text(recipe);
    SCOPED_TRACE(text.substr(0, 200));
    std::vector<uint8_t> input = pair.inputBytes();
    ProgramRunner direct(pair.text("window"));
    ASSERT_TRUE(direct.ok());
    ProgramRunner tiled(text);
    ASSERT_TRUE(tiled.ok());
    auto expected = tiled.run({input});
    std::vector<float> sums = floatsOf(direct.run({input})[0]),
                       numbers = floatsOf(expected[0]);
    ASSERT_EQ(sums.size(), numbers.size());
    // Both are near 1; either errs by some units of 2^-24 for each doubling of
    // up to 90 * 15 terms.
    for (size_t i = 0; i < sums.size(); ++i)
      ASSERT_NEAR(numbers[i], sums[i], 0x1p-16) << i;
    EXPECT_NE(numbers, sums); // or the recipe is not what was tested
    // Wherever the result is cut, tiles are where they were.
    for (tpu::Tiling tiling : tilings) {
      tiling.counts[0] = pair.imageCount();
      SCOPED_TRACE(testing::PrintToString(tiling.counts));
      ProgramRunner program(text, &tiling);
      ASSERT_TRUE(program.ok());
      EXPECT_EQ(program.run({input}), expected) << tiling.counts[2];
    }
  }
}

TEST(RowTiles, TwoAreTheSumsHoweverTheyAreCut) {
  expectTiled(2, "row_tiles_2");
}

TEST(RowTiles, FourAreTheSumsHoweverTheyAreCut) {
  expectTiled(4, "row_tiles_4");
}

/// The transform of the input with values of the filter and powers of points
/// gives the sums of products, but for the rounding of doubles.
TEST(RowTiles, TransformsAreAConvolution) {
  std::mt19937 generator(1);
  std::normal_distribution<double> numbers;
  for (const std::vector<double> &points : std::vector<std::vector<double>>{
           {1}, {2}, {0.75, 1.5}, {1, 2}, {0.5, 1, 1.5}}) {
    auto transform = tpu::inputTransform(points);
    size_t products = transform.size();
    ASSERT_EQ(products, 2 * points.size() + 2);
    std::vector<double> roots{0};
    for (double point : points)
      roots.insert(roots.end(), {point, -point});
    for (size_t taps = 2; taps < products; ++taps) {
      size_t rows = products + 1 - taps;
      std::vector<double> filter(taps), input(products), sums(rows, 0.0);
      for (double &number : filter)
        number = numbers(generator);
      for (double &number : input)
        number = numbers(generator);
      for (size_t k = 0; k < products; ++k) {
        bool isLast = k + 1 == products; // at infinity
        double values = 0, weights = isLast ? filter.back() : 0;
        for (size_t i = 0; i < transform[k].size(); ++i)
          values += transform[k][i] * input[i];
        for (size_t i = 0; i < taps && !isLast; ++i)
          weights += std::pow(roots[k], double(i)) * filter[i];
        for (size_t row = 0; row < rows; ++row)
          sums[row] += values * weights *
                       (isLast ? double(row + 1 == rows)
                               : std::pow(roots[k], double(row)));
      }
      for (size_t row = 0; row < rows; ++row) {
        double sum = 0;
        for (size_t i = 0; i < taps; ++i)
          sum += filter[i] * input[row + i];
        EXPECT_NEAR(sums[row], sum, 1e-12) << products << " " << taps;
      }
    }
  }
}
