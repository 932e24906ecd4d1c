//===- tiu.h -----------------------------------------------------*- C++
//-*-===//

#ifndef WEFT_FRONTEND_PPL_INCLUDE_PPL_TIU_H
#define WEFT_FRONTEND_PPL_INCLUDE_PPL_TIU_H

#include "ppl/tensor.h"

#endif // WEFT_FRONTEND_PPL_INCLUDE_PPL_TIU_H
