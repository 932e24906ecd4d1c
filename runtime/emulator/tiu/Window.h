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
  uint32_t padSlot() const { return inputH * inputW; }
  uint32_t insertSlot() const { return inputH * inputW + 1; }

  /// Indices into an input plane (padSlot, insertSlot after its end) that
  /// `count` output pixels from `first` read at kernel position (kh, kw). True
  /// if they are consecutive.
  bool indices(uint32_t first, unsigned count, uint32_t kh, uint32_t kw,
               uint32_t *index) const;
};

/// Reads the window fields of CONV and PorD; sizes come from opd0_h/w, opd1_h/w
/// and the result.
Status readWindow(const Decoded &command, Window &window);

} // namespace weft::emulator::tiu

#endif
