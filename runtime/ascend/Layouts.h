//===- Layouts.h - layouts of L1 and the moves that make them -*- C++ -*-===//

#ifndef WEFT_RUNTIME_ASCEND_LAYOUTS_H
#define WEFT_RUNTIME_ASCEND_LAYOUTS_H

#include "runtime/ascend/Move.h"

/// The layouts that the matrix unit reads from L1, each told as a blocked copy:
/// where every element of a box of an array goes. `plan` makes moves of it.
namespace weft::ascend {

/// More than any memory holds: sums of this size stay within 64 bits.
inline constexpr int64_t kMostBytes = int64_t(1) << 40;

/// An axis of a blocked copy.
struct Axis {
  int64_t count = 1;
  int64_t srcStride = 0; ///< elements in GM
  int64_t dstStride = 0; ///< blocks of 32 bytes in L1
};

/// Rows of `columns` elements that lie side by side in GM, one for each index
/// of the axes (outermost first). Block k of a row goes `columnStride` * k
/// blocks behind the row's first; zeros fill up the last one.
struct BlockedCopy {
  int64_t elementBytes = 2;
  int64_t src = 0, dst = 0; ///< bytes
  std::vector<Axis> axes;
  int64_t columns = 0;
  int64_t columnStride = 1; ///< blocks
};

/// Calls visit(source byte, L1 byte, bytes of data) for every block.
template <typename Visit>
void forEachBlock(const BlockedCopy &copy, Visit visit) {
  std::vector<int64_t> index(copy.axes.size());
  for (const Axis &axis : copy.axes)
    if (axis.count == 0)
      return;
  int64_t rowBytes = copy.columns * copy.elementBytes;
  while (true) {
    int64_t from = copy.src, to = copy.dst;
    for (size_t a = 0; a < index.size(); ++a) {
      from += index[a] * copy.axes[a].srcStride * copy.elementBytes;
      to += index[a] * copy.axes[a].dstStride * kBlockBytes;
    }
    for (int64_t at = 0; at < rowBytes; at += kBlockBytes) {
      visit(from + at, to + at * copy.columnStride,
            rowBytes - at < kBlockBytes ? rowBytes - at : kBlockBytes);
    }
    size_t axis = index.size();
    while (axis > 0 && ++index[axis - 1] == copy.axes[axis - 1].count)
      index[--axis] = 0;
    if (axis == 0)
      return;
  }
}

/// The fewest moves that do it, in ascending order of the axes that are not in
/// the moves. Fails as `split` does, if there would be more than kMostMoves, or
/// if a number is negative or reaches farther than kMostBytes.
rt::Result<std::vector<Nd2Nz>> plan(const BlockedCopy &copy);

/// Matrices of `rows` x `columns` elements in GM; strides in elements.
struct Matrices {
  int64_t elementBytes = 2;
  int64_t src = 0, dst = 0; ///< bytes
  int64_t count = 1, rows = 0, columns = 0;
  int64_t rowStride = 0;    ///< 0: columns
  int64_t matrixStride = 0; ///< 0: rows * rowStride
};
/// Why the layouts below must not be asked about such matrices: a negative
/// number, or more than kMostBytes. Else empty.
std::string problemOf(const Matrices &source, int64_t reserved = 0);
/// ND -> NZ: [count][K1][reserved][C0], K1 = ceil(columns / C0). `reserved`
/// rows, 0: `rows` rounded up to 16; those behind `rows` are not written.
BlockedCopy ndToNz(const Matrices &source, int64_t reserved = 0);
/// ND -> ZZ: [count][bands][K2][16][C0], bands of 16 rows, K2 = the blocks of
/// `columns` rounded up to 16. One copy for the whole bands, one for the rest.
std::vector<BlockedCopy> ndToZz(const Matrices &source);

/// Images N,H,W,C in GM. The box [n, n + images) .. of them is moved.
struct Images {
  int64_t elementBytes = 2;
  int64_t src = 0, dst = 0;           ///< bytes
  int64_t n = 0, h = 0, w = 0, c = 0; ///< of the whole array
};
struct Box {
  int64_t n = 0, h = 0, w = 0, c = 0; ///< where it starts
  int64_t images = 0, rows = 0, columns = 0, channels = 0;
};
/// All of it.
Box wholeOf(const Images &images);
/// The same for images; the box must lie inside of them.
std::string problemOf(const Images &images, const Box &box,
                      int64_t reserved = 0);
/// NHWC -> NC1HWC0: [images][C1][rows][columns][C0], C1 = ceil(channels / C0).
BlockedCopy nhwcToNc1hwc0(const Images &images, const Box &box);
/// NHWC -> C1HWNC0: [C1][rows][columns][reserved][C0]. `reserved` images, 0: as
/// many as the box has; 16 or a multiple of it gives FRACTAL_Z. Those behind
/// the box's are not written.
BlockedCopy nhwcToC1hwnc0(const Images &images, const Box &box,
                          int64_t reserved = 0);

} // namespace weft::ascend

#endif // WEFT_RUNTIME_ASCEND_LAYOUTS_H
