// Far more memory than there is. The test ends there.

#include "ppl/ppl.h"

using namespace ppl;

__TEST__ void test() {
  dim4 shape = {1, 64, 1, 64};
  dim4 huge = {65535, 65535, 65535, 65535};
  // refused: malloc: shape is 65535x65535x65535x65535, which is more than 2^40
  // elements; make it smaller
  float *out = ppl::malloc<float>(&huge);
  out[0] = 1;
  expect(out, &shape, [](int64_t) { return 0; });
}
