#include "tools/samples/Sample.h"
#include "tests/unit/tools/TemporaryFolder.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

using namespace weft;
using namespace weft::samples;
using numeric::ElementType;
using numeric::HostTensor;
using testing::ElementsAre;
using testing::HasSubstr;

namespace {

class Samples : public testing::Test {
protected:
  Samples() {
    for (int64_t i = 0; i < array.elements(); ++i)
      array.setFromDouble(i, double(i));
    EXPECT_TRUE(npz::writeNpz(both, {{"x", &array}, {"z", &array}}).isOk());
    EXPECT_TRUE(npz::writeNpz(one, {{"any", &array}}).isOk());
  }
  std::string refusal(const SampleFiles &files,
                      const std::vector<Input> &inputs,
                      const preprocess::Options &options = {}) {
    return Sample::open(files, inputs, options).status().message();
  }

  test::TemporaryFolder folder{"sample"};
  std::string both = folder.file("both.npz"), one = folder.file("one.npz"),
              photo = IMAGE_FOLDER "rgb.png"; // 9 x 6 pixels
  HostTensor array{ElementType::F32, {1, 3, 6, 9}};
  Input x{"x", ElementType::F32, {{1, 3, 6, 9}}},
      z{"z", ElementType::F32, {{1, 3, 6, 9}}};
};

TEST_F(Samples, ArchivesHoldAllInputs) {
  rt::Result<Sample> sample = Sample::open({{both, ""}}, {x, z}, {});
  ASSERT_TRUE(sample.isOk()) << sample.status().message();
  EXPECT_THAT(sample->names(), ElementsAre("x", "z"));
  EXPECT_EQ(*sample->read("z"), array);
  EXPECT_EQ(sample->type("x"), ElementType::F32);
  EXPECT_FALSE(sample->has("y"));
  // It owns what it reads from.
  Sample moved = *std::move(sample);
  EXPECT_EQ(*moved.read("x"), array);
}

TEST_F(Samples, FilesOfInputsMayBeOfAnyKind) {
  rt::Result<Sample> sample =
      Sample::open({{photo, "x"}, {one, "z"}}, {x, z}, {});
  ASSERT_TRUE(sample.isOk()) << sample.status().message();
  EXPECT_EQ(*sample->read("z"), array);
  EXPECT_EQ(sample->shape("x"), array.shape());
  EXPECT_EQ(sample->read("x")->toDouble(8), 8 * 28); // red of the last column
  EXPECT_EQ(sample->path("z"), one);
  EXPECT_EQ(sample->path(), photo + ", " + one);
  EXPECT_THAT(refusal({{both, "w"}}, {x, z}),
              HasSubstr("there is no input 'w'; the model has 'x', 'z'"));
  Input w = x;
  w.name = "w";
  EXPECT_THAT(refusal({{both, "w"}}, {x, w}), HasSubstr("no array 'w'"));
  EXPECT_THAT(refusal({{photo, ""}}, {x, z}),
              HasSubstr("the model has 'x', 'z'; say NAME=PATH"));
  EXPECT_THAT(refusal({{photo, "w"}}, {x, z}), HasSubstr("no input 'w'"));
}

TEST_F(Samples, ImagesTakeTheSizeThatFits) {
  Input several{"x", ElementType::F32, {{1, 3, 2, 2}, {4, 3, 2, 2}}};
  EXPECT_EQ(Sample::open({{photo, ""}}, {several}, {})->shape("x"),
            (std::vector<int64_t>{1, 3, 2, 2}));
  several.shapes.push_back({1, 3, 2, 4});
  EXPECT_THAT(refusal({{photo, ""}}, {several}),
              HasSubstr("images of input 'x' may have 2x2, 2x4; choose with"));
  preprocess::Options options;
  options.size = preprocess::Size{2, 4};
  EXPECT_EQ(Sample::open({{photo, ""}}, {several}, options)->shape("x"),
            (std::vector<int64_t>{1, 3, 2, 4}));
}

TEST_F(Samples, PreprocessingWantsAnImage) {
  EXPECT_TRUE(checkAnyImage({{{both, ""}}, {{photo, ""}}}).isOk());
  EXPECT_THAT(checkAnyImage({{{both, ""}}}).message(),
              HasSubstr("there is no image"));
}

} // namespace
