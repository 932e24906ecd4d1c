//===- Memory.h - ppl ops of Memory.td ---------------------------------*- C++
//-*-===//

#ifndef WEFT_DIALECTS_PPL_MEMORY_H
#define WEFT_DIALECTS_PPL_MEMORY_H

#include "dialects/ppl/Ppl.h"

#define GET_OP_CLASSES
#include "dialects/ppl/Memory.h.inc"

#endif // WEFT_DIALECTS_PPL_MEMORY_H
