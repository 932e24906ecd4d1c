// Random values that the elements cannot have.

#include "ppl/ppl.h"

using namespace ppl;

__TEST__ void test() {
  dim4 shape = {1, 64, 1, 64};
  // refused: rand: low is -5.000000, high 300.000000, the elements are from
  // 0.000000 to 255.000000; take limits in that range
  uint8 *out = ppl::rand<uint8>(&shape, -5, 300);
  expect(out, &shape, [](int64_t) { return 0; });
}
