//===- ProductsTest.cpp - convolutions, products, windows on the machine --===//

#include "tests/unit/passes/zhouyi/Graphs.h"

#include <cmath>
#include <gtest/gtest.h>

using namespace weft::zhouyi::test;

static constexpr uint32_t kCases = 60;

static std::string quant(bool isSigned) {
  return isSigned ? "!quant.uniform<i8:f32, 0.05>"
                  : "!quant.uniform<u8:f32, 0.05>";
}

namespace {
/// Sizes of a random convolution.
struct Window {
  Shape input, filter, output;
  int64_t group;
  std::string attributes; ///< strides to group

  explicit Window(Dice &dice) {
    bool isDepthwise = dice.chance(30), isPoint = dice.chance(30);
    group = isDepthwise ? dice.from(2, 9) : dice.among({1, 1, 2, 3});
    int64_t in = isDepthwise ? 1 : dice.from(1, 9),
            out = isDepthwise ? dice.from(1, 2) : dice.from(1, 11);
    int64_t kernel[2], strides[2], pads[4], dilations[2], sizes[2], results[2];
    bool isSmall = dice.chance(25);
    for (int i = 0; i < 2; ++i) {
      kernel[i] = isPoint ? 1 : dice.from(1, 4);
      strides[i] = dice.from(1, 3);
      dilations[i] = dice.from(1, 2);
      pads[i] = isPoint ? 0 : dice.from(0, 3);
      pads[i + 2] = isPoint ? 0 : dice.from(0, 3);
      int64_t reach = (kernel[i] - 1) * dilations[i] + 1;
      int64_t least = std::max<int64_t>(1, reach - pads[i] - pads[i + 2]);
      sizes[i] = least + (isSmall ? dice.from(0, 2) : dice.from(0, 12));
      results[i] = (sizes[i] + pads[i] + pads[i + 2] - reach) / strides[i] + 1;
    }
    int64_t images = dice.from(1, 2);
    input = {images, group * in, sizes[0], sizes[1]};
    filter = {group * out, in, kernel[0], kernel[1]};
    output = {images, group * out, results[0], results[1]};
    auto list = [](const int64_t *numbers, int count) {
      std::string text;
      for (int i = 0; i < count; ++i)
        text += (i ? ", " : "") + std::to_string(numbers[i]);
      return "[" + text + "]";
    };
    attributes = " strides " + list(strides, 2) + " pads " + list(pads, 4) +
                 " dilations " + list(dilations, 2) + " group " +
                 std::to_string(group);
  }
  int64_t terms() const { return filter[1] * filter[2] * filter[3]; }
};
} // namespace

static std::vector<double> randomIntegers(Dice &dice, int64_t count,
                                          int64_t low, int64_t high) {
  std::vector<double> numbers;
  for (int64_t i = 0; i < count; ++i)
    numbers.push_back(double(dice.from(low, high)));
  return numbers;
}

static std::vector<double> randomReals(Dice &dice, int64_t count, double most) {
  std::vector<double> numbers;
  for (int64_t i = 0; i < count; ++i)
    numbers.push_back(double(float(dice.real(-most, most))));
  return numbers;
}

static int64_t sizeOf(const Shape &shape) {
  int64_t size = 1;
  for (int64_t axis : shape)
    size *= axis;
  return size;
}

static std::string array(const std::string &type,
                         const std::vector<double> &numbers) {
  std::string text;
  for (double number : numbers) {
    char one[40];
    std::snprintf(one, sizeof one, type == "f32" ? "%.9e" : "%.0f", number);
    text += (text.empty() ? "" : ", ") + std::string(one);
  }
  return "array<" + type + ": " + text + ">";
}

/// The op with its types.
static Tensor addConv(Graph &graph, const Window &window, const Tensor &x,
                      const Tensor &w, const Tensor *bias,
                      const std::string &attributes,
                      const std::string &result) {
  return graph.add(window.output, result,
                   "tpu.conv " + x.name + ", " + w.name +
                       (bias ? ", " + bias->name : "") + window.attributes +
                       " {" + attributes + "} : " + x.type() + ", " + w.type() +
                       (bias ? ", " + bias->type() : "") + " -> tensor<" +
                       shapeText(window.output) + result + ">");
}

namespace {
/// A random convolution of int8, without its bias.
struct IntegerConv {
  explicit IntegerConv(uint32_t seed)
      : dice(seed), window(dice), out(window.output[1]),
        x(graph.argument(window.input, quant(dice.chance(50)))),
        w(graph.weight(
            window.filter, "i8",
            randomIntegers(dice, sizeOf(window.filter), -128, 127))) {}

  Dice dice;
  Window window;
  int64_t out; ///< channels of the result
  Graph graph;
  Tensor x, w;
};
} // namespace

TEST(ZhouyiLowering, IntegerConvWithShifts) {
  for (uint32_t seed = 0; seed < 2 * kCases; ++seed) {
    IntegerConv conv(seed);
    auto &[dice, window, out, graph, x, w] = conv;
    Tensor b = graph.weight({1, out, 1, 1}, "i32",
                            randomIntegers(dice, out, -90000, 90000));
    bool same = dice.chance(30), all = dice.chance(40);
    int64_t shift = dice.from(36, 45);
    std::vector<double> m, s;
    for (int64_t i = 0; i < out; ++i) {
      m.push_back(double(dice.from(int64_t(1) << 30, INT32_MAX)));
      s.push_back(double(same  ? shift
                         : all ? dice.from(0, 63)
                               : dice.from(34, 46)));
    }
    bool isSigned = dice.chance(50);
    bool relu = !isSigned && dice.chance(50);
    Tensor y =
        addConv(graph, window, x, w, dice.chance(80) ? &b : nullptr,
                "multipliers = " + array("i32", m) + (relu ? ", relu" : "") +
                    ", rshifts = " + array("i32", s),
                quant(isSigned));
    checkGraph(graph.text(y), seed, Numbers::Any);
  }
}

TEST(ZhouyiLowering, IntegerConvWithScales) {
  for (uint32_t seed = 0; seed < 2 * kCases; ++seed) {
    IntegerConv conv(seed);
    auto &[dice, window, out, graph, x, w] = conv;
    Tensor b = graph.weight({1, out, 1, 1}, "f32", randomReals(dice, out, 9));
    std::vector<double> scales;
    for (int64_t i = 0; i < out; ++i)
      scales.push_back(double(float(dice.real(1e-4, 1e-2))));
    std::string result = dice.among(
        {std::string("f32"), std::string("f16"), quant(true), quant(false)});
    bool relu = dice.chance(50) && result != quant(true);
    Tensor y = addConv(graph, window, x, w, dice.chance(80) ? &b : nullptr,
                       std::string(relu ? "relu, " : "") +
                           "scales = " + array("f32", scales),
                       result);
    checkGraph(graph.text(y), seed, Numbers::Any);
  }
}

/// A quantized ONNX convolution: floats that are integers.
TEST(ZhouyiLowering, ConvOfCastIntegers) {
  for (uint32_t seed = 0; seed < 2 * kCases; ++seed) {
    Dice dice(seed);
    Window window(dice);
    Graph graph;
    int64_t out = window.output[1];
    bool isSigned = dice.chance(50);
    Tensor x = graph.argument(window.input, isSigned ? "i8" : "ui8");
    Tensor wide =
        graph.add(window.input, "f32",
                  "tpu.cast " + x.name + " : " + x.type() + " -> tensor<" +
                      shapeText(window.input) + "f32>");
    if (dice.chance(70)) {
      int64_t zero = isSigned ? dice.from(-128, 127) : dice.from(0, 255);
      wide = graph.add(window.input, "f32",
                       "tpu.binary sub " + wide.name +
                           " {constant = " + std::to_string(zero) +
                           ".0 : f64} : " + wide.type() + " -> " + wide.type());
    }
    Tensor w =
        graph.weight(window.filter, "f32",
                     randomIntegers(dice, sizeOf(window.filter), -128, 127));
    Tensor b = graph.weight({1, out, 1, 1}, "f32",
                            dice.chance(50)
                                ? randomReals(dice, out, 9)
                                : randomIntegers(dice, out, -20000, 20000));
    Tensor y = addConv(graph, window, wide, w, dice.chance(70) ? &b : nullptr,
                       dice.chance(30) ? "relu" : "", "f32");
    checkGraph(graph.text(y), seed, Numbers::Any);
  }
}

TEST(ZhouyiLowering, FloatConv) {
  for (uint32_t seed = 0; seed < kCases; ++seed) {
    Dice dice(seed);
    Window window(dice);
    Graph graph;
    int64_t out = window.output[1];
    std::string type = dice.among<const char *>({"f32", "f16"});
    Tensor x = graph.argument(window.input, type);
    Tensor w = graph.weight(window.filter, type,
                            randomReals(dice, sizeOf(window.filter), 1));
    Tensor b = graph.weight({1, out, 1, 1}, "f32", randomReals(dice, out, 1));
    Tensor y =
        addConv(graph, window, x, w, &b, dice.chance(50) ? "relu" : "", type);
    // Each of the additions rounds a partial sum of at most `terms` + 1 to f32:
    // half of 2^-23 of it. float16 may then round to the other neighbour.
    double terms = double(window.terms()) + 1;
    checkGraph(
        graph.text(y), seed, Numbers::Small,
        {terms * terms * std::exp2(-24), type == "f16" ? std::exp2(-10) : 0});
  }
}

/// The op with its types.
static Tensor addMatMul(Graph &graph, const Shape &shape, const Tensor &x,
                        const Tensor &w, const std::string &result) {
  return graph.add(shape, result,
                   "tpu.matmul " + x.name + ", " + w.name + " : " + x.type() +
                       ", " + w.type() + " -> tensor<" + shapeText(shape) +
                       result + ">");
}

TEST(ZhouyiLowering, IntegerMatMul) {
  for (uint32_t seed = 0; seed < 2 * kCases; ++seed) {
    Dice dice(seed);
    Graph graph;
    int64_t a = dice.from(1, 2), b = dice.from(1, 3), rows = dice.from(1, 9),
            inner = dice.from(1, 40), columns = dice.from(1, 21);
    auto side = [&](int64_t height, int64_t width) {
      return Shape{dice.chance(30) ? 1 : a, dice.chance(30) ? 1 : b, height,
                   width};
    };
    auto element = [&] { return std::string(dice.chance(50) ? "i8" : "ui8"); };
    Tensor x = graph.argument(side(rows, inner), element());
    Shape right = side(inner, columns);
    std::string type = element();
    Tensor w =
        dice.chance(50)
            ? graph.argument(right, type)
            : graph.weight(right, type,
                           type == "i8"
                               ? randomIntegers(dice, sizeOf(right), -128, 127)
                               : randomIntegers(dice, sizeOf(right), 0, 255));
    Shape out{std::max(x.shape[0], right[0]), std::max(x.shape[1], right[1]),
              rows, columns};
    Tensor y = addMatMul(graph, out, x, w, "i32");
    checkGraph(graph.text(y), seed, Numbers::Any);
  }
}

TEST(ZhouyiLowering, FloatMatMul) {
  for (uint32_t seed = 0; seed < kCases; ++seed) {
    Dice dice(seed);
    Graph graph;
    std::string type = dice.among<const char *>({"f32", "f16"});
    int64_t rows = dice.from(1, 9), inner = dice.from(1, 40),
            columns = dice.from(1, 21);
    Tensor x = graph.argument({1, 2, rows, inner}, type);
    Tensor w = graph.argument({1, 2, inner, columns}, type);
    Shape out{1, 2, rows, columns};
    Tensor y = addMatMul(graph, out, x, w, type);
    double terms = double(inner);
    checkGraph(
        graph.text(y), seed, Numbers::Small,
        {terms * terms * std::exp2(-24), type == "f16" ? std::exp2(-10) : 0});
  }
}

TEST(ZhouyiLowering, Pool) {
  for (uint32_t seed = 0; seed < 3 * kCases; ++seed) {
    Dice dice(seed);
    Graph graph;
    std::string type = dice.among(
        {std::string("f32"), std::string("f16"), quant(true), quant(false)});
    bool isQuantized = type[0] == '!', isMax = dice.chance(50);
    Shape in{dice.from(1, 2), dice.from(1, 9), 0, 0}, out = in;
    std::string kernels, strides, begins, ends;
    bool isGlobal = dice.chance(30), hasPads = false;
    for (int i = 0; i < 2; ++i) {
      int64_t kernel = isGlobal ? dice.from(1, 20) : dice.from(1, 4),
              stride = dice.from(1, 3);
      int64_t begin = isGlobal ? 0 : dice.from(0, kernel - 1),
              end = isGlobal ? 0 : dice.from(0, kernel - 1);
      hasPads = hasPads || begin || end;
      int64_t size = isGlobal ? kernel : kernel + dice.from(0, 12);
      in[2 + i] = size;
      out[2 + i] = (size + begin + end - kernel) / stride + 1;
      std::string comma = i ? ", " : "";
      kernels += comma + std::to_string(kernel);
      strides += comma + std::to_string(stride);
      begins += comma + std::to_string(begin);
      ends += comma + std::to_string(end);
    }
    std::string attributes;
    if (!isMax && hasPads)
      attributes = "count_include_pad";
    if (!isMax && isQuantized)
      attributes += std::string(attributes.empty() ? "" : ", ") +
                    "multiplier = " + std::to_string(dice.from(0, 255)) +
                    " : i32, rshift = " + std::to_string(dice.from(0, 20)) +
                    " : i32";
    Tensor x = graph.argument(in, type);
    Tensor y = graph.add(out, type,
                         std::string("tpu.pool ") + (isMax ? "max " : "avg ") +
                             x.name + " kernel [" + kernels + "] strides [" +
                             strides + "] pads [" + begins + ", " + ends +
                             "] {" + attributes + "} : " + x.type() +
                             " -> tensor<" + shapeText(out) + type + ">");
    checkGraph(graph.text(y), seed,
               isMax || dice.chance(50) ? Numbers::Any : Numbers::Small);
  }
}

TEST(ZhouyiLowering, Reduce) {
  for (uint32_t seed = 0; seed < 2 * kCases; ++seed) {
    Dice dice(seed);
    Graph graph;
    std::string kind = dice.among<const char *>({"sum", "max", "min", "prod"});
    std::string type =
        kind == "prod"
            ? dice.among<const char *>({"i16", "ui16", "i32", "ui32"})
        : kind == "sum"
            ? dice.among<const char *>({"f32", "i8", "ui16", "i32"})
            : dice.among<const char *>({"f32", "f16", "i8", "ui8", "i32"});
    Shape in{dice.from(1, 3), dice.from(1, 9), dice.from(1, 9),
             dice.from(1, 40)};
    Shape out = in;
    int64_t axis = dice.among({0, 2, 3});
    out[axis] = 1;
    Tensor x = graph.argument(in, type);
    Tensor y = graph.add(out, type,
                         "tpu.reduce " + kind + " " + x.name + " axis " +
                             std::to_string(axis) + " : " + x.type() +
                             " -> tensor<" + shapeText(out) + type + ">");
    bool isWide = kind != "sum" || dice.chance(50);
    // Numbers of all sizes: double and two f32 lose different digits, which
    // decides a tie in one of some thousand sums.
    bool isFloatSum = kind == "sum" && type == "f32";
    checkGraph(graph.text(y), seed, isWide ? Numbers::Any : Numbers::Small,
               {0, isWide && isFloatSum ? std::exp2(-23) : 0});
  }
}
