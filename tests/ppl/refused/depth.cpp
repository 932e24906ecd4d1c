// Matrices whose depths differ.

#include "ppl/ppl.h"

using namespace ppl;

__KERNEL__ void kernel(float *) {
  tensor<fp16> a({1, 16, 1, 32}), b({1, 40, 1, 16});
  tensor<float> c({1, 16, 1, 16});
  tiu::fill(a, 1.0f);
  tiu::fill(b, 1.0f);
  // refused: ppl::tiu::fmm2_nn: K is 32 in left and 40 in right; left [1, M, 1,
  // K], right [1, K, 1, N], result [1, M, 1, N] (n and h are 1)
  tiu::fmm2_nn(c, a, b);
}
#include "call_kernel.h"
