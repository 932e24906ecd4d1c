//===- Binary.h - tpu ops of the Binary family ---*- C++ -*-===//

#ifndef WEFT_DIALECTS_TPU_BINARY_H
#define WEFT_DIALECTS_TPU_BINARY_H

#include "dialects/tpu/Tpu.h"

#define GET_OP_CLASSES
#include "dialects/tpu/Binary.h.inc"

#endif // WEFT_DIALECTS_TPU_BINARY_H
