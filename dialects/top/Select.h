//===- Select.h - top ops of the Select family ------------------*- C++ -*-===//

#ifndef WEFT_DIALECTS_TOP_SELECT_H
#define WEFT_DIALECTS_TOP_SELECT_H

#include "dialects/top/Top.h"

#define GET_OP_CLASSES
#include "dialects/top/Select.h.inc"

#endif // WEFT_DIALECTS_TOP_SELECT_H
