//===- tiu_pool.h - TIU functions: pool ---*- C++ -*-===//

#ifndef WEFT_FRONTEND_PPL_INCLUDE_PPL_TIU_POOL_H
#define WEFT_FRONTEND_PPL_INCLUDE_PPL_TIU_POOL_H

#include "ppl/tensor.h"

namespace ppl::tiu {} // namespace ppl::tiu

#endif // WEFT_FRONTEND_PPL_INCLUDE_PPL_TIU_POOL_H
