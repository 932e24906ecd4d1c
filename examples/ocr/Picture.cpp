#include "Picture.h"
#include <algorithm>
#include <opencv2/imgproc.hpp>

#include <ft2build.h>
#include FT_FREETYPE_H

using namespace ocr;

static constexpr int kPaper = 255;
static const cv::Scalar kBoxColor(60, 20, 220);

Font::Font(const std::string &path) {
  FT_Library opened = nullptr;
  FT_Face read = nullptr;
  if (FT_Init_FreeType(&opened) != 0)
    throw ReadError("FreeType does not start");
  std::shared_ptr<FT_LibraryRec_> library(opened, FT_Done_FreeType);
  if (FT_New_Face(opened, path.c_str(), 0, &read) != 0)
    throw ReadError(path + ": not a font that FreeType reads; install "
                           "fonts-wqy-microhei or give --font");
  face = {read, [library](FT_Face face) { FT_Done_Face(face); }};
}

/// Code points of UTF-8 as the runtime gives it, which is valid.
static std::vector<FT_ULong> codePoints(const std::string &text) {
  std::vector<FT_ULong> points;
  for (unsigned char byte : text) {
    if (byte < 0x80)
      points.push_back(byte);
    else if (byte >= 0xC0)
      points.push_back(byte & (byte >= 0xF0   ? 0x07
                               : byte >= 0xE0 ? 0x0F
                                              : 0x1F));
    else if (!points.empty())
      points.back() = points.back() << 6 | (byte & 0x3F);
  }
  return points;
}

/// Pixels from the first character's origin to the end.
static int lengthOf(FT_Face face, const std::vector<FT_ULong> &points) {
  int length = 0;
  for (FT_ULong point : points)
    if (FT_Load_Char(face, point, FT_LOAD_DEFAULT) == 0)
      length += face->glyph->advance.x >> 6;
  return length;
}

/// Darkens a strip where a glyph covers it.
static void drawGlyph(cv::Mat &strip, const FT_GlyphSlotRec &glyph, int left,
                      int baseline) {
  const FT_Bitmap &bitmap = glyph.bitmap;
  cv::Mat cover(int(bitmap.rows), int(bitmap.width), CV_8U, bitmap.buffer,
                size_t(bitmap.pitch));
  cv::Point corner(left + glyph.bitmap_left, baseline - glyph.bitmap_top);
  cv::Rect place = cv::Rect(corner, cover.size()) & cv::Rect({}, strip.size());
  if (!place.empty())
    strip(place) -= cover(cv::Rect(place.tl() - corner, place.size()));
}

cv::Mat Font::strip(const std::string &text, cv::Size size) const {
  std::vector<FT_ULong> points = codePoints(text);
  unsigned pixels = std::max(1, size.height * 4 / 5);
  FT_Set_Pixel_Sizes(face.get(), 0, pixels);
  if (int length = lengthOf(face.get(), points); length > size.width) {
    pixels = std::max(1, int(pixels) * size.width / length);
    FT_Set_Pixel_Sizes(face.get(), 0, pixels);
  }
  const FT_Size_Metrics &metrics = face->size->metrics;
  int baseline =
      (size.height + int((metrics.ascender + metrics.descender) >> 6)) / 2;
  cv::Mat strip(size, CV_8U, cv::Scalar(kPaper));
  int left = 0;
  for (FT_ULong point : points) {
    if (FT_Load_Char(face.get(), point, FT_LOAD_RENDER) != 0)
      continue;
    drawGlyph(strip, *face->glyph, left, baseline);
    left += face->glyph->advance.x >> 6;
  }
  return strip;
}

/// Draws a text into its box.
static void drawText(cv::Mat &paper, const Line &line, const Font &font) {
  std::vector<cv::Point2f> target(line.box.begin(), line.box.end());
  cv::Size size(std::max(1, side(line.box[0], line.box[1])),
                std::max(1, side(line.box[0], line.box[3])));
  if (size.height > 1.5 * size.width) { // along the longer side
    std::rotate(target.begin(), target.begin() + 1, target.end());
    std::swap(size.width, size.height);
  }
  float right = float(size.width), below = float(size.height);
  std::vector<cv::Point2f> source = {
      {0, 0}, {right, 0}, {right, below}, {0, below}};
  cv::Mat placed;
  cv::warpPerspective(font.strip(line.text, size), placed,
                      cv::getPerspectiveTransform(source, target), paper.size(),
                      cv::INTER_LINEAR, cv::BORDER_CONSTANT, kPaper);
  cv::min(paper, placed, paper);
}

cv::Mat ocr::picture(const cv::Mat &page, const std::vector<Line> &lines,
                     const Font &font) {
  cv::Mat left = page.clone(), right(page.size(), CV_8U, cv::Scalar(kPaper));
  int thickness = std::max(1, std::min(page.rows, page.cols) / 400);
  for (const Line &line : lines) {
    std::vector<cv::Point> box(line.box.begin(), line.box.end());
    cv::polylines(left, box, true, kBoxColor, thickness, cv::LINE_AA);
    drawText(right, line, font);
  }
  cv::cvtColor(right, right, cv::COLOR_GRAY2BGR);
  cv::hconcat(left, right, left);
  return left;
}
