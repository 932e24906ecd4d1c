//===- tiu_matmul.h - TIU functions: matmul ---*- C++ -*-===//

#ifndef WEFT_FRONTEND_PPL_INCLUDE_PPL_TIU_MATMUL_H
#define WEFT_FRONTEND_PPL_INCLUDE_PPL_TIU_MATMUL_H

#include "ppl/tensor.h"

namespace ppl::tiu {} // namespace ppl::tiu

#endif // WEFT_FRONTEND_PPL_INCLUDE_PPL_TIU_MATMUL_H
