//===- kernel.h -----------------------------------------------------*- C++
//-*-===//

#ifndef WEFT_FRONTEND_PPL_INCLUDE_PPL_KERNEL_H
#define WEFT_FRONTEND_PPL_INCLUDE_PPL_KERNEL_H

#include "ppl/tensor.h"

#endif // WEFT_FRONTEND_PPL_INCLUDE_PPL_KERNEL_H
