//===- TiuSpecial.h - ppl ops of TiuSpecial.td
//---------------------------------*- C++ -*-===//

#ifndef WEFT_DIALECTS_PPL_TIUSPECIAL_H
#define WEFT_DIALECTS_PPL_TIUSPECIAL_H

#include "dialects/ppl/Ppl.h"

#define GET_OP_CLASSES
#include "dialects/ppl/TiuSpecial.h.inc"

#endif // WEFT_DIALECTS_PPL_TIUSPECIAL_H
