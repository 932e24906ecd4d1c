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

/// What to do about a file that is damaged, behind what is wrong with it.
inline constexpr const char *kSaveAgain = "; save it again, or leave it out";

/// Fails for an image of no pixels, or more than kMaxPixels.
rt::Status checkSize(uint64_t width, uint64_t height);

} // namespace weft::images

#endif // WEFT_TOOLS_IMAGES_FORMATS_H
