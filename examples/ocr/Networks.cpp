#include "Networks.h"
#include <algorithm>
#include <cmath>
#include <opencv2/imgproc.hpp>

using namespace ocr;

// What PP-OCR's authors chose for these networks (RapidOCR 1.4.4, config.yaml).
// A pixel with this probability belongs to text.
static constexpr float kMask = 0.3f;
// Least mean probability inside of a box.
static constexpr double kBoxScore = 0.5;
// The detector marks the core of a line; area / circumference * this on each
// side makes it whole.
static constexpr double kGrowth = 1.6;
// Least probability of a line that is turned by 180 degrees.
static constexpr float kTurned = 0.9f;

static std::string shapeText(const std::vector<int64_t> &shape) {
  std::string text;
  for (int64_t size : shape)
    text += (text.empty() ? "" : "x") + std::to_string(size);
  return text;
}

static weft::Model loaded(const std::string &path) {
  weft::Outcome<weft::Model> model = weft::Model::load(path);
  if (!model)
    throw ReadError(model.error().message());
  return std::move(*model);
}

/// Every value of a byte as the networks are trained on it.
static std::array<float, 256> levels() {
  std::array<float, 256> values;
  for (int i = 0; i < 256; ++i)
    values[i] = float((i / 255.0 - 0.5) / 0.5);
  return values;
}

/// EXACT: the same bytes on every machine.
static cv::Mat resized(const cv::Mat &image, int width, int height) {
  cv::Mat result;
  cv::resize(image, result, {width, height}, 0, 0, cv::INTER_LINEAR_EXACT);
  return result;
}

/// Width of a line that is made this high.
static int widthAt(const cv::Mat &line, int height) {
  return int(std::ceil(double(height) * line.cols / line.rows));
}

Network::Network(const std::string &path, const weft_device_options &device)
    : path(path), device(device), model(loaded(path)) {
  for (size_t stage = 0; stage < model.stageCount(0); ++stage) {
    auto in = model.inputs(0, stage), out = model.outputs(0, stage);
    if (!in || !out)
      throw ReadError(path + ": " + (in ? out : in).error().message());
    if (in->size() != 1 || out->size() != 1)
      throw ReadError(path + ": has " + std::to_string(in->size()) +
                      " inputs and " + std::to_string(out->size()) +
                      " outputs, must have one of each");
    const std::vector<int64_t> &shape = in->front().shape;
    if (in->front().type != WEFT_F32 || shape.size() != 4 || shape[0] != 1 ||
        shape[1] != 3)
      throw ReadError(path + ": the input is " + shapeText(shape) +
                      ", must be 1x3xHEIGHTxWIDTH of float32");
    inputs.push_back(in->front());
    outputs.push_back(out->front());
  }
  if (inputs.empty())
    throw ReadError(path + ": has no net");
}

void Network::require(bool isRight, const std::string &wanted) const {
  if (!isRight)
    throw ReadError(path + ": the output is " +
                    shapeText(outputs.front().shape) + ", must be " + wanted);
}

const std::vector<float> &Network::run(const cv::Mat &image, size_t stage) {
  static const std::array<float, 256> kLevels = levels();
  const size_t rows = inputs[stage].shape[2], columns = inputs[stage].shape[3];
  tensor.assign(3 * rows * columns, 0);
  for (int y = 0; y < image.rows; ++y)
    for (int x = 0; x < image.cols; ++x)
      for (size_t c = 0; c < 3; ++c)
        tensor[(c * rows + y) * columns + x] =
            kLevels[image.at<cv::Vec3b>(y, x)[c]];
  result.resize(outputs[stage].bytes / sizeof(float));

  auto found = sessions.find(stage);
  if (found == sessions.end()) {
    auto session = model.open(model.netNames().front(), stage, &device);
    if (!session)
      throw ReadError(path + ": " + session.error().message());
    found = sessions.emplace(stage, std::move(*session)).first;
  }
  if (weft::Error error = found->second.run({tensor.data()}, {result.data()}))
    throw ReadError(path + ": " + error.message());
  return result;
}

//===----------------------------------------------------------------------===//
// Detector
//===----------------------------------------------------------------------===//

using Corners = std::array<cv::Point2f, 4>;

/// Top left, top right, bottom right, bottom left.
static Corners cornersOf(const cv::RotatedRect &rectangle) {
  Corners p;
  rectangle.points(p.data());
  std::stable_sort(p.begin(), p.end(),
                   [](auto a, auto b) { return a.x < b.x; });
  auto isAbove = [](auto a, auto b) { return a.y < b.y; };
  std::stable_sort(p.begin(), p.begin() + 2, isAbove);
  std::stable_sort(p.begin() + 2, p.end(), isAbove);
  return {p[0], p[2], p[3], p[1]};
}

/// Mean of a map inside of a quadrangle, whose corners are cut to whole pixels.
static double meanInside(const cv::Mat &probability, const Corners &corners) {
  std::vector<cv::Point> places;
  for (cv::Point2f corner : corners)
    places.emplace_back(int(corner.x), int(corner.y));
  cv::Rect part = cv::boundingRect(places) & cv::Rect({}, probability.size());
  for (cv::Point &place : places)
    place -= part.tl();
  cv::Mat mask = cv::Mat::zeros(part.size(), CV_8U);
  cv::fillPoly(mask, std::vector<std::vector<cv::Point>>{places}, 1);
  return cv::mean(probability(part), mask)[0];
}

/// Four times the middle, in whole numbers.
static int middleOf(const Box &box) {
  return box[0].y + box[1].y + box[2].y + box[3].y;
}

/// By rows from the top, in a row from the left. A box is of the row whose
/// first one's middle is less than half a height away.
static std::vector<Box> inReadingOrder(std::vector<Box> boxes) {
  std::stable_sort(boxes.begin(), boxes.end(), [](const Box &a, const Box &b) {
    return std::make_pair(middleOf(a), a[0].x) <
           std::make_pair(middleOf(b), b[0].x);
  });
  for (auto row = boxes.begin(); row != boxes.end();) {
    auto end = std::find_if(row, boxes.end(), [&](const Box &box) {
      return &box != &*row &&
             middleOf(box) - middleOf(*row) >= 2 * ((*row)[3].y - (*row)[0].y);
    });
    std::stable_sort(row, end, [](const Box &a, const Box &b) {
      return std::make_pair(a[0].x, middleOf(a)) <
             std::make_pair(b[0].x, middleOf(b));
    });
    row = end;
  }
  return boxes;
}

/// The box around a region of the map; false if the region is no text.
static bool boxOf(const std::vector<cv::Point> &contour,
                  const cv::Mat &probability, cv::Size page, Box &box) {
  cv::RotatedRect rectangle = cv::minAreaRect(contour);
  double a = rectangle.size.width, b = rectangle.size.height;
  if (std::min(a, b) < kSmallestSide ||
      meanInside(probability, cornersOf(rectangle)) < kBoxScore)
    return false;
  // The offset of a rectangle's polygon by a distance, its corners rounded, has
  // a rectangle around it with sides longer by twice that.
  double distance = a * b * kGrowth / (2 * (a + b));
  rectangle.size = {float(a + 2 * distance), float(b + 2 * distance)};
  Corners corners = cornersOf(rectangle);
  double across = double(page.width) / probability.cols;
  double down = double(page.height) / probability.rows;
  auto inside = [](double value, int size) {
    return int(std::clamp(std::nearbyint(value), 0.0, double(size - 1)));
  };
  for (size_t i = 0; i < 4; ++i)
    box[i] = {inside(corners[i].x * across, page.width),
              inside(corners[i].y * down, page.height)};
  return true;
}

Detector::Detector(const std::string &path, const weft_device_options &device)
    : Network(path, device) {
  std::vector<int64_t> wanted = {1, 1, height(), width()};
  require(outputs.front().shape == wanted,
          shapeText(wanted) + ", a probability for each pixel");
}

std::vector<Box> Detector::boxes(const cv::Mat &page) {
  double scale =
      std::min(double(height()) / page.rows, double(width()) / page.cols);
  int rows = std::max(1, int(std::nearbyint(page.rows * scale)));
  int columns = std::max(1, int(std::nearbyint(page.cols * scale)));
  const std::vector<float> &output = run(resized(page, columns, rows));
  cv::Mat whole(height(), width(), CV_32F, const_cast<float *>(output.data()));
  cv::Mat probability = whole(cv::Rect(0, 0, columns, rows)).clone();

  cv::Mat mask = probability > kMask;
  cv::dilate(mask, mask, cv::Mat::ones(2, 2, CV_8U));
  std::vector<std::vector<cv::Point>> contours;
  cv::findContours(mask, contours, cv::RETR_LIST, cv::CHAIN_APPROX_SIMPLE);
  std::vector<Box> found;
  for (const std::vector<cv::Point> &contour : contours)
    if (Box box; boxOf(contour, probability, page.size(), box))
      found.push_back(box);
  return inReadingOrder(std::move(found));
}

//===----------------------------------------------------------------------===//
// Direction and recognizer
//===----------------------------------------------------------------------===//

Direction::Direction(const std::string &path, const weft_device_options &device)
    : Network(path, device) {
  require(outputs.front().shape == std::vector<int64_t>{1, 2},
          "1x2, probabilities of 0 and of 180 degrees");
}

bool Direction::isTurned(const cv::Mat &line) {
  // Of a long line its beginning: compressed, one in ten that is upside down
  // was taken for upright.
  int fits = std::max(1, line.rows * width() / height());
  cv::Mat part = line.colRange(0, std::min(line.cols, fits));
  int columns = std::min(width(), widthAt(part, height()));
  return run(resized(part, columns, height()))[1] > kTurned;
}

Recognizer::Recognizer(const std::string &path,
                       std::vector<std::string> characters,
                       const weft_device_options &device)
    : Network(path, device), characters(std::move(characters)) {
  size_t count = this->characters.size();
  const std::vector<int64_t> &shape = outputs.front().shape;
  require(shape.size() == 3 && shape[2] == int64_t(count) + 1,
          "1xCOLUMNSx" + std::to_string(count + 1) + ": blank, and the " +
              std::to_string(count) + " characters of characters.txt");
}

Recognizer::Text Recognizer::read(const cv::Mat &line) {
  // The narrowest stage that holds the line, else the widest: longer lines are
  // compressed.
  int wanted = widthAt(line, height());
  size_t stage = 0;
  auto widthOf = [&](size_t i) { return int(inputs[i].shape[3]); };
  for (size_t i = 1; i < inputs.size(); ++i)
    if (widthOf(stage) < wanted
            ? widthOf(i) > widthOf(stage)
            : widthOf(i) >= wanted && widthOf(i) < widthOf(stage))
      stage = i;
  int columns = std::min(wanted, widthOf(stage));
  const std::vector<float> &output =
      run(resized(line, columns, height()), stage);

  Text read{"", 0};
  size_t classes = characters.size() + 1, before = 0, count = 0;
  for (auto column = output.begin(); column != output.end();
       column += classes) {
    auto best = std::max_element(column, column + classes);
    size_t place = best - column;
    if (place != before && place != 0) {
      read.text += characters[place - 1];
      read.score += *best;
      ++count;
    }
    before = place;
  }
  read.score /= std::max<size_t>(1, count);
  return read;
}
