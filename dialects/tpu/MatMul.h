//===- MatMul.h - tpu ops of the MatMul family ---*- C++ -*-===//

#ifndef WEFT_DIALECTS_TPU_MATMUL_H
#define WEFT_DIALECTS_TPU_MATMUL_H

#include "dialects/tpu/Tpu.h"

#define GET_OP_CLASSES
#include "dialects/tpu/MatMul.h.inc"

#endif // WEFT_DIALECTS_TPU_MATMUL_H
