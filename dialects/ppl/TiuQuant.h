//===- TiuQuant.h - ppl ops of TiuQuant.td ---------------------------------*-
// C++ -*-===//

#ifndef WEFT_DIALECTS_PPL_TIUQUANT_H
#define WEFT_DIALECTS_PPL_TIUQUANT_H

#include "dialects/ppl/Ppl.h"

#define GET_OP_CLASSES
#include "dialects/ppl/TiuQuant.h.inc"

#endif // WEFT_DIALECTS_PPL_TIUQUANT_H
