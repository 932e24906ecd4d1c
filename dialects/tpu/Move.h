//===- Move.h - tpu ops of the Move family ----------------------*- C++ -*-===//

#ifndef WEFT_DIALECTS_TPU_MOVE_H
#define WEFT_DIALECTS_TPU_MOVE_H

#include "dialects/tpu/Tpu.h"

#define GET_OP_CLASSES
#include "dialects/tpu/Move.h.inc"

#endif // WEFT_DIALECTS_TPU_MOVE_H
