//===- tiu_conv.h - TIU functions: conv ---*- C++ -*-===//

#ifndef WEFT_FRONTEND_PPL_INCLUDE_PPL_TIU_CONV_H
#define WEFT_FRONTEND_PPL_INCLUDE_PPL_TIU_CONV_H

#include "ppl/tensor.h"

namespace ppl::tiu {} // namespace ppl::tiu

#endif // WEFT_FRONTEND_PPL_INCLUDE_PPL_TIU_CONV_H
