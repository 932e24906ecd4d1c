#include "tools/preprocess/Preprocess.h"
#include "runtime/status/Quote.h"
#include "tools/preprocess/Resample.h"

#include <algorithm>
#include <cinttypes>
#include <cmath>
#include <limits>

using namespace weft;
using namespace weft::preprocess;
using images::Image;
using numeric::ElementType;
using numeric::HostTensor;
using rt::Code;
using rt::Result;
using rt::Status;

namespace {

/// Where the resized image goes in the tensor.
struct Placed {
  Image image;
  int64_t top = 0, left = 0;
};

} // namespace

static double normalized(const Options &options, size_t c, double code) {
  double centred = code - ofChannel(options.mean, c);
  return options.stdDev.empty() ? centred * ofChannel(options.scale, c)
                                : centred / ofChannel(options.stdDev, c);
}

/// Whether codes become other numbers.
static bool isNormalizing(const Options &options) {
  return !options.stdDev.empty() || options.mean != std::vector<double>{0} ||
         options.scale != std::vector<double>{1};
}

Status preprocess::check(const Options &options) {
  auto bad = [](const char *text) {
    return rt::fail(Code::InvalidArgument, text);
  };
  if (!options.stdDev.empty() &&
      (options.isScaleGiven || options.scale != std::vector<double>{1}))
    return bad("scale and std are both given; std is 1 / scale, leave one out");
  if (options.shortSide && options.resize != Resize::CenterCrop)
    return bad("short-side is for resize center-crop; leave it out");
  if (options.resize != Resize::Letterbox &&
      (options.padValue != std::vector<double>{0} ||
       options.padAlign != PadAlign::Center))
    return bad("pad-value and pad-align are for resize letterbox; leave them "
               "out");
  for (size_t c = 0; c < 3; ++c)
    for (double code : {0, 255})
      if (double value = normalized(options, c, code);
          !(std::fabs(value) <= double(std::numeric_limits<float>::max())))
        return rt::failf(Code::InvalidArgument,
                         "mean, scale and std make %g of the code %g, which no "
                         "float of 32 bits holds",
                         value, code);
  return Status::ok();
}

static bool isChannelCount(int64_t size) { return size == 1 || size == 3; }

/// Whether an axis of `size` can be that of the channels.
static bool isChannelAxis(const Options &options, int64_t size) {
  return options.color ? size == (*options.color == Color::Gray ? 1 : 3)
                       : isChannelCount(size);
}

Options preprocess::unfused(const Options &options) {
  Options left = options;
  left.color.reset();
  left.mean = {0};
  left.scale = {1};
  left.isScaleGiven = false;
  left.stdDev.clear();
  left.dtype.reset();
  return left;
}

Result<Geometry> preprocess::geometryOf(const Options &options,
                                        const Input &input) {
  const std::vector<int64_t> &shape = input.shape;
  size_t rank = shape.size();
  auto refuse = [&](const std::string &why) {
    return rt::fail(Code::ShapeMismatch,
                    "input " + rt::quoteName(input.name) + " is " +
                        numeric::shapeText(shape) + ", " + why);
  };
  if (rank != 3 && rank != 4)
    return refuse("images are for inputs n,c,h,w or n,h,w,c; give arrays");
  size_t first = rank - 3; // of the axes of one image
  bool isNchw = isChannelAxis(options, shape[first]) ||
                (!isChannelAxis(options, shape[first + 2]) &&
                 isChannelCount(shape[first]));
  if (options.layout)
    isNchw = *options.layout == Layout::Nchw;
  Geometry geometry;
  geometry.layout = isNchw ? Layout::Nchw : Layout::Nhwc;
  geometry.channels = isNchw ? shape[first] : shape[first + 2];
  geometry.size = {shape[isNchw ? first + 1 : first],
                   shape[isNchw ? first + 2 : first + 1]};
  if (!isChannelCount(geometry.channels))
    return refuse("images have 1 or 3 channels" +
                  std::string(options.layout ? ", layout says there are others"
                                             : "; give arrays"));
  if (geometry.size.height < 1 || geometry.size.width < 1 ||
      std::max(geometry.size.height, geometry.size.width) > kMaxSide ||
      geometry.size.height > images::kMaxPixels / geometry.size.width)
    return refuse("which has no pixels, or too many");
  return geometry;
}

static Image cropped(const Image &image, const Rectangle &part) {
  Image result;
  result.width = part.width;
  result.height = part.height;
  result.channels = image.channels;
  for (int64_t y = part.top; y < part.top + part.height; ++y) {
    const uint8_t *row = image.at(y, part.left);
    result.pixels.insert(result.pixels.end(), row,
                         row + part.width * image.channels);
  }
  return result;
}

/// The rectangle comes from the user, the image from a file: sums could wrap.
static Status checkInside(const Image &image, const Rectangle &part) {
  if (part.width <= image.width && part.left <= image.width - part.width &&
      part.height <= image.height && part.top <= image.height - part.height)
    return Status::ok();
  return rt::failf(Code::OutOfRange,
                   "crop is %" PRId64 ",%" PRId64 ",%" PRId64 ",%" PRId64
                   " (left, top, width, height), the image has %" PRId64
                   " x %" PRId64 " pixels",
                   part.left, part.top, part.width, part.height, image.width,
                   image.height);
}

static uint8_t grayOf(const uint8_t *rgb) {
  return uint8_t(
      (19595u * rgb[0] + 38470u * rgb[1] + 7471u * rgb[2] + 32768u) >> 16);
}

static Image inColor(const Image &image, Color color) {
  Image result;
  result.width = image.width;
  result.height = image.height;
  result.channels = color == Color::Gray ? 1 : 3;
  size_t pixels = size_t(image.width * image.height);
  result.pixels.reserve(pixels * size_t(result.channels));
  for (size_t i = 0; i < pixels; ++i) {
    const uint8_t *from = &image.pixels[i * size_t(image.channels)];
    uint8_t rgb[3] = {from[0], from[image.channels / 2],
                      from[image.channels - 1]};
    if (color == Color::Gray)
      result.pixels.push_back(image.channels == 1 ? from[0] : grayOf(rgb));
    else
      for (int c = 0; c < 3; ++c)
        result.pixels.push_back(rgb[color == Color::Bgr ? 2 - c : c]);
  }
  return result;
}

/// `size` * `factor` to the nearest whole pixel, at least one.
static int64_t scaled(int64_t size, double factor) {
  return std::max<int64_t>(1, std::llround(double(size) * factor));
}

static Placed letterboxed(const Image &image, const Options &options,
                          const Size &size) {
  double factor = std::min(double(size.height) / double(image.height),
                           double(size.width) / double(image.width));
  Size fit = {std::min(size.height, scaled(image.height, factor)),
              std::min(size.width, scaled(image.width, factor))};
  Placed placed;
  placed.image = resample(image, fit, {0, 0, fit.width, fit.height});
  if (options.padAlign == PadAlign::Center) {
    placed.top = (size.height - fit.height) / 2;
    placed.left = (size.width - fit.width) / 2;
  }
  return placed;
}

static Result<Placed> centerCropped(const Image &image, const Options &options,
                                    const Size &size) {
  double factor = options.shortSide
                      ? double(options.shortSide) /
                            double(std::min(image.height, image.width))
                      : std::max(double(size.height) / double(image.height),
                                 double(size.width) / double(image.width));
  Size whole = {scaled(image.height, factor), scaled(image.width, factor)};
  if (!options.shortSide) // rounding must not leave a pixel out
    whole = {std::max(whole.height, size.height),
             std::max(whole.width, size.width)};
  if (whole.height < size.height || whole.width < size.width)
    return rt::failf(
        Code::OutOfRange,
        "with short-side %" PRId64 " the image has %" PRId64 " x %" PRId64
        " pixels, %" PRId64 " x %" PRId64 " are to be taken; give a larger one",
        options.shortSide, whole.width, whole.height, size.width, size.height);
  if (std::max(whole.height, whole.width) > kMaxSide)
    return rt::failf(Code::OutOfRange,
                     "resized for center-crop the image would have %" PRId64
                     " x %" PRId64 " pixels; crop it first",
                     whole.width, whole.height);
  Rectangle middle = {(whole.width - size.width) / 2,
                      (whole.height - size.height) / 2, size.width,
                      size.height};
  return Placed{resample(image, whole, middle), 0, 0};
}

static Result<Placed> resized(const Image &image, const Options &options,
                              const Size &size) {
  switch (options.resize) {
  case Resize::Stretch:
    return Placed{resample(image, size, {0, 0, size.width, size.height}), 0, 0};
  case Resize::Letterbox:
    return letterboxed(image, options, size);
  case Resize::CenterCrop:
    return centerCropped(image, options, size);
  case Resize::None:
    break;
  }
  if (image.width != size.width || image.height != size.height)
    return rt::failf(Code::ShapeMismatch,
                     "the image has %" PRId64 " x %" PRId64
                     " pixels, the input %" PRId64 " x %" PRId64
                     "; give another resize than none",
                     image.width, image.height, size.width, size.height);
  return Placed{image, 0, 0};
}

static Result<ElementType> typeOf(const Options &options, const Input &input) {
  if (options.dtype)
    return *options.dtype;
  // Quantized inputs take reals.
  bool isByte = input.type == ElementType::U8;
  if (isByte && isNormalizing(options))
    return rt::fail(Code::InvalidArgument,
                    "input " + rt::quoteName(input.name) +
                        " takes pixels as they are (u8); leave out mean, scale "
                        "and std, which a program of --fuse-preprocess has in "
                        "it, or give dtype uint8 for numbers rounded to bytes");
  if (!isByte && !numeric::isFloatType(input.type))
    return rt::fail(Code::TypeMismatch,
                    "input " + rt::quoteName(input.name) + " is " +
                        numeric::elementTypeName(input.type) +
                        ", images become floats or u8; give arrays");
  return input.type;
}

Status preprocess::checkChannels(const Options &options, int64_t channels) {
  const std::pair<const char *, const std::vector<double> *> lists[] = {
      {"mean", &options.mean},
      {"scale", &options.scale},
      {"std", &options.stdDev},
      {"pad-value", &options.padValue}};
  for (const auto &[name, list] : lists)
    if (list->size() > 1 && list->size() != size_t(channels))
      return rt::failf(Code::InvalidArgument,
                       "%s has %zu numbers, the input %" PRId64
                       " channels; give one for each or one for all",
                       name, list->size(), channels);
  return Status::ok();
}

/// Writes the values of channel `c`: padding, then the image.
static void fillChannel(HostTensor &tensor, const Geometry &geometry, size_t c,
                        const Placed &placed, const Options &options) {
  bool isNchw = geometry.layout == Layout::Nchw;
  const Size &size = geometry.size;
  int64_t stride = isNchw ? 1 : geometry.channels;
  int64_t begin = isNchw ? int64_t(c) * size.height * size.width : int64_t(c);
  auto store = [&](int64_t y, int64_t x, double value) {
    if (tensor.type() == ElementType::U8)
      value = std::nearbyint(value); // half to even; setFromDouble saturates
    tensor.setFromDouble(begin + (y * size.width + x) * stride, value);
  };
  double values[256];
  for (int code = 0; code < 256; ++code)
    values[code] = normalized(options, c, code);
  double padding = normalized(options, c, ofChannel(options.padValue, c));
  const Image &image = placed.image;
  for (int64_t y = 0; y < size.height; ++y)
    for (int64_t x = 0; x < size.width; ++x) {
      int64_t row = y - placed.top, column = x - placed.left;
      bool isInside =
          row >= 0 && row < image.height && column >= 0 && column < image.width;
      store(y, x, isInside ? values[image.at(row, column)[c]] : padding);
    }
}

Result<HostTensor> preprocess::preprocess(const Image &image,
                                          const Options &options,
                                          const Input &input) {
  Result<Geometry> geometry = geometryOf(options, input);
  if (!geometry)
    return geometry.status();
  Result<ElementType> type = typeOf(options, input);
  if (!type)
    return type.status();
  Color color = options.color.value_or(geometry->channels == 1 ? Color::Gray
                                                               : Color::Rgb);
  if ((color == Color::Gray) != (geometry->channels == 1))
    return rt::fail(Code::ShapeMismatch,
                    "input " + rt::quoteName(input.name) + " is " +
                        numeric::shapeText(input.shape) +
                        "; color gray is for one channel, rgb and bgr for "
                        "three");
  WEFT_TRY(checkChannels(options, geometry->channels));
  Image part;
  if (options.crop) {
    WEFT_TRY(checkInside(image, *options.crop));
    part = cropped(image, *options.crop);
  }
  Result<Placed> placed = resized(inColor(options.crop ? part : image, color),
                                  options, geometry->size);
  if (!placed)
    return placed.status();
  std::vector<int64_t> shape = input.shape;
  if (shape.size() == 4)
    shape[0] = 1;
  HostTensor tensor(*type, shape);
  for (size_t c = 0; c < size_t(geometry->channels); ++c)
    fillChannel(tensor, *geometry, c, *placed, options);
  return tensor;
}

HostTensor preprocess::normalizedCodes(const HostTensor &codes, Layout given,
                                       const Options &options, Layout wanted,
                                       ElementType type) {
  const std::vector<int64_t> &from = codes.shape();
  bool isNchw = given == Layout::Nchw, becomesNchw = wanted == Layout::Nchw;
  int64_t images = from[0], channels = from[isNchw ? 1 : 3],
          height = from[isNchw ? 2 : 1], width = from[isNchw ? 3 : 2],
          pixels = height * width;
  HostTensor tensor(
      type, becomesNchw
                ? std::vector<int64_t>{images, channels, height, width}
                : std::vector<int64_t>{images, height, width, channels});
  auto place = [&](bool isPlanar, int64_t n, int64_t c, int64_t pixel) {
    return n * channels * pixels +
           (isPlanar ? c * pixels + pixel : pixel * channels + c);
  };
  bool isReversed = options.color && *options.color == Color::Bgr;
  const auto *bytes = codes.as<uint8_t>();
  for (int64_t c = 0; c < channels; ++c) {
    int64_t source = isReversed ? channels - 1 - c : c;
    double values[256];
    for (int code = 0; code < 256; ++code)
      values[code] = normalized(options, size_t(c), code);
    for (int64_t n = 0; n < images; ++n)
      for (int64_t pixel = 0; pixel < pixels; ++pixel)
        tensor.setFromDouble(place(becomesNchw, n, c, pixel),
                             values[bytes[place(isNchw, n, source, pixel)]]);
  }
  return tensor;
}
