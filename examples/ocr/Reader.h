//===- Reader.h - the text of a page ---------------------------*- C++ -*-===//

#ifndef WEFT_EXAMPLES_OCR_READER_H
#define WEFT_EXAMPLES_OCR_READER_H

#include "Networks.h"

namespace ocr {

/// Length of a side; a root is rounded alike everywhere.
int side(cv::Point a, cv::Point b);

struct Line {
  Box box;
  std::string text;
  double score; ///< Mean probability of the characters.
};

/// The three networks of a folder that convert.py made.
class Reader {
public:
  /// Throws ReadError.
  Reader(const std::string &folder, const weft_device_options &device);
  /// The lines of a page (8 bits; B, G, R) in reading order.
  std::vector<Line> lines(const cv::Mat &page);

private:
  Detector detector;
  Direction direction;
  Recognizer recognizer;
};

} // namespace ocr

#endif // WEFT_EXAMPLES_OCR_READER_H
