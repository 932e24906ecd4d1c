//===- Cast.h - top ops of the Cast family ----------------------*- C++ -*-===//

#ifndef WEFT_DIALECTS_TOP_CAST_H
#define WEFT_DIALECTS_TOP_CAST_H

#include "dialects/top/Top.h"

#define GET_OP_CLASSES
#include "dialects/top/Cast.h.inc"

#endif // WEFT_DIALECTS_TOP_CAST_H
