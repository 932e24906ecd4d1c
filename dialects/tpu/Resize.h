//===- Resize.h - tpu ops of the Resize family ------------------*- C++ -*-===//

#ifndef WEFT_DIALECTS_TPU_RESIZE_H
#define WEFT_DIALECTS_TPU_RESIZE_H

#include "dialects/tpu/Tpu.h"

#define GET_OP_CLASSES
#include "dialects/tpu/Resize.h.inc"

#endif // WEFT_DIALECTS_TPU_RESIZE_H
