//===- dma.h -----------------------------------------------------*- C++
//-*-===//

#ifndef WEFT_FRONTEND_PPL_INCLUDE_PPL_DMA_H
#define WEFT_FRONTEND_PPL_INCLUDE_PPL_DMA_H

#include "ppl/tensor.h"

#endif // WEFT_FRONTEND_PPL_INCLUDE_PPL_DMA_H
