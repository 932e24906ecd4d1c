//===- Kernels.h - values of vector functions on raw bytes ------*- C++ -*-===//

#ifndef WEFT_RUNTIME_ZHOUYI_KERNELS_KERNELS_H
#define WEFT_RUNTIME_ZHOUYI_KERNELS_KERNELS_H

#include "runtime/zhouyi/Execute.h"

namespace weft::zhouyi {

/// What a Compute works on. Sources are read before the result is written,
/// register by register: `out` may be one of them (not of vaddh and vsubh).
struct Work {
  /// In the order of the slots, without r: x, y; acc, x, y; x, min_val,
  /// max_val; ptr, x, y.
  const uint8_t *a = nullptr, *b = nullptr, *c = nullptr;
  /// For sums of floats, which skip inactive lanes; null: all are active.
  const uint8_t *mask = nullptr;
  uint8_t *out = nullptr;
  unsigned lanes = 0; ///< of x
};

/// What picks a Compute.
struct Typing {
  catalog::DataType x, y, out;
  bool saturates = false;
};

// One for each function, or nullptr for types that no legal call has.
Kernel::Compute pickAdd(const Typing &typing);
Kernel::Compute pickSub(const Typing &typing);
Kernel::Compute pickMul(const Typing &typing);
Kernel::Compute pickDiv(const Typing &typing);
Kernel::Compute pickMod(const Typing &typing);
Kernel::Compute pickAbs(const Typing &typing);
Kernel::Compute pickRound(const Typing &typing);
Kernel::Compute pickClip(const Typing &typing);
Kernel::Compute pickFma(const Typing &typing);
Kernel::Compute pickAddNeighbours(const Typing &typing);
Kernel::Compute pickSubNeighbours(const Typing &typing);
Kernel::Compute pickLowProducts(const Typing &typing);
Kernel::Compute pickHighProducts(const Typing &typing);
Kernel::Compute pickPairDot(const Typing &typing);
Kernel::Compute pickQuadDot(const Typing &typing);
Kernel::Compute pickPairAccumulate(const Typing &typing);
Kernel::Compute pickQuadAccumulate(const Typing &typing);
Kernel::Compute pickSum(const Typing &typing);
Kernel::Compute pickMatrix(const Typing &typing);
Kernel::Compute pickMatrixAccumulate(const Typing &typing);
Kernel::Compute pickEvenFma(const Typing &typing);
Kernel::Compute pickOddFma(const Typing &typing);

/// out[i] = mask[i] ? values[i] : other[i], of lanes of 1, 2 or 4 bytes; `out`
/// may be one of the two. A null `other` is 0.
void blendLanes(unsigned laneBytes, unsigned lanes, const uint8_t *mask,
                const uint8_t *values, const uint8_t *other, uint8_t *out);

/// Marks lanes of clip whose lower bound is above the upper one, in
/// `Work::out`: a byte a lane; tells whether there is one.
using CompareBounds = bool (*)(const Work &work);
CompareBounds pickBoundsAbove(catalog::DataType type);

} // namespace weft::zhouyi

#endif // WEFT_RUNTIME_ZHOUYI_KERNELS_KERNELS_H
