// Memory of a negative size. The test ends there.

#include "ppl/ppl.h"

using namespace ppl;

__TEST__ void test() {
  dim4 shape = {1, 64, 1, 64};
  dim4 negative = {1, -3, 1, 8};
  // refused: malloc: shape is 1x-3x1x8, each size must be 1 or more
  float *out = ppl::malloc<float>(&negative);
  out[0] = 1;
  expect(out, &shape, [](int64_t) { return 0; });
}
