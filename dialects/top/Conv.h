//===- Conv.h - top ops of the Conv family ----------------------*- C++ -*-===//

#ifndef WEFT_DIALECTS_TOP_CONV_H
#define WEFT_DIALECTS_TOP_CONV_H

#include "dialects/top/Top.h"

#define GET_OP_CLASSES
#include "dialects/top/Conv.h.inc"

#endif // WEFT_DIALECTS_TOP_CONV_H
