// Memory without a shape.

#include "ppl/ppl.h"

using namespace ppl;

__TEST__ void test() {
  dim4 shape = {1, 64, 1, 64};
  const dim4 *none = nullptr;
  // refused: malloc: the shape is a null pointer
  float *out = ppl::malloc<float>(none);
  expect(out, &shape, [](int64_t) { return 0; });
}
