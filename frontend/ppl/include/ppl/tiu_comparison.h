//===- tiu_comparison.h - TIU functions: comparison ---*- C++ -*-===//

#ifndef WEFT_FRONTEND_PPL_INCLUDE_PPL_TIU_COMPARISON_H
#define WEFT_FRONTEND_PPL_INCLUDE_PPL_TIU_COMPARISON_H

#include "ppl/tensor.h"

namespace ppl::tiu {} // namespace ppl::tiu

#endif // WEFT_FRONTEND_PPL_INCLUDE_PPL_TIU_COMPARISON_H
