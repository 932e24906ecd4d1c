/*===- tpu_bdc.h - unary functions of the kernel library --------*- C -*-===*/

#ifndef WEFT_FRONTEND_PPL_INCLUDE_PPL_TPU_BDC_H
#define WEFT_FRONTEND_PPL_INCLUDE_PPL_TPU_BDC_H

/* Unary functions on tensors of local memory at given addresses:
 * dst(n,c,h,w) = f(src(n,c,h,w)). For kernels in C++, which record at once, and
 * for C: then one C++ file of the library includes this header too.
 *
 * An address is lane * bytes per lane + byte inside the lane. dst, src and work
 * start in one lane. ALIGNED: the dense layout TPU_ALIGN, from a multiple of
 * the chip's EU bytes on. FREE: strides in elements, a null pointer stands for
 * ALIGNED. work: scratch of dst's shape, fp32, ALIGNED. coeff, table: a copy in
 * every lane, filled by the loader of the same name once, ALIGNED, in lane 0.
 * A broken rule is an error at the line of the call.
 *
 * docs/ppl/tpu-bdc.md has the domains, special values and measured errors. */

#ifdef __cplusplus
#include "ppl/tpu_bdc_contract.h"
#include "ppl/tpu_bdc_sequences.h"
using local_addr_t = uint32_t;
/* What the C declarations name. */
using ppl::data_type_t;
using ppl::dim4;
/* Its name in this library. */
inline constexpr ppl::data_type_t DT_BFP16 = ppl::DT_BF16;
extern "C" {
#else
#include <stdint.h>
typedef uint32_t local_addr_t;
typedef struct dim4 {
  int n, c, h, w;
} dim4;
/* The numbers are those of PPL. */
typedef enum data_type_t {
  DT_FP32 = 1,
  DT_FP16 = 2,
  DT_BF16 = 3,
  DT_BFP16 = 3,
  DT_INT32 = 8,
  DT_UINT32 = 9,
  DT_INT16 = 10,
  DT_UINT16 = 11,
  DT_INT8 = 12,
  DT_UINT8 = 13
} data_type_t;
#endif

/* |src|, ~src, -src. FREE; dst may be src (with the same strides). Integers
 * wrap. neg: dst is signed, also of an unsigned src. */
void tpu_bdc_abs(local_addr_t dst_addr, local_addr_t src_addr,
                 const dim4 *shape, const dim4 *dst_stride,
                 const dim4 *src_stride, data_type_t dtype);
void tpu_bdc_not(local_addr_t dst_addr, local_addr_t src_addr,
                 const dim4 *shape, const dim4 *dst_stride,
                 const dim4 *src_stride, data_type_t dtype);
void tpu_bdc_neg(local_addr_t dst_addr, local_addr_t src_addr,
                 const dim4 *shape, const dim4 *dst_stride,
                 const dim4 *src_stride, data_type_t dtype);
/* -1, 0 or 1. ALIGNED; dst may be src if the type is unsigned. */
void tpu_bdc_sign(local_addr_t dst_addr, local_addr_t src_addr,
                  const dim4 *shape, data_type_t dtype);

/* 1 / src. FREE; dst may be src. num_iter: Newton steps, 1 to 4, else 3. */
void tpu_bdc_fp32_reciprocal(local_addr_t dst_addr, local_addr_t src_addr,
                             const dim4 *shape, const dim4 *dst_stride,
                             const dim4 *src_stride);
void tpu_bdc_fp32_tunable_reciprocal(local_addr_t dst_addr,
                                     local_addr_t src_addr, const dim4 *shape,
                                     const dim4 *dst_stride,
                                     const dim4 *src_stride, int num_iter);
/* 1 / sqrt(src), ALIGNED; dst may be src. */
void tpu_bdc_fp32_rsqrt(local_addr_t dst_addr, local_addr_t src_addr,
                        const dim4 *shape);
void tpu_bdc_fp32_tunable_rsqrt(local_addr_t dst_addr, local_addr_t src_addr,
                                const dim4 *shape, int num_iter);
/* sqrt(src), ALIGNED; dst is not src. */
void tpu_bdc_fp32_sqrt(local_addr_t dst_addr, local_addr_t src_addr,
                       const dim4 *shape);
void tpu_bdc_fp32_tunable_sqrt(local_addr_t dst_addr, local_addr_t src_addr,
                               const dim4 *shape, int num_iter);

/* Coefficients. Bytes a lane: exp 128, its table 768 (nothing is read from it
 * and nothing written), log 256, sin, cos and tan 128, arcsin 256. */
void tpu_bdc_load_fp32_exp_coeff(local_addr_t coeff_addr);
void tpu_bdc_load_fp32_exp_table(local_addr_t table_addr);
void tpu_bdc_load_fp32_log_coeff(local_addr_t coeff_addr);
void tpu_bdc_load_fp32_sin_coeff(local_addr_t coeff_addr);
void tpu_bdc_load_fp32_cos_coeff(local_addr_t coeff_addr);
void tpu_bdc_load_fp32_tan_coeff(local_addr_t coeff_addr);
void tpu_bdc_load_fp32_arcsin_coeff(local_addr_t coeff_addr);

/* e^src and e^src - 1, with src clamped to [-103, 88]. ALIGNED, h * w at most
 * 65535. src may be dst or one of the works; dst and the works differ. */
void tpu_bdc_fp32_exp(local_addr_t dst_addr, local_addr_t src_addr,
                      local_addr_t work0_addr, local_addr_t work1_addr,
                      local_addr_t coeff_addr, local_addr_t table_addr,
                      const dim4 *shape);
void tpu_bdc_fp32_expm1(local_addr_t dst_addr, local_addr_t src_addr,
                        local_addr_t work0_addr, local_addr_t work1_addr,
                        local_addr_t coeff_addr, local_addr_t table_addr,
                        const dim4 *shape);

/* ln(src), ln(1 + src), the logarithm to base x (positive, not 1). ALIGNED,
 * log coefficients. src may be dst or work; dst is not work. */
void tpu_bdc_fp32_log(local_addr_t dst_addr, local_addr_t src_addr,
                      local_addr_t work_addr, local_addr_t coeff_addr,
                      const dim4 *shape);
void tpu_bdc_fp32_log1p(local_addr_t dst_addr, local_addr_t src_addr,
                        local_addr_t work_addr, local_addr_t coeff_addr,
                        const dim4 *shape);
void tpu_bdc_fp32_logx(local_addr_t dst_addr, local_addr_t src_addr,
                       local_addr_t work_addr, local_addr_t coeff_addr,
                       const dim4 *shape, float x);

/* Of an angle in radians, ALIGNED. sin, cos: src may be dst or work. tan, cot
 * (both with the tan coefficients): three buffers, src is destroyed. */
void tpu_bdc_fp32_sin(local_addr_t dst_addr, local_addr_t src_addr,
                      local_addr_t work_addr, local_addr_t coeff_addr,
                      const dim4 *shape);
void tpu_bdc_fp32_cos(local_addr_t dst_addr, local_addr_t src_addr,
                      local_addr_t work_addr, local_addr_t coeff_addr,
                      const dim4 *shape);
void tpu_bdc_fp32_tan(local_addr_t dst_addr, local_addr_t src_addr,
                      local_addr_t work_addr, local_addr_t coeff_addr,
                      const dim4 *shape);
void tpu_bdc_fp32_cot(local_addr_t dst_addr, local_addr_t src_addr,
                      local_addr_t work_addr, local_addr_t coeff_addr,
                      const dim4 *shape);
/* In radians, of src in [-1, 1], both with the arcsin coefficients. ALIGNED;
 * src may be dst, not work. */
void tpu_bdc_fp32_arcsin(local_addr_t dst_addr, local_addr_t src_addr,
                         local_addr_t work_addr, local_addr_t coeff_addr,
                         const dim4 *shape);
void tpu_bdc_fp32_arccos(local_addr_t dst_addr, local_addr_t src_addr,
                         local_addr_t work_addr, local_addr_t coeff_addr,
                         const dim4 *shape);

#ifdef __cplusplus
} /* extern "C" */
#include "ppl/tpu_bdc_calls.h"
#endif

#endif /* WEFT_FRONTEND_PPL_INCLUDE_PPL_TPU_BDC_H */
