//===- Gather.h - tpu ops of the Gather family ------------------*- C++ -*-===//

#ifndef WEFT_DIALECTS_TPU_GATHER_H
#define WEFT_DIALECTS_TPU_GATHER_H

#include "dialects/tpu/Tpu.h"

#define GET_OP_CLASSES
#include "dialects/tpu/Gather.h.inc"

#endif // WEFT_DIALECTS_TPU_GATHER_H
