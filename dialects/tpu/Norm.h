//===- Norm.h - tpu ops of the Norm family ----------------------*- C++ -*-===//

#ifndef WEFT_DIALECTS_TPU_NORM_H
#define WEFT_DIALECTS_TPU_NORM_H

#include "dialects/tpu/Tpu.h"

#define GET_OP_CLASSES
#include "dialects/tpu/Norm.h.inc"

#endif // WEFT_DIALECTS_TPU_NORM_H
