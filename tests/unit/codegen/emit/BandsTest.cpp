//===- BandsTest.cpp - images in bands give the same numbers --------------===//
//
// Random chains of layers of few channels run on the emulator as they are and
// as --tpu-cut-bands makes them, in one slice and in several.
//
//===----------------------------------------------------------------------===//

#include "tests/unit/codegen/emit/ProgramRunner.h"

#include "passes/tpu/Passes.h"
#include "runtime/numeric/Float16.h"

#include "gtest/gtest.h"

#include <random>

using namespace mlir;
using namespace weft;
using namespace weft::test;

namespace {
/// Convolutions, depthwise ones, poolings and functions of elements, one after
/// the other, the first of them read by the last as well. Floats are small
/// whole numbers between them, so that sums are exact.
class RandomChain {
public:
  RandomChain(uint32_t seed, bool isFloat)
      : generator(seed), isFloat(isFloat), channels(pick(6)),
        height(40 + pick(60)), width(20 + pick(40)) {
    inputType = type();
    inputBytes = channels * height * width;
    int64_t layers = 2 + pick(3);
    for (int64_t i = 0; i < layers; ++i)
      addLayer();
    if (isFloat) { // both sides of it need other rows
      std::string before = value, skip = codedAndBack(value);
      value = before;
      conv(/*isDepthwise=*/true, 3, 1, 1);
      line("tpu.binary add " + skip + ", " + value + " : " + type() + ", " +
           type() + " -> " + type());
    }
  }

  std::string text() const {
    return "module attributes {tpu.chip = \"bm1684x\", tpu.precision = "
           "\"f32\"} {\nfunc.func @main(%x: " +
           inputType + " {tpu.io = {name = \"x\", type = " + floats(inputType) +
           "}}) -> (" + type() +
           " {tpu.io = {name = \"y\", type = " + floats(type()) + "}}) {\n" +
           body + "return " + value + " : " + type() + "\n}\n}\n";
  }

  std::vector<uint8_t> input() {
    std::vector<uint8_t> bytes;
    for (int64_t i = 0; i < inputBytes; ++i) {
      uint16_t number = isFloat ? numeric::floatToHalf(float(pick(7)) - 4)
                                : uint16_t(generator());
      bytes.push_back(uint8_t(number));
      if (isFloat)
        bytes.push_back(uint8_t(number >> 8));
    }
    return bytes;
  }

private:
  int64_t pick(int64_t most) { return int64_t(1 + generator() % most); }
  static std::string number(int64_t n) { return std::to_string(n); }
  std::string type() const {
    return "tensor<1x" + number(channels) + "x" + number(height) + "x" +
           number(width) + "x" +
           (isFloat ? "f16"
                    : "!quant.uniform<i8:f32, 0.05:" + number(zero) + ">") +
           ">";
  }
  static std::string floats(const std::string &type) {
    return type.substr(0, type.rfind('x', type.find('!'))) + "xf32>";
  }
  void line(const std::string &text) {
    std::string name = "%v" + number(++count);
    body += name + " = " + text + "\n";
    value = name;
  }
  std::string repeated(const std::string &text, int64_t times) const {
    std::string all;
    for (int64_t i = 0; i < times; ++i)
      all += (i ? ", " : "") + text;
    return all;
  }
  /// Of each channel another one.
  std::string multipliers(int64_t count) {
    std::string all;
    for (int64_t i = 0; i < count; ++i)
      all += (i ? ", " : "") + number(1000000000 + pick(1000000000));
    return all;
  }
  std::string weights(int64_t outputs, int64_t inputs, int64_t kernel) {
    std::string text = "[";
    for (int64_t o = 0; o < outputs; ++o) {
      text += o ? ", [" : "[";
      for (int64_t c = 0; c < inputs; ++c) {
        text += c ? ", [" : "[";
        for (int64_t y = 0; y < kernel; ++y) {
          text += y ? ", [" : "[";
          for (int64_t x = 0; x < kernel; ++x)
            text += (x ? ", " : "") +
                    number(isFloat ? pick(3) - 2 : pick(255) - 128) +
                    (isFloat ? ".0" : "");
          text += "]";
        }
        text += "]";
      }
      text += "]";
    }
    return text + "]";
  }

  /// `from` as codes of whole numbers with a zero point, and as floats again.
  std::string codedAndBack(const std::string &from) {
    std::string floats = type(), code = type();
    code.replace(code.find("f16"), 3, "!quant.uniform<i8:f32, 1.0:-100>");
    line("tpu.cast " + from + " : " + floats + " -> " + code);
    line("tpu.cast " + value + " : " + code + " -> " + floats);
    return value;
  }

  void conv(bool isDepthwise, int64_t kernel, int64_t stride, int64_t pad) {
    int64_t outputs = isDepthwise ? channels : pick(20),
            inputs = isDepthwise ? 1 : channels;
    std::string from = type(), fromValue = value;
    std::string filter = "tensor<" + number(outputs) + "x" + number(inputs) +
                         "x" + number(kernel) + "x" + number(kernel) +
                         (isFloat ? "xf16>" : "xi8>");
    body += "%w" + number(count) + " = tpu.weight dense<" +
            weights(outputs, inputs, kernel) + "> : " + filter + "\n";
    std::string weight = "%w" + number(count);
    int64_t groups = isDepthwise ? channels : 1;
    channels = outputs;
    height = (height + 2 * pad - kernel) / stride + 1;
    width = (width + 2 * pad - kernel) / stride + 1;
    zero = isFloat ? 0 : pick(200) - 100;
    std::string tail =
        isFloat
            ? ""
            : " {multipliers = array<i32: " + multipliers(outputs) +
                  ">, rshifts = array<i32: " + repeated("38", outputs) + ">}";
    std::string strides = "[" + number(stride) + ", " + number(stride) + "]",
                pads = "[" + repeated(number(pad), 4) + "]";
    line("tpu.conv " + fromValue + ", " + weight + " strides " + strides +
         " pads " + pads + " dilations [1, 1] group " + number(groups) + tail +
         " : " + from + ", " + filter + " -> " + type());
    if (isFloat)
      line("tpu.unary clip " + value +
           " {alpha = -3.0 : f64, beta = 3.0 : f64} : " + type());
  }

  void addLayer() {
    int64_t kernel = 2 * pick(3) - 1;
    int64_t stride = height > 40 ? pick(2) : 1;
    int64_t pad = pick(2) == 1 ? kernel / 2 : 0;
    if (width < 12)
      return;
    if (stride > 1 && pick(4) == 1) { // without padding
      std::string from = type(), fromValue = value;
      height = (height - 2) / 2 + 1;
      width = (width - 2) / 2 + 1;
      line("tpu.pool max " + fromValue +
           " kernel [2, 2] strides [2, 2] pads [0, 0, 0, 0] : " + from +
           " -> " + type());
      return;
    }
    // Products of floats are in no bands.
    conv(/*isDepthwise=*/pick(isFloat ? 9 : 3) > (isFloat ? 1 : 2), kernel,
         stride, pad);
  }

  std::mt19937 generator;
  bool isFloat;
  int64_t channels, height, width, zero = 0, count = 0, inputBytes = 0;
  std::string body, value = "%x", inputType;
};
} // namespace

/// The module after the pass; empty if that changed nothing.
static std::string inBands(const std::string &text) {
  return afterPass(text, tpu::createTpuCutBands(), "tpu.from_bands");
}

static void expectEqualInBands(bool isFloat) {
  const tpu::Tiling tilings[] = {
      {{1, 1, 1, 1}}, {{1, 1, 2, 1}}, {{1, 1, 2, 2}}};
  int changed = 0;
  for (uint32_t seed = 0; seed < 80; ++seed) {
    RandomChain chain(seed, isFloat);
    std::string text = chain.text(), other = inBands(text);
    if (other.empty())
      continue;
    ++changed;
    SCOPED_TRACE(text + other);
    std::vector<uint8_t> input = chain.input();
    ProgramRunner direct(text);
    ASSERT_TRUE(direct.ok());
    auto expected = direct.run({input});
    ProgramRunner chosen(other);
    ASSERT_TRUE(chosen.ok());
    EXPECT_EQ(chosen.run({input}), expected);
    for (const tpu::Tiling &tiling : tilings) {
      ProgramRunner program(other, &tiling);
      ASSERT_TRUE(program.ok());
      EXPECT_EQ(program.run({input}), expected)
          << tiling.counts[2] << tiling.counts[3];
    }
  }
  EXPECT_GT(changed, 25);
}

TEST(Bands, CodesAreTheSame) { expectEqualInBands(/*isFloat=*/false); }

TEST(Bands, ExactSumsOfHalvesAreTheSame) {
  expectEqualInBands(/*isFloat=*/true);
}
