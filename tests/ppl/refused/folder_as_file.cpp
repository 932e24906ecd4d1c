// A folder is no file of numbers.

#include "ppl/ppl.h"

using namespace ppl;

__TEST__ void test() {
  dim4 shape = {1, 64, 1, 64};
  float *out = ppl::malloc<float>(&shape);
  // refused: cannot read '.'; is it a file?
  read_npy(out, ".");
  expect(out, &shape, [](int64_t) { return 0; });
}
