#include "tools/images/Formats.h"
#include "tools/images/Orientation.h"

#include <cstring>
#include <png.h>

using namespace weft;
using namespace weft::images;
using rt::Code;
using rt::Result;

static constexpr std::string_view kSignature = "\x89PNG\r\n\x1a\n";

bool images::isPng(std::string_view bytes) {
  return bytes.substr(0, kSignature.size()) == kSignature;
}

namespace {

/// What goes to libpng: the file without the chunks that say how bright the
/// codes are meant. Its simplified interface would convert them to sRGB, but
/// networks are trained on the codes of readers that do not.
struct PlainPng {
  std::string bytes;
  int orientation = 1;
};

} // namespace

static bool isAboutBrightness(std::string_view type) {
  return type == "gAMA" || type == "cHRM" || type == "iCCP" || type == "sRGB";
}

/// A number of four bytes, the most significant first.
static uint32_t bigEndian(std::string_view bytes) {
  uint32_t value = 0;
  for (char byte : bytes.substr(0, 4))
    value = value << 8 | uint8_t(byte);
  return value;
}

/// Where a chunk is broken the rest is left to libpng, which says what is
/// wrong.
static PlainPng withoutProfiles(std::string_view file) {
  constexpr size_t kFrameBytes = 12; // length, type, check sum
  PlainPng plain;
  plain.bytes.reserve(file.size());
  plain.bytes = kSignature;
  file.remove_prefix(kSignature.size());
  while (file.size() >= kFrameBytes) {
    size_t length = bigEndian(file);
    if (length > file.size() - kFrameBytes)
      break;
    std::string_view type = file.substr(4, 4);
    if (type == "eXIf")
      plain.orientation = exifOrientation(file.substr(8, length));
    if (!isAboutBrightness(type))
      plain.bytes += file.substr(0, length + kFrameBytes);
    file.remove_prefix(length + kFrameBytes);
  }
  plain.bytes += file;
  return plain;
}

/// Drops every `stride`-th channel: the last, which is alpha.
static void dropAlpha(std::vector<uint8_t> &pixels, size_t stride) {
  size_t count = pixels.size() / stride;
  for (size_t i = 0; i < count; ++i)
    std::memmove(pixels.data() + i * (stride - 1), pixels.data() + i * stride,
                 stride - 1);
  pixels.resize(count * (stride - 1));
}

Result<Stored> images::decodePng(std::string_view bytes) {
  // libpng only says that the header is invalid.
  constexpr size_t kWidth = 16, kHeight = 20, kEnd = 24;
  if (bytes.size() >= kEnd &&
      bytes.substr(kWidth - 4, 4) == std::string_view("IHDR"))
    WEFT_TRY(checkSize(bigEndian(bytes.substr(kWidth)),
                       bigEndian(bytes.substr(kHeight))));
  PlainPng plain = withoutProfiles(bytes);
  png_image header = {};
  header.version = PNG_IMAGE_VERSION;
  auto broken = [&] {
    std::string text =
        std::string("the PNG is broken: ") + header.message + kSaveAgain;
    png_image_free(&header);
    return rt::fail(Code::BadFile, text);
  };
  if (!png_image_begin_read_from_memory(&header, plain.bytes.data(),
                                        plain.bytes.size()))
    return broken();
  if (rt::Status size = checkSize(header.width, header.height); !size) {
    png_image_free(&header);
    return size;
  }
  // 16 bits without a profile would be taken as linear light.
  header.flags |= PNG_IMAGE_FLAG_16BIT_sRGB;
  bool hasColor = header.format & PNG_FORMAT_FLAG_COLOR;
  bool hasAlpha = header.format & PNG_FORMAT_FLAG_ALPHA;
  header.format = (hasColor ? PNG_FORMAT_FLAG_COLOR : 0) |
                  (hasAlpha ? PNG_FORMAT_FLAG_ALPHA : 0);
  Stored stored;
  stored.orientation = plain.orientation;
  stored.image.width = header.width;
  stored.image.height = header.height;
  stored.image.channels = hasColor ? 3 : 1;
  size_t channelsWithAlpha = PNG_IMAGE_PIXEL_CHANNELS(header.format);
  stored.image.pixels.resize(size_t(header.width) * header.height *
                             channelsWithAlpha);
  if (!png_image_finish_read(&header, nullptr, stored.image.pixels.data(),
                             /*row_stride=*/0, nullptr))
    return broken();
  if (hasAlpha)
    dropAlpha(stored.image.pixels, channelsWithAlpha);
  return stored;
}

Result<std::string> images::encodePng(const Image &image) {
  png_image header = {};
  header.version = PNG_IMAGE_VERSION;
  header.width = png_uint_32(image.width);
  header.height = png_uint_32(image.height);
  header.format = image.channels == 3 ? PNG_FORMAT_RGB : PNG_FORMAT_GRAY;
  std::string file(PNG_IMAGE_PNG_SIZE_MAX(header), 0);
  png_alloc_size_t size = file.size();
  if (!png_image_write_to_memory(&header, file.data(), &size,
                                 /*convert_to_8_bit=*/0, image.pixels.data(),
                                 /*row_stride=*/0, nullptr))
    return rt::fail(Code::Internal,
                    std::string("no PNG is made: ") + header.message);
  file.resize(size);
  return file;
}
