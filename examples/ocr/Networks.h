//===- Networks.h - the three bmodels of PP-OCR ----------------*- C++ -*-===//
//
// Each takes a picture (8 bits; B, G, R) and says what its tensor means. The
// same as reader.py, step by step: texts and boxes of both are equal.
//
//===----------------------------------------------------------------------===//

#ifndef WEFT_EXAMPLES_OCR_NETWORKS_H
#define WEFT_EXAMPLES_OCR_NETWORKS_H

#include <array>
#include <map>
#include <opencv2/core.hpp>
#include <stdexcept>
#include <string>
#include <vector>
#include <weft.hpp>

namespace ocr {

/// What is wrong with what the user gave; one line.
struct ReadError : std::runtime_error {
  using std::runtime_error::runtime_error;
};

/// Regions smaller than this are none; in pixels.
constexpr int kSmallestSide = 3;

/// Corners from the top left, clockwise, in pixels of the page.
using Box = std::array<cv::Point, 4>;

/// One bmodel with an image as its input and one output of floats.
class Network {
public:
  /// Throws ReadError if the file cannot be read or takes or gives anything
  /// else.
  Network(const std::string &path, const weft_device_options &device);

protected:
  int height() const { return int(inputs.front().shape[2]); }
  /// Of the first stage.
  int width() const { return int(inputs.front().shape[3]); }
  /// Throws ReadError that asks for `wanted` if not `isRight`.
  void require(bool isRight, const std::string &wanted) const;
  /// Runs a stage on an image at the top left of the input, the rest being 0.
  /// The output is valid until the next run.
  const std::vector<float> &run(const cv::Mat &image, size_t stage = 0);

  /// Of each stage.
  std::vector<weft::Tensor> inputs, outputs;

private:
  std::string path;
  weft_device_options device;
  weft::Model model;
  std::map<size_t, weft::Session> sessions;
  std::vector<float> tensor, result;
};

/// Boxes of the lines of a page, by differentiable binarization (DB).
class Detector : public Network {
public:
  Detector(const std::string &path, const weft_device_options &device);
  /// In reading order.
  std::vector<Box> boxes(const cv::Mat &page);
};

/// Is a line upside down?
class Direction : public Network {
public:
  Direction(const std::string &path, const weft_device_options &device);
  bool isTurned(const cv::Mat &line);
};

/// The characters of a line, by greedy CTC: repeats are one, class 0 is blank.
class Recognizer : public Network {
public:
  Recognizer(const std::string &path, std::vector<std::string> characters,
             const weft_device_options &device);
  struct Text {
    std::string text;
    double score; ///< Mean probability of the characters.
  };
  Text read(const cv::Mat &line);

private:
  std::vector<std::string> characters;
};

} // namespace ocr

#endif // WEFT_EXAMPLES_OCR_NETWORKS_H
