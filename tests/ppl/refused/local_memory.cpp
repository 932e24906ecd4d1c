// More than the lanes hold.

#include "ppl/ppl.h"

using namespace ppl;

__KERNEL__ void kernel(float *out) {
  dim4 shape = {1, 64, 1, 30000};
  // refused: local memory is too small: the tensors that live at once take
  // 360000 bytes of each lane, there are 262144; this tensor is the largest
  // (120000), make its block smaller
  tensor<float> x(shape), y(shape), z(shape);
  tiu::fill(x, 1.0f);
  tiu::fill(y, 2.0f);
  tiu::fadd(z, x, y);
  tiu::fadd(z, z, x);
  tiu::fadd(z, z, y);
  dma::store(gtensor<float>({1, 64, 1, 64}, GLOBAL, out),
             z.sub_view({1, 64, 1, 64}, {0, 0, 0, 0}));
}
#include "call_kernel.h"
