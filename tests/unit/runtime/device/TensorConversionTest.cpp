#include "runtime/device/TensorConversion.h"
#include "runtime/numeric/Float16.h"

#include <cmath>
#include <gtest/gtest.h>
#include <limits>

using namespace weft;
using namespace weft::rt;
using numeric::ElementType;

namespace {

TensorSpec makeSpec(ElementType type, ElementType stored, int64_t elements) {
  TensorSpec spec;
  spec.name = "t";
  spec.type = type;
  spec.storedType = stored;
  spec.shape = spec.storedShape = {elements};
  spec.elements = elements;
  spec.storedBytes = uint64_t(elements) * numeric::elementBytes(stored);
  return spec;
}

template <typename T>
const uint8_t *bytesOf(const std::vector<T> &values) {
  return reinterpret_cast<const uint8_t *>(values.data());
}

/// To the stored form and back gives the same elements.
template <typename Wide, typename Narrow>
void roundTrip(ElementType type, ElementType stored,
               const std::vector<Wide> &values) {
  TensorSpec spec = makeSpec(type, stored, int64_t(values.size()));
  std::vector<Narrow> narrow(values.size());
  std::vector<Wide> back(values.size());
  ASSERT_TRUE(toStored(spec, type, bytesOf(values),
                       reinterpret_cast<uint8_t *>(narrow.data()))
                  .isOk());
  fromStored(spec, bytesOf(narrow), reinterpret_cast<uint8_t *>(back.data()));
  EXPECT_EQ(back, values);
}

TEST(TensorConversion, WideTypesComeBack) {
  roundTrip<int64_t, int32_t>(ElementType::I64, ElementType::I32,
                              {0, -1, INT32_MIN, INT32_MAX});
  roundTrip<uint64_t, uint32_t>(ElementType::U64, ElementType::U32,
                                {0, 1, UINT32_MAX});
  roundTrip<double, float>(ElementType::F64, ElementType::F32,
                           {0, -1.5, std::numeric_limits<double>::infinity()});
  roundTrip<uint8_t, uint8_t>(ElementType::Bool, ElementType::U8, {0, 1, 1});
}

TEST(TensorConversion, ValuesThatDoNotFitAreReported) {
  uint8_t stored[4];
  auto fails = [&](ElementType type, ElementType narrow, const uint8_t *bytes) {
    Status status = toStored(makeSpec(type, narrow, 1), type, bytes, stored);
    return status.code() == Code::OutOfRange;
  };
  EXPECT_TRUE(fails(ElementType::I64, ElementType::I32,
                    bytesOf(std::vector<int64_t>{-2147483649LL})));
  EXPECT_TRUE(fails(ElementType::U64, ElementType::U32,
                    bytesOf(std::vector<uint64_t>{1ull << 32})));
  EXPECT_TRUE(fails(ElementType::F64, ElementType::F32,
                    bytesOf(std::vector<double>{1e300})));
}

TEST(TensorConversion, FloatsAreQuantizedHalfToEvenAndSaturated) {
  TensorSpec spec = makeSpec(ElementType::I8, ElementType::I8, 7);
  spec.scale = 2;
  spec.zeroPoint = 1;
  std::vector<float> reals = {0, 0.25f, 0.75f, -0.25f, 100, -100, INFINITY};
  std::vector<int8_t> stored(7);
  ASSERT_TRUE(acceptsType(spec, ElementType::F32));
  ASSERT_TRUE(acceptsType(spec, ElementType::F64));
  ASSERT_FALSE(acceptsType(spec, ElementType::I32));
  ASSERT_TRUE(toStored(spec, ElementType::F32, bytesOf(reals),
                       reinterpret_cast<uint8_t *>(stored.data()))
                  .isOk());
  EXPECT_EQ(stored, (std::vector<int8_t>{1, 2, 2, 0, 127, -128, 127}));
  reals[3] = NAN;
  EXPECT_EQ(toStored(spec, ElementType::F32, bytesOf(reals),
                     reinterpret_cast<uint8_t *>(stored.data()))
                .message(),
            "element 3 is nan; it cannot be quantized to i8");
}

TEST(TensorConversion, UnquantizedIntegersTakeNoFloats) {
  TensorSpec spec = makeSpec(ElementType::I8, ElementType::I8, 1);
  EXPECT_FALSE(acceptsType(spec, ElementType::F32));
  EXPECT_FALSE(acceptsType(makeSpec(ElementType::F32, ElementType::F32, 1),
                           ElementType::F64));
}

TEST(TensorConversion, HalfInputsTakeFloats) {
  for (ElementType half : {ElementType::F16, ElementType::BF16}) {
    TensorSpec spec = makeSpec(half, half, 2);
    ASSERT_TRUE(acceptsType(spec, ElementType::F32));
    std::vector<float> reals = {1.0f, -2.5f};
    std::vector<uint16_t> stored(2);
    ASSERT_TRUE(toStored(spec, ElementType::F32, bytesOf(reals),
                         reinterpret_cast<uint8_t *>(stored.data()))
                    .isOk());
    for (int i = 0; i < 2; ++i)
      EXPECT_EQ(half == ElementType::F16 ? numeric::halfToFloat(stored[i])
                                         : numeric::bf16ToFloat(stored[i]),
                reals[i]);
  }
}

} // namespace
