#include "tools/preprocess/Resample.h"

#include <algorithm>
#include <cassert>

using namespace weft;
using namespace weft::preprocess;

namespace {

/// Two pixels of a row or column, and how far the point is behind the first, in
/// parts of the whole (`parts` of pointsOf).
struct Between {
  int64_t first, second, weight;
};

} // namespace

/// Twice the pixels of the result: (2 i + 1) / parts * from is where pixel i
/// lies, and half a pixel is parts / 2 of them.
static int64_t partsOf(int64_t to) { return 2 * to; }

static std::vector<Between> pointsOf(int64_t from, int64_t to, int64_t begin,
                                     int64_t count) {
  assert(from <= images::kMaxPixels && to <= kMaxSide);
  std::vector<Between> points;
  points.reserve(size_t(count));
  int64_t parts = partsOf(to);
  for (int64_t i = begin; i < begin + count; ++i) {
    // In 1 / parts of a pixel; below 2^27 * 2^25.
    int64_t at = std::max<int64_t>(0, (2 * i + 1) * from - to);
    int64_t first = at / parts;
    if (first >= from - 1)
      points.push_back({from - 1, from - 1, 0});
    else
      points.push_back({first, first + 1, at % parts});
  }
  return points;
}

images::Image preprocess::resample(const images::Image &image,
                                   const Size &whole, const Rectangle &window) {
  std::vector<Between> rows =
      pointsOf(image.height, whole.height, window.top, window.height);
  std::vector<Between> columns =
      pointsOf(image.width, whole.width, window.left, window.width);
  int64_t rowParts = partsOf(whole.height), columnParts = partsOf(whole.width);
  int64_t all = rowParts * columnParts; // 255 of them are below 2^58
  images::Image result;
  result.height = window.height;
  result.width = window.width;
  result.channels = image.channels;
  result.pixels.reserve(size_t(window.height * window.width * image.channels));
  for (const Between &row : rows)
    for (const Between &column : columns) {
      const uint8_t *a = image.at(row.first, column.first),
                    *b = image.at(row.first, column.second),
                    *c = image.at(row.second, column.first),
                    *d = image.at(row.second, column.second);
      for (int64_t i = 0; i < image.channels; ++i) {
        int64_t upper = a[i] * columnParts + (b[i] - a[i]) * column.weight;
        int64_t lower = c[i] * columnParts + (d[i] - c[i]) * column.weight;
        int64_t value = upper * rowParts + (lower - upper) * row.weight;
        result.pixels.push_back(uint8_t((2 * value + all) / (2 * all)));
      }
    }
  return result;
}
