//===- ppl.h - the kernel language PPL ------------------------*- C++ -*-===//

#ifndef WEFT_FRONTEND_PPL_INCLUDE_PPL_PPL_H
#define WEFT_FRONTEND_PPL_INCLUDE_PPL_PPL_H

/// Kernels for TPUs in ordinary C++17. A kernel describes tensors in global
/// memory, makes tensors in local memory, and calls dma::, tiu::, ... on them.
/// It runs on the host with concrete sizes; what it calls is recorded and
/// becomes a bmodel (`weft ppl build KERNEL.cpp`).

#include "ppl/tensor.h"

#include "ppl/dma.h"
#include "ppl/hau.h"
#include "ppl/sdma.h"
#include "ppl/tiu.h"

#include "ppl/kernel.h"
#include "ppl/wrappers.h"

#include "ppl/test.h"

#endif // WEFT_FRONTEND_PPL_INCLUDE_PPL_PPL_H
