#include "tools/images/Image.h"
#include "tools/images/Formats.h"
#include "tools/images/Orientation.h"

#include <cinttypes>

using namespace weft;
using namespace weft::images;
using rt::Code;
using rt::Result;

bool images::isImage(std::string_view bytes) {
  return isPng(bytes) || isJpeg(bytes);
}

std::string images::otherFormat(std::string_view bytes) {
  using namespace std::string_view_literals;
  struct Format {
    const char *name;
    size_t place;
    std::string_view mark;
  };
  // The size of a BMP file stands before four bytes that are 0.
  for (const Format &format : {Format{"GIF", 0, "GIF8"},
                               {"TIFF", 0, "II*\0"sv},
                               {"TIFF", 0, "MM\0*"sv},
                               {"BMP", 6, "\0\0\0\0"sv},
                               {"WebP", 8, "WEBP"},
                               {"HEIF", 4, "ftyphei"},
                               {"HEIF", 4, "ftypmif1"},
                               {"AVIF", 4, "ftypavif"}})
    if (bytes.size() > format.place &&
        bytes.substr(format.place, format.mark.size()) == format.mark &&
        (format.place != 6 || bytes.substr(0, 2) == "BM"))
      return format.name;
  return "";
}

rt::Status images::checkSize(uint64_t width, uint64_t height) {
  if (width == 0 || height == 0)
    return rt::failf(Code::BadFile,
                     "the image has %" PRIu64 " x %" PRIu64 " pixels%s", width,
                     height, kSaveAgain);
  if (width <= uint64_t(kMaxPixels) / height)
    return rt::Status::ok();
  return rt::failf(Code::Unsupported,
                   "unsupported: an image of %" PRIu64 " x %" PRIu64
                   " pixels; at most %" PRId64 " million are read",
                   width, height, kMaxPixels / 1'000'000);
}

Result<Image> images::decode(std::string_view bytes) {
  if (!isImage(bytes))
    return rt::fail(Code::Unsupported,
                    "unsupported: neither PNG nor JPEG; convert the image");
  Result<Stored> stored = isPng(bytes) ? decodePng(bytes) : decodeJpeg(bytes);
  if (!stored)
    return stored.status();
  return orient(std::move(stored->image), stored->orientation);
}
