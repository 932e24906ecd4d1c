#include "runtime/numeric/HostTensor.h"

#include <cmath>
#include <gtest/gtest.h>

using namespace weft::numeric;

TEST(HostTensor, shapeAndBytesAgree) {
  HostTensor tensor(ElementType::F16, {2, 3, 5});
  EXPECT_EQ(tensor.elements(), 30);
  EXPECT_EQ(tensor.sizeBytes(), 60u);
  EXPECT_TRUE(tensor.reshape({30}));
  EXPECT_FALSE(tensor.reshape({31}));
  EXPECT_FALSE(tensor.reshape({-30}));
  EXPECT_EQ(HostTensor(ElementType::I8, {}).elements(), 1);
  EXPECT_EQ(HostTensor().elements(), 0);
  EXPECT_EQ(elementCount({0, -1}), std::nullopt);
  EXPECT_EQ(elementCount({int64_t(1) << 40, int64_t(1) << 40}), std::nullopt);
  EXPECT_EQ(shapeText({1, 3, 48, 192}), "1x3x48x192");
  EXPECT_EQ(shapeText({}), "scalar");
}

TEST(HostTensor, namesAndOnnxNumbersRoundTrip) {
  int known = 0;
  for (int onnx = 0; onnx < 40; ++onnx)
    if (auto type = fromOnnxDataType(onnx)) {
      ++known;
      EXPECT_EQ(onnxDataType(*type), onnx);
      EXPECT_EQ(parseElementType(elementTypeName(*type)), type);
    }
  EXPECT_EQ(known, 27);
  EXPECT_EQ(fromOnnxDataType(8), std::nullopt); // strings are no numbers
  EXPECT_EQ(parseElementType("float"), std::nullopt);
}

TEST(HostTensor, everyTypeStoresSmallIntegersAndSaturates) {
  for (int onnx = 1; onnx < 27; ++onnx) {
    auto type = fromOnnxDataType(onnx);
    if (!type)
      continue;
    HostTensor tensor(*type, {2});
    tensor.setFromDouble(1, 1.0);
    EXPECT_EQ(tensor.toDouble(1), 1.0) << elementTypeName(*type);
    if (isIntegerType(*type)) {
      tensor.setFromDouble(0, 1e30);
      double high = tensor.toDouble(0);
      tensor.setFromDouble(0, high + 1);
      EXPECT_EQ(tensor.toDouble(0), high);
      tensor.setFromDouble(0, NAN);
      EXPECT_EQ(tensor.toDouble(0), 0);
    } else if (*type != ElementType::Bool && *type != ElementType::F4E2M1) {
      tensor.setFromDouble(0, NAN);
      EXPECT_TRUE(std::isnan(tensor.toDouble(0))) << elementTypeName(*type);
    }
  }
}

TEST(HostTensor, doubleRoundsOnceToHalf) {
  HostTensor tensor(ElementType::F16, {1});
  // Just above a tie of fp16 by less than fp32 can tell: a detour over fp32
  // would round down.
  double value = 1.0 + std::ldexp(1.0, -11) + std::ldexp(1.0, -40);
  tensor.setFromDouble(0, value);
  EXPECT_EQ(tensor.toDouble(0), 1.0 + std::ldexp(1.0, -10));
}

TEST(HostTensor, smallFloatsKnownCodes) {
  HostTensor e4m3(ElementType::F8E4M3FN, {1});
  e4m3.setFromDouble(0, 1000.0);
  EXPECT_EQ(e4m3.toDouble(0), 448.0);
  e4m3.bytes()[0] = 0x01;
  EXPECT_EQ(e4m3.toDouble(0), std::ldexp(1.0, -9));
  HostTensor e5m2(ElementType::F8E5M2, {1});
  e5m2.setFromDouble(0, INFINITY);
  EXPECT_EQ(e5m2.bytes()[0], 0x7c);
  HostTensor fp4(ElementType::F4E2M1, {1});
  fp4.setFromDouble(0, -100);
  EXPECT_EQ(fp4.toDouble(0), -6.0);
}
