//===- Move.h - top ops of the Move family ----------------------*- C++ -*-===//

#ifndef WEFT_DIALECTS_TOP_MOVE_H
#define WEFT_DIALECTS_TOP_MOVE_H

#include "dialects/top/Top.h"

#define GET_OP_CLASSES
#include "dialects/top/Move.h.inc"

#endif // WEFT_DIALECTS_TOP_MOVE_H
