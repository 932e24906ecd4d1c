//===- Softmax.h - tpu ops of the Softmax family ---*- C++ -*-===//

#ifndef WEFT_DIALECTS_TPU_SOFTMAX_H
#define WEFT_DIALECTS_TPU_SOFTMAX_H

#include "dialects/tpu/Tpu.h"

#define GET_OP_CLASSES
#include "dialects/tpu/Softmax.h.inc"

#endif // WEFT_DIALECTS_TPU_SOFTMAX_H
