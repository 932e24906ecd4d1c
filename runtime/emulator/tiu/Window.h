/// Sliding windows of convolution and pooling: padding, stride, dilation and
/// zero insertion.
#ifndef WEFT_RUNTIME_EMULATOR_TIU_WINDOW_H
#define WEFT_RUNTIME_EMULATOR_TIU_WINDOW_H

#include "runtime/emulator/tiu/Tiu.h"

#include <vector>

namespace weft::emulator::tiu {

/// Work limit of one command, in multiply-adds: beyond everything that fits
/// local memory in practice, below what would look like a hang.
constexpr uint64_t kMaxMacs = uint64_t(1) << 38;

struct Window {
  uint32_t inputH = 1, inputW = 1, outputH = 1, outputW = 1;
  uint32_t kernelH = 1, kernelW = 1, strideH = 1, strideW = 1, dilationH = 1,
           dilationW = 1;
  /// Input row (column) at each padded position, or one of the codes below.
  std::vector<int32_t> rowAt, columnAt;
  static constexpr int32_t kPad = -1, kInserted = -2;

  uint32_t positions() const { return kernelH * kernelW; }
  uint32_t pixels() const { return outputH * outputW; }
  uint32_t samples() const { return inputH * inputW; }
};

/// Reads the sizes of input, result and kernel.
void readWindowSizes(const Decoded &command, Window &window);
/// Reads the window fields of CONV and PorD; sizes come from opd0_h/w, opd1_h/w
/// and the result.
Status readWindow(const Decoded &command, Window &window);

} // namespace weft::emulator::tiu

#endif
