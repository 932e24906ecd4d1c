//===- Windows.h - windows that move over spatial axes ----------*- C++ -*-===//

#ifndef WEFT_RUNTIME_HOST_WINDOWS_H
#define WEFT_RUNTIME_HOST_WINDOWS_H

#include "runtime/host/Kernels.h"

namespace weft::host {

/// A window over the one to three spatial axes of an n,c,.. tensor, widened to
/// three (d, h, w) by axes of size 1.
struct WindowGeometry {
  int64_t in[3] = {1, 1, 1}, out[3] = {1, 1, 1}, kernel[3] = {1, 1, 1};
  int64_t stride[3] = {1, 1, 1}, dilation[3] = {1, 1, 1}, pad[3] = {0, 0, 0};

  int64_t inputPlane() const { return in[0] * in[1] * in[2]; }
  int64_t outputPlane() const { return out[0] * out[1] * out[2]; }
  int64_t window() const { return kernel[0] * kernel[1] * kernel[2]; }
};

/// Reads `strides`, `pads` (begins, then ends) and, if there, `dilations` of
/// `call` for a window of sizes `kernel` over operand 0, and the sizes that
/// result. Fails if they do not fit together.
rt::Status readWindow(const Call &call, const int64_t *kernel,
                      WindowGeometry &geometry);

} // namespace weft::host

#endif // WEFT_RUNTIME_HOST_WINDOWS_H
