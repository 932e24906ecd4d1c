#include "tools/preprocess/Preprocess.h"
#include "tools/preprocess/Resample.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

using namespace weft;
using namespace weft::preprocess;
using images::Image;
using numeric::ElementType;
using numeric::HostTensor;
using testing::ElementsAre;
using testing::HasSubstr;

namespace {

Image image(int64_t height, int64_t width, int64_t channels,
            std::vector<uint8_t> pixels) {
  Image made;
  made.height = height;
  made.width = width;
  made.channels = channels;
  made.pixels = std::move(pixels);
  return made;
}

Input input(std::vector<int64_t> shape, ElementType type = ElementType::F32) {
  return {"x", type, std::move(shape)};
}

std::vector<double> values(const Image &image, const Options &options,
                           const Input &input) {
  EXPECT_TRUE(check(options).isOk());
  rt::Result<HostTensor> tensor = preprocess::preprocess(image, options, input);
  EXPECT_TRUE(tensor.isOk()) << tensor.status().message();
  std::vector<double> list;
  for (int64_t i = 0; tensor && i < tensor->elements(); ++i)
    list.push_back(tensor->toDouble(i));
  return list;
}

std::string refusal(const Image &image, const Options &options,
                    const Input &input) {
  return preprocess::preprocess(image, options, input).status().message();
}

const Image kPixel = image(1, 1, 3, {10, 20, 30});

TEST(Resample, HalfPixelCentres) {
  // Two pixels to four: at -0.25 (held at 0), 0.25, 0.75 and 1.25 (held at 1).
  Image two = image(1, 2, 1, {0, 100});
  EXPECT_THAT(resample(two, {1, 4}, {0, 0, 4, 1}).pixels,
              ElementsAre(0, 25, 75, 100));
  // Four to two: at 0.5 and 2.5. Six to two: at 1 and 4; an antialiasing filter
  // would give 55 and 200.
  EXPECT_THAT(
      resample(image(1, 4, 1, {0, 10, 20, 31}), {1, 2}, {0, 0, 2, 1}).pixels,
      ElementsAre(5, 26)); // 25.5 rounds up
  EXPECT_THAT(
      resample(image(1, 6, 1, {0, 8, 99, 0, 200, 9}), {1, 2}, {0, 0, 2, 1})
          .pixels,
      ElementsAre(8, 200));
  // Both directions: the middle of four pixels.
  EXPECT_THAT(
      resample(image(2, 2, 1, {0, 10, 20, 50}), {1, 1}, {0, 0, 1, 1}).pixels,
      ElementsAre(20));
}

TEST(Resample, WindowIsAPartOfTheWhole) {
  Image two = image(1, 2, 1, {0, 100});
  EXPECT_THAT(resample(two, {2, 4}, {1, 1, 2, 1}).pixels, ElementsAre(25, 75));
}

TEST(Preprocess, MeanThenScaleThenLayout) {
  Options options;
  options.mean = {1, 2, 3};
  options.scale = {0.5};
  EXPECT_THAT(values(kPixel, options, input({1, 3, 1, 1})),
              ElementsAre(4.5, 9, 13.5));
  options.scale = {1};
  options.stdDev = {2, 4, 8};
  options.color = Color::Bgr;
  EXPECT_THAT(values(kPixel, options, input({1, 1, 1, 3})),
              ElementsAre(14.5, 4.5, 0.875));
  // Rounded once, from a double: (30 - 0.1) / 3.
  options.mean = {0.1};
  options.stdDev = {3};
  EXPECT_EQ(values(kPixel, options, input({1, 3, 1, 1}))[0],
            double(float(29.9 / 3)));
}

TEST(Preprocess, ColorsFollowTheInput) {
  // (19595 * 10 + 38470 * 20 + 7471 * 30 + 32768) >> 16
  EXPECT_THAT(values(kPixel, {}, input({1, 1, 1, 1})), ElementsAre(18));
  EXPECT_THAT(values(image(1, 1, 1, {7}), {}, input({1, 3, 1, 1})),
              ElementsAre(7, 7, 7));
  Options options;
  options.color = Color::Gray;
  EXPECT_THAT(refusal(kPixel, options, input({1, 3, 2, 2})),
              HasSubstr("gray is for one channel"));
}

TEST(Preprocess, LayoutsAndRanks) {
  Image row = image(1, 2, 3, {1, 2, 3, 4, 5, 6});
  EXPECT_THAT(values(row, {}, input({1, 3, 1, 2})),
              ElementsAre(1, 4, 2, 5, 3, 6));
  EXPECT_THAT(values(row, {}, input({3, 1, 2})), ElementsAre(1, 4, 2, 5, 3, 6));
  Options options; // without it, 1 would be one channel
  options.layout = Layout::Nhwc;
  EXPECT_THAT(values(row, options, input({1, 1, 2, 3})),
              ElementsAre(1, 2, 3, 4, 5, 6));
  // A batch is one image.
  EXPECT_EQ(preprocess::preprocess(row, {}, input({8, 3, 1, 2}))->shape(),
            (std::vector<int64_t>{1, 3, 1, 2}));
  EXPECT_THAT(refusal(row, {}, input({1, 4, 4, 4})), HasSubstr("1 or 3"));
  EXPECT_THAT(refusal(row, {}, input({1, 128})), HasSubstr("n,c,h,w"));
  EXPECT_THAT(refusal(row, {}, input({1, 3, 0, 2})), HasSubstr("no pixels"));
}

TEST(Preprocess, LetterboxKeepsTheAspectRatio) {
  // 4 x 2 into 4 x 5 (height x width): halved to 2 x ... 5 / 4 > 4 / 2? No: the
  // smaller of 4 / 4 and 5 / 2 is 1, so 4 x 2 stays and 3 columns are padding.
  Image tall = image(4, 2, 1, {1, 2, 3, 4, 5, 6, 7, 8});
  Options options;
  options.resize = Resize::Letterbox;
  options.padValue = {100};
  options.mean = {0.5};
  std::vector<double> centred = values(tall, options, input({1, 1, 4, 5}));
  EXPECT_THAT(std::vector<double>(centred.begin(), centred.begin() + 5),
              ElementsAre(99.5, 0.5, 1.5, 99.5, 99.5));
  options.padAlign = PadAlign::TopLeft;
  std::vector<double> corner = values(tall, options, input({1, 1, 4, 5}));
  EXPECT_THAT(std::vector<double>(corner.begin(), corner.begin() + 5),
              ElementsAre(0.5, 1.5, 99.5, 99.5, 99.5));
  // 1000 x 1 into 4 x 4: a column remains.
  EXPECT_EQ(
      values(image(1000, 1, 1, std::vector<uint8_t>(1000, 9)), options,
             input({1, 1, 4, 4})),
      (std::vector<double>{8.5, 99.5, 99.5, 99.5, 8.5, 99.5, 99.5, 99.5, 8.5,
                           99.5, 99.5, 99.5, 8.5, 99.5, 99.5, 99.5}));
}

TEST(Preprocess, CenterCropTakesTheMiddle) {
  Image row = image(1, 6, 1, {0, 10, 20, 30, 40, 50});
  Options options;
  options.resize = Resize::CenterCrop;
  EXPECT_THAT(values(row, options, input({1, 1, 1, 2})), ElementsAre(20, 30));
  EXPECT_THAT(values(row, options, input({1, 1, 1, 3})),
              ElementsAre(10, 20, 30)); // (6 - 3) / 2, rounded down
  options.shortSide = 2; // 2 x 12: at 5, 6 of 12 is 2.25, 2.75 of 6
  EXPECT_THAT(values(row, options, input({1, 1, 1, 2})), ElementsAre(23, 28));
  options.shortSide = 1;
  EXPECT_THAT(refusal(row, options, input({1, 1, 2, 2})),
              HasSubstr("short-side 1"));
  // 1 x 6 of short side 10^6 would be 6 million columns: only two are made.
  options.shortSide = 1'000'000;
  EXPECT_EQ(values(row, options, input({1, 1, 1, 2})).size(), 2u);
  options.shortSide = 0;
  Image line = image(1, 300'000, 1, std::vector<uint8_t>(300'000, 9));
  EXPECT_THAT(refusal(line, options, input({1, 1, 224, 224})),
              HasSubstr("would have 67200000 x 224 pixels"));
}

TEST(Preprocess, CropComesFirst) {
  Image row = image(1, 4, 1, {1, 2, 3, 4});
  Options options;
  options.resize = Resize::None;
  options.crop = Rectangle{1, 0, 2, 1};
  EXPECT_THAT(values(row, options, input({1, 1, 1, 2})), ElementsAre(2, 3));
  options.crop = Rectangle{3, 0, 2, 1};
  EXPECT_THAT(refusal(row, options, input({1, 1, 1, 2})),
              HasSubstr("crop is 3,0,2,1"));
  options.crop.reset();
  EXPECT_THAT(refusal(row, options, input({1, 1, 1, 2})),
              HasSubstr("the image has 4 x 1 pixels"));
}

TEST(Preprocess, BytesRoundToEvenAndSaturate) {
  Options options;
  options.scale = {0.5};
  // More often than not the program has the scale in it (--fuse-preprocess).
  EXPECT_THAT(refusal(kPixel, options, input({1, 3, 1, 1}, ElementType::U8)),
              HasSubstr("takes pixels as they are (u8)"));
  options.dtype = ElementType::U8;
  EXPECT_THAT(values(image(1, 4, 1, {1, 3, 5, 255}), options,
                     input({1, 1, 1, 4}, ElementType::U8)),
              ElementsAre(0, 2, 2, 128)); // 0.5, 1.5, 2.5, 127.5
  options.scale = {2};
  options.mean = {10};
  EXPECT_THAT(values(image(1, 2, 1, {0, 200}), options,
                     input({1, 1, 1, 2}, ElementType::U8)),
              ElementsAre(0, 255));
  options.dtype = ElementType::F32;
  EXPECT_EQ(preprocess::preprocess(kPixel, options,
                                   input({1, 1, 1, 1}, ElementType::U8))
                ->type(),
            ElementType::F32);
  EXPECT_THAT(refusal(kPixel, {}, input({1, 3, 1, 1}, ElementType::I64)),
              HasSubstr("i64"));
  EXPECT_EQ(
      preprocess::preprocess(kPixel, {}, input({1, 3, 1, 1}, ElementType::F16))
          ->type(),
      ElementType::F16);
}

TEST(Preprocess, ContradictionsAreErrors) {
  Options both;
  both.scale = {2};
  both.stdDev = {2};
  EXPECT_THAT(check(both).message(), HasSubstr("scale and std"));
  Options side;
  side.shortSide = 5;
  EXPECT_THAT(check(side).message(), HasSubstr("short-side"));
  Options pad;
  pad.padValue = {1};
  EXPECT_THAT(check(pad).message(), HasSubstr("pad-value"));
  Options three;
  three.mean = {1, 2, 3};
  EXPECT_THAT(refusal(kPixel, three, input({1, 1, 1, 1})),
              HasSubstr("mean has 3 numbers, the input 1 channels"));
}

} // namespace
