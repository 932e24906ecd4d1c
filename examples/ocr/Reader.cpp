#include "Reader.h"
#include <cmath>
#include <fstream>
#include <opencv2/imgproc.hpp>

using namespace ocr;

// Least mean probability of a line's characters.
static constexpr double kTextScore = 0.5;
// A region that is so much higher than wide is a line turned by 90 degrees.
static constexpr double kUpright = 1.5;

/// One a line; the last one is a space.
static std::vector<std::string> readCharacters(const std::string &path) {
  std::ifstream file(path);
  std::vector<std::string> characters;
  for (std::string line; std::getline(file, line);)
    characters.push_back(line);
  if (characters.empty())
    throw ReadError(path +
                    ": cannot be read; give the folder that convert.py wrote");
  return characters;
}

int ocr::side(cv::Point a, cv::Point b) {
  cv::Point way = a - b;
  return int(std::sqrt(double(way.x) * way.x + double(way.y) * way.y));
}

/// What is inside of a box, made upright; empty if nothing is.
static cv::Mat cutOut(const cv::Mat &page, const Box &box) {
  int width = std::max(side(box[0], box[1]), side(box[3], box[2]));
  int height = std::max(side(box[0], box[3]), side(box[1], box[2]));
  if (width < kSmallestSide || height < kSmallestSide)
    return {};
  std::vector<cv::Point2f> source(box.begin(), box.end());
  float right = float(width), below = float(height);
  std::vector<cv::Point2f> target = {
      {0, 0}, {right, 0}, {right, below}, {0, below}};
  cv::Mat line;
  cv::warpPerspective(page, line, cv::getPerspectiveTransform(source, target),
                      {width, height}, cv::INTER_CUBIC, cv::BORDER_REPLICATE);
  if (height >= kUpright * width)
    cv::rotate(line, line, cv::ROTATE_90_COUNTERCLOCKWISE);
  return line;
}

Reader::Reader(const std::string &folder, const weft_device_options &device)
    : detector(folder + "/det.bmodel", device),
      direction(folder + "/cls.bmodel", device),
      recognizer(folder + "/rec.bmodel",
                 readCharacters(folder + "/characters.txt"), device) {}

std::vector<Line> Reader::lines(const cv::Mat &page) {
  std::vector<Line> found;
  for (const Box &box : detector.boxes(page)) {
    cv::Mat line = cutOut(page, box);
    if (line.empty())
      continue;
    Recognizer::Text read = recognizer.read(line);
    // The direction network is wrong about some upright lines; which way reads
    // better is not.
    if (direction.isTurned(line)) {
      cv::rotate(line, line, cv::ROTATE_180);
      Recognizer::Text turned = recognizer.read(line);
      if (turned.score > read.score)
        read = turned;
    }
    if (!read.text.empty() && read.score >= kTextScore)
      found.push_back({box, read.text, read.score});
  }
  return found;
}
