//===- LocalBuffer.h - what a tensor takes in local memory ------*- C++ -*-===//

#ifndef WEFT_DIALECTS_TPU_LOCALBUFFER_H
#define WEFT_DIALECTS_TPU_LOCALBUFFER_H

#include "dialects/tpu/Box.h"
#include "llvm/ADT/SmallVector.h"

namespace weft {
struct Chip; // not included: its namespace `isa` would hide llvm::isa in every
             // file of the dialect
}

namespace mlir {
class Operation;
} // namespace mlir

namespace weft::tpu {
class RecipeBuilder;
struct Alternative;

/// Layout of a tensor in the lanes (PPL part 1, section 3; isa section 4).
/// Channel c lies in lane (first lane + c) mod lanes.
enum class LocalLayout : uint8_t {
  Aligned,     ///< every channel starts on an EU row
  Compact,     ///< channels follow each other without gaps
  LineAligned, ///< every row of w starts on an EU row
};

/// A tensor in local memory.
struct LocalTensor {
  Dims dims{1, 1, 1, 1};
  unsigned bits = 32;
  LocalLayout layout = LocalLayout::Aligned;
  int64_t lane = 0; ///< of its first channel; not 0 only where n is 1
};

/// Bytes a tensor takes in every lane, rounded up to whole EU rows (the unit of
/// placement).
int64_t bytesPerLane(const Chip &chip, const LocalTensor &tensor);

/// Bytes from one channel to the next in the same lane.
int64_t channelBytes(const Chip &chip, const LocalTensor &tensor);

/// A buffer that one op needs besides its operand tiles and its result tile.
struct LocalBuffer {
  enum Kind : uint8_t {
    Constant, ///< packed weights or parameters, loaded from DRAM
    Scratch,  ///< lives while the op runs
  };
  Kind kind = Scratch;
  LocalTensor tensor;
  /// Constant only: the first channel of the whole constant that the tensor
  /// holds (c slices of filters).
  int64_t firstChannel = 0;
  /// Constant only: DRAM holds one channel, which every lane receives.
  bool broadcast = false;
  /// Constant only: its rows are short, so DRAM holds them lane after lane
  /// even where that leaves room for lanes without one.
  bool hasShortRows = false;
  /// Constant only: its channels are not those of the result; every piece takes
  /// all of them.
  bool isMatrix = false;

  /// Bytes that DRAM holds of it.
  int64_t storedBytes() const {
    const Dims &dims = tensor.dims;
    return dims[0] * (broadcast ? 1 : dims[1]) * dims[2] * dims[3] *
           tensor.bits / 8;
  }
};

} // namespace weft::tpu

#endif // WEFT_DIALECTS_TPU_LOCALBUFFER_H
