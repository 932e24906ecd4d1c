//===- ZeroPointTest.cpp - codes that do not count from 0 -----------------===//
//
// The second rung of the ladder for the forms that take a zero point. All are
// exact: integers, and floats that take one rounding a step.
//
//===----------------------------------------------------------------------===//

#include "runtime/chips/Chips.h"
#include "tests/chips/NarrowChip.h"
#include "tests/ops/Ladder.h"

#include "gtest/gtest.h"

using namespace weft;
using namespace weft::test;

static std::string quant(bool isSigned, int zeroPoint, const char *scale) {
  return std::string("!quant.uniform<") + (isSigned ? "i8" : "u8") + ":f32, " +
         scale + ":" + std::to_string(zeroPoint) + ">";
}

static const std::string kSigned = quant(true, -118, "0.02"),
                         kUnsigned = quant(false, 17, "0.05"),
                         kOther = quant(true, 5, "0.03");

/// 3x3 with padding all around, `channels` to as many: the dense unit or, a
/// filter a channel, the depthwise one.
static LadderCase conv(const std::string &name, bool isDepthwise, int channels,
                       const std::string &in, const std::string &out,
                       const std::string &attributes,
                       const std::string &more = "",
                       bool isRoundedFirst = false) {
  bool isFixedPoint = attributes.find("multipliers") == 0 || isRoundedFirst;
  std::string count = std::to_string(channels),
              x = tensor("1x" + count + "x5x6", in),
              y = tensor("1x" + count + "x3x6", out),
              bias = isFixedPoint ? "i32" : "f32";
  int inner = isDepthwise ? 1 : channels;
  return {name, x, y,
          weight("w", {channels, inner, 3, 3}, "i8", 127) +
              weight("b", {1, channels, 1, 1}, bias, isFixedPoint ? 5000 : 1) +
              "  %y = tpu.conv %x, %w, %b strides [2, 1] pads [1, 1, 1, 1] "
              "dilations [1, 1] group " +
              (isDepthwise ? count : "1") + " {" + more + attributes +
              "} : " + x + ", " +
              tensor(count + "x" + std::to_string(inner) + "x3x3", "i8") +
              ", " + tensor("1x" + count + "x1x1", bias) + " -> " + y + "\n"};
}

/// Weights less a zero point: one for all channels, or several.
static void addNineBits(std::vector<LadderCase> &cases, const std::string &from,
                        int channels, const std::string &in,
                        const std::string &scales) {
  std::string one = "filter_zero_points = array<i32: " +
                    repeated("-128", channels) + ">, ",
              several = one;
  for (size_t at = several.find("-128"), i = 0; at != std::string::npos;
       at = several.find("-128", at + 1), ++i)
    if (i % 3)
      several.replace(at, 4, i % 3 == 1 ? "+127" : "+0  ");
  for (size_t at; (at = several.find('+')) != std::string::npos;)
    several.erase(at, 1);
  cases.push_back(
      conv(from + "NineBits", false, channels, in, "f32", scales, one));
  cases.push_back(conv(from + "NineBitsEach", false, channels, in, kOther,
                       scales, several, /*isRoundedFirst=*/true));
}

static void addConvs(std::vector<LadderCase> &cases) {
  for (bool isDepthwise : {false, true})
    for (int channels : {4, 70}) { // more than any chip has lanes
      std::string kind = (isDepthwise ? "Depthwise" : "Conv") +
                         std::to_string(channels),
                  multipliers = "multipliers = array<i32: " +
                                repeated("1500000000", channels) +
                                ">, rshifts = array<i32: " +
                                repeated(isDepthwise ? "38" : "41", channels) +
                                ">",
                  scales =
                      "scales = array<f32: " + repeated("0.0003", channels) +
                      ">";
      for (const std::string &in : {kSigned, kUnsigned}) {
        std::string from = kind + (in == kSigned ? "I8" : "U8");
        cases.push_back(
            conv(from + "Rq1", isDepthwise, channels, in, kOther, multipliers));
        cases.push_back(conv(from + "Rq1U8", isDepthwise, channels, in,
                             kUnsigned, multipliers));
        cases.push_back(
            conv(from + "Rq0", isDepthwise, channels, in, kOther, scales));
        for (const char *out : {"f32", "f16"})
          cases.push_back(conv(from + "To" + out, isDepthwise, channels, in,
                               out, scales + ", relu"));
        for (const std::string &out : {kOther, kUnsigned})
          cases.push_back(
              conv(from + "RoundedFirst" + (out == kOther ? "I8" : "U8"),
                   isDepthwise, channels, in, out, scales, "",
                   /*isRoundedFirst=*/true));
        if (!isDepthwise)
          addNineBits(cases, from, channels, in, scales);
      }
      if (isDepthwise) // the unit adds the bias
        cases.push_back(conv(kind + "UnitBias", true, channels, kSigned, kOther,
                             multipliers, "tpu.recipe = \"window_bias\", "));
    }
}

/// Groups whose channels lie across the lanes: a command reads channels of
/// others, which it multiplies by 0 in the padding, too.
static void addGroups(std::vector<LadderCase> &cases) {
  std::string x = tensor("1x72x5x6", kSigned), y = tensor("1x78x5x6", "f32");
  for (const char *recipe :
       {"window", "dense", "groups", "groups_2", "moved_groups"})
    cases.push_back({std::string("Groups_") + recipe, x, y,
                     weight("w", {78, 24, 3, 3}, "i8", 127) +
                         "  %y = tpu.conv %x, %w strides [1, 1] pads [1, 1, 1, "
                         "1] dilations [1, 1] group 3 {tpu.recipe = \"" +
                         recipe + "\", scales = array<f32: " +
                         repeated("0.0001", 78) + ">} : " + x + ", " +
                         tensor("78x24x3x3", "i8") + " -> " + y + "\n"});
}

static void addLinears(std::vector<LadderCase> &cases) {
  for (const std::string &out : {std::string("f16"), kOther}) {
    std::string x = tensor("1x70x1x40", kSigned), y = tensor("1x70x1x9", out);
    cases.push_back({out == kOther ? "LinearToCodes" : "LinearToF16", x, y,
                     weight("w", {9, 40, 1, 1}, "i8", 127) +
                         weight("b", {1, 9, 1, 1}, "f32", 1) +
                         "  %y = tpu.linear %x, %w, %b {scales = array<f32: " +
                         repeated("0.0003", 9) + ">} : " + x +
                         ", tensor<9x40x1x1xi8>, tensor<1x9x1x1xf32> -> " + y +
                         "\n"});
  }
}

static LadderCase simple(const std::string &name, const std::string &in,
                         const std::string &out, const std::string &op,
                         const std::string &shape = "2x3x5x7") {
  std::string x = tensor("2x3x5x7", in), y = tensor(shape, out);
  return {name, x, y, "  %y = " + op + " : " + x + " -> " + y + "\n"};
}

static void addCasts(std::vector<LadderCase> &cases) {
  for (const std::string &codes : {kSigned, kUnsigned, kOther}) {
    std::string tag = codes == kSigned ? "I8" : codes == kOther ? "Mid" : "U8";
    for (const char *real : {"f32", "f16", "bf16"}) {
      cases.push_back(
          simple("Quantize" + tag + real, real, codes, "tpu.cast %x"));
      cases.push_back(
          simple("Dequantize" + tag + real, codes, real, "tpu.cast %x"));
    }
    for (const std::string &to : {kSigned, kUnsigned, kOther})
      cases.push_back(simple(
          "Requantize" + tag + "To" + std::to_string(cases.size()), codes, to,
          "tpu.cast %x {multiplier = 1717986918 : i32, rshift = 32 : "
          "i32}"));
  }
}

/// Integers as codes and back, both without strides and from the middle of a
/// tensor.
static void addBits(std::vector<LadderCase> &cases) {
  cases.push_back(
      simple("BitsToCodes", "ui8", kUnsigned, "tpu.cast %x {bits}"));
  cases.push_back(simple("BitsToNumbers", kSigned, "i8", "tpu.cast %x {bits}"));
  std::string x = tensor("2x3x5x7", "ui8"), part = tensor("2x3x2x7", "ui8"),
              y = tensor("2x3x2x7", kUnsigned);
  cases.push_back(
      {"BitsOfPart", x, y,
       "  %p = tpu.slice %x [0, 0, 1, 0] steps [1, 1, 2, 1] : " + x + " -> " +
           part + "\n  %y = tpu.cast %p {bits} : " + part + " -> " + y + "\n"});
}

/// What moves or chooses codes does not ask what they stand for, but for what
/// lies outside.
static void addMoves(std::vector<LadderCase> &cases) {
  cases.push_back(simple("PoolMax", kSigned, kSigned,
                         "tpu.pool max %x kernel [3, 2] strides [2, 1] pads "
                         "[1, 0, 1, 0]",
                         "2x3x3x6"));
  cases.push_back(simple("Unfold", kSigned, kSigned,
                         "tpu.unfold %x kernel [2, 3] strides [1, 2] pads [0, "
                         "2, 1, 1] dilations [2, 1]",
                         "2x18x4x4"));
  cases.push_back(simple("UnfoldU8", kUnsigned, kUnsigned,
                         "tpu.unfold %x kernel [3, 1] strides [2, 1] pads [1, "
                         "0, 2, 0] dilations [1, 1]",
                         "2x9x3x7"));
  cases.push_back(simple("Pad", kSigned, kSigned,
                         "tpu.pad %x [1, 2, 2, 3] fill -118", "2x3x8x12"));
  cases.push_back(simple("Permute", kSigned, kSigned,
                         "tpu.permute %x [0, 2, 3, 1]", "2x5x7x3"));
  cases.push_back(simple("Slice", kSigned, kSigned,
                         "tpu.slice %x [0, 1, 0, 1] steps [1, 1, 2, 2]",
                         "2x2x3x3"));
  std::string x = tensor("2x3x5x7", kSigned), y = tensor("2x6x5x7", kSigned);
  cases.push_back({"Concat", x, y,
                   "  %y = tpu.concat %x, %x axis 1 : (" + x + ", " + x +
                       ") -> " + y + "\n"});
  std::string folded = tensor("2x5x3x7", kSigned); // alone it is an address
  cases.push_back({"Reshape", x, folded,
                   "  %p = tpu.permute %x [0, 2, 3, 1] : " + x + " -> " +
                       tensor("2x5x7x3", kSigned) +
                       "\n  %y = tpu.reshape %p : " +
                       tensor("2x5x7x3", kSigned) + " -> " + folded + "\n"});
  std::string wide = tensor("2x3x10x21", kSigned);
  cases.push_back({"Interleave", x, wide,
                   "  %y = tpu.interleave %x factors [2, 3] : (" + x + ") -> " +
                       wide + "\n"});
}

static std::vector<LadderCase> allCases() {
  std::vector<LadderCase> cases;
  addConvs(cases);
  addGroups(cases);
  addLinears(cases);
  addCasts(cases);
  addBits(cases);
  addMoves(cases);
  return cases;
}

class ZeroPoint : public ::testing::TestWithParam<LadderCase> {};

TEST_P(ZeroPoint, EvaluatorAgreesWithTheCommands) {
  climb(GetParam(), *chips::all[0]);
}

INSTANTIATE_TEST_SUITE_P(Tpu, ZeroPoint, ::testing::ValuesIn(allCases()),
                         [](const auto &info) { return info.param.name; });

class NarrowZeroPoint : public ::testing::TestWithParam<LadderCase> {};

TEST_P(NarrowZeroPoint, EvaluatorAgreesWithTheCommands) {
  climb(GetParam(), narrowChip());
}

INSTANTIATE_TEST_SUITE_P(Tpu, NarrowZeroPoint, ::testing::ValuesIn(allCases()),
                         [](const auto &info) { return info.param.name; });

/// Every zero point of a padded product's input, and every one of its result.
TEST(ZeroPoints, AreAllExact) {
  for (bool isDepthwise : {false, true})
    for (bool isSigned : {true, false})
      for (int code = 0; code < 256; ++code) {
        int zeroPoint = isSigned ? code - 128 : code;
        std::string in = quant(isSigned, zeroPoint, "0.02"),
                    out =
                        quant(isSigned, isSigned ? ~zeroPoint : 255 - zeroPoint,
                              "0.02");
        SCOPED_TRACE(in);
        climb(conv("", isDepthwise, 2, in, out,
                   "multipliers = array<i32: " + repeated("1500000000", 2) +
                       ">, rshifts = array<i32: 39, 40>"),
              *chips::all[0]);
        if (HasFatalFailure())
          return;
      }
}
