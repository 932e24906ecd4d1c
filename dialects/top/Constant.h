//===- Constant.h - top ops of the Constant family ----------------------*- C++
//-*-===//

#ifndef WEFT_DIALECTS_TOP_CONSTANT_H
#define WEFT_DIALECTS_TOP_CONSTANT_H

#include "dialects/top/Top.h"

#define GET_OP_CLASSES
#include "dialects/top/Constant.h.inc"

#endif // WEFT_DIALECTS_TOP_CONSTANT_H
