//===- Conv.h - tpu ops of the Conv family ----------------------*- C++ -*-===//

#ifndef WEFT_DIALECTS_TPU_CONV_H
#define WEFT_DIALECTS_TPU_CONV_H

#include "dialects/tpu/Tpu.h"

#define GET_OP_CLASSES
#include "dialects/tpu/Conv.h.inc"

namespace weft::tpu {

/// The groups of a convolution's filters, neighbours or in turn.
struct FilterGroups {
  int64_t count = 1;
  bool isInterleaved = false;

  /// The group of filter `result`, one of `results`.
  int64_t of(int64_t result, int64_t results) const {
    return isInterleaved ? result % count : result / (results / count);
  }
};

} // namespace weft::tpu

#endif // WEFT_DIALECTS_TPU_CONV_H
