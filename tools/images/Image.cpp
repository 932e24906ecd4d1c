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

rt::Status images::checkSize(uint64_t width, uint64_t height) {
  if (width > 0 && height > 0 && width <= uint64_t(kMaxPixels) / height)
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
