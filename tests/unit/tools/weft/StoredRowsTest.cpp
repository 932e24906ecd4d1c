//===- StoredRowsTest.cpp - stored values beside those expected -----------===//

#include "tools/weft/StoredRows.h"

#include <cmath>
#include <gtest/gtest.h>
#include <limits>

using namespace weft;
using namespace weft::cli;
using numeric::ElementType;
using numeric::HostTensor;

namespace {

HostTensor tensor(ElementType type, std::vector<double> values) {
  HostTensor made(type, {1, int64_t(values.size())});
  for (size_t i = 0; i < values.size(); ++i)
    made.setFromDouble(int64_t(i), values[i]);
  return made;
}

StoredRow compare(const HostTensor &value, const HostTensor &expected,
                  Equality equality = Equality::Roundings,
                  double step = 0x1p-23) {
  return compareStored("y", false, value, expected, step, equality);
}

TEST(StoredRows, codes_may_be_off_by_one) {
  HostTensor expected = tensor(ElementType::I8, {1, -2, 3});
  EXPECT_FALSE(compare(expected, expected).isWrong);
  StoredRow row = compare(tensor(ElementType::I8, {1, -3, 3}), expected);
  EXPECT_FALSE(row.isWrong);
  EXPECT_TRUE(
      compare(tensor(ElementType::I8, {1, -3, 3}), expected, Equality::Bits)
          .isWrong);
  EXPECT_TRUE(compare(tensor(ElementType::I8, {1, -4, 3}), expected).isWrong);
  EXPECT_EQ(storedText(row, "wrong"), "1 of 3 elements are wrong, the first at "
                                      "[0, 1]: -3 for -2, as stored");
}

TEST(StoredRows, floats_may_round_in_another_order) {
  HostTensor expected = tensor(ElementType::F16, {1, 0.5, -1});
  HostTensor rounded = tensor(ElementType::F16, {1 + 0x1p-10, 0.5, -1});
  EXPECT_FALSE(compare(rounded, expected).isWrong);
  EXPECT_EQ(compare(rounded, expected).unequal, 1);
  EXPECT_TRUE(compare(rounded, expected, Equality::Bits).isWrong);
  EXPECT_TRUE(
      compare(tensor(ElementType::F16, {1.05, 0.5, -1}), expected).isWrong);
}

TEST(StoredRows, a_number_for_a_nan_is_told_apart) {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  HostTensor expected = tensor(ElementType::F32, {1, nan, -1});
  StoredRow row = compare(tensor(ElementType::F32, {1, 1e-10, -1}), expected);
  EXPECT_TRUE(row.isWrong && row.isWrongByNanAlone);
  EXPECT_EQ(row.unequal, 1);
  row = compare(tensor(ElementType::F32, {2, 1e-10, -1}), expected);
  EXPECT_TRUE(row.isWrong && !row.isWrongByNanAlone);
  row = compare(tensor(ElementType::F32, {1, nan, nan}), expected);
  EXPECT_TRUE(row.isWrong && !row.isWrongByNanAlone);
}

TEST(StoredRows, floats_stored_wider_have_the_steps_of_the_program) {
  HostTensor expected = tensor(ElementType::F32, {1, 0.5, -1});
  HostTensor off = tensor(ElementType::F32, {1 + 0x1p-9, 0.5, -1});
  EXPECT_TRUE(compare(off, expected).isWrong);
  EXPECT_FALSE(compare(off, expected, Equality::Roundings, 0x1p-10).isWrong);
}

TEST(StoredRows, small_sums_of_large_terms_are_held_against_the_whole) {
  HostTensor expected = tensor(ElementType::F32, {1, 1, 1e-6});
  EXPECT_FALSE(
      compare(tensor(ElementType::F32, {1, 1, 1.5e-6}), expected).isWrong);
}

TEST(StoredRows, what_is_not_finite_is_no_rounding) {
  double infinity = std::numeric_limits<double>::infinity(), nan = NAN;
  HostTensor expected = tensor(ElementType::F32, {1, infinity, nan});
  EXPECT_FALSE(compare(expected, expected).isWrong);
  for (double value : {infinity, -infinity, nan})
    EXPECT_TRUE(
        compare(tensor(ElementType::F32, {value, infinity, nan}), expected)
            .isWrong);
  EXPECT_TRUE(compare(tensor(ElementType::F32, {1, 5, nan}), expected).isWrong);
}

} // namespace
