//===- tiu_special.h - TIU functions: special ---*- C++ -*-===//

#ifndef WEFT_FRONTEND_PPL_INCLUDE_PPL_TIU_SPECIAL_H
#define WEFT_FRONTEND_PPL_INCLUDE_PPL_TIU_SPECIAL_H

#include "ppl/tensor.h"

namespace ppl::tiu {} // namespace ppl::tiu

#endif // WEFT_FRONTEND_PPL_INCLUDE_PPL_TIU_SPECIAL_H
