// How many elements the device finds is not known while it is recorded.

#include "ppl/ppl.h"

using namespace ppl;

__KERNEL__ void kernel(int32 *out, uint8 *in) {
  dim4 shape = {1, 1, 1, 64};
  gtensor<int32> to(shape, GLOBAL, out);
  gtensor<uint8> from(shape, GLOBAL, in);
  // refused: dma::nonzero returns a count that only the device knows; keep it
  // in memory: gtensor<uint> n = dma::nonzero(...)
  uint count = dma::nonzero(to, from);
  (void)count;
}
__TEST__ void test() {
  dim4 shape = {1, 1, 1, 64};
  int32 *out = ppl::malloc<int32>(&shape);
  kernel(out, ppl::rand<uint8>(&shape, 0, 1));
  expect(out, &shape, [](int64_t) { return 0; });
}
