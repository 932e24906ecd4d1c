//===- Preprocess.h - images to input tensors -------------------*- C++ -*-===//
//
// What stands between a photo and the tensor that a network was trained on, in
// the order of the steps. `code` below is the unit of pixels: 0 is black, 255
// white.
//
//  1. crop: a rectangle of the upright image;
//  2. color: red, green, blue; the reverse; or gray = (19595 r + 38470 g +
//     7471 b + 32768) >> 16 (ITU-R BT.601 in 16 bits); gray images are
//     repeated;
//  3. resize (Resample.h), rounded to whole codes;
//  4. (code - mean) * scale, or (code - mean) / std, for each channel;
//  5. layout and element type.
//
//===----------------------------------------------------------------------===//

#ifndef WEFT_TOOLS_PREPROCESS_PREPROCESS_H
#define WEFT_TOOLS_PREPROCESS_PREPROCESS_H

#include "runtime/numeric/HostTensor.h"
#include "tools/images/Image.h"

#include <optional>

namespace weft::preprocess {

enum class Resize {
  Stretch,    ///< to the size, whatever the aspect ratio
  Letterbox,  ///< the largest that fits into the size; the rest is padding
  CenterCrop, ///< the smallest that covers the size (or as shortSide says), of
              ///< which the middle is taken
  None,       ///< the image must have the size
};
enum class PadAlign { Center, TopLeft }; ///< where a letterboxed image lies
enum class Color { Rgb, Bgr, Gray };
enum class Layout { Nchw, Nhwc };

struct Size {
  int64_t height = 0, width = 0; ///< in pixels
  bool operator==(const Size &o) const {
    return height == o.height && width == o.width;
  }
};

/// In pixels of the upright image.
struct Rectangle {
  int64_t left = 0, top = 0, width = 0, height = 0;
};

/// Where a member is a list it has one number for all channels, or one for each
/// in the order of `color`. What is not given follows from the model's input.
struct Options {
  Resize resize = Resize::Stretch;
  std::optional<Size> size; ///< of the tensor
  /// CenterCrop: the shorter side is resized to so many pixels. 0: as the size
  /// needs it.
  int64_t shortSide = 0;
  std::optional<Rectangle> crop;
  PadAlign padAlign = PadAlign::Center;
  std::vector<double> padValue = {
      0}; ///< Letterbox, in codes; need not be whole
  std::optional<Color> color;
  std::vector<double> mean = {0};  ///< in codes
  std::vector<double> scale = {1}; ///< factor behind the mean
  bool isScaleGiven = false;       ///< by the user, perhaps as 1
  std::vector<double> stdDev;      ///< in codes, instead of `scale`; not 0
  std::optional<Layout> layout;
  std::optional<numeric::ElementType> dtype; ///< F32 or U8
};

/// A model's input.
struct Input {
  std::string name;
  numeric::ElementType type = numeric::ElementType::F32;
  /// n,c,h,w or n,h,w,c, or either without n; c is 1 or 3.
  std::vector<int64_t> shape;
};

/// Fails where members contradict each other. The message names them as
/// Settings.h does.
rt::Status check(const Options &options);

/// What is left to do before a program that has color, mean and scale in it:
/// crop, resize and padding, to codes.
Options unfused(const Options &options);

/// A shape of a model as images have it.
struct Geometry {
  Layout layout = Layout::Nchw;
  int64_t channels = 0;
  Size size;
};

/// What `input.shape` says, by options.layout or by which axis has as many
/// elements as options.color (or any) has channels; axis c of nchw is asked
/// first. Code::ShapeMismatch if this is no input for images.
rt::Result<Geometry> geometryOf(const Options &options, const Input &input);

/// The number for channel `c` of a list of Options.
inline double ofChannel(const std::vector<double> &list, size_t c) {
  return list.size() == 1 ? list[0] : list[c];
}

/// Fails if a list has not as many numbers as there are channels.
rt::Status checkChannels(const Options &options, int64_t channels);

/// The tensor of one image: the shape of `input` with a batch of 1. Values are
/// computed in doubles and rounded once to the type: options.dtype, else that
/// of `input` if it is a float or U8; U8 to nearest even, saturated. `options`
/// have passed check().
rt::Result<numeric::HostTensor> preprocess(const images::Image &image,
                                           const Options &options,
                                           const Input &input);

/// Layout, color and numbers of what unfused() has left, `codes` of u8 with the
/// channels of images on the last axes of `given`: to the last bit what
/// preprocess() with `options` makes of the same image, for an input of
/// `type` in `wanted`.
numeric::HostTensor normalizedCodes(const numeric::HostTensor &codes,
                                    Layout given, const Options &options,
                                    Layout wanted, numeric::ElementType type);

} // namespace weft::preprocess

#endif // WEFT_TOOLS_PREPROCESS_PREPROCESS_H
