// Blocks that a message orders.
// options: --target bm1690

#include "ppl/ppl.h"

using namespace ppl;

__KERNEL__ void kernel(float *out) {
  dim4 all = {1, 64, 1, 64};
  set_block_num(2);
  tensor<float> x(all);
  gtensor<float> meeting(all, L2);
  int id = get_msg_id(MSG_LOCAL);
  if (get_block_index() == 0) {
    dma::fill(meeting, 1.0f);
    sdma::send_msg(id, 1);
  } else {
    // warned: not checked for races of blocks: ppl::dma::wait_msg waits for a
    // message; where sync() does, the check knows the order
    dma::wait_msg(id, 1);
    dma::load(x, meeting);
    dma::store(gtensor<float>(all, GLOBAL, out), x);
  }
}
__TEST__ void test() {
  dim4 shape = {1, 64, 1, 64};
  float *out = ppl::malloc<float>(&shape);
  kernel(out);
  expect(out, &shape, [](int64_t) { return 1; });
}
