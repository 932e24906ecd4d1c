//===- Select.h - tpu ops of the Select family ------------------*- C++ -*-===//

#ifndef WEFT_DIALECTS_TPU_SELECT_H
#define WEFT_DIALECTS_TPU_SELECT_H

#include "dialects/tpu/Tpu.h"

#define GET_OP_CLASSES
#include "dialects/tpu/Select.h.inc"

#endif // WEFT_DIALECTS_TPU_SELECT_H
