//===- Host.h - tpu ops of the Host family ----------------------*- C++ -*-===//

#ifndef WEFT_DIALECTS_TPU_HOST_H
#define WEFT_DIALECTS_TPU_HOST_H

#include "dialects/tpu/Tpu.h"

#define GET_OP_CLASSES
#include "dialects/tpu/Host.h.inc"

#endif // WEFT_DIALECTS_TPU_HOST_H
