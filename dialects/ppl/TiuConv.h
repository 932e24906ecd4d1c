//===- TiuConv.h - ppl ops of TiuConv.td ---------------------------------*- C++
//-*-===//

#ifndef WEFT_DIALECTS_PPL_TIUCONV_H
#define WEFT_DIALECTS_PPL_TIUCONV_H

#include "dialects/ppl/Ppl.h"

#define GET_OP_CLASSES
#include "dialects/ppl/TiuConv.h.inc"

#endif // WEFT_DIALECTS_PPL_TIUCONV_H
