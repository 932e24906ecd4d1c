// More values than the memory has room for.

#include "ppl/ppl.h"

using namespace ppl;

__TEST__ void test() {
  dim4 shape = {1, 64, 1, 64};
  float *out = ppl::malloc<float>(&shape);
  dim4 larger = {1, 65, 1, 64};
  // refused: expect: 4160 elements, the memory has room for 4096
  expect(out, &larger, [](int64_t) { return 0; });
}
