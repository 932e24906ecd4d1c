//===- multicore.cpp - kernels for several cores (BM1690) -----------------===//

#include "tiles.h"

using namespace ppl;

// PPL 3.5: each core takes its rows.
__KERNEL__ void square_on_cores(float *out, float *in, int rows, int columns,
                                int cores) {
  set_block_num(cores);
  int share = div_up(rows, get_block_num()), first = share * get_block_index(),
      count = min(share, rows - first);
  if (count <= 0)
    return;
  dim4 all = {1, rows, 1, columns}, part = {1, count, 1, columns},
       at = {0, first, 0, 0};
  gtensor<float> gin(all, GLOBAL, in), gout(all, GLOBAL, out);
  tensor<float> x(part), y(part);
  dma::load(x, gin.sub_view(part, at));
  tiu::fmul(y, x, x);
  dma::store(gout.sub_view(part, at), y);
}
static void testSquare(int cores) {
  dim4 shape = {1, 50, 1, 30};
  float *out = ppl::malloc<float>(&shape),
        *in = ppl::rand<float>(&shape, -1.0, 1.0);
  square_on_cores(out, in, 50, 30, cores);
  expect(out, &shape, [&](int64_t i) { return in[i] * in[i]; });
}
__TEST__ void square_on_one_core() { testSquare(1); }
__TEST__ void square_on_all_cores() { testSquare(8); }
