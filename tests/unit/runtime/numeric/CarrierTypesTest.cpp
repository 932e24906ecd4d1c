#include "runtime/numeric/CarrierTypes.h"

#include <gtest/gtest.h>

using namespace weft::numeric;

namespace {

const ElementType kAllTypes[] = {
#define ELEMENT_TYPE(Name, spelling, bytes, isFloat, isSigned, onnx)           \
  ElementType::Name,
#include "runtime/numeric/ElementTypes.def"
};

HostTensor make(ElementType type, std::vector<double> values) {
  HostTensor tensor(type, {int64_t(values.size())});
  for (size_t i = 0; i < values.size(); ++i)
    tensor.setFromDouble(int64_t(i), values[i]);
  return tensor;
}

TEST(CarrierTypes, EveryTypeSurvivesTheWayThereAndBack) {
  for (ElementType type : kAllTypes) {
    HostTensor there = make(type, {0, 1, 0.5, 2, 1});
    HostTensor back = toCarrier(there);
    EXPECT_EQ(back.type(), carrierType(type)) << elementTypeName(type);
    ASSERT_TRUE(fromCarrier(back, type)) << elementTypeName(type);
    EXPECT_TRUE(back == there) << elementTypeName(type);
  }
}

TEST(CarrierTypes, NarrowIntegersComeWithOrWithoutSignExtension) {
  HostTensor bits = make(ElementType::U8, {0x0f, 0xff, 0x07});
  ASSERT_TRUE(fromCarrier(bits, ElementType::I4));
  EXPECT_EQ(bits.toDouble(0), -1);
  EXPECT_EQ(bits.toDouble(1), -1);
  EXPECT_EQ(bits.toDouble(2), 7);
  HostTensor values = make(ElementType::I8, {-8, 7});
  ASSERT_TRUE(fromCarrier(values, ElementType::I4));
  EXPECT_EQ(values.toDouble(0), -8);
}

TEST(CarrierTypes, ValuesOutOfRangeAndForeignTypesAreRefused) {
  HostTensor large = make(ElementType::I8, {8});
  EXPECT_FALSE(fromCarrier(large, ElementType::I4));
  EXPECT_EQ(large.type(), ElementType::I8);
  HostTensor wide = make(ElementType::U8, {16});
  EXPECT_FALSE(fromCarrier(wide, ElementType::U4));
  HostTensor floats = make(ElementType::F32, {1});
  EXPECT_FALSE(fromCarrier(floats, ElementType::F8E5M2));
  EXPECT_FALSE(carries(ElementType::U8, ElementType::I8));
}

TEST(CarrierTypes, Bf16TravelsAsValuesOrBits) {
  HostTensor bits = make(ElementType::U16, {0x3fc0});
  ASSERT_TRUE(fromCarrier(bits, ElementType::BF16));
  EXPECT_EQ(bits.toDouble(0), 1.5);
}

} // namespace
