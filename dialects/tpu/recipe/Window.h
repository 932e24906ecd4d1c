//===- Window.h - pieces of sliding windows ---------------------*- C++ -*-===//

#ifndef WEFT_DIALECTS_TPU_RECIPE_WINDOW_H
#define WEFT_DIALECTS_TPU_RECIPE_WINDOW_H

#include "dialects/tpu/Box.h"
#include "llvm/ADT/ArrayRef.h"

namespace weft::tpu {

/// One axis of `windowNeed`. The last slice takes the input to its end even
/// where no window reaches: machine windows ignore the rest, and the producer's
/// value stays complete (it can be observed, and no trimmed copy is needed).
inline WindowRange windowNeedOfAxis(const Window1D &window, int64_t padEnd,
                                    const Box &result, unsigned axis,
                                    int64_t inputSize, int64_t outputSize) {
  WindowRange range =
      windowInput(window, result.offset[axis], result.size[axis], inputSize);
  if (result.end(axis) == outputSize && range.size > 0) {
    range.size = inputSize - range.offset;
    range.padEnd = padEnd;
  }
  return range;
}

/// Input need of a window over h and w. `kernel`, `strides`, `dilations` are
/// (h, w), `pads` (top, left, bottom, right) as in the ops. n and c of the need
/// are those of `result`.
inline InputNeed windowNeed(const Dims &input, const Dims &output,
                            const Box &result, llvm::ArrayRef<int64_t> kernel,
                            llvm::ArrayRef<int64_t> strides,
                            llvm::ArrayRef<int64_t> dilations,
                            llvm::ArrayRef<int64_t> pads) {
  WindowRange h =
      windowNeedOfAxis({kernel[0], strides[0], dilations[0], pads[0]}, pads[2],
                       result, kAxisH, input[kAxisH], output[kAxisH]);
  WindowRange w =
      windowNeedOfAxis({kernel[1], strides[1], dilations[1], pads[1]}, pads[3],
                       result, kAxisW, input[kAxisW], output[kAxisW]);
  InputNeed need;
  need.box = result;
  need.box.offset[kAxisH] = h.offset;
  need.box.size[kAxisH] = h.size;
  need.box.offset[kAxisW] = w.offset;
  need.box.size[kAxisW] = w.size;
  need.pads = {h.padBegin, h.padEnd, w.padBegin, w.padEnd};
  return need;
}

} // namespace weft::tpu

#endif // WEFT_DIALECTS_TPU_RECIPE_WINDOW_H
