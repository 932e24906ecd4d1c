//===- UnfoldTest.cpp - rewritten convolutions give the same numbers ------===//
//
// Random convolutions of few channels run on the emulator as they are and as
// --tpu-unfold-convs and --tpu-stack-rows make them, in one slice and in
// several.
//
//===----------------------------------------------------------------------===//

#include "tests/unit/codegen/emit/ProgramRunner.h"

#include "dialects/tpu/Conv.h"
#include "passes/tpu/Passes.h"
#include "runtime/numeric/Float16.h"

#include "gtest/gtest.h"

#include <cstring>
#include <random>

using namespace mlir;
using namespace weft;
using namespace weft::test;

namespace {
/// A random convolution whose input has 1 to 6 channels.
class RandomConv {
public:
  RandomConv(uint32_t seed, bool isFloat)
      : generator(seed), isFloat(isFloat), isSigned(pick(2) == 1) {
    batch = pick(2), inputs = pick(6), outputs = pick(70);
    form = Form(pick(3) - 1), hasBias = pick(2) == 1;
    zeroPoint = isSigned ? pick(40) - 20 : pick(40);
    for (int axis : {0, 1}) {
      kernel[axis] = pick(5), stride[axis] = pick(3), dilation[axis] = pick(2);
      begin[axis] = pick(3) - 1, end[axis] = pick(3) - 1;
      size[axis] = 30 + pick(30);
      int64_t reach = (kernel[axis] - 1) * dilation[axis] + 1;
      result[axis] =
          (size[axis] + begin[axis] + end[axis] - reach) / stride[axis] + 1;
    }
  }

  std::string text() {
    std::string input = type({batch, inputs, size[0], size[1]}, false),
                output = type({batch, outputs, result[0], result[1]}, true),
                filter = "tensor<" +
                         sizes({outputs, inputs, kernel[0], kernel[1]}) +
                         (isFloat ? "f16>" : "i8>");
    return "module attributes {tpu.chip = \"bm1684x\", tpu.precision = "
           "\"f32\"} {\nfunc.func @main(%x: " +
           input + " {tpu.io = {name = \"x\", type = " + floats(input) +
           "}}) -> (" + output +
           " {tpu.io = {name = \"y\", type = " + floats(output) +
           "}}) {\n%w = tpu.weight dense<" + weights() + "> : " + filter +
           biasWeight() + "\n%y = tpu.conv %x, %w" + (hasBias ? ", %b" : "") +
           " strides " + list(stride) + " pads [" + number(begin[0]) + ", " +
           number(begin[1]) + ", " + number(end[0]) + ", " + number(end[1]) +
           "] dilations " + list(dilation) + " group 1" + scales() + " : " +
           input + ", " + filter + (hasBias ? ", " + biasType() : "") + " -> " +
           output + "\nreturn %y : " + output + "\n}\n}\n";
  }

  /// Floats are small whole numbers, so that their sums are exact.
  std::vector<uint8_t> input() {
    std::vector<uint8_t> bytes;
    for (int64_t i = 0; i < batch * inputs * size[0] * size[1]; ++i) {
      uint16_t value = isFloat ? numeric::floatToHalf(float(pick(17)) - 9)
                               : uint16_t(generator());
      bytes.push_back(uint8_t(value));
      if (isFloat)
        bytes.push_back(uint8_t(value >> 8));
    }
    return bytes;
  }

private:
  int64_t pick(int64_t most) { return int64_t(1 + generator() % most); }
  static std::string number(int64_t value) { return std::to_string(value); }
  static std::string list(const int64_t (&pair)[2]) {
    return "[" + number(pair[0]) + ", " + number(pair[1]) + "]";
  }
  static std::string sizes(std::initializer_list<int64_t> dims) {
    std::string text;
    for (int64_t dim : dims)
      text += number(dim) + "x";
    return text;
  }
  /// The padding of codes has the code of 0, the zero point.
  std::string type(std::initializer_list<int64_t> dims, bool isResult) {
    if (isFloat || (isResult && form == Form::Dequantized))
      return "tensor<" + sizes(dims) + "f16>";
    return "tensor<" + sizes(dims) + "!quant.uniform<" +
           (isSigned && !isResult ? "i8" : "u8") + ":f32, 0.05" +
           (isResult ? "" : ":" + number(zeroPoint)) + ">>";
  }
  std::string biasType() {
    return "tensor<1x" + number(outputs) + "x1x1x" +
           (isFloat || form != Form::Integers ? "f32>" : "i32>");
  }
  /// Whole numbers, so that sums of floats stay exact.
  std::string biasWeight() {
    if (!hasBias)
      return "";
    std::string text = "\n%b = tpu.weight dense<[[";
    for (int64_t i = 0; i < outputs; ++i)
      text += (i ? ", [[" : "[[") + number(pick(99) - 50) +
              (isFloat || form != Form::Integers ? ".0]]" : "]]");
    return text + "]]> : " + biasType();
  }
  static std::string floats(const std::string &type) {
    return type.substr(0, type.rfind('x', type.find('!'))) + "xf32>";
  }
  std::string scales() {
    if (isFloat)
      return "";
    auto each = [&](auto one) {
      std::string text;
      for (int64_t i = 0; i < outputs; ++i)
        text += (i ? ", " : "") + one();
      return text + ">";
    };
    if (form == Form::Integers)
      return " {relu, multipliers = array<i32: " +
             each([&] { return number((1 << 30) + pick(1 << 29)); }) +
             ", rshifts = array<i32: " +
             each([&] { return number(38 + pick(3)); }) + "}";
    return " {relu, scales = array<f32: " +
           each([&] { return "0.001" + number(pick(9)); }) + "}";
  }
  std::string weights() {
    std::string text = "[";
    for (int64_t o = 0; o < outputs; ++o) {
      text += o ? ", [" : "[";
      for (int64_t c = 0; c < inputs; ++c) {
        text += c ? ", [" : "[";
        for (int64_t y = 0; y < kernel[0]; ++y) {
          text += y ? ", [" : "[";
          for (int64_t x = 0; x < kernel[1]; ++x)
            text += (x ? ", " : "") + (isFloat ? number(pick(9) - 5) + ".0"
                                               : number(pick(255) - 128));
          text += "]";
        }
        text += "]";
      }
      text += "]";
    }
    return text + "]";
  }

  /// What sums of codes become.
  enum class Form { Scaled, Integers, Dequantized };

  std::mt19937 generator;
  bool isFloat, isSigned, hasBias;
  Form form;
  int64_t zeroPoint;
  int64_t batch, inputs, outputs;
  int64_t kernel[2], stride[2], dilation[2], begin[2], end[2], size[2],
      result[2];
};
} // namespace

using MakePass = std::unique_ptr<Pass> (*)();

/// More than 10 of the convolutions become others with `mark`.
static void expectEqualPrograms(bool isFloat, MakePass makePass,
                                const char *mark, uint32_t seeds) {
  const tpu::Dims tilings[] = {{1, 1, 1, 1}, {1, 1, 3, 1}, {1, 1, 2, 2}};
  int changed = 0;
  for (uint32_t seed = 0; seed < seeds; ++seed) {
    RandomConv conv(seed, isFloat);
    std::string text = conv.text(), other = afterPass(text, makePass(), mark);
    if (other.empty()) // nothing changed
      continue;
    ++changed;
    SCOPED_TRACE(text);
    std::vector<uint8_t> input = conv.input();
    ProgramRunner direct(text);
    ASSERT_TRUE(direct.ok());
    auto expected = direct.run({input});
    for (const tpu::Dims &counts : tilings) {
      const tpu::Tiling tiling{counts};
      ProgramRunner program(other, &tiling);
      ASSERT_TRUE(program.ok());
      EXPECT_EQ(program.run({input}), expected) << counts[2] << counts[3];
    }
  }
  EXPECT_GT(changed, 10);
}

TEST(Unfold, BytesAreTheSame) {
  expectEqualPrograms(/*isFloat=*/false, tpu::createTpuUnfoldConvs,
                      "tpu.unfold", 60);
}

TEST(Unfold, ExactSumsOfHalvesAreTheSame) {
  expectEqualPrograms(/*isFloat=*/true, tpu::createTpuUnfoldConvs, "tpu.unfold",
                      60);
}

TEST(StackRows, BytesAreTheSame) {
  expectEqualPrograms(/*isFloat=*/false, tpu::createTpuStackRows,
                      "tpu.channels_to_rows", 400);
}
