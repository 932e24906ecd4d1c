// Each test computes the expected numbers by hand or by another formula.
#include "dialects/Evaluate.h"
#include "dialects/tpu/Tpu.h"
#include "runtime/numeric/Float16.h"

#include "mlir/IR/BuiltinOps.h"
#include "mlir/Parser/Parser.h"

#include <gtest/gtest.h>

#include <cmath>

using namespace weft;
using numeric::ElementType;
using numeric::HostTensor;

namespace {
class TpuEvaluate : public ::testing::Test {
protected:
  TpuEvaluate() {
    context.loadDialect<tpu::TpuDialect, mlir::func::FuncDialect>();
  }

  /// Runs `@main(arguments) -> (result)` with `body`, whose last value is %y,
  /// on `input` (%x, when it has a type).
  HostTensor run(std::string inputType, std::string resultType,
                 std::string body, HostTensor input) {
    std::string text = "func.func @main(%x: " + inputType + ") -> " +
                       resultType + " {" + body +
                       "\nreturn %y : " + resultType + "}";
    auto module = mlir::parseSourceString<mlir::ModuleOp>(text, &context);
    EXPECT_TRUE(module) << text;
    llvm::SmallVector<HostTensor> outputs;
    if (!module ||
        failed(evaluateFunction(*module->getOps<mlir::func::FuncOp>().begin(),
                                {input}, outputs))) {
      ADD_FAILURE() << "evaluation failed: " << text;
      return HostTensor();
    }
    return outputs[0];
  }

  mlir::MLIRContext context;
};
} // namespace

static HostTensor tensor(ElementType type, std::vector<int64_t> shape,
                         std::vector<double> values) {
  HostTensor result(type, std::move(shape));
  for (size_t i = 0; i < values.size(); ++i)
    result.setFromDouble(i, values[i]);
  return result;
}

static std::vector<double> list(const HostTensor &tensor) {
  std::vector<double> values;
  for (int64_t i = 0; i < tensor.elements(); ++i)
    values.push_back(tensor.toDouble(i));
  return values;
}

using Values = std::vector<double>;
static const char *kConvAttrs =
    " strides [1, 1] pads [0, 0, 0, 0] dilations [1, 1] group 1 ";

TEST_F(TpuEvaluate, ConvRequantizesHalfUpAndSaturates) {
  // acc = 2 * x + 1; times 2^30 >> 31 is a half: 3/2 -> 2, -3/2 -> -1 (half
  // up), 255/2 -> 128 -> 127.
  HostTensor y =
      run("tensor<1x1x1x4x!quant.uniform<i8:f32, 1.0>>",
          "tensor<1x1x1x4x!quant.uniform<i8:f32, 2.0>>",
          "%w = tpu.weight dense<2> : tensor<1x1x1x1xi8> %b = tpu.weight "
          "dense<1> : tensor<1x1x1x1xi32>"
          "%y = tpu.conv %x, %w, %b" +
              std::string(kConvAttrs) +
              "{multipliers = array<i32: 1073741824>, rshifts = array<i32: "
              "31>} : tensor<1x1x1x4x!quant.uniform<i8:f32, 1.0>>, "
              "tensor<1x1x1x1xi8>, tensor<1x1x1x1xi32> -> "
              "tensor<1x1x1x4x!quant.uniform<i8:f32, 2.0>>",
          tensor(ElementType::I8, {1, 1, 1, 4}, {1, -2, 127, -128}));
  EXPECT_EQ(list(y), (Values{2, -1, 127, -127}));
}

TEST_F(TpuEvaluate, ConvScalesTheAccumulatorPerChannel) {
  // acc = {10 * 3, 10 * -4}; f16 results of 30 * 0.1 + 1 and -40 * 0.5 + 0, the
  // second clipped by relu.
  HostTensor y = run(
      "tensor<1x1x1x1x!quant.uniform<u8:f32, 1.0>>", "tensor<1x2x1x1xf16>",
      "%w = tpu.weight dense<[[[[3]]], [[[-4]]]]> : tensor<2x1x1x1xi8>"
      "%b = tpu.weight dense<[[[[1.0]], [[0.0]]]]> : tensor<1x2x1x1xf32>"
      "%y = tpu.conv %x, %w, %b" +
          std::string(kConvAttrs) +
          "{relu, scales = array<f32: 0.1, 0.5>} : "
          "tensor<1x1x1x1x!quant.uniform<u8:f32, 1.0>>, tensor<2x1x1x1xi8>, "
          "tensor<1x2x1x1xf32> -> tensor<1x2x1x1xf16>",
      tensor(ElementType::U8, {1, 1, 1, 1}, {10}));
  float expected =
      numeric::halfToFloat(numeric::floatToHalf(30.0f * 0.1f + 1.0f));
  EXPECT_EQ(list(y), (Values{expected, 0}));
}

TEST_F(TpuEvaluate, ConvWithScalesAndQuantizedResultRoundsHalfToEven) {
  HostTensor y = run(
      "tensor<1x1x1x4x!quant.uniform<i8:f32, 1.0>>",
      "tensor<1x1x1x4x!quant.uniform<u8:f32, 1.0>>",
      "%w = tpu.weight dense<1> : tensor<1x1x1x1xi8>"
      "%y = tpu.conv %x, %w" +
          std::string(kConvAttrs) +
          "{scales = array<f32: 0.5>} : tensor<1x1x1x4x!quant.uniform<i8:f32, "
          "1.0>>, tensor<1x1x1x1xi8> -> "
          "tensor<1x1x1x4x!quant.uniform<u8:f32, 1.0>>",
      tensor(ElementType::I8, {1, 1, 1, 4}, {1, 3, 5, -7}));
  EXPECT_EQ(list(y), (Values{0, 2, 2, 0}));
}

TEST_F(TpuEvaluate, ConvKnowsPadsStridesDilationAndDepthwise) {
  // 3x3 of ones, dilation 2, pad 2, stride 2 on a 4x4 ramp, two channels each
  // with its own filter (1 and 10).
  std::vector<double> ramp(32);
  for (int i = 0; i < 32; ++i)
    ramp[i] = i;
  HostTensor y = run("tensor<1x2x4x4xf32>", "tensor<1x2x2x2xf32>",
                     "%w = tpu.weight "
                     "dense<[[[[1.0,1.0,1.0],[1.0,1.0,1.0],[1.0,1.0,1.0]]],[[["
                     "10.0,10.0,10.0],[10.0,10.0,10.0],[10.0,10.0,10.0]]]]> "
                     ": tensor<2x1x3x3xf32>"
                     "%y = tpu.conv %x, %w strides [2, 2] pads [2, 2, 2, 2] "
                     "dilations [2, 2] group 2 : tensor<1x2x4x4xf32>, "
                     "tensor<2x1x3x3xf32> -> tensor<1x2x2x2xf32>",
                     tensor(ElementType::F32, {1, 2, 4, 4}, ramp));
  Values expected;
  for (int c = 0; c < 2; ++c)
    for (int oy = 0; oy < 2; ++oy)
      for (int ox = 0; ox < 2; ++ox) {
        double sum = 0;
        for (int k = 0; k < 9; ++k) {
          int row = oy * 2 + k / 3 * 2 - 2, column = ox * 2 + k % 3 * 2 - 2;
          if (row >= 0 && row < 4 && column >= 0 && column < 4)
            sum += ramp[c * 16 + row * 4 + column];
        }
        expected.push_back(sum * (c ? 10 : 1));
      }
  EXPECT_EQ(list(y), expected);
}

TEST_F(TpuEvaluate, NarrowSumsRoundEveryStep) {
  // 1 + 2^-11 is a tie of f16, which goes to even, so each 2^-11 is lost beside
  // a 1; two of them are not. Products alternate between two sums, the odd one
  // begins with the bias.
  auto sumOf = [&](const std::string &attributes, const std::string &bias) {
    return list(
        run("tensor<1x1x1x4xf16>", "tensor<1x1x1x1xf16>",
            "%w = tpu.weight dense<[[[[1.0, 0.5, 0.00048828125, 0.5]]]]> : "
            "tensor<1x1x1x4xf16>"
            "%b = tpu.weight dense<0.00048828125> : tensor<1x1x1x1x" +
                bias +
                ">"
                "%y = tpu.conv %x, %w, %b strides [1, 1] pads [0, 0, 0, 0] "
                "dilations [1, 1] group 1 {" +
                attributes +
                "} : tensor<1x1x1x4xf16>, tensor<1x1x1x4xf16>, "
                "tensor<1x1x1x1x" +
                bias + "> -> tensor<1x1x1x1xf16>",
            tensor(ElementType::F16, {1, 1, 1, 4}, {1, 1, 1, -1})))[0];
  };
  // even: 1 + 2^-11 -> 1; odd: 2^-11 + 0.5 - 0.5 = 2^-11; 1 + 2^-11 -> 1.
  EXPECT_EQ(sumOf("narrow_sums", "f16"), 1.0);
  EXPECT_EQ(sumOf("", "f32"), 1.0 + 0x1p-10);
}

TEST_F(TpuEvaluate, IntegerAddRoundsEachTerm) {
  // Each 1/2 rounds up to 1 before the sum.
  HostTensor y = run("tensor<1x1x1x2x!quant.uniform<i8:f32, 1.0>>",
                     "tensor<1x1x1x2x!quant.uniform<i8:f32, 2.0>>",
                     "%y = tpu.binary add %x, %x {multipliers = array<i32: 1, "
                     "1>, rshifts = array<i32: 1, 1>} : "
                     "tensor<1x1x1x2x!quant.uniform<i8:f32, 1.0>>, "
                     "tensor<1x1x1x2x!quant.uniform<i8:f32, 1.0>> -> "
                     "tensor<1x1x1x2x!quant.uniform<i8:f32, 2.0>>",
                     tensor(ElementType::I8, {1, 1, 1, 2}, {1, -1}));
  EXPECT_EQ(list(y), (Values{2, 0}));
}

TEST_F(TpuEvaluate, BinaryBroadcastsChannelsAndReversesConstants) {
  HostTensor y =
      run("tensor<1x2x1x2xf32>", "tensor<1x2x1x2xf32>",
          "%g = tpu.weight dense<[[[[2.0]], [[3.0]]]]> : tensor<1x2x1x1xf32>"
          "%a = tpu.binary mul %x, %g : tensor<1x2x1x2xf32>, "
          "tensor<1x2x1x1xf32> -> tensor<1x2x1x2xf32>"
          "%y = tpu.binary sub %a {constant = 10.0 : f64, reversed, relu} : "
          "tensor<1x2x1x2xf32> -> tensor<1x2x1x2xf32>",
          tensor(ElementType::F32, {1, 2, 1, 2}, {1, 2, 3, 4}));
  EXPECT_EQ(list(y), (Values{8, 6, 1, 0}));
}

TEST_F(TpuEvaluate, HardSwishRoundsEveryStep) {
  auto half = [](float x) {
    return numeric::halfToFloat(numeric::floatToHalf(x));
  };
  Values input{-4, -1.5, 0.3, 2.7, 5}, expected;
  for (double &x : input) {
    x = half(static_cast<float>(x));
    auto f = static_cast<float>(x);
    float gate = half(half(f * half(1.0f / 6)) + 0.5f);
    expected.push_back(half(f * std::fmin(std::fmax(gate, 0.0f), 1.0f)));
  }
  HostTensor y = run("tensor<1x1x1x5xf16>", "tensor<1x1x1x5xf16>",
                     "%y = tpu.unary hard_swish %x : tensor<1x1x1x5xf16>",
                     tensor(ElementType::F16, {1, 1, 1, 5}, input));
  EXPECT_EQ(list(y), expected);
}

TEST_F(TpuEvaluate, CastQuantizesHalfToEvenInTheInputType) {
  HostTensor y =
      run("tensor<1x1x1x5xf32>", "tensor<1x1x1x5x!quant.uniform<i8:f32, 0.5>>",
          "%y = tpu.cast %x : tensor<1x1x1x5xf32> -> "
          "tensor<1x1x1x5x!quant.uniform<i8:f32, 0.5>>",
          tensor(ElementType::F32, {1, 1, 1, 5},
                 {0.25, 0.75, -0.25, 1000, std::nan("")}));
  EXPECT_EQ(list(y), (Values{0, 2, 0, 127, 0}));
  // In f16 the product 2047 * (1/3) is rounded to a multiple of 1/2 before the
  // cast.
  auto half = [](float x) {
    return numeric::halfToFloat(numeric::floatToHalf(x));
  };
  HostTensor z =
      run("tensor<1x1x1x1xf16>", "tensor<1x1x1x1x!quant.uniform<i16:f32, 3.0>>",
          "%y = tpu.cast %x : tensor<1x1x1x1xf16> -> "
          "tensor<1x1x1x1x!quant.uniform<i16:f32, 3.0>>",
          tensor(ElementType::F16, {1, 1, 1, 1}, {2047}));
  EXPECT_EQ(list(z), (Values{std::nearbyint(half(2047 * half(1.0f / 3)))}));
}

TEST_F(TpuEvaluate, CastDequantizesAndRequantizes) {
  HostTensor y =
      run("tensor<1x1x1x2x!quant.uniform<u8:f32, 0.5>>", "tensor<1x1x1x2xf16>",
          "%q = tpu.cast %x {multiplier = 1 : i32, rshift = 1 : i32} : "
          "tensor<1x1x1x2x!quant.uniform<u8:f32, 0.5>> -> "
          "tensor<1x1x1x2x!quant.uniform<i8:f32, 1.0>>"
          "%y = tpu.cast %q : tensor<1x1x1x2x!quant.uniform<i8:f32, 1.0>> -> "
          "tensor<1x1x1x2xf16>",
          tensor(ElementType::U8, {1, 1, 1, 2}, {255, 3}));
  EXPECT_EQ(list(y), (Values{127, 2}));
}

TEST_F(TpuEvaluate, LutIsIndexedByTheStoredByte) {
  std::string table = "[";
  for (int i = 0; i < 256; ++i)
    table += (i ? ", " : "") +
             std::to_string(static_cast<int>(static_cast<int8_t>(255 - i)));
  HostTensor y =
      run("tensor<1x1x1x3x!quant.uniform<i8:f32, 1.0>>",
          "tensor<1x1x1x3x!quant.uniform<u8:f32, 1.0>>",
          "%t = tpu.weight dense<[[[" + table +
              "]]]]> : tensor<1x1x1x256xi8>"
              "%y = tpu.lut %x, %t : tensor<1x1x1x3x!quant.uniform<i8:f32, "
              "1.0>>, tensor<1x1x1x256xi8> -> "
              "tensor<1x1x1x3x!quant.uniform<u8:f32, 1.0>>",
          tensor(ElementType::I8, {1, 1, 1, 3}, {0, -1, -128}));
  EXPECT_EQ(list(y), (Values{255, 0, 127}));
}

TEST_F(TpuEvaluate, PoolsIgnoreOrCountPadding) {
  HostTensor input = tensor(ElementType::F32, {1, 1, 2, 2}, {-1, -2, -3, -4});
  HostTensor most =
      run("tensor<1x1x2x2xf32>", "tensor<1x1x2x2xf32>",
          "%y = tpu.pool max %x kernel [2, 2] strides [1, 1] pads [1, 1, 0, 0] "
          ": tensor<1x1x2x2xf32> -> tensor<1x1x2x2xf32>",
          input);
  EXPECT_EQ(list(most), (Values{-1, -1, -1, -1}));
  HostTensor mean =
      run("tensor<1x1x2x2xf32>", "tensor<1x1x2x2xf32>",
          "%y = tpu.pool avg %x kernel [2, 2] strides [1, 1] pads [1, 1, 0, 0] "
          "{count_include_pad} : tensor<1x1x2x2xf32> -> "
          "tensor<1x1x2x2xf32>",
          input);
  EXPECT_EQ(list(mean), (Values{-0.25, -0.75, -1, -2.5}));
}

TEST_F(TpuEvaluate, MoveLanesKeepsTheValues) {
  HostTensor y = run("tensor<1x2x1x2xf16>", "tensor<1x2x1x2xf16>",
                     "%y = tpu.move_lanes %x : tensor<1x2x1x2xf16>",
                     tensor(ElementType::F16, {1, 2, 1, 2}, {1, 2, 3, 4}));
  EXPECT_EQ(list(y), (Values{1, 2, 3, 4}));
}

TEST_F(TpuEvaluate, ChannelSumTakesTermsOfEightDigits) {
  auto sumOf = [&](const char *terms) {
    std::string body = std::string("%y = tpu.channel_sum %x ") + terms +
                       " : tensor<1x2x1x2xf32> -> tensor<1x1x1x2xf32>";
    // 257 and 1 + 2^-17 have 9 and 18 digits.
    return list(
        run("tensor<1x2x1x2xf32>", "tensor<1x1x1x2xf32>", body.c_str(),
            tensor(ElementType::F32, {1, 2, 1, 2}, {257, 1 + 0x1p-17, 2, 0})));
  };
  EXPECT_EQ(sumOf(""), (Values{259, 1 + 0x1p-17}));
  EXPECT_EQ(sumOf("{terms = 1 : i64}"), (Values{258, 1}));
  EXPECT_EQ(sumOf("{terms = 2 : i64}"), (Values{259, 1 + 0x1p-17}));
}

TEST_F(TpuEvaluate, RepeatChannelRepeatsThatOfEachImage) {
  HostTensor y = run(
      "tensor<2x1x1x2xf16>", "tensor<2x2x1x2xf16>",
      "%y = tpu.repeat_channel %x : tensor<2x1x1x2xf16> -> tensor<2x2x1x2xf16>",
      tensor(ElementType::F16, {2, 1, 1, 2}, {1, 2, 3, 4}));
  EXPECT_EQ(list(y), (Values{1, 2, 1, 2, 3, 4, 3, 4}));
}

TEST_F(TpuEvaluate, UnfoldMakesChannelsOfTheWindow) {
  const char *body =
      "%y = tpu.unfold %x kernel [2, 2] strides [1, 1] pads [1, 0, 0, 0] "
      "dilations [1, 1] : tensor<1x1x2x3xf16> -> tensor<1x4x2x2xf16>";
  HostTensor y =
      run("tensor<1x1x2x3xf16>", "tensor<1x4x2x2xf16>", body,
          tensor(ElementType::F16, {1, 1, 2, 3}, {1, 2, 3, 4, 5, 6}));
  EXPECT_EQ(list(y), (Values{0, 0, 1, 2, 0, 0, 2, 3, 1, 2, 4, 5, 2, 3, 5, 6}));
  // Others in the window of an infinity become NaN, as 0 times it is.
  Values broken = list(
      run("tensor<1x1x2x3xf16>", "tensor<1x4x2x2xf16>", body,
          tensor(ElementType::F16, {1, 1, 2, 3}, {HUGE_VAL, 2, 3, 4, 5, 6})));
  EXPECT_TRUE(std::isnan(broken[0]));
  EXPECT_EQ(broken[1], 0);
  EXPECT_EQ(broken[2], HUGE_VAL);
  EXPECT_TRUE(std::isnan(broken[14]));
  EXPECT_EQ(broken[15], 6);
}

TEST_F(TpuEvaluate, SoftmaxMatMulScaleAndMoves) {
  HostTensor soft =
      run("tensor<1x1x1x2xf32>", "tensor<1x1x1x2xf32>",
          "%y = tpu.softmax %x {axis = 3 : i64} : tensor<1x1x1x2xf32>",
          tensor(ElementType::F32, {1, 1, 1, 2}, {0, std::log(3.0)}));
  EXPECT_NEAR(soft.toDouble(0), 0.25, 1e-7); // the input is rounded to f32
  HostTensor product =
      run("tensor<1x1x2x2xf32>", "tensor<1x1x2x2xf32>",
          "%y = tpu.matmul %x, %x : tensor<1x1x2x2xf32>, tensor<1x1x2x2xf32> "
          "-> tensor<1x1x2x2xf32>",
          tensor(ElementType::F32, {1, 1, 2, 2}, {1, 2, 3, 4}));
  EXPECT_EQ(list(product), (Values{7, 10, 15, 22}));
  HostTensor moved =
      run("tensor<1x2x1x3xf32>", "tensor<1x4x1x2xf32>",
          "%s = tpu.weight dense<[[[[2.0]], [[-1.0]]]]> : tensor<1x2x1x1xf32>"
          "%z = tpu.weight dense<[[[[0.0]], [[1.0]]]]> : tensor<1x2x1x1xf32>"
          "%a = tpu.scale %x, %s, %z : tensor<1x2x1x3xf32>, tensor<1x2x1x1xf32>"
          "%b = tpu.slice %a [0, 0, 0, 0] steps [1, 1, 1, 2] : "
          "tensor<1x2x1x3xf32> -> tensor<1x2x1x2xf32>"
          "%c = tpu.permute %b [0, 3, 2, 1] : tensor<1x2x1x2xf32> -> "
          "tensor<1x2x1x2xf32>"
          "%y = tpu.concat %b, %c axis 1 : (tensor<1x2x1x2xf32>, "
          "tensor<1x2x1x2xf32>) -> tensor<1x4x1x2xf32>",
          tensor(ElementType::F32, {1, 2, 1, 3}, {1, 2, 3, 4, 5, 6}));
  EXPECT_EQ(list(moved), (Values{2, 6, -3, -5, 2, -3, 6, -5}));
}
