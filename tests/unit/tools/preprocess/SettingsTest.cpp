#include "tools/preprocess/Settings.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

using namespace weft;
using namespace weft::preprocess;
using testing::ElementsAre;

namespace {

std::string message(const char *name, std::vector<std::string> values) {
  Options options;
  return findSetting(name)->set(options, values).message();
}

TEST(Settings, SetTheirMembers) {
  Options options;
  auto set = [&](const char *name, std::vector<std::string> values) {
    rt::Status status = findSetting(name)->set(options, values);
    EXPECT_TRUE(status.isOk()) << status.message();
  };
  set("crop", {"1", "0", "30", "40"});
  set("color", {"bgr"});
  set("resize", {"center-crop"});
  set("size", {"48x192"});
  set("short-side", {"256"});
  set("pad-value", {"114"});
  set("pad-align", {"top-left"});
  set("mean", {"1.5", "-2", "3e1"});
  set("scale", {"0.25"});
  set("std", {"4"});
  set("layout", {"nhwc"});
  set("dtype", {"uint8"});
  EXPECT_EQ(options.crop->left, 1);
  EXPECT_EQ(options.crop->height, 40);
  EXPECT_EQ(options.color, Color::Bgr);
  EXPECT_EQ(options.resize, Resize::CenterCrop);
  EXPECT_EQ(options.size->height, 48);
  EXPECT_EQ(options.size->width, 192);
  EXPECT_EQ(options.shortSide, 256);
  EXPECT_THAT(options.padValue, ElementsAre(114));
  EXPECT_EQ(options.padAlign, PadAlign::TopLeft);
  EXPECT_THAT(options.mean, ElementsAre(1.5, -2, 30));
  EXPECT_THAT(options.scale, ElementsAre(0.25));
  EXPECT_THAT(options.stdDev, ElementsAre(4));
  EXPECT_EQ(options.layout, Layout::Nhwc);
  EXPECT_EQ(options.dtype, numeric::ElementType::U8);
  EXPECT_EQ(settings().size(), 12u) << "a new one wants its line here";
}

TEST(Settings, MessagesSayValueAndRule) {
  EXPECT_EQ(message("resize", {"fit"}),
            "resize is 'fit', must be stretch, letterbox, center-crop or none");
  EXPECT_EQ(message("layout", {"chw"}),
            "layout is 'chw', must be nchw or nhwc");
  EXPECT_EQ(message("mean", {"1", "2"}),
            "mean is '1,2', must be one number, or one for each channel");
  EXPECT_EQ(message("std", {"0"}), "std is '0', must be one number other than "
                                   "0, or one for each channel");
  EXPECT_EQ(message("size", {"48"}),
            "size is '48', must be HEIGHTxWIDTH in pixels, as 48x192");
  EXPECT_EQ(message("crop", {"1", "2", "3"}),
            "crop is '1,2,3', must be left,top,width,height in pixels");
  for (const char *text : {"", "nan", "inf", "1e999", "0x10", "1 ", "+1", "a"})
    EXPECT_NE(message("scale", {text}), "") << text;
  for (const char *text : {"0x5", "5x0", "x", "-1x5", "5x5x5", "5x99999999"})
    EXPECT_NE(message("size", {text}), "") << text;
  EXPECT_NE(message("short-side", {"0"}), "");
  EXPECT_NE(message("crop", {"0", "0", "0", "1"}), "");
  EXPECT_EQ(findSetting("Mean"), nullptr);
}

} // namespace
