// A step back.

#include "ppl/ppl.h"

using namespace ppl;

__TEST__ void test() {
  dim4 shape = {1, 64, 1, 64};
  float *out = ppl::malloc<float>(&shape);
  dim4 stride = {4096, 64, -1, 1};
  // refused: rand: a stride is -1, must be 0 or more
  ppl::rand(out, &shape, &stride, 0.0, 1.0);
  expect(out, &shape, [](int64_t) { return 0; });
}
