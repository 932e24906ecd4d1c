//===- Box.h - rectangular pieces of a 4-D tensor ---------------*- C++ -*-===//
//
// Tiling talks about boxes: half-open ranges of n, c, h and w. Everything here
// is plain arithmetic on numbers, so that the tiling rules of the ops, the
// passes and their tests share one definition of "which rows does a window
// need".
//
//===----------------------------------------------------------------------===//

#ifndef WEFT_DIALECTS_TPU_BOX_H
#define WEFT_DIALECTS_TPU_BOX_H

#include <array>
#include <cstdint>

namespace weft::tpu {

/// Axis numbers of the canonical n, c, h, w order.
enum Axis : unsigned { kAxisN = 0, kAxisC = 1, kAxisH = 2, kAxisW = 3 };

using Dims = std::array<int64_t, 4>;

/// Elements of a tensor of these sizes, or slices of so many an axis.
inline int64_t product(const Dims &sizes) {
  return sizes[0] * sizes[1] * sizes[2] * sizes[3];
}

/// Into how many slices a group is cut along each axis, and how they run.
struct Tiling {
  Dims counts{1, 1, 1, 1};
  /// Each slice runs as a group of one slice does: what is loaded comes as
  /// early as there is room, at most one slice ahead, and lives while it is
  /// read. Else all that a slice loads comes while the slice before it is
  /// computed.
  bool isStreamed = false;

  int64_t slices() const { return product(counts); }
  bool isPipelined() const { return slices() > 1 && !isStreamed; }
  /// Whether each slice is an image or several.
  bool streamsImages() const { return isStreamed && slices() == counts[0]; }
  bool operator==(const Tiling &other) const {
    return counts == other.counts && isStreamed == other.isStreamed;
  }
};

/// The half-open box [offset, offset + size) of an n, c, h, w tensor, in
/// elements.
struct Box {
  Dims offset{0, 0, 0, 0};
  Dims size{0, 0, 0, 0};

  /// The whole tensor of shape `dims`.
  static Box whole(const Dims &dims) { return {{0, 0, 0, 0}, dims}; }
  int64_t end(unsigned axis) const { return offset[axis] + size[axis]; }
  int64_t elements() const { return product(size); }
  bool empty() const {
    return size[0] <= 0 || size[1] <= 0 || size[2] <= 0 || size[3] <= 0;
  }
  bool contains(const Box &other) const;
  bool operator==(const Box &other) const {
    return offset == other.offset && size == other.size;
  }
  bool operator!=(const Box &other) const { return !(*this == other); }
};

/// Elements from the first of a tensor to that of `box`, where neighbours along
/// each axis are `steps` elements apart.
int64_t elementOffset(const Dims &steps, const Box &box);

/// Smallest box that holds both; an empty operand is ignored.
Box hull(const Box &a, const Box &b);

/// Zero rows and columns that a window reads beyond its operand. Padding that
/// belongs to a tensor border stays with the slice at that border; inner slices
/// read real neighbours instead.
struct Pads {
  int64_t top = 0, bottom = 0, left = 0, right = 0;
  bool operator==(const Pads &other) const {
    return top == other.top && bottom == other.bottom && left == other.left &&
           right == other.right;
  }
  bool operator!=(const Pads &other) const { return !(*this == other); }
};

/// What one operand must provide for a result box: the box, and the padding
/// that remains to be added around it.
struct InputNeed {
  Box box;
  Pads pads;
};

/// One axis of a sliding window: convolution or pooling.
struct Window1D {
  int64_t kernel = 1;
  int64_t stride = 1;
  int64_t dilation = 1;
  int64_t padBegin = 0;

  int64_t extent() const { return (kernel - 1) * dilation + 1; }
};

/// The input range of an output range under a window, clipped to the input, and
/// what the clipping cut off.
struct WindowRange {
  int64_t offset = 0;
  int64_t size = 0; ///< 0 if the range lies entirely in the padding
  int64_t padBegin = 0;
  int64_t padEnd = 0;
};

/// Input range of output [outOffset, outOffset + outSize), outSize >= 1, on an
/// axis of `inputSize` elements (window formula of ONNX Conv-11, PPL 4.6.4).
/// size + padBegin + padEnd = (outSize - 1) * stride + extent always, so a
/// machine window over the clipped range gives exactly outSize results.
WindowRange windowInput(const Window1D &window, int64_t outOffset,
                        int64_t outSize, int64_t inputSize);

/// Slice `index` of `count` of an axis of `size` elements: [begin, begin +
/// length). Sizes differ by at most one granule, earlier slices are the longer
/// ones, the union covers the axis exactly. `granule` > 0 keeps all begins on
/// its multiples (a channel slice should fill the lanes).
struct SliceRange {
  int64_t begin = 0;
  int64_t length = 0;
};
SliceRange sliceOfAxis(int64_t size, int64_t count, int64_t index,
                       int64_t granule = 1);

} // namespace weft::tpu

#endif // WEFT_DIALECTS_TPU_BOX_H
