// Random values for memory that the device does not see.

#include "ppl/ppl.h"

using namespace ppl;

__TEST__ void test() {
  dim4 shape = {1, 64, 1, 64};
  float *out = ppl::malloc<float>(&shape);
  static float host[64];
  // refused: rand: 4096 elements, the memory has room for 0; take memory of
  // ppl::malloc
  ppl::rand(host, &shape, 0.0, 1.0);
  expect(out, &shape, [](int64_t) { return 0; });
}
