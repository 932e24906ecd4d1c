//===- Norm.h - top ops of the Norm family ----------------------*- C++ -*-===//

#ifndef WEFT_DIALECTS_TOP_NORM_H
#define WEFT_DIALECTS_TOP_NORM_H

#include "dialects/top/Top.h"

#define GET_OP_CLASSES
#include "dialects/top/Norm.h.inc"

#endif // WEFT_DIALECTS_TOP_NORM_H
