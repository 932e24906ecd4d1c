// Operands that start in different lanes.

#include "ppl/ppl.h"

using namespace ppl;

__KERNEL__ void kernel(float *) {
  tensor<float> x({1, 64, 1, 16}), y({1, 32, 1, 16});
  tiu::fill(x, 1.0f);
  // refused: ppl::tiu::fadd: dst starts in lane 0, src0 in lane 3; dst, src0
  // and src1 must start in one lane
  tiu::fadd(y, x.sub_view({1, 32, 1, 16}, {0, 3, 0, 0}), 1.0f);
}
#include "call_kernel.h"
