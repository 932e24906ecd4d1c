//===- tiu.h - functions of the TIU ---------------------------*- C++ -*-===//

#ifndef WEFT_FRONTEND_PPL_INCLUDE_PPL_TIU_H
#define WEFT_FRONTEND_PPL_INCLUDE_PPL_TIU_H

#include "ppl/tiu_comparison.h"
#include "ppl/tiu_conv.h"
#include "ppl/tiu_index.h"
#include "ppl/tiu_matmul.h"
#include "ppl/tiu_move.h"
#include "ppl/tiu_pointwise.h"
#include "ppl/tiu_pool.h"
#include "ppl/tiu_quant.h"
#include "ppl/tiu_special.h"

#endif // WEFT_FRONTEND_PPL_INCLUDE_PPL_TIU_H
