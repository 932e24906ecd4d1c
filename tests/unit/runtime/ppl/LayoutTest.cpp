#include "runtime/chips/Chips.h"
#include "tests/unit/runtime/ppl/Calls.h"

using namespace weft;
using namespace weft::catalog;
using namespace weft::catalog::testing;

TEST(Layout, aPartMayLieAsTheRuleSays) {
  auto lies = [](const Dims &shape, const Dims &strides, AlignMode mode) {
    return liesAs(strided(DataType::Fp16, shape, strides).tensor, mode,
                  chips::bm1684x);
  };
  EXPECT_TRUE(lies({2, 64, 3, 5}, {32, 32, 5, 1}, AlignMode::Aligned));
  EXPECT_FALSE(lies({2, 64, 3, 5}, {64, 32, 5, 1}, AlignMode::Aligned));
  // One image, one row of lanes: the steps there do not count.
  EXPECT_TRUE(lies({1, 64, 3, 5}, {64, 999, 5, 1}, AlignMode::Aligned));
  EXPECT_FALSE(lies({1, 65, 3, 5}, {64, 999, 5, 1}, AlignMode::Aligned));
  EXPECT_TRUE(lies({1, 64, 3, 5}, {0, 0, 32, 1}, AlignMode::RowAligned));
  EXPECT_FALSE(lies({1, 64, 3, 5}, {0, 0, 31, 1}, AlignMode::RowAligned));
  EXPECT_TRUE(lies({2, 64, 3, 5}, {15, 15, 5, 1}, AlignMode::Compact));
  // From lane 60 on, 5 channels take two rows.
  Tensor tensor =
      strided(DataType::Fp16, {1, 5, 3, 5}, {0, 16, 5, 1}, 60).tensor;
  EXPECT_FALSE(liesAs(tensor, AlignMode::Compact, chips::bm1684x));
  tensor.strides[1] = 15;
  EXPECT_TRUE(liesAs(tensor, AlignMode::Compact, chips::bm1684x));
}
