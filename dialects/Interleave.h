//===- Interleave.h - pixels of several images in turn ----------*- C++ -*-===//

#ifndef WEFT_DIALECTS_INTERLEAVE_H
#define WEFT_DIALECTS_INTERLEAVE_H

#include "runtime/numeric/HostTensor.h"
#include "llvm/ADT/ArrayRef.h"

#include <cstring>

namespace weft {

/// What `interleave` of top and tpu gives: pixel (y, x) of `output` (4-D) is
/// that of image y mod factors[0] * factors[1] + x mod factors[1], or of the
/// only one.
inline void interleave(numeric::HostTensor &output,
                       llvm::ArrayRef<const numeric::HostTensor *> images,
                       llvm::ArrayRef<int64_t> factors) {
  const std::vector<int64_t> &shape = output.shape();
  int64_t high = factors[0], wide = factors[1];
  size_t unit = numeric::elementBytes(output.type());
  uint8_t *to = output.bytes();
  for (int64_t row = 0; row < shape[0] * shape[1] * shape[2]; ++row)
    for (int64_t x = 0; x < shape[3]; ++x, to += unit) {
      // Rows of all planes are numbered through: planes are multiples of high.
      int64_t phase = row % high * wide + x % wide;
      const numeric::HostTensor &source =
          *images[images.size() == 1 ? 0 : phase];
      int64_t from = row / high * (shape[3] / wide) + x / wide;
      std::memcpy(to, source.bytes() + from * unit, unit);
    }
}

} // namespace weft

#endif // WEFT_DIALECTS_INTERLEAVE_H
