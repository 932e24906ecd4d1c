//===- Unary.h - tpu ops of the Unary family ---*- C++ -*-===//

#ifndef WEFT_DIALECTS_TPU_UNARY_H
#define WEFT_DIALECTS_TPU_UNARY_H

#include "dialects/tpu/Tpu.h"

#define GET_OP_CLASSES
#include "dialects/tpu/Unary.h.inc"

#endif // WEFT_DIALECTS_TPU_UNARY_H
