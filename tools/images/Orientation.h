//===- Orientation.h - which way up a photo is ------------------*- C++ -*-===//

#ifndef WEFT_TOOLS_IMAGES_ORIENTATION_H
#define WEFT_TOOLS_IMAGES_ORIENTATION_H

#include "tools/images/Image.h"

namespace weft::images {

/// The orientation (tag 0x0112 of the first directory, Exif 2.3 section 4.6.4)
/// of a TIFF structure: 1 to 8, 1 if there is none or the structure is broken,
/// since the pixels do not depend on it.
int exifOrientation(std::string_view tiff);

/// `image` turned and mirrored so that it is upright. `orientation` is 1 to 8.
Image orient(Image image, int orientation);

} // namespace weft::images

#endif // WEFT_TOOLS_IMAGES_ORIENTATION_H
