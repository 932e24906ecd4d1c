//===- TiuArith.h - ppl ops of TiuArith.td ---------------------------------*-
// C++ -*-===//

#ifndef WEFT_DIALECTS_PPL_TIUARITH_H
#define WEFT_DIALECTS_PPL_TIUARITH_H

#include "dialects/ppl/Ppl.h"

#define GET_OP_CLASSES
#include "dialects/ppl/TiuArith.h.inc"

#endif // WEFT_DIALECTS_PPL_TIUARITH_H
