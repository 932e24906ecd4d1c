//===- Host.h - ppl ops of Host.td ------------------------------*- C++ -*-===//

#ifndef WEFT_DIALECTS_PPL_HOST_H
#define WEFT_DIALECTS_PPL_HOST_H

#include "dialects/HostCall.h"
#include "dialects/ppl/Ppl.h"

#define GET_OP_CLASSES
#include "dialects/ppl/Host.h.inc"

#endif // WEFT_DIALECTS_PPL_HOST_H
