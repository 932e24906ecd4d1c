//===- Dma.h - ppl ops of Dma.td ---------------------------------*- C++
//-*-===//

#ifndef WEFT_DIALECTS_PPL_DMA_H
#define WEFT_DIALECTS_PPL_DMA_H

#include "dialects/ppl/Ppl.h"

#define GET_OP_CLASSES
#include "dialects/ppl/Dma.h.inc"

#endif // WEFT_DIALECTS_PPL_DMA_H
