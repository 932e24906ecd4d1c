//===- Resize.h - top ops of the Resize family ------------------*- C++ -*-===//

#ifndef WEFT_DIALECTS_TOP_RESIZE_H
#define WEFT_DIALECTS_TOP_RESIZE_H

#include "dialects/top/Top.h"

#define GET_OP_CLASSES
#include "dialects/top/Resize.h.inc"

#endif // WEFT_DIALECTS_TOP_RESIZE_H
