//===- Pool.h - top ops of the Pool family ----------------------*- C++ -*-===//

#ifndef WEFT_DIALECTS_TOP_POOL_H
#define WEFT_DIALECTS_TOP_POOL_H

#include "dialects/top/Top.h"

#define GET_OP_CLASSES
#include "dialects/top/Pool.h.inc"

#endif // WEFT_DIALECTS_TOP_POOL_H
