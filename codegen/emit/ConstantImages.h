//===- ConstantImages.h - constants as they lie in the lanes ----*- C++ -*-===//

#ifndef WEFT_CODEGEN_EMIT_CONSTANTIMAGES_H
#define WEFT_CODEGEN_EMIT_CONSTANTIMAGES_H

#include "codegen/emit/Emit.h"

#include <optional>

namespace weft::emit {

/// The bytes that DRAM holds of a constant buffer: all its images one after the
/// other, each lane after lane. `packed`: the whole constants of its op, in
/// the order of the recipe, channel after channel. std::nullopt if one is
/// too short. Constants that are read once are taken out of `packed`, or given
/// up there: with a copy of each, a large one would be in memory twice.
std::optional<PackedBytes>
imageBytes(const Chip &chip, const std::vector<tpu::ConstantImage> &images,
           std::vector<PackedBytes> &packed);

} // namespace weft::emit

#endif // WEFT_CODEGEN_EMIT_CONSTANTIMAGES_H
