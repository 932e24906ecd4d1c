// The files are those of the fuzz corpus: 9 x 6 pixels, red 28 x, green 50 y,
// blue 18 (x + y), written by Pillow. tests/cli/images_test.py compares more of
// them with Pillow.

#include "tools/images/Image.h"
#include "tools/images/Orientation.h"

#include <fstream>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

using namespace weft;
using images::Image;
using testing::ElementsAre;
using testing::HasSubstr;

namespace {

std::string slurp(const std::string &name) {
  std::ifstream in(IMAGE_FOLDER + name, std::ios::binary);
  EXPECT_TRUE(in.good()) << name;
  return std::string(std::istreambuf_iterator<char>(in), {});
}

Image decoded(const std::string &name) {
  rt::Result<Image> image = images::decode(slurp(name));
  EXPECT_TRUE(image.isOk()) << name << ": " << image.status().message();
  return image ? *std::move(image) : Image();
}

/// The pixel of the scene at (y, x).
std::vector<int> scene(int64_t y, int64_t x) {
  return {int(28 * x), int(50 * y), int(18 * (x + y))};
}

int farthest(const Image &image, bool isTurned) {
  int most = 0;
  for (int64_t y = 0; y < image.height; ++y)
    for (int64_t x = 0; x < image.width; ++x) {
      // Orientation 6: stored rows are columns from the right.
      std::vector<int> wanted = isTurned ? scene(5 - x, y) : scene(y, x);
      for (size_t c = 0; c < 3; ++c)
        most = std::max(most, std::abs(image.at(y, x)[c] - wanted[c]));
    }
  return most;
}

TEST(Images, PngIsExact) {
  for (const char *name : {"rgb.png", "alpha.png"}) {
    Image image = decoded(name);
    ASSERT_EQ(image.width, 9) << name;
    ASSERT_EQ(image.height, 6) << name;
    ASSERT_EQ(image.channels, 3) << name;
    EXPECT_EQ(farthest(image, false), 0) << name;
  }
}

TEST(Images, DepthsBecomeEightBits) {
  // 7000 x + 100 y of 65535: v / 257 to the nearest.
  Image image = decoded("gray_16.png");
  ASSERT_EQ(image.channels, 1);
  for (int64_t y = 0; y < 6; ++y)
    for (int64_t x = 0; x < 9; ++x)
      EXPECT_EQ(*image.at(y, x), (7000 * x + 100 * y + 128) / 257);
  for (uint8_t code : decoded("one_bit.png").pixels)
    EXPECT_TRUE(code == 0 || code == 255) << int(code);
}

TEST(Images, OrientationIsApplied) {
  Image png = decoded("turned.png");
  ASSERT_EQ(png.width, 6);
  ASSERT_EQ(png.height, 9);
  EXPECT_EQ(farthest(png, true), 0);
  Image jpeg = decoded("turned.jpg");
  ASSERT_EQ(jpeg.width, 6);
  // Quality 95 of a smooth scene: Pillow's own decoder is 5 away at most.
  EXPECT_LE(farthest(jpeg, true), 6);
}

TEST(Images, EveryOrientationPutsTheFirstPixelInItsCorner) {
  // 1 2 3 over 4 5 6; Exif 2.3: the stored first row and column are shown at
  // .. top left, top right, bottom right, bottom left, and the same turned.
  Image image;
  image.width = 3;
  image.height = 2;
  image.channels = 1;
  image.pixels = {1, 2, 3, 4, 5, 6};
  auto turned = [&](int orientation) {
    return images::orient(image, orientation).pixels;
  };
  EXPECT_THAT(turned(1), ElementsAre(1, 2, 3, 4, 5, 6));
  EXPECT_THAT(turned(2), ElementsAre(3, 2, 1, 6, 5, 4));
  EXPECT_THAT(turned(3), ElementsAre(6, 5, 4, 3, 2, 1));
  EXPECT_THAT(turned(4), ElementsAre(4, 5, 6, 1, 2, 3));
  EXPECT_THAT(turned(5), ElementsAre(1, 4, 2, 5, 3, 6));
  EXPECT_THAT(turned(6), ElementsAre(4, 1, 5, 2, 6, 3));
  EXPECT_THAT(turned(7), ElementsAre(6, 3, 5, 2, 4, 1));
  EXPECT_THAT(turned(8), ElementsAre(3, 6, 2, 5, 1, 4));
  EXPECT_EQ(images::orient(image, 5).width, 2);
  EXPECT_EQ(images::orient(image, 5).height, 3);
}

TEST(Images, BrokenExifIsUpright) {
  using namespace std::string_literals;
  std::string good = "MM\0*\0\0\0\x08\0\x01\x01\x12\0\x03\0\0\0\x01\0\x06\0\0"s;
  EXPECT_EQ(images::exifOrientation(good), 6);
  for (size_t size = 0; size < 20; ++size)
    EXPECT_EQ(images::exifOrientation(good.substr(0, size)), 1) << size;
  std::string beyond = good, ninth = good;
  beyond[4] = '\x7f'; // the directory
  ninth[19] = 9;
  EXPECT_EQ(images::exifOrientation(beyond), 1);
  EXPECT_EQ(images::exifOrientation(ninth), 1);
  EXPECT_EQ(images::exifOrientation("II*\0"s), 1);
}

TEST(Images, GrayAndInks) {
  EXPECT_EQ(decoded("gray.png").channels, 1);
  EXPECT_EQ(decoded("gray.jpg").channels, 1);
  EXPECT_EQ(decoded("palette.png").channels, 3);
  Image inks = decoded("cmyk.jpg");
  ASSERT_EQ(inks.channels, 3);
  // As above; three of the four inks are coded.
  EXPECT_LE(farthest(inks, false), 6);
}

TEST(Images, WhatIsCutOffIsAnError) {
  for (const char *name : {"rgb.png", "palette.png", "gray_16.png",
                           "progressive.jpg", "turned.jpg", "cmyk.jpg"}) {
    std::string file = slurp(name);
    // The last bytes are the end marker, which both formats can do without.
    for (size_t size = 0; size + 16 < file.size(); ++size) {
      rt::Result<Image> image = images::decode(file.substr(0, size));
      EXPECT_FALSE(image.isOk()) << name << " cut at " << size;
    }
  }
}

TEST(Images, OtherFormatsAreNamed) {
  using namespace std::string_literals;
  for (const auto &[bytes, name] : {std::pair("GIF89a"s, "GIF"),
                                    {"II*\0\10\0\0\0"s, "TIFF"},
                                    {"BM\x36\3\0\0\0\0\0\0\x36\0"s, "BMP"},
                                    {"RIFF\x24\1\0\0WEBPVP8 "s, "WebP"},
                                    {"\0\0\0\x18"s + "ftypheic", "HEIF"},
                                    {"BMW is a car"s, ""},
                                    {"BM"s, ""},
                                    {""s, ""}})
    EXPECT_EQ(images::otherFormat(bytes), name) << bytes;
}

TEST(Images, ErrorsSayWhatIsWrong) {
  auto message = [](const std::string &bytes) {
    return images::decode(bytes).status().message();
  };
  EXPECT_EQ(message("GIF89a"),
            "unsupported: neither PNG nor JPEG; convert the image");
  EXPECT_THAT(message("\xff\xd8\xff\xe0"), HasSubstr("the JPEG is broken: "));
  std::string png = slurp("rgb.png");
  png[45] ^= 1; // a check sum
  EXPECT_THAT(message(png), HasSubstr("the PNG is broken: "));
  EXPECT_THAT(message(png), HasSubstr("; save it again, or leave it out"));
  png.replace(16, 4, 4, '\0'); // the width
  EXPECT_THAT(message(png), HasSubstr("the image has 0 x "));
  // A frame of 65500 x 65500 in a file of a few hundred bytes.
  std::string jpeg = slurp("gray.jpg");
  size_t frame = jpeg.find("\xff\xc0");
  ASSERT_NE(frame, jpeg.npos);
  jpeg.replace(frame + 5, 4, "\xff\xdc\xff\xdc");
  EXPECT_EQ(message(jpeg), "unsupported: an image of 65500 x 65500 pixels; at "
                           "most 100 million are read");
}

TEST(Images, EncodedPngsAreReadBack) {
  for (int64_t channels : {1, 3}) {
    Image image{5, 3, channels, {}};
    for (int64_t i = 0; i < 5 * 3 * channels; ++i)
      image.pixels.push_back(uint8_t(i * 37));
    rt::Result<std::string> file = images::encodePng(image);
    ASSERT_TRUE(file.isOk());
    rt::Result<Image> back = images::decode(*file);
    ASSERT_TRUE(back.isOk()) << back.status().message();
    EXPECT_EQ(back->width, 5);
    EXPECT_EQ(back->channels, channels);
    EXPECT_EQ(back->pixels, image.pixels);
  }
}

} // namespace
