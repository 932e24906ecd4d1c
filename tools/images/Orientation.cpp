#include "tools/images/Orientation.h"

#include <cassert>
#include <cstring>
#include <optional>
#include <utility>

using namespace weft;
using namespace weft::images;

namespace {

/// Numbers of a TIFF structure; none beyond its end.
class TiffNumbers {
public:
  explicit TiffNumbers(std::string_view bytes)
      : bytes(bytes), isBigEndian(bytes.substr(0, 2) == "MM") {}

  std::optional<uint32_t> read(uint64_t offset, unsigned size) const {
    if (offset > bytes.size() || bytes.size() - offset < size)
      return std::nullopt;
    uint32_t value = 0;
    for (unsigned i = 0; i < size; ++i) {
      unsigned at = isBigEndian ? i : size - 1 - i;
      value = value << 8 | uint8_t(bytes[offset + at]);
    }
    return value;
  }

private:
  std::string_view bytes;
  bool isBigEndian;
};

} // namespace

int images::exifOrientation(std::string_view tiff) {
  if (tiff.substr(0, 2) != "II" && tiff.substr(0, 2) != "MM")
    return 1;
  TiffNumbers numbers(tiff);
  std::optional<uint32_t> directory = numbers.read(4, 4);
  if (numbers.read(2, 2) != 42u || !directory)
    return 1;
  uint32_t entries = numbers.read(*directory, 2).value_or(0);
  for (uint32_t i = 0; i < entries; ++i) {
    uint64_t entry = uint64_t(*directory) + 2 + uint64_t(i) * 12;
    if (numbers.read(entry, 2) != 0x0112u)
      continue;
    constexpr uint32_t kShort = 3;
    uint32_t value = numbers.read(entry + 8, 2).value_or(1);
    bool isValid =
        numbers.read(entry + 2, 2) == kShort && value >= 1 && value <= 8;
    return isValid ? int(value) : 1;
  }
  return 1;
}

Image images::orient(Image image, int orientation) {
  assert(orientation >= 1 && orientation <= 8);
  if (orientation == 1)
    return image;
  // Orientations 5 to 8 swap rows and columns. Of the stored image, 2, 3, 7 and
  // 8 begin at the right, 3, 4, 6 and 7 at the bottom.
  bool isTurned = orientation >= 5;
  bool fromRight = orientation == 2 || orientation == 3 || orientation == 7 ||
                   orientation == 8;
  bool fromBottom = orientation == 3 || orientation == 4 || orientation == 6 ||
                    orientation == 7;
  Image upright;
  upright.width = isTurned ? image.height : image.width;
  upright.height = isTurned ? image.width : image.height;
  upright.channels = image.channels;
  upright.pixels.resize(image.pixels.size());
  uint8_t *to = upright.pixels.data();
  for (int64_t y = 0; y < upright.height; ++y)
    for (int64_t x = 0; x < upright.width; ++x, to += image.channels) {
      int64_t row = isTurned ? x : y, column = isTurned ? y : x;
      row = fromBottom ? image.height - 1 - row : row;
      column = fromRight ? image.width - 1 - column : column;
      std::memcpy(to, image.at(row, column), size_t(image.channels));
    }
  return upright;
}
