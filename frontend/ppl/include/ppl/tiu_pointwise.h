//===- tiu_pointwise.h - TIU functions: pointwise ---*- C++ -*-===//

#ifndef WEFT_FRONTEND_PPL_INCLUDE_PPL_TIU_POINTWISE_H
#define WEFT_FRONTEND_PPL_INCLUDE_PPL_TIU_POINTWISE_H

#include "ppl/tensor.h"

namespace ppl::tiu {} // namespace ppl::tiu

#endif // WEFT_FRONTEND_PPL_INCLUDE_PPL_TIU_POINTWISE_H
