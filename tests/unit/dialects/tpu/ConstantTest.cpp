//===- ConstantTest.cpp - parts of large weights --------------------------===//

#include "dialects/tpu/Constant.h"

#include "mlir/IR/Builders.h"

#include <gtest/gtest.h>

#include <numeric>

using namespace mlir;
using namespace weft;
using namespace weft::tpu;

namespace {
class PartsOfWeight : public testing::Test {
protected:
  /// 0, 1, 2 .. as a weight of this shape.
  ElementsAttr counted(ArrayRef<int64_t> shape) {
    auto type = RankedTensorType::get(shape, Builder(&context).getF32Type());
    std::vector<float> values(type.getNumElements());
    std::iota(values.begin(), values.end(), 0.0f);
    return weightAttr(type, std::move(values));
  }

  static std::vector<float> numbers(ElementsAttr attr) {
    std::vector<char> bytes = *constantBytes(attr);
    std::vector<float> values(bytes.size() / sizeof(float));
    std::copy(bytes.begin(), bytes.end(),
              reinterpret_cast<char *>(values.data()));
    return values;
  }

  /// Whether `parts` have all numbers in order, `rows` of `axis` each.
  static void expectAll(ArrayRef<ElementsAttr> parts, unsigned axis,
                        ArrayRef<int64_t> rows) {
    ASSERT_EQ(parts.size(), rows.size());
    float next = 0;
    for (auto [part, count] : llvm::zip(parts, rows)) {
      EXPECT_EQ(cast<RankedTensorType>(part.getType()).getDimSize(axis), count);
      for (float number : numbers(part))
        ASSERT_EQ(number, next++);
    }
  }

  MLIRContext context;
};
} // namespace

TEST_F(PartsOfWeight, OfAResourceAreItsMemory) {
  ElementsAttr whole = counted({70, 10, 3, 1});
  ArrayRef<char> bytes = *constantView(whole);
  SmallVector<ElementsAttr> parts = partsOfWeight(whole, 0, 32);
  expectAll(parts, 0, {32, 32, 6});
  EXPECT_EQ(constantView(parts[0])->data(), bytes.data());
  EXPECT_EQ(constantView(parts[2])->end(), bytes.end());
  // The whole is still there, and can be cut again.
  EXPECT_EQ(constantView(whole)->data(), bytes.data());
  expectAll(partsOfWeight(whole, 0, 64), 0, {64, 6});
}

TEST_F(PartsOfWeight, OutliveTheWhole) {
  ElementsAttr whole = counted({70, 10, 3, 1});
  SmallVector<ElementsAttr> parts = partsOfWeight(whole, 0, 40);
  auto handle = cast<DenseResourceElementsAttr>(whole).getRawHandle();
  *handle.getBlob() = AsmResourceBlob();
  expectAll(parts, 0, {40, 30});
}

TEST_F(PartsOfWeight, OfASmallOneAreCopies) {
  expectAll(partsOfWeight(counted({1, 10, 1, 1}), 1, 4), 1, {4, 4, 2});
}

TEST_F(PartsOfWeight, OfASplatAreAlike) {
  auto type =
      RankedTensorType::get({50, 10, 3, 1}, Builder(&context).getF32Type());
  SmallVector<ElementsAttr> parts =
      partsOfWeight(DenseElementsAttr::get(type, 2.0f), 0, 30);
  ASSERT_EQ(parts.size(), 2u);
  EXPECT_EQ(numbers(parts[0]), std::vector<float>(900, 2.0f));
  EXPECT_EQ(numbers(parts[1]), std::vector<float>(600, 2.0f));
}
