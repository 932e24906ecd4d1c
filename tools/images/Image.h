//===- Image.h - pixels of PNG and JPEG files -------------------*- C++ -*-===//
//
// Files are untrusted: the size is checked before memory is taken for pixels,
// and a file that is cut off or damaged is an error even where the decoding
// library would fill the rest with gray.
//
// Lives in tools/ because a deployed runtime takes tensors.
//
//===----------------------------------------------------------------------===//

#ifndef WEFT_TOOLS_IMAGES_IMAGE_H
#define WEFT_TOOLS_IMAGES_IMAGE_H

#include "runtime/status/Status.h"

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace weft::images {

/// Larger images are refused: with the decoder's own memory 100 megapixels take
/// about 1 GB.
constexpr int64_t kMaxPixels = 100'000'000;
/// Larger files are refused. 100 megapixels of noise are 300 MB as PNG.
constexpr size_t kMaxFileBytes = size_t(320) << 20;

/// 8-bit pixels, row by row from the top left, channels interleaved.
struct Image {
  int64_t width = 0, height = 0; ///< in pixels, at least 1
  int64_t channels = 0;          ///< 1: gray; 3: red, green, blue
  std::vector<uint8_t> pixels;   ///< height * width * channels codes

  const uint8_t *at(int64_t y, int64_t x) const {
    return pixels.data() + (y * width + x) * channels;
  }
};

/// Whether a file that begins with `bytes` (8 are enough) is PNG or JPEG.
bool isImage(std::string_view bytes);
/// "BMP", "WebP", ..: the format of images, not read here, that a file is in
/// that begins with `bytes` (12 are enough); "" for what is none.
std::string otherFormat(std::string_view bytes);

/// Decodes a whole PNG or JPEG file, upright: the Exif orientation is applied,
/// as viewers and OpenCV's imread do. Gray stays gray, everything else becomes
/// RGB:
///  * PNG: palettes are looked up, 1, 2 and 4 bits are spread over 0..255, 16
///    bits v become round(v / 257), transparency is dropped (the color below it
///    stays), gamma and color profiles are not applied;
///  * JPEG: CMYK and YCCK are taken with Adobe's inverted inks, red = c * k /
///    255 and so on; color profiles are not applied.
/// Code::Unsupported for other formats and too many pixels, Code::BadFile for
/// what is broken.
rt::Result<Image> decode(std::string_view bytes);

/// `image` as a PNG file. Code::Internal if libpng fails.
rt::Result<std::string> encodePng(const Image &image);

} // namespace weft::images

#endif // WEFT_TOOLS_IMAGES_IMAGE_H
