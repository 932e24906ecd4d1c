//===- Window.h - tiling of sliding windows ---------------------*- C++ -*-===//

#ifndef WEFT_DIALECTS_TPU_TILING_WINDOW_H
#define WEFT_DIALECTS_TPU_TILING_WINDOW_H

#include "dialects/tpu/Box.h"
#include "llvm/ADT/ArrayRef.h"

namespace weft::tpu {

/// Input need of a window over h and w. `kernel`, `strides`, `dilations` are (h, w), `pads` (top, left, bottom, right) as
/// in the ops. n and c of the need are those of `result`. The trailing pads follow from the window, so `pads` beyond the
/// last window position never appear.
inline InputNeed windowNeed(const Dims &input, const Box &result, llvm::ArrayRef<int64_t> kernel,
                            llvm::ArrayRef<int64_t> strides, llvm::ArrayRef<int64_t> dilations,
                            llvm::ArrayRef<int64_t> pads) {
  WindowRange h = windowInput({kernel[0], strides[0], dilations[0], pads[0]},
                              result.offset[kAxisH], result.size[kAxisH], input[kAxisH]);
  WindowRange w = windowInput({kernel[1], strides[1], dilations[1], pads[1]},
                              result.offset[kAxisW], result.size[kAxisW], input[kAxisW]);
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

#endif // WEFT_DIALECTS_TPU_TILING_WINDOW_H
