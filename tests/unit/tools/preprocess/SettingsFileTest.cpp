#include "tools/preprocess/SettingsFile.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

using namespace weft;
using namespace weft::preprocess;
using testing::ElementsAre;
using testing::StartsWith;

namespace {

std::string message(std::string_view text) {
  Options options;
  return parseSettings(text, "p.yaml", options).message();
}

TEST(SettingsFile, ListsInBothForms) {
  Options options;
  rt::Status status = parseSettings("# a comment\n"
                                    "resize: letterbox\n"
                                    "pad-value: 114   # gray\n"
                                    "mean: [1, 2.5, -3]\n"
                                    "std:\n  - 4\n  - 5\n  - 6\n"
                                    "layout: 'nhwc'\n",
                                    "p.yaml", options);
  ASSERT_TRUE(status.isOk()) << status.message();
  EXPECT_EQ(options.resize, Resize::Letterbox);
  EXPECT_THAT(options.padValue, ElementsAre(114));
  EXPECT_THAT(options.mean, ElementsAre(1, 2.5, -3));
  EXPECT_THAT(options.stdDev, ElementsAre(4, 5, 6));
  EXPECT_EQ(options.layout, Layout::Nhwc);
}

TEST(SettingsFile, ErrorsNameTheLine) {
  EXPECT_THAT(message("mean: 1\nmaen: 2\n"),
              StartsWith("p.yaml:2: unknown key 'maen'; known: crop, color"));
  EXPECT_EQ(message("mean: 1\n\nmean: 2\n"), "p.yaml:3: mean is given twice");
  EXPECT_EQ(message("mean: [1, a, 2]\n"),
            "p.yaml:1: mean is '1,a,2', must be one number, or one for each "
            "channel");
  EXPECT_EQ(message("color: rgb\nmean: {a: 1}\n"),
            "p.yaml:2: mean must be a value or a list of values");
  EXPECT_EQ(message("color: rgb\nmean:\n  - 1\n  - [2]\n"),
            "p.yaml:4: mean must be a value or a list of values");
  EXPECT_EQ(message("mean:\nstd: 1\n"), "p.yaml:1: mean has no value");
  EXPECT_EQ(message("- mean\n"),
            "p.yaml:1: not a mapping; write one `key: value` a line");
  EXPECT_THAT(message(""), StartsWith("p.yaml:1: the file is empty"));
  EXPECT_THAT(message("# nothing\n"), StartsWith("p.yaml:1: the file is"));
  EXPECT_THAT(message("mean: 1\nstd: 'open\n"), StartsWith("p.yaml:"));
  EXPECT_THAT(message("mean: 1\n---\nstd: 2\n"), StartsWith("p.yaml:"));
}

TEST(SettingsFile, DepthDoesNotFillTheStack) {
  EXPECT_THAT(message(std::string(60000, '[')), StartsWith("p.yaml:1: "));
  EXPECT_THAT(message("mean: " + std::string(60000, '[')),
              StartsWith("p.yaml:1: "));
  EXPECT_THAT(message("mean: [" + std::string(60000, '{')),
              StartsWith("p.yaml:1: "));
  EXPECT_THAT(message(std::string(60000, '-')), StartsWith("p.yaml:1: "));
}

} // namespace
