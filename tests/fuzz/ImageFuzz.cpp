//===- ImageFuzz.cpp - any bytes as a PNG or JPEG file --------------------===//

#include "tools/images/Image.h"

#include <cstdlib>

using namespace weft;

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size) {
  rt::Result<images::Image> image =
      images::decode({reinterpret_cast<const char *>(bytes), size});
  if (!image)
    return 0;
  // What is accepted is whole.
  if (image->width < 1 || image->height < 1 ||
      (image->channels != 1 && image->channels != 3) ||
      image->pixels.size() !=
          size_t(image->width * image->height * image->channels))
    std::abort();
  return 0;
}
