//===- Window.h - sliding windows of convolution and pooling --*- C++ -*-===//

#ifndef WEFT_RUNTIME_PPL_WINDOW_H
#define WEFT_RUNTIME_PPL_WINDOW_H

#include "runtime/catalog/Slots.h"

namespace weft::catalog {

/// The window of a convolution or pooling call. Pairs are (h, w).
struct Window {
  using Pair = std::array<int64_t, 2>;
  Pair kernel = {1, 1}, stride = {1, 1}, dilation = {1, 1};
  Pair insert = {0, 0}; ///< elements put between neighbours of src
  Pair before = {0, 0}, after = {0, 0}; ///< padding
  bool rotates = false;                 ///< tap (p, q) uses the opposite weight

  int64_t taps() const { return kernel[0] * kernel[1]; }
  /// Size of src along an axis (0: h, 1: w) with what is inserted.
  int64_t extent(int64_t size, int axis) const {
    return (size - 1) * (insert[axis] + 1) + 1;
  }
  /// The same with the padding.
  int64_t padded(int64_t size, int axis) const {
    return extent(size, axis) + before[axis] + after[axis];
  }
  /// Elements that the dilated kernel covers.
  int64_t covered(int axis) const {
    return (kernel[axis] - 1) * dilation[axis] + 1;
  }
  /// Positions of the window along an axis; 0 if it does not fit.
  int64_t positions(int64_t size, int axis) const {
    int64_t room = padded(size, axis) - covered(axis);
    return room < 0 ? 0 : room / stride[axis] + 1;
  }

  static constexpr int64_t kPadding = -1, kInserted = -2;
  /// Index along an axis of src of `size` that tap `tap` at output `at` reads,
  /// or kPadding or kInserted.
  int64_t sourceIndex(int64_t at, int64_t tap, int64_t size, int axis) const {
    int64_t place = at * stride[axis] + tap * dilation[axis] - before[axis];
    if (place < 0 || place >= extent(size, axis))
      return kPadding;
    int64_t step = insert[axis] + 1;
    return place % step != 0 ? kInserted : place / step;
  }
};

/// The window that the slots k_shape or kernel, stride, dilation, pad, insert
/// or ins, and kernel_rotate describe; those left out have no effect. A
/// function without the slot kernel_rotate does not rotate.
Window windowOf(const Call &call);

/// Input channels that lie together in a packed weight (get_nic).
unsigned channelPack(DataType type, const Chip &chip);
/// Elements of one output channel of a packed weight.
int64_t packedElements(DataType type, int64_t inputChannels, int64_t taps,
                       const Chip &chip);

// Slots of windows. All but the kernel may be left out.
Slot kernelSlot(std::string_view name);
Slot strideSlot();
Slot dilationSlot();
Slot padSlot();
Slot insertSlot(std::string_view name, int64_t most);

/// dst, the first slot, has the h and w that the window gives on src, the
/// second slot; n agrees; the padded input is not too large.
Rule followsWindow();

/// A number counts as unsigned unless it is negative, what is left out too.
bool isSignedOperand(const Call &call, std::string_view slot);

} // namespace weft::catalog

#endif // WEFT_RUNTIME_PPL_WINDOW_H
