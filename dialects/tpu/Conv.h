//===- Conv.h - tpu ops of the Conv family ----------------------*- C++ -*-===//

#ifndef WEFT_DIALECTS_TPU_CONV_H
#define WEFT_DIALECTS_TPU_CONV_H

#include "dialects/tpu/Tpu.h"

#define GET_OP_CLASSES
#include "dialects/tpu/Conv.h.inc"

#endif // WEFT_DIALECTS_TPU_CONV_H
