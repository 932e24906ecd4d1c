//===- Unary.h - top ops of the Unary family ----------------------*- C++
//-*-===//

#ifndef WEFT_DIALECTS_TOP_UNARY_H
#define WEFT_DIALECTS_TOP_UNARY_H

#include "dialects/top/Top.h"

#define GET_OP_CLASSES
#include "dialects/top/Unary.h.inc"

#endif // WEFT_DIALECTS_TOP_UNARY_H
