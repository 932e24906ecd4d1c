//===- tiu_index.h - TIU functions: index ---*- C++ -*-===//

#ifndef WEFT_FRONTEND_PPL_INCLUDE_PPL_TIU_INDEX_H
#define WEFT_FRONTEND_PPL_INCLUDE_PPL_TIU_INDEX_H

#include "ppl/tensor.h"

namespace ppl::tiu {} // namespace ppl::tiu

#endif // WEFT_FRONTEND_PPL_INCLUDE_PPL_TIU_INDEX_H
