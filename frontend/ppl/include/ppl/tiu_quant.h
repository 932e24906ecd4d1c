//===- tiu_quant.h - TIU functions: quant ---*- C++ -*-===//

#ifndef WEFT_FRONTEND_PPL_INCLUDE_PPL_TIU_QUANT_H
#define WEFT_FRONTEND_PPL_INCLUDE_PPL_TIU_QUANT_H

#include "ppl/tensor.h"

namespace ppl::tiu {} // namespace ppl::tiu

#endif // WEFT_FRONTEND_PPL_INCLUDE_PPL_TIU_QUANT_H
