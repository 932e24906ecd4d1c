//===- Net.h - ppl ops of Net.td ---------------------------------*- C++
//-*-===//

#ifndef WEFT_DIALECTS_PPL_NET_H
#define WEFT_DIALECTS_PPL_NET_H

#include "dialects/CustomKernels.h"
#include "dialects/ppl/Ppl.h"

#define GET_OP_CLASSES
#include "dialects/ppl/Net.h.inc"

#endif // WEFT_DIALECTS_PPL_NET_H
