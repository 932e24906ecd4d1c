// A sum of signed numbers is signed.

#include "ppl/ppl.h"

using namespace ppl;

__KERNEL__ void kernel(float *) {
  dim4 shape = {1, 64, 1, 32};
  tensor<int8> x(shape);
  tensor<uint8> y(shape);
  tiu::fill(x, 3);
  // refused: ppl::tiu::add: dst is uint8, an operand is signed; dst is unsigned
  // exactly if src0 and src1 are (a negative number counts as signed)
  tiu::add(y, x, x, 0, RM_HALF_UP, true);
}
#include "call_kernel.h"
