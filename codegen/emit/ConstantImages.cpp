//===- ConstantImages.cpp - constants as they lie in the lanes ------------===//

#include "codegen/emit/ConstantImages.h"

#include "runtime/chips/Chip.h"

#include <cstring>

using namespace weft;
using namespace weft::emit;
using tpu::ConstantPart;
using tpu::GroupBuffer;

/// Writes the channels of one constant that `buffer` holds into its image.
/// False if the constant has fewer, or rows apart from each other.
static bool writePart(const Chip &chip, const GroupBuffer &buffer,
                      const ConstantPart &part, const PackedBytes &whole,
                      char *image) {
  const tpu::Dims &dims = part.tensor.dims;
  int64_t rowBytes = dims[2] * dims[3] * part.tensor.bits / 8;
  int64_t laneBytes = buffer.tensor.dims[3] * buffer.tensor.bits / 8;
  int64_t step = tpu::channelBytes(chip, part.tensor);
  int64_t begin = buffer.firstChannel * rowBytes, lanes = chip.lanes;
  if (part.tensor.layout == tpu::LocalLayout::LineAligned ||
      int64_t(whole.size()) < begin + dims[1] * rowBytes)
    return false;
  int64_t first = part.tensor.lane;
  for (int64_t c = 0; c < dims[1]; ++c)
    std::memcpy(image + ((first + c) % lanes - buffer.tensor.lane) * laneBytes +
                    part.offset + (first + c) / lanes * step,
                whole.data() + begin + c * rowBytes, rowBytes);
  return true;
}

std::optional<PackedBytes>
weft::emit::imageBytes(const Chip &chip,
                       const std::vector<tpu::ConstantImage> &images,
                       const std::vector<PackedBytes> &packed) {
  PackedBytes bytes(tpu::imagesBytes(images), 0);
  for (const tpu::ConstantImage &image : images)
    for (const ConstantPart &part : image.buffer.parts) {
      if (part.index >= packed.size())
        return std::nullopt;
      const PackedBytes &whole = packed[part.index];
      if (!image.buffer.isImage) {
        int64_t size = image.buffer.storedBytes(),
                channels = image.buffer.broadcast ? 1 : part.tensor.dims[1],
                begin = image.buffer.firstChannel * (size / channels);
        if (int64_t(whole.size()) < begin + size)
          return std::nullopt;
        std::copy_n(whole.begin() + begin, size, bytes.begin() + image.offset);
      } else if (!writePart(chip, image.buffer, part, whole,
                            bytes.data() + image.offset)) {
        return std::nullopt;
      }
    }
  return bytes;
}
