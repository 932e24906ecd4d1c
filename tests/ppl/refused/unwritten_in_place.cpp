// The result lies in the place of its source, of which the function takes a
// part only. What is behind that part is not the result's.

#include "ppl/ppl.h"

using namespace ppl;

__KERNEL__ void kernel(float *out) {
  dim4 all = {1, 64, 1, 40960}, half = {1, 64, 1, 20480}, at = {0, 0, 0, 0};
  dim4 stored = {1, 64, 1, 64};
  tensor<float> x(all), y(all); // 160 KB of each lane
  tiu::fill(x, 1.0f);
  tiu::fadd(y.sub_view(half, at), x.sub_view(half, at), 1.0f);
  // refused: ppl::tiu::fmul: src0 reads 1310720 of 2621440 elements that
  // nothing has written, the first at n 0, c 0, h 0, w 20480, of the tensor
  // made at unwritten_in_place.cpp:11
  tiu::fmul(y, y, 2.0f);
  dma::store(gtensor<float>(stored, GLOBAL, out),
             y.sub_view(stored, {0, 0, 0, 40896}));
}
#include "call_kernel.h"
