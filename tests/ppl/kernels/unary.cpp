//===- unary.cpp - unary functions at addresses of local memory ---------===//

#include "ppl/ppl.h"

#include "ppl/tpu_bdc.h"

using namespace ppl;

// The example of docs/ppl/tpu-bdc.md.
__KERNEL__ void exponential(float *out, const float *in) {
  dim4 shape = {1, 64, 1, 1024};
  local_addr_t dst = 0, src = 0x4000, work0 = 0x8000, work1 = 0xc000,
               coeff = 0x10000, table = 0x10400;
  tensor<float> x(shape, TPU_ALIGN, src), y(shape, TPU_ALIGN, dst);
  dma::load(x, gtensor<float>(shape, GLOBAL, in));
  tpu_bdc_load_fp32_exp_coeff(coeff);
  tpu_bdc_fp32_exp(dst, src, work0, work1, coeff, table, &shape);
  dma::store(gtensor<float>(shape, GLOBAL, out), y);
}
__TEST__ void exponential_within_its_error() {
  dim4 shape = {1, 64, 1, 1024};
  float *out = ppl::malloc<float>(&shape);
  float *in = ppl::rand<float>(&shape, -80.0, 88.0);
  exponential(out, in);
  // 1.25 ulp, which is at most 1.25 * 2^-23 of the value.
  expect(
      out, &shape, [&](int64_t i) { return std::exp(double(in[i])); },
      1.25 * 0x1p-23, 0);
}

// ln(sigmoid(x)) = -log1p(e^-x): three functions in a row on the same buffers,
// each src where the one before left its dst.
__KERNEL__ void log_sigmoid(float *out, const float *in) {
  dim4 shape = {2, 70, 4, 32};
  local_addr_t a = 0, b = 0x1000, c = 0x2000, exps = 0x4000, logs = 0x4100,
               table = 0x4400;
  tensor<float> x(shape, TPU_ALIGN, a);
  dma::load(x, gtensor<float>(shape, GLOBAL, in));
  tpu_bdc_load_fp32_exp_coeff(exps);
  tpu_bdc_load_fp32_log_coeff(logs);
  tpu_bdc_neg(a, a, &shape, nullptr, nullptr, DT_FP32);
  tpu_bdc_fp32_exp(a, a, b, c, exps, table, &shape);
  tpu_bdc_fp32_log1p(b, a, c, logs, &shape);
  tpu_bdc_neg(b, b, &shape, nullptr, nullptr, DT_FP32);
  dma::store(gtensor<float>(shape, GLOBAL, out),
             tensor<float>(shape, TPU_ALIGN, b));
}
__TEST__ void log_sigmoid_within_two_errors() {
  dim4 shape = {2, 70, 4, 32};
  float *out = ppl::malloc<float>(&shape);
  float *in = ppl::rand<float>(&shape, -60.0, 20.0);
  log_sigmoid(out, in);
  // 1.25 ulp of exp, which log1p does not enlarge, and 2.1 of its own.
  expect(
      out, &shape,
      [&](int64_t i) { return -std::log1p(std::exp(-double(in[i]))); },
      (1.25 + 2.1) * 0x1p-23, 0);
}
