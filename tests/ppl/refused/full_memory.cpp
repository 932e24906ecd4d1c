// More memory than the device has. The test ends there.

#include "ppl/ppl.h"

using namespace ppl;

__TEST__ void test() {
  dim4 shape = {1, 64, 1, 64};
  dim4 large = {1, 1, 65536, 65536};
  // refused: malloc: 17179869184 bytes do not fit
  float *out = ppl::malloc<float>(&large);
  out[0] = 1;
  expect(out, &shape, [](int64_t) { return 0; });
}
