#include "runtime/numeric/ConvertValues.h"

#include <cmath>
#include <gtest/gtest.h>
#include <limits>

using namespace weft::numeric;

namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

/// What 0 and `number` of type `given` become in `wanted`: the second, or NaN
/// if it is refused.
double converted(ElementType given, double number, ElementType wanted) {
  HostTensor tensor(given, {2});
  tensor.setFromDouble(1, number);
  std::optional<int64_t> place = convertValues(tensor, wanted);
  EXPECT_EQ(tensor.type(), place ? given : wanted);
  EXPECT_EQ(place.value_or(1), 1);
  return place ? std::nan("") : tensor.toDouble(1);
}

} // namespace

TEST(ConvertValues, FloatsAreRoundedAmongEachOther) {
  EXPECT_EQ(converted(ElementType::F64, 0.1, ElementType::F32), double(0.1f));
  EXPECT_EQ(converted(ElementType::F32, 2049, ElementType::F16), 2048);
  EXPECT_EQ(converted(ElementType::F64, 1e-300, ElementType::F32), 0);
  EXPECT_EQ(converted(ElementType::F64, -kInfinity, ElementType::F16),
            -kInfinity);
  EXPECT_TRUE(std::isnan(converted(ElementType::F64, 1e39, ElementType::F32)));
  // Too few bits to round without a word.
  EXPECT_EQ(converted(ElementType::F32, 1.5, ElementType::F8E4M3FN), 1.5);
  EXPECT_TRUE(
      std::isnan(converted(ElementType::F32, 1.51, ElementType::F8E4M3FN)));
}

TEST(ConvertValues, EverythingElseIsExact) {
  EXPECT_EQ(converted(ElementType::I64, 16777216, ElementType::F32), 16777216);
  EXPECT_EQ(converted(ElementType::F16, -3, ElementType::I8), -3);
  EXPECT_EQ(converted(ElementType::U8, 255, ElementType::F32), 255);
  EXPECT_EQ(converted(ElementType::Bool, 1, ElementType::I64), 1);
  EXPECT_EQ(converted(ElementType::F64, -0x1p63, ElementType::I64), -0x1p63);
  for (auto [given, number, wanted] :
       {std::tuple(ElementType::I64, 16777217.0, ElementType::F32),
        std::tuple(ElementType::F32, 0.5, ElementType::I32),
        std::tuple(ElementType::F64, kInfinity, ElementType::I64),
        std::tuple(ElementType::F64, 0x1p63, ElementType::I64),
        std::tuple(ElementType::F64, -1.0, ElementType::U64),
        std::tuple(ElementType::I32, 2.0, ElementType::Bool),
        std::tuple(ElementType::I16, 8.0, ElementType::I4)})
    EXPECT_TRUE(std::isnan(converted(given, number, wanted)))
        << elementTypeName(given) << " " << number;
}

TEST(ConvertValues, IntegersOf64BitsKeepAllOfThem) {
  HostTensor tensor(ElementType::U64, {1});
  *tensor.as<uint64_t>() = UINT64_MAX;
  EXPECT_EQ(elementText(tensor, 0), "18446744073709551615");
  EXPECT_TRUE(convertValues(tensor, ElementType::I64).has_value());
  EXPECT_TRUE(convertValues(tensor, ElementType::F64).has_value());
  *tensor.as<uint64_t>() = INT64_MAX;
  EXPECT_FALSE(convertValues(tensor, ElementType::I64).has_value());
  EXPECT_EQ(*tensor.as<int64_t>(), INT64_MAX);
  EXPECT_FALSE(convertsByValue(ElementType::C64, ElementType::F32));
}

TEST(ConvertValues, MessagesHaveFewDigitsAndPlaces) {
  HostTensor tensor(ElementType::F32, {2, 3});
  tensor.as<float>()[5] = 0.1f;
  EXPECT_EQ(elementText(tensor, 5), "0.1");
  EXPECT_EQ(placeText({2, 3}, 5), "[1, 2]");
  EXPECT_EQ(placeText({}, 0), "[]");
}
