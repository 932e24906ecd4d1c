//===- Gather.h - top ops of the Gather family ------------------*- C++ -*-===//

#ifndef WEFT_DIALECTS_TOP_GATHER_H
#define WEFT_DIALECTS_TOP_GATHER_H

#include "dialects/top/Top.h"

#define GET_OP_CLASSES
#include "dialects/top/Gather.h.inc"

#endif // WEFT_DIALECTS_TOP_GATHER_H
