//===- ConstantImages.cpp - constants as they lie in the lanes ------------===//

#include "codegen/emit/ConstantImages.h"

#include "runtime/chips/Chip.h"
#include "runtime/numeric/Pages.h"

#include <cstring>

using namespace weft;
using namespace weft::emit;
using tpu::ConstantPart;
using tpu::GroupBuffer;

/// Writes the channels of one constant that `buffer` holds into its image.
/// False if the constant has fewer, or rows apart from each other. `isGivenUp`:
/// nobody reads these channels again.
static bool writePart(const Chip &chip, const GroupBuffer &buffer,
                      const ConstantPart &part, PackedBytes &whole,
                      bool isGivenUp, char *image) {
  const tpu::Dims &dims = part.tensor.dims;
  int64_t rowBytes = dims[2] * dims[3] * part.tensor.bits / 8;
  int64_t laneBytes = buffer.tensor.dims[3] * buffer.tensor.bits / 8;
  int64_t step = tpu::channelBytes(chip, part.tensor);
  int64_t begin = buffer.firstChannel * rowBytes, lanes = chip.lanes;
  if (part.tensor.layout == tpu::LocalLayout::LineAligned ||
      int64_t(whole.size()) < begin + dims[1] * rowBytes)
    return false;
  constexpr int64_t kPieceBytes = 8 << 20;
  int64_t first = part.tensor.lane, given = begin;
  for (int64_t c = 0; c < dims[1]; ++c) {
    int64_t at = begin + c * rowBytes;
    if (isGivenUp && at - given >= kPieceBytes) {
      numeric::discard(whole.data() + given, at - given);
      given = at;
    }
    std::memcpy(image + ((first + c) % lanes - buffer.tensor.lane) * laneBytes +
                    part.offset + (first + c) / lanes * step,
                whole.data() + at, rowBytes);
  }
  // Images of many slices are shorter than a piece, all of them together not.
  if (isGivenUp)
    numeric::discard(whole.data() + given, begin + dims[1] * rowBytes - given);
  return true;
}

/// Writes the channels of a constant as two transfers bring them.
static void writeRounds(const Chip &chip, const tpu::LocalTensor &tensor,
                        const char *from, char *to) {
  tpu::ConstantRounds parts = tpu::roundsOf(chip, tensor);
  int64_t lanes = chip.lanes, rounds = parts.rounds,
          step = parts.restOffset / rounds;
  for (int64_t lane = 0; lane < lanes; ++lane)
    for (int64_t round = 0; round < rounds; ++round, to += step)
      std::memcpy(to, from + (round * lanes + lane) * step, step);
  std::memcpy(to, from + rounds * lanes * step,
              parts.rest.dims[tpu::kAxisC] * step);
}

/// Whether no channel is in two images.
static bool areDisjoint(const std::vector<tpu::ConstantImage> &images) {
  for (size_t i = 1; i < images.size(); ++i) {
    const GroupBuffer &before = images[i - 1].buffer;
    for (const ConstantPart &part : before.parts)
      if (before.broadcast || images[i].buffer.firstChannel <
                                  before.firstChannel + part.tensor.dims[1])
        return false;
  }
  return true;
}

/// Whether the buffer has one constant as it is.
static bool isWhole(const std::vector<tpu::ConstantImage> &images,
                    const std::vector<PackedBytes> &packed) {
  if (images.size() != 1)
    return false;
  const GroupBuffer &buffer = images.front().buffer;
  return !buffer.isImage && !buffer.isRounds && buffer.parts.size() == 1 &&
         buffer.firstChannel == 0 && images.front().offset == 0 &&
         buffer.parts.front().index < packed.size() &&
         int64_t(packed[buffer.parts.front().index].size()) ==
             tpu::imagesBytes(images) &&
         buffer.storedBytes() == tpu::imagesBytes(images);
}

std::optional<PackedBytes>
weft::emit::imageBytes(const Chip &chip,
                       const std::vector<tpu::ConstantImage> &images,
                       std::vector<PackedBytes> &packed) {
  if (isWhole(images, packed))
    return std::move(packed[images.front().buffer.parts.front().index]);
  bool isGivenUp = areDisjoint(images);
  // As long as what is written, or all its pages were there beside `packed`
  // before any of those is given up.
  PackedBytes bytes;
  bytes.reserve(tpu::imagesBytes(images));
  for (const tpu::ConstantImage &image : images) {
    bytes.resize(image.offset + image.buffer.storedBytes(), 0);
    for (const ConstantPart &part : image.buffer.parts) {
      if (part.index >= packed.size())
        return std::nullopt;
      PackedBytes &whole = packed[part.index];
      if (!image.buffer.isImage) {
        int64_t size = image.buffer.storedBytes(),
                channels = image.buffer.broadcast ? 1 : part.tensor.dims[1],
                begin = image.buffer.firstChannel * (size / channels);
        if (int64_t(whole.size()) < begin + size)
          return std::nullopt;
        const char *from = whole.data() + begin;
        char *to = bytes.data() + image.offset;
        if (image.buffer.isRounds)
          writeRounds(chip, part.tensor, from, to);
        else
          std::copy_n(from, size, to);
        if (isGivenUp)
          numeric::discard(whole.data() + begin, size);
      } else if (!writePart(chip, image.buffer, part, whole, isGivenUp,
                            bytes.data() + image.offset)) {
        return std::nullopt;
      }
    }
  }
  return bytes;
}
