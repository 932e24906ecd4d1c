// Values of a negative shape.

#include "ppl/ppl.h"

using namespace ppl;

__TEST__ void test() {
  dim4 shape = {1, 64, 1, 64};
  float *out = ppl::malloc<float>(&shape);
  dim4 negative = {-1, 3, 1, 8};
  // refused: expect: shape is -1x3x1x8, each size must be 1 or more
  expect(out, &negative, [](int64_t) { return 0; });
}
