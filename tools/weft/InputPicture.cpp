#include "tools/weft/InputPicture.h"

#include "runtime/numeric/TensorValues.h"
#include "tools/images/Image.h"
#include "tools/weft/FewDigits.h"

#include <algorithm>
#include <cmath>
#include <optional>

using namespace weft;
using namespace weft::cli;
using Json = nlohmann::ordered_json;
using Values = std::vector<double>;

namespace {
/// Where the first image of a tensor lies.
struct ImagePlace {
  int64_t channels, height, width;
  int64_t channelStride, rowStride, columnStride;

  double at(const Values &values, int64_t c, int64_t y, int64_t x) const {
    return values[size_t(c * channelStride + y * rowStride + x * columnStride)];
  }
};

struct Range {
  double least = 0, most = 0;
};
} // namespace

static std::optional<ImagePlace> imageIn(std::vector<int64_t> shape) {
  // Smaller ones are tables of numbers.
  constexpr int64_t kLeastSide = 8;
  if (shape.size() == 4)
    shape.erase(shape.begin());
  if (shape.size() != 3)
    return std::nullopt;
  int64_t a = shape[0], b = shape[1], c = shape[2];
  std::optional<ImagePlace> place;
  if (a == 1 || a == 3)
    place = ImagePlace{a, b, c, b * c, c, 1};
  else if (c == 1 || c == 3)
    place = ImagePlace{c, a, b, 1, b * c, c};
  if (place && (place->height < kLeastSide || place->width < kLeastSide))
    place.reset();
  return place;
}

static Range rangeOf(const Values &values) {
  std::optional<Range> range;
  for (double value : values)
    if (std::isfinite(value)) {
      if (!range)
        range = Range{value, value};
      range->least = std::min(range->least, value);
      range->most = std::max(range->most, value);
    }
  return range.value_or(Range());
}

/// Each pixel is the mean of a square of `step` pixels.
static images::Image shrunk(const Values &values, const ImagePlace &place,
                            const Range &range, int64_t step) {
  images::Image image;
  image.width = (place.width + step - 1) / step;
  image.height = (place.height + step - 1) / step;
  image.channels = place.channels;
  double factor =
      range.most > range.least ? 255 / (range.most - range.least) : 0;
  for (int64_t y = 0; y < image.height; ++y)
    for (int64_t x = 0; x < image.width; ++x)
      for (int64_t c = 0; c < image.channels; ++c) {
        double sum = 0, count = 0;
        for (int64_t i = y * step; i < std::min(place.height, (y + 1) * step);
             ++i)
          for (int64_t k = x * step; k < std::min(place.width, (x + 1) * step);
               ++k, ++count)
            sum += place.at(values, c, i, k);
        double code = (sum / count - range.least) * factor;
        image.pixels.push_back(std::isfinite(code)
                                   ? uint8_t(std::clamp(code + 0.5, 0.0, 255.0))
                                   : 0);
      }
  return image;
}

static std::string base64(std::string_view bytes) {
  constexpr char kLetters[] =
      "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::string text;
  for (size_t i = 0; i < bytes.size(); i += 3) {
    uint32_t group = 0;
    for (size_t k = 0; k < 3; ++k)
      group = group << 8 |
              (i + k < bytes.size() ? uint8_t(bytes[i + k]) : uint8_t(0));
    for (size_t k = 0; k < 4; ++k)
      text +=
          i + k <= bytes.size() ? kLetters[group >> (18 - 6 * k) & 63] : '=';
  }
  return text;
}

static Json curveOf(const Values &values) {
  constexpr size_t kMostStretches = 128;
  size_t count = std::min(values.size(), kMostStretches);
  Json curve = Json::array();
  for (size_t i = 0; i < count; ++i) {
    auto begin = values.begin() + ptrdiff_t(values.size() * i / count),
         end = values.begin() + ptrdiff_t(values.size() * (i + 1) / count);
    Range range = rangeOf(Values(begin, end));
    curve.push_back({fewDigits(range.least), fewDigits(range.most)});
  }
  return curve;
}

Json cli::describeInput(const std::string &name,
                        const numeric::HostTensor &input, int64_t side) {
  Values values = numeric::loadDoubles(input);
  Range range = rangeOf(values);
  Json json = {{"name", name},
               {"type", numeric::elementTypeName(input.type())},
               {"shape", input.shape()},
               {"least", fewDigits(range.least)},
               {"most", fewDigits(range.most)}};
  if (std::optional<ImagePlace> place = imageIn(input.shape())) {
    if (input.type() == numeric::ElementType::U8)
      range = {0, 255};
    int64_t longest = std::max(place->height, place->width);
    rt::Result<std::string> png = images::encodePng(
        shrunk(values, *place, range, (longest + side - 1) / side));
    if (png) {
      json["png"] = base64(*png);
      return json;
    }
  }
  constexpr size_t kFirst = 12;
  Json first = Json::array();
  for (size_t i = 0; i < std::min(values.size(), kFirst); ++i)
    first.push_back(fewDigits(values[i]));
  json["values"] = std::move(first);
  json["curve"] = curveOf(values);
  return json;
}
