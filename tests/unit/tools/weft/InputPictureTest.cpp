//===- InputPictureTest.cpp - what pages show of inputs -------------------===//

#include "tools/weft/InputPicture.h"

#include <cmath>
#include <gtest/gtest.h>

using namespace weft;
using numeric::ElementType;
using numeric::HostTensor;
using Json = nlohmann::ordered_json;

namespace {

HostTensor rampOf(ElementType type, std::vector<int64_t> shape) {
  HostTensor tensor(type, std::move(shape));
  for (int64_t i = 0; i < tensor.elements(); ++i)
    tensor.setFromDouble(i,
                         double(i % 200) - (type == ElementType::F32 ? 9 : 0));
  return tensor;
}

TEST(InputPicture, ImagesOfBothLayouts) {
  for (std::vector<int64_t> shape : std::vector<std::vector<int64_t>>{
           {1, 3, 40, 20}, {2, 40, 20, 3}, {1, 1, 8, 300}, {3, 40, 20}}) {
    Json told = cli::describeInput("x", rampOf(ElementType::F32, shape), 16);
    ASSERT_TRUE(told.contains("png")) << shape[1];
    // The signature, in base64.
    EXPECT_EQ(told["png"].get<std::string>().rfind("iVBORw0KGgo", 0), 0u);
    EXPECT_EQ(told["png"].get<std::string>().size() % 4, 0u);
    EXPECT_EQ(told["least"], -9);
  }
}

TEST(InputPicture, OthersAreNumbers) {
  Json tokens =
      cli::describeInput("ids", rampOf(ElementType::I32, {1, 500}), 16);
  EXPECT_FALSE(tokens.contains("png"));
  EXPECT_EQ(tokens["type"], "i32");
  EXPECT_EQ(tokens["values"].size(), 12u);
  EXPECT_EQ(tokens["curve"].size(), 128u);
  EXPECT_EQ(tokens["curve"][0], Json({0, 2}));
  Json number = cli::describeInput("n", rampOf(ElementType::F32, {1}), 16);
  EXPECT_EQ(number["curve"], Json::parse("[[-9,-9]]"));
  // A table of 4 x 3 numbers is no image.
  EXPECT_FALSE(
      cli::describeInput("t", rampOf(ElementType::F32, {1, 3, 4, 3}), 16)
          .contains("png"));
}

TEST(InputPicture, WhatIsNotFiniteIsLeftOut) {
  HostTensor tensor(ElementType::F32, {1, 3, 8, 8});
  tensor.setFromDouble(0, NAN);
  tensor.setFromDouble(1, INFINITY);
  tensor.setFromDouble(2, 4);
  Json told = cli::describeInput("x", tensor, 16);
  EXPECT_EQ(told["least"], 0);
  EXPECT_EQ(told["most"], 4);
  EXPECT_TRUE(told.contains("png"));
}

} // namespace
