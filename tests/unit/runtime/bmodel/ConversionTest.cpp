#include "runtime/bmodel/Conversion.h"
#include "tests/unit/runtime/bmodel/SmallModel.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

using namespace weft::rt;

namespace {

/// The small model with `record` in its debug map.
Result<Bmodel> modelWith(const wire::ConversionT &record) {
  SmallModel small = makeSmallModel();
  wire::DebugMapT &map = *small.tables.nets[0]->stages[0]->debug_map;
  map.producer = "weft 0.1.0";
  map.conversion = std::make_unique<wire::ConversionT>(record);
  return Bmodel::load(packModel(small), "small");
}

TEST(Conversion, IsReadFromTheFirstStage) {
  wire::ConversionT record;
  record.options = {"precision=int8", "group-size=", "alone", "a=b=c"};
  record.calibration = "x 1 2\n";
  record.calibration_sha256.assign(32, 7);
  Result<Bmodel> model = modelWith(record);
  ASSERT_TRUE(model.isOk()) << model.status().message();
  std::optional<Conversion> found = readConversion(model->nets()[0]);
  ASSERT_TRUE(found.has_value());
  EXPECT_EQ(found->compiler, "weft 0.1.0");
  ASSERT_EQ(found->options.size(), 4u);
  EXPECT_EQ(found->find("precision"), "int8");
  EXPECT_EQ(found->find("group-size"), "");
  EXPECT_EQ(found->find("alone"), "");
  EXPECT_EQ(found->find("a"), "b=c");
  EXPECT_EQ(found->find("O"), std::nullopt);
  EXPECT_EQ(found->calibration, "x 1 2\n");
  EXPECT_EQ(found->precisionTable, "");
  EXPECT_TRUE(found->hasCalibration());
}

TEST(Conversion, IsNotThereInFilesOfOthers) {
  Result<Bmodel> model = Bmodel::load(packModel(makeSmallModel()), "small");
  ASSERT_TRUE(model.isOk()) << model.status().message();
  EXPECT_FALSE(readConversion(model->nets()[0]).has_value());
}

} // namespace
