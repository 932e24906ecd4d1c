//===- TiuMatMul.h - ppl ops of TiuMatMul.td ---------------------------------*-
// C++ -*-===//

#ifndef WEFT_DIALECTS_PPL_TIUMATMUL_H
#define WEFT_DIALECTS_PPL_TIUMATMUL_H

#include "dialects/ppl/Ppl.h"

#define GET_OP_CLASSES
#include "dialects/ppl/TiuMatMul.h.inc"

#endif // WEFT_DIALECTS_PPL_TIUMATMUL_H
