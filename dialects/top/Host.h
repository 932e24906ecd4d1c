//===- Host.h - top ops of the Host family ----------------------*- C++ -*-===//

#ifndef WEFT_DIALECTS_TOP_HOST_H
#define WEFT_DIALECTS_TOP_HOST_H

#include "dialects/CustomKernels.h"
#include "dialects/top/Top.h"

#define GET_OP_CLASSES
#include "dialects/top/Host.h.inc"

#endif // WEFT_DIALECTS_TOP_HOST_H
