//===- Cast.h - tpu ops of the Cast family ----------------------*- C++ -*-===//

#ifndef WEFT_DIALECTS_TPU_CAST_H
#define WEFT_DIALECTS_TPU_CAST_H

#include "dialects/tpu/Tpu.h"

#define GET_OP_CLASSES
#include "dialects/tpu/Cast.h.inc"

#endif // WEFT_DIALECTS_TPU_CAST_H
