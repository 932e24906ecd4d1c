// More random values than the memory has room for.

#include "ppl/ppl.h"

using namespace ppl;

__TEST__ void test() {
  dim4 shape = {1, 64, 1, 64};
  float *out = ppl::malloc<float>(&shape);
  dim4 larger = {1, 6400, 1, 64};
  // refused: rand: 409600 elements, the memory has room for 4096; take memory
  // of ppl::malloc and a shape no larger than it
  ppl::rand(out, &larger, 0.0, 1.0);
  expect(out, &shape, [](int64_t) { return 0; });
}
