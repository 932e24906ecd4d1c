// A function that BM1684X lacks.

#include "ppl/ppl.h"

using namespace ppl;

__KERNEL__ void kernel(float *) {
  tensor<float> x({1, 64, 8, 8}), y({1, 64, 4, 4});
  dim2 two = {2, 2}, one = {1, 1};
  padding_t none = {0, 0, 0, 0};
  tiu::fill(x, 1.0f);
  // refused: ppl::tiu::fpool_min: exists on bm1688, bm1690, sg2380, sg2260e or
  // sg2262 only, not on bm1684x; the pooling unit of bm1684x and mars3 has no
  // minimum: take the maximum of the negated input
  tiu::fpool_min(y, x, &two, &none, &two, &one);
}
#include "call_kernel.h"
