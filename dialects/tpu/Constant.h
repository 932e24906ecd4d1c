//===- Constant.h - tpu ops of the Constant family ----------------------*- C++
//-*-===//

#ifndef WEFT_DIALECTS_TPU_CONSTANT_H
#define WEFT_DIALECTS_TPU_CONSTANT_H

#include "dialects/tpu/Tpu.h"

#define GET_OP_CLASSES
#include "dialects/tpu/Constant.h.inc"

#endif // WEFT_DIALECTS_TPU_CONSTANT_H
