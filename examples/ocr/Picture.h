//===- Picture.h - a page beside what was read -----------------*- C++ -*-===//

#ifndef WEFT_EXAMPLES_OCR_PICTURE_H
#define WEFT_EXAMPLES_OCR_PICTURE_H

#include "Reader.h"
#include <memory>

struct FT_FaceRec_;

namespace ocr {

/// A font of FreeType: OpenCV's own letters are ASCII.
class Font {
public:
  /// Throws ReadError if the file is no font.
  explicit Font(const std::string &path);
  /// The text, black on white, as large as fits into a strip of this size.
  cv::Mat strip(const std::string &text, cv::Size size) const;

private:
  std::shared_ptr<FT_FaceRec_> face;
};

/// The page with its boxes, and beside it the texts at their places.
cv::Mat picture(const cv::Mat &page, const std::vector<Line> &lines,
                const Font &font);

} // namespace ocr

#endif // WEFT_EXAMPLES_OCR_PICTURE_H
