//===- Pool.h - tpu ops of the Pool family ----------------------*- C++ -*-===//

#ifndef WEFT_DIALECTS_TPU_POOL_H
#define WEFT_DIALECTS_TPU_POOL_H

#include "dialects/tpu/Tpu.h"

#define GET_OP_CLASSES
#include "dialects/tpu/Pool.h.inc"

#endif // WEFT_DIALECTS_TPU_POOL_H
