// A number that the type of the result has not.

#include "ppl/ppl.h"

using namespace ppl;

__KERNEL__ void kernel(float *) {
  dim4 shape = {1, 64, 1, 32};
  tensor<int8> x(shape), y(shape);
  tensor<int16> wide(shape);
  tiu::fill(x, 3);
  tiu::add(wide, x, 300);
  tiu::add(y, x, 300, 0, RM_HALF_UP, true);
  tiu::add(y, x, 300, -2, RM_HALF_UP, false);
  tiu::add(y, x, 255);
  // refused: ppl::tiu::add: src1 is 300, dst is int8, so bits are cut off; give
  // a number of that type, or a shift or saturation
  tiu::add(y, x, 300);
}
#include "call_kernel.h"
