//===- LadderTest.cpp - tpu's evaluator against the command buffers -------===//
//
// The second rung of the ladder: every case is a small tpu graph, evaluated on
// the host and compiled, encoded and run on the emulator. Integer results and
// floats that take one rounding a step must be equal bit for bit. Sums of n
// products differ by their order and by the rounding of f32 partial sums: at
// most (n + 2) * 2^-23 * n * max|x| * max|w|, and half an ulp of the result
// type. Softmax: exp is within 2 ulp, a quotient within 4, a sum of at most 8
// terms within 4; 16 ulp of f32 cover them.
//
//===----------------------------------------------------------------------===//

#include "tests/ops/Ladder.h"
#include "runtime/chips/Chips.h"
#include "tests/chips/NarrowChip.h"

#include "gtest/gtest.h"

using namespace weft;
using namespace weft::test;
using Case = weft::test::LadderCase;

static const char *const kI8 = "!quant.uniform<i8:f32, 0.02>";
static const char *const kU8 = "!quant.uniform<u8:f32, 0.05>";

/// One convolution 1x4x7x9 -> 1x4x4x9, 3x3, stride 2x1; `group` 1 or 4
/// (depthwise).
static Case conv(const std::string &name, int group, const std::string &in,
                 const std::string &filter, const std::string &bias,
                 const std::string &out, const std::string &attributes,
                 double absolute = 0, double relative = 0) {
  int channels = 4 / group;
  std::string x = tensor("1x4x7x9", in), y = tensor("1x4x4x9", out);
  double limit = filter == "i8" ? 127 : 1;
  std::string body =
      weight("w", {4, channels, 3, 3}, filter, limit) +
      weight("b", {1, 4, 1, 1}, bias, bias == "i32" ? 5000 : 1) +
      "  %y = tpu.conv %x, %w, %b strides [2, 1] pads [1, 1, 1, 1] dilations "
      "[1, 1] group " +
      std::to_string(group) + " {" + attributes + "} : " + x + ", tensor<4x" +
      std::to_string(channels) + "x3x3x" + filter + ">, tensor<1x4x1x1x" +
      bias + "> -> " + y + "\n";
  return {name, x, y, body, absolute, relative};
}

static Case simple(const std::string &name, const std::string &in,
                   const std::string &out, const std::string &op,
                   double absolute = 0, double relative = 0,
                   const std::string &outShape = "2x3x5x7") {
  std::string x = tensor("2x3x5x7", in), y = tensor(outShape, out);
  return {name,     x,       y, "  %y = " + op + " : " + x + " -> " + y + "\n",
          absolute, relative};
}

//===----------------------------------------------------------------------===//
// Cases
//===----------------------------------------------------------------------===//

static void addConvs(std::vector<Case> &cases) {
  std::string rq = "multipliers = array<i32: " + repeated("1500000000", 4) +
                   ">, rshifts = array<i32: 39, 38, 40, 39>";
  std::string scales = "scales = array<f32: 0.0003, 0.0001, 0.0002, 0.0004>";
  for (int group : {1, 4}) {
    std::string kind = group == 1 ? "Conv" : "Depthwise";
    cases.push_back(conv(kind + "Rq1", group, kI8, "i8", "i32", kI8, rq));
    cases.push_back(
        conv(kind + "Rq1Relu", group, kI8, "i8", "i32", kU8, rq + ", relu"));
    cases.push_back(
        conv(kind + "Rq1Unsigned", group, kU8, "i8", "i32", kI8, rq));
    for (const char *out : {"f32", "f16", "bf16"}) // one rounding a step: exact
      cases.push_back(conv(kind + "ScalesTo" + out, group, kI8, "i8", "f32",
                           out, scales + ", relu"));
    double terms = 36.0 / group, sums = (terms + 2) * 0x1p-23 * terms * 4;
    cases.push_back(
        conv(kind + "F32", group, "f32", "f32", "f32", "f32", "relu", sums));
    cases.push_back(conv(kind + "F16", group, "f16", "f16", "f32", "f16",
                         "relu", sums, 0x1p-10));
    cases.push_back(
        conv(kind + "F16ToF32", group, "f16", "f16", "f32", "f32", "", sums));
    cases.push_back(conv(kind + "Bf16", group, "bf16", "bf16", "f32", "bf16",
                         "", sums, 0x1p-7));
  }
  cases.push_back(conv("DepthwiseNarrowSums", 4, "f16", "f16", "f16", "f16",
                       "relu, narrow_sums")); // one rounding a step: exact
}

/// Rows in tiles of which the last is not whole, channels beyond the lanes.
static void addRowTiles(std::vector<Case> &cases) {
  for (const char *recipe : {"row_tiles_2", "row_tiles_4"})
    for (const char *attributes : {"", "relu, "}) {
      std::string x = tensor("2x70x9x5", "f32"), y = tensor("2x80x11x3", "f32"),
                  bias = *attributes ? ", %b" : "",
                  biasType = *attributes ? ", tensor<1x80x1x1xf32>" : "";
      cases.push_back(
          {"RowTiles" + std::to_string(cases.size()), x, y,
           weight("w", {80, 70, 3, 3}, "f32", 1) +
               weight("b", {1, 80, 1, 1}, "f32", 1) + "  %y = tpu.conv %x, %w" +
               bias +
               " strides [1, 2] pads [2, 1, 2, 1] dilations [1, 1] group 1 {" +
               attributes + "tpu.recipe = \"" + recipe + "\"} : " + x +
               ", tensor<80x70x3x3xf32>" + biasType + " -> " + y + "\n",
           // 630 terms up to 4; the values at points are as large.
           632 * 0x1p-23 * 630 * 4});
    }
}

/// Depthwise filters of so many channels that whole rounds over the lanes of
/// some chip are loaded apart from the rest: with a rest or without, in whole
/// words or not.
static void addConstantsByRounds(std::vector<Case> &cases) {
  for (int channels : {128, 192, 200, 250})
    for (int kernel : {3, 5}) {
      std::string count = std::to_string(channels),
                  side = std::to_string(kernel),
                  pad = std::to_string(kernel / 2),
                  name = "Rounds" + count + "_" + side;
      auto add = [&](const std::string &type, const std::string &filter,
                     const std::string &bias, const std::string &attributes) {
        std::string x = tensor("1x" + count + "x5x6", type);
        std::string body =
            weight("w", {channels, 1, kernel, kernel}, filter,
                   filter == "i8" ? 127 : 1) +
            weight("b", {1, channels, 1, 1}, bias, bias == "i32" ? 5000 : 1) +
            "  %y = tpu.conv %x, %w, %b strides [1, 1] pads [" + pad + ", " +
            pad + ", " + pad + ", " + pad + "] dilations [1, 1] group " +
            count + " {" + attributes + "} : " + x + ", tensor<" + count +
            "x1x" + side + "x" + side + "x" + filter + ">, tensor<1x" + count +
            "x1x1x" + bias + "> -> " + x + "\n";
        cases.push_back({name + filter, x, x, body, 0, 0});
      };
      add("f16", "f16", "f16", "narrow_sums"); // one rounding a step: exact
      add(kI8, "i8", "i32",
          "multipliers = array<i32: " + repeated("1500000000", channels) +
              ">, rshifts = array<i32: " + repeated("40", channels) + ">");
    }
}

/// Groups whose channels lie across the lanes of every chip, one command for
/// some of them: 1x72x5x6 -> 1x78x5x6, 3x3.
static void addGroupedConvs(std::vector<Case> &cases, int groups,
                            const std::string &recipe,
                            const std::string &order) {
  int inputs = 72 / groups, results = 78;
  std::string sizes = "78x" + std::to_string(inputs) + "x3x3x";
  auto add = [&](const std::string &name, const std::string &in,
                 const std::string &filter, const std::string &bias,
                 const std::string &out, const std::string &attributes,
                 double absolute = 0, double relative = 0) {
    std::string x = tensor("1x72x5x6", in), y = tensor("1x78x5x6", out);
    std::string body =
        weight("w", {results, inputs, 3, 3}, filter, filter == "i8" ? 127 : 1) +
        weight("b", {1, results, 1, 1}, bias, bias == "i32" ? 5000 : 1) +
        "  %y = tpu.conv %x, %w, %b strides [1, 1] pads [1, 1, 1, 1] "
        "dilations [1, 1] group " +
        std::to_string(groups) + " {tpu.recipe = \"" + recipe + "\", " + order +
        attributes + "} : " + x + ", tensor<" + sizes + filter +
        ">, tensor<1x78x1x1x" + bias + "> -> " + y + "\n";
    cases.push_back({"Conv" + std::to_string(groups) +
                         (order.empty() ? "_" : "_interleaved_") + recipe +
                         "_" + name,
                     x, y, body, absolute, relative});
  };
  std::string scales =
      "scales = array<f32: " + repeated("0.0001", results) + ">";
  add("Rq1", kI8, "i8", "i32", kI8,
      "multipliers = array<i32: " + repeated("1500000000", results) +
          ">, rshifts = array<i32: " + repeated("42", results) + ">");
  add("Scales", kU8, "i8", "f32", kI8, scales);
  add("ScalesToF16", kI8, "i8", "f32", "f16", scales + ", relu");
  double terms = inputs * 9, sums = (terms + 2) * 0x1p-23 * terms * 4;
  add("F32", "f32", "f32", "f32", "f32", "relu", sums);
  add("F16", "f16", "f16", "f32", "f16", "relu", sums, 0x1p-10);
  add("Bf16", "bf16", "bf16", "f32", "bf16", "relu", sums, 0x1p-7);
}

/// 70 rows an image, more than any chip has lanes, of 40 elements times 40 x 9.
static void addLinear(std::vector<Case> &cases) {
  int images = 1;
  auto add = [&](const std::string &name, const std::string &in,
                 const std::string &filter, const std::string &out,
                 const std::string &attributes, double absolute = 0,
                 double relative = 0) {
    std::string x = tensor(std::to_string(images) + "x70x1x40", in),
                y = tensor(std::to_string(images) + "x70x1x9", out);
    cases.push_back(
        {"Linear" + name, x, y,
         weight("w", {9, 40, 1, 1}, filter, filter == "i8" ? 127 : 1) +
             weight("b", {1, 9, 1, 1}, "f32", 1) +
             "  %y = tpu.linear %x, %w, %b {" + attributes + "} : " + x +
             ", tensor<9x40x1x1x" + filter + ">, tensor<1x9x1x1xf32> -> " + y +
             "\n",
         absolute, relative});
  };
  std::string scales = "scales = array<f32: " + repeated("0.0003", 9) + ">";
  for (const char *out : {"f32", "f16"}) // one rounding a step: exact
    add(std::string("ScalesTo") + out, kI8, "i8", out, scales + ", relu");
  add("ScalesToQuant", kI8, "i8", kI8, scales);
  add("ScalesToUnsigned", kU8, "i8", kU8, scales + ", relu");
  double sums = (40 + 2) * 0x1p-23 * 40 * 4;
  add("F16", "f16", "f16", "f16", "relu", sums, 0x1p-10);
  add("F16ToF32", "f16", "f16", "f32", "", sums);
  add("Bf16", "bf16", "bf16", "bf16", "", sums, 0x1p-7);
  add("F32", "f32", "f32", "f32", "relu", sums); // rows of 160 bytes: gaps
  images = 3;
  add("ImagesF32", "f32", "f32", "f32", "", sums);
  add("ImagesF16", "f16", "f16", "f16", "relu", sums, 0x1p-10);
  add("ImagesScalesToQuant", kI8, "i8", kI8, scales);
}

/// Codes of 4 and 8 bits, with and without zero points, in groups and as a
/// whole: 70 rows in lanes times 64 x 70, and 70 pixels of 64 channels. By
/// codes that local memory unpacks, and by the numbers that DRAM holds. Of
/// signed ones only the lower bits count.
static void addCodedLinear(std::vector<Case> &cases, bool areRows,
                           const std::string &recipe) {
  std::string x = tensor(areRows ? "2x70x1x64" : "2x64x10x7", "f16");
  auto add = [&](const std::string &name, int bits, int groups, bool hasZeros,
                 bool hasBias, const std::string &out) {
    std::string y = tensor(areRows ? "2x70x1x70" : "2x70x10x7", out),
                code = hasZeros ? "ui8" : "i8",
                each = "70x" + std::to_string(groups) + "x1x1x",
                body = weight("w", {70, 64, 1, 1}, code,
                              bits == 4 && hasZeros ? 15
                              : hasZeros            ? 255
                                                    : 127) +
                       weight("s", {70, groups, 1, 1}, "f16", 0.1),
                values = "%x, %w, %s",
                types = x + ", tensor<70x64x1x1x" + code + ">, tensor<" + each +
                        "f16>";
    if (hasZeros) {
      body += weight("z", {70, groups, 1, 1}, "ui8", bits == 4 ? 15 : 255);
      values += " zero_points %z";
      types += ", tensor<" + each + "ui8>";
    }
    if (hasBias) {
      body += weight("b", {1, 70, 1, 1}, "f32", 1);
      values += " bias %b";
      types += ", tensor<1x70x1x1xf32>";
    }
    // Inputs of up to 2, numbers of up to 0.1 * 255 or 0.1 * 30.
    double sums = (64 + 2) * 0x1p-23 * 64 * 2 * (bits == 4 ? 3 : 25.5);
    cases.push_back(
        {"Coded_" + name + (areRows ? "_rows_" : "_pixels_") + recipe, x, y,
         body + "  %y = tpu.coded_linear " + values + " bits " +
             std::to_string(bits) + " {tpu.recipe = \"" + recipe + "\"" +
             (areRows ? ", rows_in_lanes" : "") + (hasBias ? ", relu" : "") +
             "} : (" + types + ") -> " + y + "\n",
         sums, out == "f16" ? 0x1p-10 : 0});
  };
  add("4", 4, 2, false, true, "f16");
  add("4Column", 4, 1, false, false, "f32");
  add("4Zeros", 4, 4, true, false, "f16");
  add("4ZerosBias", 4, 2, true, true, "f32");
  add("8", 8, 2, false, false, "f16");
  add("8Zeros", 8, 4, true, true, "f16");
  add("8ColumnZeros", 8, 1, true, false, "f32");
}

/// 3 heads of 70 rows times as many of 66 columns, as they lie and transposed;
/// 2 images of 3 heads and of one; the same in f32, which has no transposed
/// form.
static void addRowMatMul(std::vector<Case> &cases) {
  std::string x = tensor("1x70x3x20", "f16"), y = tensor("1x70x3x66", "f16"),
              source = tensor("1x70x3x20", "f16");
  double sums = (20 + 2) * 0x1p-23 * 20 * 4;
  std::string part =
      "  %r = tpu.slice %x [0, 2, 0, 0] steps [1, 1, 1, 1] : " + source +
      " -> " + tensor("1x66x3x20", "f16") + "\n";
  cases.push_back({"RowMatMulTransposed", x, y,
                   part + "  %y = tpu.row_matmul %x, %r {transposed} : " + x +
                       ", " + tensor("1x66x3x20", "f16") + " -> " + y + "\n",
                   sums, 0x1p-10});
  std::string square = tensor("1x70x3x70", "f16");
  cases.push_back({"RowMatMul", square, square,
                   "  %y = tpu.row_matmul %x, %x : " + square + ", " + square +
                       " -> " + square + "\n",
                   (70 + 2) * 0x1p-23 * 70 * 4, 0x1p-10});
  std::string wide = tensor("1x70x3x70", "f32");
  cases.push_back({"RowMatMulF32", wide, wide,
                   "  %y = tpu.row_matmul %x, %x : " + wide + ", " + wide +
                       " -> " + wide + "\n",
                   (70 + 2) * 0x1p-23 * 70 * 4});
  std::string one = tensor("1x70x1x70", "f32");
  cases.push_back({"RowMatMulOneHeadF32", one, one,
                   "  %y = tpu.row_matmul %x, %x : " + one + ", " + one +
                       " -> " + one + "\n",
                   (70 + 2) * 0x1p-23 * 70 * 4});
  for (const char *heads : {"1", "3"})
    for (const auto &[way, element] :
         {std::pair("", "f16"), {" {transposed}", "f16"}, {"", "f32"}}) {
      std::string images =
                      tensor("2x20x" + std::string(heads) + "x20", element),
                  name = std::string(heads) + (*way ? "Transposed" : "") +
                         (element == std::string("f32") ? "F32" : "");
      cases.push_back({"RowMatMulImages" + name, images, images,
                       "  %y = tpu.row_matmul %x, %x" + std::string(way) +
                           " : " + images + ", " + images + " -> " + images +
                           "\n",
                       sums, 0x1p-10});
      // Either operand may be the same for all.
      std::string one = tensor("1x20x" + std::string(heads) + "x20", element);
      for (bool isLeft : {true, false}) {
        std::string operands = isLeft ? "%w, %x" : "%x, %w",
                    types = isLeft ? one + ", " + images : images + ", " + one;
        cases.push_back(
            {std::string("RowMatMulOne") + (isLeft ? "Left" : "Right") + name,
             images, images,
             weight("w", {1, 20, std::stoi(heads), 20}, element, 1) +
                 "  %y = tpu.row_matmul " + operands + way + " : " + types +
                 " -> " + images + "\n",
             sums, 0x1p-10});
      }
    }
}

/// More channels than any chip has lanes, and weights of several packs: 70 to
/// 40 channels, and 70 channels one by one.
static void addWide(std::vector<Case> &cases) {
  auto add = [&](const std::string &name, const std::string &in,
                 const std::string &filter, const std::string &bias,
                 const std::string &out, const std::string &attributes,
                 double absolute = 0, double relative = 0) {
    double limit = filter == "i8" ? 127 : 1;
    for (int group : {1, 70}) {
      int to = group == 1 ? 40 : 70, inner = 70 / group;
      std::string x = tensor("1x70x5x6", in),
                  y = tensor("1x" + std::to_string(to) + "x5x6", out),
                  sizes = std::to_string(to) + "x" + std::to_string(inner);
      cases.push_back(
          {name + std::to_string(group), x, y,
           weight("w", {to, inner, 3, 3}, filter, limit) +
               weight("b", {1, to, 1, 1}, bias, 1) +
               "  %y = tpu.conv %x, %w, %b strides [1, 1] pads [1, 1, 1, 1] "
               "dilations [1, 1] group " +
               std::to_string(group) + " {" +
               (in == kI8
                    ? "scales = array<f32: " + repeated("0.0003", to) + ">"
                    : attributes) +
               "} : " + x + ", " + tensor(sizes + "x3x3", filter) + ", " +
               tensor("1x" + std::to_string(to) + "x1x1", bias) + " -> " + y +
               "\n",
           absolute, relative});
    }
  };
  double terms = 70 * 9, sums = (terms + 2) * 0x1p-23 * terms * 2;
  add("WideConvI8", kI8, "i8", "f32", "f32", "");
  add("WideConvF32", "f32", "f32", "f32", "f32", "relu", sums);
  add("WideConvF16", "f16", "f16", "f32", "f16", "", sums, 0x1p-10);
  for (std::string type : {"f32", "f16", "bf16"}) {
    std::string x = tensor("2x70x5x7", type), row = tensor("1x70x1x1", type);
    std::string numbers = weight("r", {1, 70, 1, 1}, type, 2);
    cases.push_back({"WideSum" + type, x, x,
                     numbers + "  %y = tpu.binary add %x, %r : " + x + ", " +
                         row + " -> " + x + "\n"});
    // One channel for all, also of a batch, of a row and as the left operand.
    using Sized = std::pair<std::string, std::vector<int>>;
    for (const auto &[name, shape] :
         {Sized("Map", {1, 1, 5, 7}), Sized("Maps", {2, 1, 5, 7}),
          Sized("Row", {1, 1, 1, 7}), Sized("One", {1, 1, 1, 1})}) {
      std::string map =
          tensor(std::to_string(shape[0]) + "x1x" + std::to_string(shape[2]) +
                     "x" + std::to_string(shape[3]),
                 type);
      cases.push_back({"Repeated" + name + type, x, x,
                       weight("m", shape, type, 2) +
                           "  %y = tpu.binary sub %m, %x : " + map + ", " + x +
                           " -> " + x + "\n"});
    }
    cases.push_back({"WideDifference" + type, x, x,
                     numbers + "  %y = tpu.binary sub %r, %x {relu} : " + row +
                         ", " + x + " -> " + x + "\n"});
  }
}

static void addCasts(std::vector<Case> &cases) {
  // Inputs of the interface, and outputs: both directions are exact.
  for (const char *whole : {"i8", "ui8", "i16", "ui16", "i32", "ui32"}) {
    cases.push_back(simple(std::string("CastF32From") + whole, whole, "f32",
                           "tpu.cast %x"));
    cases.push_back(
        simple(std::string("CastF32To") + whole, "f32", whole, "tpu.cast %x"));
    // Up to 6e9 in size: saturated at both ends of every type.
    std::string f32 = tensor("2x3x5x7", "f32"), y = tensor("2x3x5x7", whole);
    cases.push_back(
        {std::string("CastSaturatesTo") + whole, f32, y,
         "  %s = tpu.binary mul %x {constant = 3.0e9 : f64} : " + f32 + " -> " +
             f32 + "\n  %y = tpu.cast %s : " + f32 + " -> " + y + "\n"});
  }
  cases.push_back(simple("CastF32ToI32HalfEven", "f32", "i32",
                         "tpu.cast %x {rounding = 0 : i32}"));
  for (const char *narrow : {"f16", "bf16"}) {
    cases.push_back(simple(std::string("CastF32To") + narrow, "f32", narrow,
                           "tpu.cast %x"));
    cases.push_back(simple(std::string("CastToF32From") + narrow, narrow, "f32",
                           "tpu.cast %x"));
  }
  for (auto [from, to] : {std::pair("f16", "bf16"), std::pair("bf16", "f16")}) {
    std::string x = tensor("2x3x5x7", from), wide = tensor("2x3x5x7", "f32"),
                y = tensor("2x3x5x7", to);
    cases.push_back({std::string("CastThroughF32From") + from, x, y,
                     "  %wide = tpu.cast %x : " + x + " -> " + wide +
                         "\n  %y = tpu.cast %wide : " + wide + " -> " + y +
                         "\n"});
  }
  for (const char *real : {"f32", "f16", "bf16"})
    for (const char *quant : {kI8, kU8}) {
      std::string tag = std::string(real) + (quant == kI8 ? "I8" : "U8");
      cases.push_back(simple("Quantize" + tag, real, quant, "tpu.cast %x"));
      cases.push_back(simple("Dequantize" + tag, quant, real, "tpu.cast %x"));
    }
  cases.push_back(
      simple("Requantize", kI8, kU8,
             "tpu.cast %x {multiplier = 1717986918 : i32, rshift = 32 : i32}"));
}

static void addElementwise(std::vector<Case> &cases) {
  for (std::string type : {"f32", "f16", "bf16"}) {
    std::string x = tensor("2x3x5x7", type);
    for (std::string kind : {"add", "sub", "mul", "max", "min"}) {
      cases.push_back({"Binary_" + kind + type, x, x,
                       weight("r", {1, 3, 1, 1}, type, 2) +
                           "  %y = tpu.binary " + kind + " %x, %r : " + x +
                           ", " + tensor("1x3x1x1", type) + " -> " + x + "\n"});
      cases.push_back(
          simple("Number_" + kind + type, type, type,
                 "tpu.binary " + kind + " %x {constant = 0.3 : f64, relu}"));
    }
    for (std::string op : {"abs", "neg", "relu", "hard_swish",
                           "clip_{alpha = -0.5 : f64, beta = 0.75 : f64}",
                           "hard_sigmoid_{alpha = 0.2 : f64, beta = 0.5 : f64}",
                           "leaky_relu_{alpha = 0.1 : f64}"}) {
      size_t brace = op.find("_{");
      std::string kind = op.substr(0, brace);
      std::string attributes =
          brace == std::string::npos ? "" : op.substr(brace + 1);
      cases.push_back({"Unary_" + kind + type, x, x,
                       "  %y = tpu.unary " + kind + " %x " + attributes +
                           " : " + x + "\n"});
    }
  }
}

/// The evaluator of a sequence does what its commands do, so all are exact.
static void addSequences(std::vector<Case> &cases) {
  std::string alpha = "alpha = 0.5 : f64",
              both = "{" + alpha + ", beta = 1.5 : f64}";
  std::vector<std::pair<std::string, std::string>> kinds;
  for (const char *kind :
       {"sigmoid",  "exp",   "log",   "sqrt",     "rsqrt", "erf",  "sin",
        "cos",      "tan",   "asin",  "acos",     "atan",  "sinh", "cosh",
        "tanh",     "asinh", "acosh", "atanh",    "round", "sign", "softplus",
        "softsign", "mish",  "gelu",  "gelu_tanh"})
    kinds.emplace_back(kind, "");
  for (const char *kind : {"thresholded_relu", "elu", "celu", "swish"})
    kinds.emplace_back(kind, "{" + alpha + "}");
  for (const char *kind : {"selu", "shrink"})
    kinds.emplace_back(kind, both);
  for (std::string type : {"f32", "f16", "bf16"}) {
    std::string x = tensor("2x3x5x7", type);
    for (const auto &[kind, attributes] : kinds)
      cases.push_back({"Unary_" + kind + type, x, x,
                       "  %y = tpu.unary " + kind + " %x " + attributes +
                           " : " + x + "\n"});
  }
  for (std::string kind : {"pow", "mod", "fmod"}) {
    std::string x = tensor("2x3x5x7", "f32");
    std::string head = "  %y = tpu.binary " + kind + " %x";
    cases.push_back({"Binary_" + kind, x, x,
                     "  %s = tpu.unary sin %x : " + x + "\n" + head +
                         ", %s : " + x + ", " + x + " -> " + x + "\n"});
    for (std::vector<int> shape :
         {std::vector<int>{1, 3, 1, 1}, {2, 3, 5, 1}, {1, 3, 1, 7}}) {
      std::string sizes;
      for (int size : shape)
        sizes += std::to_string(size) + "x";
      std::string type = "tensor<" + sizes + "f32>";
      std::string right = weight("r", shape, "f32", 2);
      cases.push_back(
          {"Binary_" + kind + sizes, x, x,
           right + head + ", %r : " + x + ", " + type + " -> " + x + "\n"});
      cases.push_back({"Binary_" + sizes + kind, x, x,
                       right + "  %y = tpu.binary " + kind +
                           " %r, %x : " + type + ", " + x + " -> " + x + "\n"});
    }
    for (std::string number : {"0.3", "0.5", "3.0", "-0.5", "-2.0"}) {
      // The remainder of a negative divisor is not positive.
      std::string relu = number[0] == '-' ? "" : ", relu";
      for (std::string flag : {relu, std::string(", reversed")})
        cases.push_back({"Number_" + kind + std::to_string(cases.size()), x, x,
                         head + " {constant = " + number + " : f64" + flag +
                             "} : " + x + " -> " + x + "\n"});
    }
  }
  // Half of the inputs are negative: their logarithms are NaNs, those of zeros
  // infinite.
  std::string x = tensor("2x3x5x7", "f32");
  cases.push_back({"UnaryIsNaN", x, x,
                   "  %l = tpu.unary log %x : " + x +
                       "\n  %y = tpu.unary is_nan %l : " + x + "\n"});
  cases.push_back(
      {"UnaryIsInf", x, x,
       "  %r = tpu.unary relu %x : " + x + "\n  %l = tpu.unary log %r : " + x +
           "\n  %y = tpu.unary is_inf %l " + both + " : " + x + "\n"});
}

static void addPools(std::vector<Case> &cases) {
  const char *window = " kernel [3, 2] strides [2, 1] pads [1, 0, 1, 0]";
  for (std::string type : {std::string("f32"), std::string("f16"),
                           std::string(kI8), std::string(kU8)})
    cases.push_back(simple("PoolMax" + std::to_string(cases.size()), type, type,
                           std::string("tpu.pool max %x") + window, 0, 0,
                           "2x3x3x6"));
  for (std::string type : {std::string("f32"), std::string("f16"),
                           std::string(kI8), std::string(kU8)})
    cases.push_back(simple("PoolMaxColumnsFirst" + std::to_string(cases.size()),
                           type, type,
                           std::string("tpu.pool max %x") + window +
                               " {tpu.recipe = \"columns_first\"}",
                           0, 0, "2x3x3x6"));
  // Values up to 2, 6 of them.
  cases.push_back(
      simple("PoolAvgF32", "f32", "f32",
             std::string("tpu.pool avg %x") + window + " {count_include_pad}",
             8 * 0x1p-23 * 2, 0, "2x3x3x6"));
  // A whole image.
  cases.push_back(simple("PoolAvgImage", "f32", "f32",
                         "tpu.pool avg %x kernel [5, 7] strides [1, 1] pads "
                         "[0, 0, 0, 0] {tpu.recipe = \"columns_first\"}",
                         36 * 0x1p-23 * 2, 0, "2x3x1x1"));
  cases.push_back(simple(
      "PoolAvgI8", kI8, kI8,
      std::string("tpu.pool avg %x") + window +
          " {count_include_pad, multiplier = 171 : i32, rshift = 10 : i32}",
      0, 0, "2x3x3x6"));
}

/// One value at two places of a tensor, from other lanes on, more than one
/// round over them.
static void addLaneMoves(std::vector<Case> &cases) {
  for (std::string type :
       {std::string("f32"), std::string("f16"), std::string(kI8)}) {
    std::string x = tensor("1x150x5x7", type), y = tensor("1x300x5x7", type);
    cases.push_back({"MoveLanes" + std::to_string(cases.size()), x, y,
                     "  %a = tpu.pool max %x kernel [1, 3] strides [1, 1] pads "
                     "[0, 1, 0, 1] : " +
                         x + " -> " + x + "\n" + "  %m = tpu.move_lanes %a : " +
                         x + "\n" + "  %y = tpu.concat %a, %m axis 1 : (" + x +
                         ", " + x + ") -> " + y + "\n"});
  }
}

static void addUnfolds(std::vector<Case> &cases) {
  const char *rows = "tpu.unfold %x kernel [3, 1] strides [2, 1] pads [1, 0, "
                     "2, 0] dilations [1, 1]",
             *window = "tpu.unfold %x kernel [2, 3] strides [1, 2] pads [0, "
                       "2, 1, 1] dilations [2, 1]";
  for (std::string type :
       {std::string("f32"), std::string("f16"), std::string("bf16"),
        std::string(kI8), std::string(kU8)}) {
    std::string tag = std::to_string(cases.size());
    cases.push_back(
        simple("UnfoldRows" + tag, type, type, rows, 0, 0, "2x9x3x7"));
    cases.push_back(
        simple("UnfoldWindow" + tag, type, type, window, 0, 0, "2x18x4x4"));
    // More channels than lanes, so that some cross from one round over them
    // to the next.
    std::string x = tensor("2x30x5x7", type), y = tensor("2x90x3x7", type);
    cases.push_back(
        {"UnfoldWide" + tag, x, y,
         std::string("  %y = ") + rows + " : " + x + " -> " + y + "\n"});
  }
}

/// %x times its own transposed matrices, `shape` = batch axes, rows, inner; or
/// times a small weight. 8-bit integers are exact.
static void addProducts(std::vector<Case> &cases) {
  struct Form {
    const char *name, *x, *turned, *y;
    int inner;
  };
  // The second is cut along rows and the inner axis, the third takes several
  // matrices at a time.
  Form forms[] = {{"Small", "2x3x5x7", "2x3x7x5", "2x3x5x5", 7},
                  {"Cut", "1x2x70x9000", "1x2x9000x70", "1x2x70x70", 9000},
                  {"Many", "2x21x5x33", "2x21x33x5", "2x21x5x5", 33}};
  for (const Form &form : forms)
    for (std::string type : {"f32", "f16", "bf16", "i8", "ui8"}) {
      bool whole = type[0] != 'f' && type[0] != 'b';
      std::string x = tensor(form.x, type), turned = tensor(form.turned, type),
                  y = tensor(form.y, whole ? "i32" : type);
      double terms = form.inner;
      double half = type == "f16" ? 0x1p-10 : type == "bf16" ? 0x1p-7 : 0;
      cases.push_back({std::string("MatMul") + form.name + type, x, y,
                       "  %t = tpu.permute %x [0, 1, 3, 2] : " + x + " -> " +
                           turned + "\n  %y = tpu.matmul %x, %t : " + x + ", " +
                           turned + " -> " + y + "\n",
                       whole ? 0 : (terms + 2) * 0x1p-23 * terms * 4, half});
    }
  // Either side repeats along a batch axis.
  std::string x = tensor("2x1x5x7", "f32"), y = tensor("2x3x5x4", "f32"),
              w = tensor("1x3x7x4", "f32");
  cases.push_back({"MatMulRepeats", x, y,
                   weight("w", {1, 3, 7, 4}, "f32", 1) +
                       "  %y = tpu.matmul %x, %w : " + x + ", " + w + " -> " +
                       y + "\n",
                   9 * 0x1p-23 * 7 * 2});
  std::string mixed = tensor("2x1x5x7", "ui8"), sums = tensor("2x3x5x4", "i32");
  cases.push_back({"MatMulMixedSigns", mixed, sums,
                   weight("w", {1, 3, 7, 4}, "i8", 127) +
                       "  %y = tpu.matmul %x, %w : " + mixed + ", " +
                       tensor("1x3x7x4", "i8") + " -> " + sums + "\n"});
}

/// 2x3x5x7 has 210 elements: n 105, c 35, h 7 apart.
static void addMoves(std::vector<Case> &cases) {
  for (std::string type : {"f32", "bf16", "i32", "ui8", "i16"}) {
    auto arrange = [&](const std::string &name, const std::string &shape,
                       const std::string &pieces) {
      std::string x = tensor("2x3x5x7", type), y = tensor(shape, type);
      cases.push_back({"Arrange" + name + type, x, y,
                       "  %y = tpu.arrange %x pieces [" + pieces + " : (" + x +
                           ") -> " + y + "\n"});
    };
    auto pad = [&](const std::string &name, const std::string &shape,
                   const std::string &pads) {
      std::string x = tensor("2x3x5x7", type), y = tensor(shape, type);
      cases.push_back({"Pad" + name + type, x, y,
                       "  %y = tpu.pad %x [" + pads + "] fill 77 : " + x +
                           " -> " + y + "\n"});
    };
    // Through bands and back, with zeros around the image; and alone in DRAM.
    std::string image = tensor("1x5x13x9", type),
                cut = tensor("1x15x8x9", type),
                bands = "in <count = 3, rows = 5, above = 2, height = 13>";
    cases.push_back({"Bands" + type, image, image,
                     "  %b = tpu.to_bands %x " + bands + " : " + image +
                         " -> " + cut + "\n  %c = tpu.clear_rows %b " + bands +
                         " top 2 bottom 1 : " + cut +
                         "\n  %y = tpu.from_bands %c " + bands + " : " + cut +
                         " -> " + image + "\n"});
    // Rows that no phase has lie between and below; in DRAM, and in a load.
    std::string tall = tensor("2x3x37x9", type),
                phases = tensor("2x54x2x9", type),
                turn = " = tpu.row_phases %x step 19 : " + tall + " -> " +
                       phases + "\n";
    cases.push_back({"RowPhases" + type, tall, phases, "  %y" + turn});
    cases.push_back({"RowPhasesInLoad" + type, tall, phases,
                     "  %r" + turn + "  %y = tpu.binary max %r, %r : " +
                         phases + ", " + phases + " -> " + phases + "\n"});
    std::string even = "in <count = 3, rows = 4, above = 0, height = 12>",
                rows = tensor("1x5x12x9", type),
                cutRows = tensor("1x15x4x9", type);
    cases.push_back({"ToBands" + type, rows, cutRows,
                     "  %y = tpu.to_bands %x " + even + " : " + rows + " -> " +
                         cutRows + "\n"});
    pad("Around", "2x3x8x12", "1, 2, 2, 3");
    pad("Rows", "2x3x25x7", "20, 0, 0, 0"); // longer than a slice
    pad("Columns", "2x3x5x8", "0, 1, 0, 0");
    arrange("Backwards", "2x3x5x7", "#tpu.piece<0, 209, 0, [210], [-1], [1]>]");
    arrange("RowsBackwardsPadded", "2x3x5x9",
            "#tpu.piece<0, 28, 2, [6, 5, 7], [35, -7, 1], [45, 9, 1]>] fill "
            "200");
    arrange("Repeated", "2x3x20x7",
            "#tpu.piece<0, 0, 0, [6, 5, 4, 7], [35, 7, 0, 1], "
            "[140, 28, 7, 1]>]");
    arrange("ManyAxes", "2x3x5x7",
            "#tpu.piece<0, 0, 0, [7, 3, 5, 2], [1, 35, 7, 105], "
            "[30, 10, 2, 1]>]");
    arrange("LaterPieceWins", "2x3x5x7",
            "#tpu.piece<0, 0, 0, [210], [1], [1]>, "
            "#tpu.piece<0, 3, 100, [2, 3], [50, 3], [1, 20]>]");
    arrange("OneElement", "1x1x2x1",
            "#tpu.piece<0, 5, 0, [], [], []>, #tpu.piece<0, 6, 1, [], [], "
            "[]>]");
  }
}

/// One image repeated, and images woven; tiles that cut through a pixel block.
static void addInterleaves(std::vector<Case> &cases) {
  for (std::string type : {"f32", "f16", "ui8", "i32"}) {
    std::string x = tensor("2x67x5x7", type);
    cases.push_back({"InterleaveRepeated" + type, x, tensor("2x67x10x21", type),
                     "  %y = tpu.interleave %x factors [2, 3] : (" + x +
                         ") -> " + tensor("2x67x10x21", type) + "\n"});
    std::string y = tensor("2x67x5x14", type);
    cases.push_back({"InterleaveWoven" + type, x, y,
                     "  %z = tpu.arrange %x pieces [#tpu.piece<0, 4689, 0, "
                     "[4690], [-1], [1]>] : (" +
                         x + ") -> " + x +
                         "\n  %y = tpu.interleave %x, %z factors [1, 2] : (" +
                         x + ", " + x + ") -> " + y + "\n"});
  }
}

/// Rows in channels of one round over the lanes and of several; the last row of
/// some channels is none.
static void addChannelsToRows(std::vector<Case> &cases) {
  for (std::string type : {"f32", "f16", "ui8"})
    for (auto [channels, stacked, rows] :
         {std::tuple(32, 2, 10), {21, 3, 13}, {50, 2, 9}, {100, 2, 8}}) {
      std::string x = tensor(
                      "1x" + std::to_string(channels * stacked) + "x" +
                          std::to_string((rows + stacked - 1) / stacked) +
                          "x11",
                      type),
                  y = tensor("1x" + std::to_string(channels) + "x" +
                                 std::to_string(rows) + "x11",
                             type);
      cases.push_back(
          {"ChannelsToRows" + std::to_string(channels) + type, x, y,
           "  %y = tpu.channels_to_rows %x : " + x + " -> " + y + "\n"});
    }
}

/// Adds a case of type `type`; its %r is %x backwards.
static void addPaired(std::vector<Case> &cases, const std::string &name,
                      const std::string &type, const std::string &result,
                      const std::string &ops) {
  std::string x = tensor("2x3x5x7", type);
  cases.push_back({name + type, x, result,
                   "  %r = tpu.arrange %x pieces [#tpu.piece<0, 209, 0, [210], "
                   "[-1], [1]>] : (" +
                       x + ") -> " + x + "\n" + ops + "\n"});
}

/// Integers as numbers and their casts: all exact.
static void addWholes(std::vector<Case> &cases) {
  for (std::string type : {"i8", "ui8", "i16", "ui16", "i32", "ui32"}) {
    std::string x = tensor("2x3x5x7", type);
    auto add = [&](const std::string &name, const std::string &result,
                   const std::string &ops) {
      addPaired(cases, name, type, result, ops);
    };
    std::string middle = type == "ui8"    ? "200.0"
                         : type == "ui16" ? "40000.0"
                         : type == "ui32" ? "3.0e9"
                                          : "5.0";
    for (std::string kind :
         {"add", "sub", "mul", "max", "min", "and", "or", "xor"}) {
      add("Integer_" + kind, x,
          "  %y = tpu.binary " + kind + " %x, %r : " + x + ", " + x + " -> " +
              x);
      add("IntegerNumber_" + kind, x,
          "  %y = tpu.binary " + kind + " %x {constant = " +
              (kind == "min" ? middle : "5.0") + " : f64} : " + x + " -> " + x);
    }
    add("NumberMinus", x,
        "  %y = tpu.binary sub %x {constant = 5.0 : f64, reversed} : " + x +
            " -> " + x);
    std::string amounts = tensor("2x3x5x7", "i8");
    for (std::string kind : {"shift_left", "shift_right"}) {
      add("Integer_" + kind, x,
          "  %m = tpu.binary and %r {constant = 31.0 : f64} : " + x + " -> " +
              x + "\n  %a = tpu.cast %m : " + x + " -> " + amounts +
              "\n  %y = tpu.binary " + kind + " %x, %a : " + x + ", " +
              amounts + " -> " + x);
      add("IntegerNumber_" + kind, x,
          "  %y = tpu.binary " + kind + " %x {constant = 3.0 : f64} : " + x +
              " -> " + x);
    }
    for (const char *to :
         {"i8", "ui8", "i16", "ui16", "i32", "ui32", "f32", "f16", "bf16"})
      add(std::string("Cast_") + to + "_From_", tensor("2x3x5x7", to),
          type == to ? "  %y = tpu.binary add %x {constant = 0.0 : f64} : " +
                           x + " -> " + x
          : type == "ui32" && std::string(to) == "f16" // beyond it: infinite
              ? "  %m = tpu.binary and %x {constant = 65535.0 : f64} : " + x +
                    " -> " + x + "\n  %y = tpu.cast %m : " + x + " -> " +
                    tensor("2x3x5x7", to)
              : "  %y = tpu.cast %x : " + x + " -> " + tensor("2x3x5x7", to));
  }
}

/// Comparisons and choices of all types: exact, too.
static void addChoices(std::vector<Case> &cases) {
  for (std::string type :
       {"i8", "ui8", "i16", "ui16", "i32", "ui32", "f32", "f16", "bf16"}) {
    bool whole = type[0] == 'i' || type[0] == 'u';
    std::string x = tensor("2x3x5x7", type), flags = tensor("2x3x5x7", "ui8"),
                row = tensor("1x3x1x7", type);
    auto add = [&](const std::string &name, const std::string &result,
                   const std::string &ops) {
      addPaired(cases, name, type, result, ops);
    };
    // Few numbers, so that some are equal.
    std::string few =
        (whole ? "  %m = tpu.binary and %x {constant = 1.0 : f64} : "
               : "  %m = tpu.binary min %x {constant = 1.0 : f64} : ") +
        x + " -> " + x + "\n";
    std::string lower =
        "  %n = tpu.binary min %x, %r : " + x + ", " + x + " -> " + x + "\n";
    for (std::string relation : {"greater", "equal", "less"}) {
      bool isLess = relation == "less";
      add("Compare_" + relation, flags,
          lower + "  %y = tpu.compare " + relation +
              (isLess ? " %n, %x : " : " %x, %n : ") + x + ", " + x + " -> " +
              flags);
      add("CompareNumber_" + relation, flags,
          few + "  %y = tpu.compare " + relation +
              " %m {constant = " + (relation == "greater" ? "0.0" : "1.0") +
              " : f64} : " + x + " -> " + flags);
    }
    std::string condition = "  %c = tpu.compare less %x, %r : " + x + ", " + x +
                            " -> " + flags + "\n";
    add("Select", x,
        condition + "  %y = tpu.select %c, true %r false %x : (" + flags +
            ", " + x + ", " + x + ") -> " + x);
    add("SelectNumber", x,
        condition +
            "  %y = tpu.select %c, false %x {true_constant = 3.0 : "
            "f64} : (" +
            flags + ", " + x + ") -> " + x);
    add("SelectRow", x,
        condition +
            "  %s = tpu.arrange %x pieces [#tpu.piece<0, 3, 0, [21], [1], "
            "[1]>] : (" +
            x + ") -> " + row + "\n  %y = tpu.select %c, true %s false %x : (" +
            flags + ", " + row + ", " + x + ") -> " + x);
  }
  std::string x = tensor("2x3x5x7", "f32"), y = tensor("2x3x5x7", "i32");
  cases.push_back({"CastBits", x, y,
                   "  %y = tpu.cast %x {bits} : " + x + " -> " + y + "\n"});
}

/// `%name = tpu.weight` of the row numbers `rows`.
static std::string rowList(const std::string &name, const std::string &type,
                           const std::vector<int> &rows) {
  std::string text;
  for (int row : rows)
    text += (text.empty() ? "[" : ", [") + std::to_string(row) + "]";
  return "  %" + name + " = tpu.weight dense<[[[" + text + "]]]> : " + type +
         "\n";
}

/// Tables of 15 rows of 14 values; an index outside gives the fill or is left
/// out.
static void addRows(std::vector<Case> &cases) {
  for (std::string type : {"f32", "f16", "i32", "ui8"}) {
    std::string x = tensor("1x1x15x14", type), y = tensor("1x1x5x14", type);
    std::string list = rowList("i", "tensor<1x1x5x1xi32>", {14, 0, 15, -1, 7});
    cases.push_back({"Gather" + type, x, y,
                     list + "  %y = tpu.gather %x, %i {fill = 3 : i64} : " + x +
                         ", tensor<1x1x5x1xi32> -> " + y + "\n"});
    // The last of two updates of a row wins.
    std::string again = rowList("i", "tensor<1x1x5x1xi32>", {14, 2, 15, -1, 2});
    cases.push_back({"Scatter" + type, x, x,
                     again +
                         "  %u = tpu.arrange %x pieces [#tpu.piece<0, 0, "
                         "0, [70], [1], [1]>] : (" +
                         x + ") -> " + y +
                         "\n  %y = tpu.scatter %x, %i, %u : " + x +
                         ", tensor<1x1x5x1xi32>, " + y + "\n"});
    // One list for three tables.
    std::string tables = tensor("1x3x10x7", type),
                some = tensor("1x3x2x7", type);
    cases.push_back({"GatherShared" + type, tables, some,
                     rowList("i", "tensor<1x1x2x1xi32>", {9, 1}) +
                         "  %y = tpu.gather %x, %i : " + tables +
                         ", tensor<1x1x2x1xi32> -> " + some + "\n"});
  }
  // More rows than one axis of any other command can have.
  std::string many = tensor("1x1x70000x1", "f32"),
              two = tensor("1x1x2x1", "f32");
  cases.push_back({"GatherManyRows", many, two,
                   rowList("i", "tensor<1x1x2x1xi32>", {69999, 65536}) +
                       "  %y = tpu.gather %x, %i : " + many +
                       ", tensor<1x1x2x1xi32> -> " + two + "\n"});
}

static std::vector<Case> allCases() {
  std::vector<Case> cases;
  addWholes(cases);
  addChoices(cases);
  addLines(cases);
  addProducts(cases);
  addConvs(cases);
  for (const char *recipe :
       {"window", "dense", "groups", "groups_2", "moved_groups"})
    addGroupedConvs(cases, 3, recipe, "");
  for (int groups : {2, 3}) // as many as divide the lanes, and not
    for (const char *recipe : {"window", "dense"})
      addGroupedConvs(cases, groups, recipe, "interleaved, ");
  addRowTiles(cases);
  addLinear(cases);
  for (bool areRows : {true, false})
    for (const char *recipe : {"codes", "numbers"})
      addCodedLinear(cases, areRows, recipe);
  addRowMatMul(cases);
  addWide(cases);
  addCasts(cases);
  addElementwise(cases);
  addSequences(cases);
  addPools(cases);
  addLaneMoves(cases);
  addUnfolds(cases);
  addConstantsByRounds(cases);
  addMoves(cases);
  addRows(cases);
  addInterleaves(cases);
  addChannelsToRows(cases);
  return cases;
}

class Ladder : public ::testing::TestWithParam<Case> {};

TEST_P(Ladder, EvaluatorAgreesWithTheCommands) {
  climb(GetParam(), *chips::all[0]);
}

INSTANTIATE_TEST_SUITE_P(Tpu, Ladder, ::testing::ValuesIn(allCases()),
                         [](const auto &info) { return info.param.name; });

/// On a chip that only this test knows: no layer takes the numbers of another.
class NarrowLadder : public ::testing::TestWithParam<Case> {};

TEST_P(NarrowLadder, EvaluatorAgreesWithTheCommands) {
  climb(GetParam(), test::narrowChip());
}

INSTANTIATE_TEST_SUITE_P(Tpu, NarrowLadder, ::testing::ValuesIn(allCases()),
                         [](const auto &info) { return info.param.name; });
