//===- MatMul.h - tpu ops of the MatMul family ---*- C++ -*-===//

#ifndef WEFT_DIALECTS_TPU_MATMUL_H
#define WEFT_DIALECTS_TPU_MATMUL_H

#include "dialects/tpu/Tpu.h"

#define GET_OP_CLASSES
#include "dialects/tpu/MatMul.h.inc"

namespace weft::tpu {

/// Rows of a matrix of codes (tpu.coded_linear) are a multiple of these: what
/// the matrix unit and the cube take at a time.
inline constexpr int64_t kCodedInnerUnit = 32;

/// So many products of f32 are added up by one command wherever rows times
/// columns are computed, in the lanes or in DRAM: what is added in parts is
/// rounded at other places.
inline constexpr int64_t kWholeInnerF32 = int64_t(1) << 14;

} // namespace weft::tpu

#endif // WEFT_DIALECTS_TPU_MATMUL_H
