//===- Formats.h - one decoder a format -------------------------*- C++ -*-===//

#ifndef WEFT_TOOLS_IMAGES_FORMATS_H
#define WEFT_TOOLS_IMAGES_FORMATS_H

#include "tools/images/Image.h"

namespace weft::images {

bool isPng(std::string_view bytes);
bool isJpeg(std::string_view bytes);

/// Pixels as they are stored, and how they are to be turned.
struct Stored {
  Image image;
  int orientation = 1; ///< Exif's, 1 to 8
};

rt::Result<Stored> decodePng(std::string_view bytes);
rt::Result<Stored> decodeJpeg(std::string_view bytes);

/// Fails for an image of more than kMaxPixels.
rt::Status checkSize(uint64_t width, uint64_t height);

} // namespace weft::images

#endif // WEFT_TOOLS_IMAGES_FORMATS_H
