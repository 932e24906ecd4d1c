// More values than the memory has.

#include "ppl/ppl.h"

using namespace ppl;

__TEST__ void test() {
  dim4 shape = {1, 64, 1, 64};
  float *out = ppl::malloc<float>(&shape);
  dim4 huge = {2147483647, 2147483647, 2147483647, 2147483647};
  // refused: which is more than 2^40 elements; make it smaller
  expect(out, &huge, [](int64_t) { return 0; });
}
