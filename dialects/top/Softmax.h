//===- Softmax.h - top ops of the Softmax family ----------------------*- C++
//-*-===//

#ifndef WEFT_DIALECTS_TOP_SOFTMAX_H
#define WEFT_DIALECTS_TOP_SOFTMAX_H

#include "dialects/top/Top.h"

#define GET_OP_CLASSES
#include "dialects/top/Softmax.h.inc"

#endif // WEFT_DIALECTS_TOP_SOFTMAX_H
