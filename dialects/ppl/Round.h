//===- Round.h - rounds of pipelined loops, barriers ----------*- C++ -*-===//

#ifndef WEFT_DIALECTS_PPL_ROUND_H
#define WEFT_DIALECTS_PPL_ROUND_H

#include "dialects/ppl/Ppl.h"

#define GET_OP_CLASSES
#include "dialects/ppl/Round.h.inc"

#endif // WEFT_DIALECTS_PPL_ROUND_H
