//===- ElementsTest.cpp - elementwise ops and moves on the machine --------===//
//
// Random graphs of one op, odd sizes and tails included: the evaluator of tpu
// against the program that the op becomes, bit for bit unless a test says what
// may differ.
//
//===----------------------------------------------------------------------===//

#include "tests/unit/passes/zhouyi/Graphs.h"

#include <gtest/gtest.h>

using namespace weft::zhouyi::test;

static constexpr uint32_t kCases = 60;

static std::string quant(Dice &dice, bool isSigned) {
  char text[64];
  std::snprintf(text, sizeof text, "!quant.uniform<%s:f32, %.9e>",
                isSigned ? "i8" : "u8", double(float(dice.real(0.001, 0.2))));
  return text;
}

static Shape randomShape(Dice &dice, int64_t most = 7) {
  Shape shape{dice.from(1, 2), dice.from(1, most), dice.from(1, most),
              dice.chance(30) ? dice.from(8, 75) : dice.from(1, 9)};
  return shape;
}

/// Some axes of size 1.
static Shape shrunk(Dice &dice, Shape shape) {
  for (int64_t &size : shape)
    if (dice.chance(35))
      size = 1;
  return shape;
}

static std::string text(double number) {
  char buffer[40];
  std::snprintf(buffer, sizeof buffer, "%.9e", number);
  return buffer;
}

TEST(ZhouyiLowering, FloatBinary) {
  for (uint32_t seed = 0; seed < 3 * kCases; ++seed) {
    Dice dice(seed);
    Graph graph;
    std::string type = dice.among<const char *>({"f32", "f16"});
    std::string kind =
        dice.among<const char *>({"add", "sub", "mul", "div", "max", "min"});
    Shape shape = randomShape(dice);
    Tensor x = graph.argument(shape, type);
    std::string relu = dice.chance(30) ? "relu" : "";
    std::string line = "tpu.binary " + kind + " " + x.name;
    if (dice.chance(30)) {
      line += " {constant = " + text(dice.real(-9, 9)) + " : f64" +
              (dice.chance(50) ? ", reversed" : "") +
              (relu.empty() ? "" : ", relu") + "} : " + x.type();
    } else {
      Tensor y = graph.argument(shrunk(dice, shape), type);
      line += ", " + y.name + " {" + relu + "} : " + x.type() + ", " + y.type();
    }
    Tensor z = graph.add(shape, type, line + " -> " + x.type());
    checkGraph(graph.text(z), seed, Numbers::Any);
  }
}

TEST(ZhouyiLowering, IntegerBinary) {
  for (uint32_t seed = 0; seed < 2 * kCases; ++seed) {
    Dice dice(seed);
    Graph graph;
    std::string type =
        dice.among<const char *>({"i8", "ui8", "i16", "ui16", "i32", "ui32"});
    std::string kind = dice.among<const char *>(
        {"add", "sub", "mul", "max", "min", "shift_left", "shift_right"});
    bool isShift = kind.rfind("shift", 0) == 0;
    Shape shape = randomShape(dice);
    Tensor x = graph.argument(shape, type);
    std::string line = "tpu.binary " + kind + " " + x.name;
    if (isShift || dice.chance(30)) {
      line += " {constant = " +
              text(double(isShift ? dice.from(0, 7) : dice.from(0, 100))) +
              " : f64} : " + x.type();
    } else {
      Tensor y = graph.argument(shrunk(dice, shape), type);
      line += ", " + y.name + " : " + x.type() + ", " + y.type();
    }
    Tensor z = graph.add(shape, type, line + " -> " + x.type());
    checkGraph(graph.text(z), seed, Numbers::Any);
  }
}

/// A multiplier and a shift of a scale, as the quantizer splits one, or any.
static std::pair<int64_t, int64_t> randomScale(Dice &dice, int64_t low,
                                               int64_t high) {
  return {dice.from(int64_t(1) << 30, (int64_t(1) << 31) - 1),
          dice.from(low, high)};
}

/// The ends of the numbers that multiply: v m = 2^62 is the largest product.
TEST(ZhouyiLowering, RequantizeExtremes) {
  uint32_t seed = 0;
  for (int64_t m : {int64_t(INT32_MIN), int64_t(INT32_MIN) + 1, int64_t(-1),
                    int64_t(0), int64_t(1), int64_t(INT32_MAX)})
    for (int64_t s : {0, 1, 2, 3, 8, 31, 32, 33, 34, 62, 63}) {
      Graph graph;
      Shape shape{1, 1, 1, 37};
      std::string i8 = "!quant.uniform<i8:f32, 0.1>";
      Tensor x = graph.argument(shape, i8);
      Tensor y = graph.add(shape, i8,
                           "tpu.cast " + x.name +
                               " {multiplier = " + std::to_string(m) +
                               " : i32, rshift = " + std::to_string(s) +
                               " : i32} : " + x.type() + " -> " + x.type());
      checkGraph(graph.text(y), seed++, Numbers::Any);
    }
}

TEST(ZhouyiLowering, QuantizedBinary) {
  for (uint32_t seed = 0; seed < 2 * kCases; ++seed) {
    Dice dice(seed);
    Graph graph;
    std::string kind =
        dice.among<const char *>({"add", "sub", "mul", "max", "min"});
    Shape shape = randomShape(dice);
    std::string own = quant(dice, dice.chance(50));
    bool isChoice = kind == "max" || kind == "min";
    auto other = [&] { return isChoice ? own : quant(dice, dice.chance(50)); };
    Tensor x = graph.argument(shape, other());
    Tensor y = graph.argument(shrunk(dice, shape), other());
    std::string numbers;
    if (kind == "mul") {
      auto [m, s] = randomScale(dice, 0, 63);
      numbers = " {multipliers = array<i32: " + std::to_string(m) +
                ">, rshifts = array<i32: " + std::to_string(s) + ">}";
    } else if (!isChoice) {
      auto [m, s] = randomScale(dice, 10, 40);
      auto [n, t] = randomScale(dice, 10, 63);
      numbers = " {multipliers = array<i32: " + std::to_string(m) + ", " +
                std::to_string(n) +
                ">, rshifts = array<i32: " + std::to_string(s) + ", " +
                std::to_string(t) + ">}";
    }
    Tensor z = graph.add(shape, own,
                         "tpu.binary " + kind + " " + x.name + ", " + y.name +
                             numbers + " : " + x.type() + ", " + y.type() +
                             " -> tensor<" + shapeText(shape) + own + ">");
    checkGraph(graph.text(z), seed, Numbers::Any);
  }
}

TEST(ZhouyiLowering, Unary) {
  for (uint32_t seed = 0; seed < 4 * kCases; ++seed) {
    Dice dice(seed);
    Graph graph;
    std::string type = dice.among<const char *>({"f32", "f16"});
    std::string kind = dice.among<const char *>(
        {"abs", "neg", "relu", "clip", "hard_sigmoid", "hard_swish",
         "leaky_relu", "round", "reciprocal", "floor", "ceil"});
    std::string parameters;
    double alpha = dice.real(-3, 3);
    if (kind == "clip")
      parameters = " {alpha = " + text(alpha) +
                   " : f64, beta = " + text(alpha + dice.real(0, 4)) +
                   " : f64}";
    if (kind == "hard_sigmoid")
      parameters = " {alpha = 2.000000e-01 : f64, beta = 5.0e-01 : f64}";
    if (kind == "leaky_relu")
      parameters = " {alpha = " + text(alpha) + " : f64}";
    Shape shape = randomShape(dice);
    Tensor x = graph.argument(shape, type);
    Tensor y = graph.add(shape, type,
                         "tpu.unary " + kind + " " + x.name + parameters +
                             " : " + x.type());
    checkGraph(graph.text(y), seed, Numbers::Any);
  }
}

TEST(ZhouyiLowering, Cast) {
  auto element = [](Dice &dice) {
    return std::string(dice.among<const char *>(
        {"f32", "f16", "i8", "ui8", "i16", "ui16", "i32", "ui32", "quant"}));
  };
  for (uint32_t seed = 0; seed < 5 * kCases; ++seed) {
    Dice dice(seed);
    Graph graph;
    std::string from = element(dice), to = element(dice);
    bool fromQuant = from == "quant", toQuant = to == "quant";
    auto isFloat = [](const std::string &type) { return type[0] == 'f'; };
    if ((fromQuant && !toQuant && !isFloat(to)) ||
        (toQuant && !fromQuant && !isFloat(from)))
      continue;
    std::string numbers;
    if (fromQuant && toQuant) {
      auto [m, s] = randomScale(dice, 0, 63);
      numbers = " {multiplier = " + std::to_string(m) +
                " : i32, rshift = " + std::to_string(s) + " : i32}";
    } else if (isFloat(from) && !isFloat(to) && dice.chance(50)) {
      // half_even, towards_zero, down, up
      numbers = " {rounding = " + std::to_string(dice.among({0, 2, 3, 4})) +
                " : i32}";
    }
    if (fromQuant)
      from = quant(dice, dice.chance(50));
    if (toQuant)
      to = quant(dice, dice.chance(50));
    Shape shape = randomShape(dice);
    Tensor x = graph.argument(shape, from);
    Tensor y = graph.add(shape, to,
                         "tpu.cast " + x.name + numbers + " : " + x.type() +
                             " -> tensor<" + shapeText(shape) + to + ">");
    checkGraph(graph.text(y), seed, Numbers::Any);
  }
}

TEST(ZhouyiLowering, Scale) {
  for (uint32_t seed = 0; seed < kCases; ++seed) {
    Dice dice(seed);
    Graph graph;
    std::string type = dice.among<const char *>({"f32", "f16"});
    Shape shape = randomShape(dice, 20);
    Shape row{1, shape[1], 1, 1};
    Tensor x = graph.argument(shape, type), s = graph.argument(row, type),
           b = graph.argument(row, type);
    Tensor y = graph.add(shape, type,
                         "tpu.scale " + x.name + ", " + s.name + ", " + b.name +
                             (dice.chance(50) ? " {relu}" : "") + " : " +
                             x.type() + ", " + s.type());
    checkGraph(graph.text(y), seed, Numbers::Any);
  }
}

/// The text of a list, "1, 2".
static std::string list(const std::vector<int64_t> &numbers) {
  std::string text;
  for (int64_t number : numbers)
    text += (text.empty() ? "" : ", ") + std::to_string(number);
  return text;
}

static std::string tensor(const Shape &shape, const std::string &element) {
  return "tensor<" + shapeText(shape) + element + ">";
}

static Tensor permuted(Graph &graph, Dice &dice, const Tensor &x) {
  std::vector<int64_t> order{0, 1, 2, 3};
  for (int i = 3; i > 0; --i)
    std::swap(order[i], order[dice.from(0, i)]);
  Shape out;
  for (int64_t axis : order)
    out.push_back(x.shape[axis]);
  return graph.add(out, x.element,
                   "tpu.permute " + x.name + " [" + list(order) +
                       "] : " + x.type() + " -> " + tensor(out, x.element));
}

static Tensor sliced(Graph &graph, Dice &dice, const Tensor &x) {
  Shape out, offsets, steps;
  for (int64_t size : x.shape) {
    offsets.push_back(dice.from(0, size - 1));
    steps.push_back(dice.from(1, 3));
    out.push_back(dice.from(1, (size - 1 - offsets.back()) / steps.back() + 1));
  }
  return graph.add(out, x.element,
                   "tpu.slice " + x.name + " [" + list(offsets) + "] steps [" +
                       list(steps) + "] : " + x.type() + " -> " +
                       tensor(out, x.element));
}

static Tensor joined(Graph &graph, Dice &dice, const Tensor &x) {
  int64_t axis = dice.from(0, 3);
  Shape other = x.shape, out = x.shape;
  other[axis] = dice.from(1, 9);
  out[axis] += other[axis];
  Tensor z = graph.argument(other, x.element);
  return graph.add(out, x.element,
                   "tpu.concat " + x.name + ", " + z.name + " axis " +
                       std::to_string(axis) + " : (" + x.type() + ", " +
                       z.type() + ") -> " + tensor(out, x.element));
}

/// Rows backwards, with some filling in front of each.
static Tensor arranged(Graph &graph, Dice &dice, const Tensor &x) {
  int64_t rows = x.shape[0] * x.shape[1] * x.shape[2], width = x.shape[3];
  int64_t front = dice.from(1, 5), line = width + front;
  Shape out{1, 1, rows, line};
  std::string piece = "#tpu.piece<0, " + std::to_string((rows - 1) * width) +
                      ", " + std::to_string(front) + ", [" +
                      list({rows, width}) + "], [" + list({-width, 1}) +
                      "], [" + list({line, 1}) + "]>";
  return graph.add(out, x.element,
                   "tpu.arrange " + x.name + " pieces [" + piece + "] fill " +
                       std::to_string(dice.from(0, 100)) + " : (" + x.type() +
                       ") -> " + tensor(out, x.element));
}

static Tensor interleaved(Graph &graph, Dice &dice, const Tensor &x) {
  int64_t high = dice.from(1, 3), wide = dice.from(1, 3);
  bool isOne = dice.chance(50);
  std::string names = x.name, types = x.type();
  for (int64_t i = 1; !isOne && i < high * wide; ++i) {
    Tensor z = graph.argument(x.shape, x.element);
    names += ", " + z.name;
    types += ", " + z.type();
  }
  Shape out{x.shape[0], x.shape[1], x.shape[2] * high, x.shape[3] * wide};
  return graph.add(out, x.element,
                   "tpu.interleave " + names + " factors [" +
                       list({high, wide}) + "] : (" + types + ") -> " +
                       tensor(out, x.element));
}

TEST(ZhouyiLowering, Moves) {
  Tensor (*const moves[])(Graph &, Dice &, const Tensor &) = {
      permuted, sliced, joined, arranged, interleaved};
  for (uint32_t seed = 0; seed < 5 * kCases; ++seed) {
    Dice dice(seed);
    Graph graph;
    Tensor x = graph.argument(
        randomShape(dice),
        dice.among<const char *>({"f32", "f16", "i8", "ui16", "i32"}));
    Tensor y = moves[seed % 5](graph, dice, x);
    checkGraph(graph.text(y), seed, Numbers::Any);
  }
}

TEST(ZhouyiLowering, CompareAndSelect) {
  for (uint32_t seed = 0; seed < 2 * kCases; ++seed) {
    Dice dice(seed);
    Graph graph;
    std::string type = dice.among<const char *>(
        {"f32", "f16", "i8", "ui8", "i16", "ui16", "i32", "ui32"});
    Shape shape = randomShape(dice);
    Tensor x = graph.argument(shape, type);
    if (dice.chance(50)) {
      std::string kind = dice.among<const char *>({"greater", "equal", "less"});
      Tensor z = graph.argument(shrunk(dice, shape), type);
      Tensor y = graph.add(shape, "ui8",
                           "tpu.compare " + kind + " " + x.name + ", " +
                               z.name + " : " + x.type() + ", " + z.type() +
                               " -> tensor<" + shapeText(shape) + "ui8>");
      checkGraph(graph.text(y), seed, Numbers::Any);
      continue;
    }
    Tensor c = graph.argument(shrunk(dice, shape), "ui8");
    std::string constant = "{false_constant = 3.0 : f64}";
    std::string sides = "true " + x.name, types = c.type() + ", " + x.type();
    if (dice.chance(50)) {
      Tensor z = graph.argument(shape, type);
      sides += " false " + z.name;
      types += ", " + z.type();
      constant = "";
    }
    Tensor y = graph.add(shape, type,
                         "tpu.select " + c.name + ", " + sides + " " +
                             constant + " : (" + types + ") -> " + x.type());
    checkGraph(graph.text(y), seed, Numbers::Any);
  }
}
