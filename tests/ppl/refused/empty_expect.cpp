// Values of an empty shape would always be right.

#include "ppl/ppl.h"

using namespace ppl;

__TEST__ void test() {
  dim4 shape = {1, 64, 1, 64};
  float *out = ppl::malloc<float>(&shape);
  dim4 empty = {1, 0, 1, 64};
  // refused: expect: shape is 1x0x1x64, each size must be 1 or more
  expect(out, &empty, [](int64_t) { return 0; });
}
