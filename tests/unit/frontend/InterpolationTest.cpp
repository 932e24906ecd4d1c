//===- InterpolationTest.cpp - the taps of a resized axis -----------------===//
//
// Expected values are those of ONNX's definition, worked out by hand.
//
//===----------------------------------------------------------------------===//

#include "frontend/onnx/Interpolation.h"

#include "gtest/gtest.h"

using namespace weft::onnx;

/// One line a result: "index*weight+index*weight".
static std::string textOf(const Interpolation &how, const ResizedAxis &axis) {
  std::string text;
  for (const Taps &taps : interpolate(how, axis)) {
    for (const Tap &tap : taps)
      text += std::to_string(tap.index) + "*" +
              std::to_string(tap.weight).substr(0, 6) + " ";
    text += "| ";
  }
  return text;
}

TEST(Interpolation, LinearAtHalfPixelsRepeatsTheEdge) {
  Interpolation how;
  how.mode = "linear";
  EXPECT_EQ(textOf(how, {2, 4, 2.0}),
            "0*1.0000 | 0*0.7500 1*0.2500 | 0*0.2500 1*0.7500 | 1*1.0000 | ");
}

TEST(Interpolation, NearestRoundsAsAsked) {
  Interpolation how;
  how.coordinates = "asymmetric";
  // 5 of 2: places 0, 0.4, 0.8, 1.2, 1.6.
  for (auto [rounding, expected] :
       {std::pair("floor", "0 0 0 1 1 "), {"ceil", "0 1 1 1 1 "}}) {
    how.rounding = rounding;
    std::string text;
    for (const Taps &taps : interpolate(how, {2, 5, 2.5}))
      text += std::to_string(taps.front().index) + " ";
    EXPECT_EQ(text, expected) << rounding;
  }
  // 4 of 2: 0.5 and 1.5 are ties.
  for (auto [rounding, expected] : {std::pair("round_prefer_floor", "0 0 1 1 "),
                                    {"round_prefer_ceil", "0 1 1 1 "}}) {
    how.rounding = rounding;
    std::string text;
    for (const Taps &taps : interpolate(how, {2, 4, 2.0}))
      text += std::to_string(taps.front().index) + " ";
    EXPECT_EQ(text, expected) << rounding;
  }
}

TEST(Interpolation, CropsHaveNoTapsOutside) {
  Interpolation how;
  how.mode = "linear";
  how.coordinates = "tf_crop_and_resize";
  // Places 0.5 * (3 - 1) + i * 1: 1, 2 and, outside, 3.
  EXPECT_EQ(textOf(how, {3, 3, 1.0, 0.5, 1.5}), "1*1.0000 | 2*1.0000 | | ");
}

TEST(Interpolation, ExcludedValuesLeaveAMean) {
  Interpolation how;
  how.mode = "cubic";
  how.excludeOutside = true;
  for (const Taps &taps : interpolate(how, {4, 8, 2.0})) {
    double sum = 0;
    for (const Tap &tap : taps)
      sum += tap.weight;
    EXPECT_NEAR(sum, 1, 1e-12);
  }
}

TEST(Interpolation, AntialiasWidensTheKernel) {
  Interpolation how;
  how.mode = "linear";
  how.antialias = true;
  // Place 0.5: distances 1.5, 0.5, 0.5, 1.5 of a triangle of radius 2; the
  // first value stands for the one before it, too.
  EXPECT_EQ(textOf(how, {6, 1, 0.5}), "0*0.5000 1*0.3750 2*0.1250 | ");
  std::vector<Taps> taps = interpolate(how, {8, 4, 0.5});
  ASSERT_EQ(taps[1].size(), 4u);
  EXPECT_NEAR(taps[1][0].weight, 0.125, 1e-12);
  EXPECT_NEAR(taps[1][1].weight, 0.375, 1e-12);
}
