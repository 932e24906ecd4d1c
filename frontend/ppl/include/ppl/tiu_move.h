//===- tiu_move.h - TIU functions: move ---*- C++ -*-===//

#ifndef WEFT_FRONTEND_PPL_INCLUDE_PPL_TIU_MOVE_H
#define WEFT_FRONTEND_PPL_INCLUDE_PPL_TIU_MOVE_H

#include "ppl/tensor.h"

namespace ppl::tiu {} // namespace ppl::tiu

#endif // WEFT_FRONTEND_PPL_INCLUDE_PPL_TIU_MOVE_H
