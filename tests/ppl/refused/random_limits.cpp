// Limits in the wrong order.

#include "ppl/ppl.h"

using namespace ppl;

__TEST__ void test() {
  dim4 shape = {1, 64, 1, 64};
  // refused: rand: low is 1.000000, high -1.000000; low must not be above high
  float *out = ppl::rand<float>(&shape, 1.0, -1.0);
  expect(out, &shape, [](int64_t) { return 0; });
}
