//===- Reduce.h - top ops of the Reduce family ----------------------*- C++
//-*-===//

#ifndef WEFT_DIALECTS_TOP_REDUCE_H
#define WEFT_DIALECTS_TOP_REDUCE_H

#include "dialects/top/Top.h"

#define GET_OP_CLASSES
#include "dialects/top/Reduce.h.inc"

#endif // WEFT_DIALECTS_TOP_REDUCE_H
