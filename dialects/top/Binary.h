//===- Binary.h - top ops of the Binary family ----------------------*- C++
//-*-===//

#ifndef WEFT_DIALECTS_TOP_BINARY_H
#define WEFT_DIALECTS_TOP_BINARY_H

#include "dialects/top/Top.h"

#define GET_OP_CLASSES
#include "dialects/top/Binary.h.inc"

#endif // WEFT_DIALECTS_TOP_BINARY_H
