//===- MatMul.h - top ops of the MatMul family ----------------------*- C++
//-*-===//

#ifndef WEFT_DIALECTS_TOP_MATMUL_H
#define WEFT_DIALECTS_TOP_MATMUL_H

#include "dialects/top/Top.h"

#define GET_OP_CLASSES
#include "dialects/top/MatMul.h.inc"

#endif // WEFT_DIALECTS_TOP_MATMUL_H
