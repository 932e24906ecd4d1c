// Nothing has written the index list: with anything in it the gather leaves its
// source. Another read of what nothing wrote stands behind it.

#include "ppl/ppl.h"

using namespace ppl;

__KERNEL__ void kernel(float *out) {
  dim4 from = {1, 64, 16, 16}, all = {1, 64, 8, 8}, list = {1, 64, 1, 2};
  tensor<float> x(from), y(all), other(all);
  tensor<uint16> index(list, TPU_COMPACT);
  tiu::fill(x, 1.0f);
  // refused: ppl::tiu::gather_hw: index reads 128 of 128 elements that nothing
  // has written, the first at n 0, c 0, h 0, w 0, of the tensor made at
  // unwritten_index.cpp:11
  tiu::gather_hw(y, x, index);
  tiu::fadd(y, y, other);
  dma::store(gtensor<float>(all, GLOBAL, out), y);
}
#include "call_kernel.h"
