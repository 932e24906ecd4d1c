// An assertion of the kernel.

#include "ppl/ppl.h"

using namespace ppl;

__KERNEL__ void kernel(float *) {
  int rows = 70;
  // refused: assert(rows <= 64) does not hold
  assert(rows <= 64);
}
__TEST__ void test() {
  dim4 shape = {1, 64, 1, 64};
  float *out = ppl::malloc<float>(&shape);
  kernel(out);
  expect(out, &shape, [](int64_t) { return 0; });
}
