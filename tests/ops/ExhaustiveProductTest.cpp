//===- ExhaustiveProductTest.cpp - every code and zero point in products --===//
//
// Convolutions and matrices of codes, as ExhaustiveCastTest.cpp does it: every
// way from a sum to a result, and zero points on both sides.
//
//===----------------------------------------------------------------------===//

#include "runtime/numeric/BitCast.h"
#include "tests/ops/Batch.h"
#include "tests/ops/Ladder.h"

#include "gtest/gtest.h"

#include <array>
#include <cmath>
#include <cstdio>
#include <functional>
#include <utility>

using namespace weft;
using namespace weft::test;

/// `count` items with commas.
static std::string list(int count,
                        const std::function<std::string(int)> &item) {
  std::string text;
  for (int i = 0; i < count; ++i)
    text += (i ? ", " : "") + item(i);
  return text;
}

/// The bits of a number: decimal digits take most of the time of a program that
/// has thousands.
static std::string exact(float value) {
  char text[16];
  std::snprintf(text, sizeof text, "0x%08X", numeric::floatBits(value));
  return text;
}

/// `%name = tpu.weight` of `count` numbers along the first axis, or along
/// channels.
static std::string numbers(const std::string &name, int count,
                           const std::string &element,
                           const std::function<std::string(int)> &item,
                           bool areChannels = false) {
  std::string shape = (areChannels ? "1x" : "") + std::to_string(count) +
                      (areChannels ? "x1x1" : "x1x1x1");
  std::string values = list(count, [&](int i) {
    return (areChannels ? "[[" : "[[[") + item(i) +
           (areChannels ? "]]" : "]]]");
  });
  return "  %" + name + " = tpu.weight dense<" + (areChannels ? "[" : "") +
         "[" + values + "]" + (areChannels ? "]" : "") +
         "> : " + tensor(shape, element) + "\n";
}

//===----------------------------------------------------------------------===//
// From sums to results
//===----------------------------------------------------------------------===//

namespace {
/// Every code times filters at both ends and between, a channel a way from the
/// sum to the result: one channel of codes and 64 filters, or 64 channels with
/// a filter each.
class WaysBatch : public Batch {
public:
  static constexpr int kWays = 64;

  WaysBatch(bool isSigned, bool isDepthwise)
      : Batch(inputOf(isSigned, isDepthwise), bytesFor(isDepthwise)),
        isDepthwise(isDepthwise) {
    define(numbers("w", kWays, "i8", [](int i) {
      const int filter[] = {-128, -1, 1, 127};
      return std::to_string(filter[i % 4]);
    }));
  }

  void addConv(const std::string &bias, const std::string &biasElement,
               const std::string &attributes, const std::string &output) {
    add("tpu.conv %x, %w, %" + bias +
            " strides [1, 1] pads [0, 0, 0, 0] dilations [1, 1] group " +
            (isDepthwise ? "64" : "1") + " {" + attributes + "}",
        tensor("1x64x16x16", output),
        ", tensor<64x1x1x1xi8>, tensor<1x64x1x1x" + biasElement + ">");
  }

private:
  static std::string inputOf(bool isSigned, bool isDepthwise) {
    return tensor(isDepthwise ? "1x64x16x16" : kShape, codes(isSigned));
  }
  static std::vector<uint8_t> bytesFor(bool isDepthwise) {
    std::vector<uint8_t> bytes, once = everyByte();
    for (int i = 0; i < (isDepthwise ? kWays : 1); ++i)
      bytes.insert(bytes.end(), once.begin(), once.end());
    return bytes;
  }

  bool isDepthwise;
};
} // namespace

/// Zero points at both ends and between.
static std::vector<std::string> codesOfEveryKind() {
  std::vector<std::string> types;
  for (bool isSigned : {false, true})
    for (int number : {0, 128, 255})
      types.push_back(codesFrom(isSigned, number));
  return types;
}

/// Every shift, multiplier and rounding; sums that a bias moves and sums that
/// it carries to both ends of 32 bits.
TEST(Exhaustive, ProductsRequantizeByEveryShift) {
  std::string shifts =
      list(WaysBatch::kWays, [](int i) { return std::to_string(i); });
  for (bool isDepthwise : {false, true})
    for (bool isSigned : {false, true}) {
      WaysBatch batch(isSigned, isDepthwise);
      batch.define(numbers(
          "small", 64, "i32", [](int) { return "7"; }, /*areChannels=*/true));
      batch.define(numbers(
          "large", 64, "i32",
          [](int i) { return std::to_string((i % 3 - 1) * 2147483647); },
          /*areChannels=*/true));
      for (int64_t multiplier : kMultipliers)
        for (int rounding = 0; rounding < 7; ++rounding) {
          std::string by = "multipliers = array<i32: " +
                           repeated(std::to_string(multiplier), 64) +
                           ">, rshifts = array<i32: " + shifts +
                           ">, rounding = " + std::to_string(rounding) +
                           " : i32";
          for (const std::string &to : codesOfEveryKind())
            for (const char *bias : {"small", "large"})
              batch.addConv(
                  bias, "i32",
                  (isDepthwise ? "tpu.recipe = \"window_bias\", " : "") + by,
                  to);
        }
      ASSERT_TRUE(batch.agrees());
    }
}

/// Scales over the whole range that sums have use of.
static float scaleOf(int i) {
  const float mantissas[] = {1.0f, 1.1f, 1.5f, 1.9999999f};
  return std::ldexp(mantissas[i % 4], i - 48);
}

TEST(Exhaustive, ProductsRequantizeByEveryScale) {
  std::string scales =
      "scales = array<f32: " +
      list(WaysBatch::kWays, [](int i) { return exact(scaleOf(i)); }) + ">";
  for (bool isDepthwise : {false, true})
    for (bool isSigned : {false, true}) {
      WaysBatch batch(isSigned, isDepthwise);
      batch.define(numbers(
          "whole", 64, "i32",
          [](int i) { return std::to_string((i % 5 - 2) * 16385); },
          /*areChannels=*/true));
      batch.define(numbers(
          "real", 64, "f32",
          [](int i) {
            const float biases[] = {0.0f, 0.5f, -128.5f, 100.25f, 1.0e-3f};
            return exact(biases[i % 5]);
          },
          /*areChannels=*/true));
      for (const std::string &to : codesOfEveryKind()) {
        batch.addConv("real", "f32", scales, to);
        batch.addConv("whole", "i32", scales, to); // rounded first
      }
      batch.addConv("real", "f32", scales + ", relu", codes(false));
      batch.addConv("whole", "i32", scales + ", relu", codes(false));
      for (const char *real : {"f32", "f16", "bf16"})
        for (const char *relu : {"", ", relu"})
          batch.addConv("real", "f32", scales + relu, real);
      ASSERT_TRUE(batch.agrees());
    }
}

/// The same of rows of a matrix.
TEST(Exhaustive, MatricesRequantizeByEveryScale) {
  std::vector<std::string> types{"f32", "f16", "bf16"};
  for (const std::string &to : codesOfEveryKind())
    types.push_back(to);
  for (bool isSigned : {false, true}) {
    Batch batch(tensor("1x256x1x1", codes(isSigned)), everyByte());
    batch.define(numbers("w", 64, "i8", [](int i) {
      const int filter[] = {-128, -1, 1, 127};
      return std::to_string(filter[i % 4]);
    }));
    batch.define(numbers(
        "b", 64, "f32",
        [](int i) {
          const float biases[] = {0.0f, 0.5f, -128.5f, 100.25f, 1.0e-3f};
          return exact(biases[i % 5]);
        },
        /*areChannels=*/true));
    for (const std::string &to : types)
      for (const char *relu : {"", "relu, "}) {
        if (*relu && to[0] == '!' && to != codes(false))
          continue;
        batch.add("tpu.linear %x, %w, %b {" + std::string(relu) +
                      "scales = array<f32: " +
                      list(64, [](int i) { return exact(scaleOf(i)); }) + ">}",
                  tensor("1x256x1x64", to),
                  ", tensor<64x1x1x1xi8>, tensor<1x64x1x1xf32>");
      }
    ASSERT_TRUE(batch.agrees());
  }
}

//===----------------------------------------------------------------------===//
// Two computed operands
//===----------------------------------------------------------------------===//

/// Every pair of bytes of either sign.
TEST(Exhaustive, MatricesOfEveryPair) {
  for (const char *left : {"i8", "ui8"})
    for (const char *right : {"i8", "ui8"}) {
      Batch batch(tensor(kShape, "ui8"), everyByte());
      std::string column = tensor("1x1x256x1", left),
                  row = tensor("1x1x1x256", right), l = tensor(kShape, left),
                  r = tensor(kShape, right), x = tensor(kShape, "ui8");
      batch.define("  %l = tpu.cast %x {bits} : " + x + " -> " + l +
                   "\n  %r = tpu.cast %x {bits} : " + x + " -> " + r +
                   "\n  %column = tpu.reshape %l : " + l + " -> " + column +
                   "\n  %row = tpu.reshape %r : " + r + " -> " + row + "\n");
      batch.addTyped("tpu.matmul %column, %row", column + ", " + row,
                     tensor("1x1x256x256", "i32"));
      batch.addTyped("tpu.matmul %l, %r", l + ", " + r,
                     tensor("1x1x16x16", "i32"));
      ASSERT_TRUE(batch.agrees());
    }
}

/// Every pair of zero points as products of two computed matrices are made of
/// them: sums of rows and columns take them off in i32. A row has one, and so
/// has a column.
TEST(Exhaustive, PairsOfZeroPointsOfTwoMatrices) {
  std::vector<uint8_t> bytes(512);
  for (size_t i = 0; i < bytes.size(); ++i)
    bytes[i] = static_cast<uint8_t>(i * 89 + i / 256 * 31);
  std::string a = "1x1x256x2", b = "1x1x2x256", column = "1x1x256x1",
              row = "1x1x1x256", product = "1x1x256x256", i32 = "i32",
              x = tensor(a, "ui8");
  for (const char *left : {"i8", "ui8"})
    for (const char *right : {"i8", "ui8"}) {
      Batch batch(x, bytes);
      auto zeroPoints = [](const char *type, const std::string &open,
                           const std::string &close) {
        int low = type[0] == 'u' ? 0 : -128;
        return list(
            256, [&](int i) { return open + std::to_string(low + i) + close; });
      };
      auto line = [&](const std::string &name, const std::string &op,
                      const std::string &operands, const std::string &result) {
        batch.define("  %" + name + " = " + op + " : " + operands + " -> " +
                     tensor(result, i32) + "\n");
      };
      auto both = [&](const std::string &l, const std::string &r) {
        return tensor(l, i32) + ", " + tensor(r, i32);
      };
      batch.define(
          "  %a = tpu.cast %x {bits} : " + x + " -> " + tensor(a, left) +
          "\n  %t = tpu.reshape %x : " + x + " -> " + tensor(b, "ui8") +
          "\n  %b = tpu.cast %t {bits} : " + tensor(b, "ui8") + " -> " +
          tensor(b, right) +
          "\n  %two = tpu.weight dense<1> : tensor<1x1x2x1xi8>"
          "\n  %one = tpu.weight dense<1> : tensor<1x1x1x2xi8>"
          "\n  %za = tpu.weight dense<[[[" +
          zeroPoints(left, "[", "]") + "]]]> : " + tensor(column, i32) +
          "\n  %zb = tpu.weight dense<[[[[" + zeroPoints(right, "", "") +
          "]]]]> : " + tensor(row, i32) + "\n");
      line("p", "tpu.matmul %a, %b", tensor(a, left) + ", " + tensor(b, right),
           product);
      line("columns", "tpu.matmul %one, %b",
           "tensor<1x1x1x2xi8>, " + tensor(b, right), row);
      line("rows", "tpu.matmul %a, %two",
           tensor(a, left) + ", tensor<1x1x2x1xi8>", column);
      line("l", "tpu.binary mul %za, %columns", both(column, row), product);
      line("r", "tpu.binary mul %zb, %rows", both(row, column), product);
      line("z", "tpu.binary mul %za, %zb", both(column, row), product);
      line("d", "tpu.binary sub %p, %l", both(product, product), product);
      line("e", "tpu.binary sub %d, %r", both(product, product), product);
      line("s", "tpu.binary mul %z {constant = 2.0 : f64}",
           tensor(product, i32), product);
      batch.addTyped("tpu.binary add %e, %s", both(product, product),
                     tensor(product, i32));
      ASSERT_TRUE(batch.agrees());
    }
}

//===----------------------------------------------------------------------===//
// Codes of weights
//===----------------------------------------------------------------------===//

/// Halves that are 1 on the diagonal.
static std::vector<uint8_t> identity(int size) {
  std::vector<uint8_t> bytes(static_cast<size_t>(size) * size * 2);
  for (int i = 0; i < size; ++i)
    bytes[(i * size + i) * 2 + 1] = 0x3c;
  return bytes;
}

/// The numbers of every code beside every zero point, as products with 1: a
/// column a zero point, a row a code.
static bool codedMatrixAgrees(bool areRows, int bits, bool hasZeros,
                              const std::string &scale,
                              const std::string &recipe) {
  int columns = 1 << bits;
  std::string x = tensor(areRows ? "1x256x1x256" : "1x256x16x16", "f16"),
              count = std::to_string(columns),
              matrix = tensor(count + "x256x1x1", hasZeros ? "ui8" : "i8"),
              each = count + "x1x1x1", scales = tensor(each, "f16"),
              rows = list(256, [&](int i) {
                return "[[" +
                       std::to_string(hasZeros ? i % columns : int(int8_t(i))) +
                       "]]";
              });
  Batch batch(x, identity(256));
  batch.define("  %w = tpu.weight dense<[" +
               repeated("[" + rows + "]", columns) + "]> : " + matrix +
               "\n  %s = tpu.weight dense<" + scale + "> : " + scales + "\n");
  if (hasZeros)
    batch.define(
        numbers("z", columns, "ui8", [](int i) { return std::to_string(i); }));
  batch.addTyped(
      "tpu.coded_linear %x, %w, %s" +
          std::string(hasZeros ? " zero_points %z" : "") + " bits " +
          std::to_string(bits) + " {tpu.recipe = \"" + recipe + "\"" +
          (areRows ? ", rows_in_lanes" : "") + "}",
      "(" + x + ", " + matrix + ", " + scales +
          (hasZeros ? ", " + tensor(each, "ui8") : "") + ")",
      tensor(areRows ? "1x256x1x" + count : "1x" + count + "x16x16", "f32"));
  return batch.agrees();
}

TEST(Exhaustive, CodedMatricesOfEveryCodeAndZeroPoint) {
  for (bool areRows : {false, true})
    for (int bits : {4, 8})
      for (bool hasZeros : {false, true})
        for (const char *scale : {"1.0", "0.0999755859375", "-3.0e-5"})
          for (const char *recipe : {"codes", "numbers"})
            ASSERT_TRUE(
                codedMatrixAgrees(areRows, bits, hasZeros, scale, recipe));
}

//===----------------------------------------------------------------------===//
// Zero points
//===----------------------------------------------------------------------===//

namespace {
/// Products of two channels of 3x3 codes that have this zero point: 2x2 with
/// padding, dense and depthwise, with filters that reach both ends, and the
/// same codes as three rows of a matrix.
class PairBatch : public Batch {
public:
  enum Form { Dense, Depthwise };

  explicit PairBatch(int from)
      : Batch(tensor(kPixels, "ui8"), bytesFor(from)), from(from) {
    define("  %dense = tpu.weight dense<[[[[-128, 127], [1, 0]], [[127, 127], "
           "[-3, 8]]], [[[-128, -128], [-128, -128]], [[64, -1], [0, 5]]]]> : "
           "tensor<2x2x2x2xi8>\n"
           "  %deep = tpu.weight dense<[[[[-128, 127], [1, 0]]], [[[127, 127], "
           "[-3, 8]]]]> : tensor<2x1x2x2xi8>\n"
           "  %bias = tpu.weight dense<[[[[-300]], [[77]]]]> : "
           "tensor<1x2x1x1xi32>\n");
  }

  /// A product whose result has zero point number `to`. `attributes` say how
  /// the sums become codes.
  void addConv(Form form, bool isSigned, bool toSigned, int to,
               const std::string &attributes = kMultiplied) {
    bool isDepthwise = form == Depthwise;
    addTyped("tpu.conv " + codesOf(isSigned) + ", %" +
                 (isDepthwise ? "deep" : "dense") + ", %bias" + kWindow +
                 (isDepthwise ? "2" : "1") + " {" + attributes + "}",
             pixels(isSigned) + ", tensor<2x" + (isDepthwise ? "1" : "2") +
                 "x2x2xi8>, tensor<1x2x1x1xi32>",
             tensor("1x2x2x2", codesFrom(toSigned, to)));
  }

  /// Products with a channel or a column for each zero point of the result,
  /// which the bias holds.
  void addColumns(bool isSigned, bool toSigned) {
    std::string scales =
                    "scales = array<f32: " + repeated("0.004", kColumns) + ">}",
                to = codesFrom(toSigned, from),
                types = "xi8>, tensor<1x256x1x1xf32>";
    if (!std::exchange(hasColumns, true))
      define(filters("windows",
                     "[[[-128, 127], [1, 0]], [[127, 127], [-3, 8]]]",
                     "[[[-128, -128], [-128, -128]], [[64, -1], [0, 5]]]",
                     "256x2x2x2") +
             filters("columns",
                     "[[[-128]], [[127]], [[127]], [[0]], [[1]], [[-128]]]",
                     "[[[-128]], [[-128]], [[-128]], [[-128]], [[-128]], "
                     "[[-128]]]",
                     "256x6x1x1"));
    std::string bias = addBiases(isSigned, toSigned, {259, -444});
    addTyped("tpu.conv " + codesOf(isSigned) + ", %windows" + bias + kWindow +
                 "1 {" + scales,
             pixels(isSigned) + ", tensor<256x2x2x2" + types,
             tensor("1x256x2x2", to));
    std::string rows = tensor("1x3x1x6", codesFrom(isSigned, from));
    bias = addBiases(isSigned, toSigned, {-1, -768});
    defineNext("  %rows" + number() + " = tpu.reshape " + codesOf(isSigned) +
               " : " + pixels(isSigned) + " -> " + rows + "\n");
    addTyped("tpu.linear %rows" + number() + ", %columns" + bias + " {" +
                 scales,
             rows + ", tensor<256x6x1x1" + types, tensor("1x3x1x256", to));
  }

  static const char *const kMultiplied, *const kUnitBias, *const kRoundedFirst;

private:
  static constexpr int kColumns = 256;
  static constexpr const char *kPixels = "1x2x3x3",
                              *kWindow = " strides [2, 2] pads [1, 1, 0, 0] "
                                         "dilations [1, 1] group ";

  /// The codes as an operand.
  std::string codesOf(bool isSigned) {
    std::string name = isSigned ? "%signed" : "%unsigned";
    if (!std::exchange(isDefined[isSigned], true))
      define("  " + name + " = tpu.cast %x {bits} : " + tensor(kPixels, "ui8") +
             " -> " + pixels(isSigned) + "\n");
    return name;
  }
  std::string number() const { return std::to_string(size()); }
  std::string pixels(bool isSigned) const {
    return tensor(kPixels, codesFrom(isSigned, from));
  }

  /// Two filters in turn.
  static std::string filters(const std::string &name, const std::string &even,
                             const std::string &odd, const std::string &shape) {
    return "  %" + name + " = tpu.weight dense<[" +
           repeated(even + ", " + odd, kColumns / 2) + "]> : tensor<" + shape +
           "xi8>\n";
  }

  /// The bias that lowering makes of both zero points, for filters whose
  /// weights have these sums; gives it as an operand.
  std::string addBiases(bool isSigned, bool toSigned, std::array<int, 2> sums) {
    defineNext(numbers(
        "b" + number(), kColumns, "f32",
        [&](int i) {
          int zeroPoint = isSigned ? from - 128 : from,
              result = toSigned ? i - 128 : i;
          return exact(3.5f + static_cast<float>(result) -
                       0.004f * static_cast<float>(sums[i % 2] * zeroPoint));
        },
        /*areChannels=*/true));
    return ", %b" + number();
  }

  static std::vector<uint8_t> bytesFor(int from) {
    std::vector<uint8_t> bytes(18);
    for (size_t i = 0; i < bytes.size(); ++i)
      bytes[i] = static_cast<uint8_t>(i * 89 + static_cast<size_t>(from) * 7);
    return bytes;
  }

  int from; ///< number of the zero point
  std::array<bool, 2> isDefined = {};
  bool hasColumns = false;
};

const char *const PairBatch::kMultiplied =
    "multipliers = array<i32: 1500000000, 1200000000>, "
    "rshifts = array<i32: 37, 38>";
const char *const PairBatch::kUnitBias =
    "tpu.recipe = \"window_bias\", multipliers = array<i32: 1500000000, "
    "1200000000>, rshifts = array<i32: 37, 38>";
const char *const PairBatch::kRoundedFirst =
    "scales = array<f32: 0.011, 0.0043>";
} // namespace

/// Every pair of zero points, each in the commands of its own op.
static void checkPairs(PairBatch::Form form) {
  for (int from = 0; from < 256; ++from) {
    PairBatch batch(from);
    for (int to = 0; to < 256; ++to)
      batch.addConv(form, /*isSigned=*/true, /*toSigned=*/true, to);
    ASSERT_TRUE(batch.agrees());
  }
}

TEST(Exhaustive, PairsOfZeroPointsOfConvolutions) {
  checkPairs(PairBatch::Dense);
}
TEST(Exhaustive, PairsOfZeroPointsOfDepthwiseConvolutions) {
  checkPairs(PairBatch::Depthwise);
}

/// Every pair where the zero point of the result is a number a channel.
TEST(Exhaustive, PairsOfZeroPointsInBiases) {
  for (int from = 0; from < 256; ++from) {
    PairBatch batch(from);
    for (bool isSigned : {false, true})
      for (bool toSigned : {false, true})
        batch.addColumns(isSigned, toSigned);
    ASSERT_TRUE(batch.agrees());
  }
}

/// The other signs differ in a bit of the command, and the other ways to a
/// result in the command for its zero point: every zero point of the input with
/// four of the result, which are others each time.
TEST(Exhaustive, ZeroPointsOfEverySign) {
  for (int from = 0; from < 256; ++from) {
    PairBatch batch(from);
    for (bool isSigned : {false, true})
      for (bool toSigned : {false, true})
        for (int to = from % 64; to < 256; to += 64)
          for (PairBatch::Form form :
               {PairBatch::Dense, PairBatch::Depthwise}) {
            batch.addConv(form, isSigned, toSigned, to);
            batch.addConv(form, isSigned, toSigned, to,
                          PairBatch::kRoundedFirst);
            if (form == PairBatch::Depthwise)
              batch.addConv(form, isSigned, toSigned, to, PairBatch::kUnitBias);
          }
    ASSERT_TRUE(batch.agrees());
  }
}

/// Every zero point of the input beside every one of the weights: a channel has
/// one, or all have the same.
TEST(Exhaustive, PairsOfZeroPointsOfInputsAndWeights) {
  constexpr int kChannels = 256;
  std::string weights =
                  list(kChannels,
                       [](int i) {
                         return "[[[" + std::to_string(int(int8_t(i * 89))) +
                                ", " + std::to_string(i % 2 ? 127 : -128) +
                                "]]]";
                       }),
              scales =
                  "scales = array<f32: " + repeated("1.0", kChannels) + ">";
  for (bool isSigned : {false, true}) {
    Batch batch(tensor("1x1x2x3", "ui8"), {0, 255, 127, 128, 1, 77});
    batch.define("  %w = tpu.weight dense<[" + weights +
                 "]> : tensor<256x1x1x2xi8>\n");
    for (int from = 0; from < 256; ++from) {
      auto add = [&](const std::string &zeroPoints) {
        batch.addOnCodes(
            tensor("1x1x2x3", codesFrom(isSigned, from)),
            "tpu.conv %x, %w strides [1, 1] pads [0, 1, 1, 1] dilations [1, 1] "
            "group 1 {filter_zero_points = array<i32: " +
                zeroPoints + ">, " + scales + "}",
            "tensor<1x256x3x4xf32>", ", tensor<256x1x1x2xi8>");
      };
      add(list(kChannels, [](int i) { return std::to_string(i - 128); }));
      for (int number : {from, 255 - from})
        add(repeated(std::to_string(number - 128), kChannels));
    }
    ASSERT_TRUE(batch.agrees());
  }
}

/// What lies outside of a window has the input's zero point.
TEST(Exhaustive, ZeroPointsAroundUnfoldedWindows) {
  for (bool isSigned : {false, true}) {
    Batch batch(tensor("1x2x8x16", "ui8"), everyByte());
    for (int number = 0; number < 256; ++number) {
      std::string element = codesFrom(isSigned, number);
      batch.addOnCodes(tensor("1x2x8x16", element),
                       "tpu.unfold %x kernel [2, 3] strides [2, 2] pads [1, 2, "
                       "1, 1] dilations [1, 2]",
                       tensor("1x12x5x8", element));
    }
    ASSERT_TRUE(batch.agrees());
  }
}
