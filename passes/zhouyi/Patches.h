//===- Patches.h - products of patches and weights --------------*- C++ -*-===//
//
// Convolutions and matrix products come down to one loop: for each result the
// sum over k of patch(k) * weight(k). The elements of a few neighbouring k lie
// side by side in a 32-bit lane, as the dot products of the machine want them:
// four 8-bit integers, two float16, or one float32.
//
// Lanes are either the pixels of one output channel or the channels of one
// pixel. The side that differs from lane to lane is read as a whole register,
// the other as one word for all lanes.
//
//===----------------------------------------------------------------------===//

#ifndef WEFT_PASSES_ZHOUYI_PATCHES_H
#define WEFT_PASSES_ZHOUYI_PATCHES_H

#include "passes/zhouyi/Emitter.h"

namespace weft::zhouyi {

/// Elements of a 32-bit lane.
inline int64_t elementsOfWord(mlir::Type element) {
  return 32 / element.getIntOrFloatBitWidth();
}

/// Where the patches (or the weights) lie: word `w` of row `r` of the side that
/// is a register is at `pointer` + r-block * blockWords + w * wordWords, in
/// 32-bit words, and `word` strides say how the loops around move it.
struct Side {
  mlir::Value pointer;     ///< elements of the operand
  int64_t wordStep = 0;    ///< elements from one word of k to the next
  bool isRegister = false; ///< else one word for all lanes
};

/// The sum over `words` words of k of left * right, each read from `left` and
/// `right` with their loops' strides; si32 or f32 of 8 lanes. Several right
/// sides share one left side: one sum for each of `rights`.
llvm::SmallVector<mlir::Value> sumOfProducts(Code &code, int64_t words,
                                             const Side &left,
                                             llvm::ArrayRef<Side> rights);

} // namespace weft::zhouyi

#endif // WEFT_PASSES_ZHOUYI_PATCHES_H
