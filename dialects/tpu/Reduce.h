//===- Reduce.h - tpu ops of the Reduce family ---*- C++ -*-===//

#ifndef WEFT_DIALECTS_TPU_REDUCE_H
#define WEFT_DIALECTS_TPU_REDUCE_H

#include "dialects/tpu/Tpu.h"

#define GET_OP_CLASSES
#include "dialects/tpu/Reduce.h.inc"

#endif // WEFT_DIALECTS_TPU_REDUCE_H
