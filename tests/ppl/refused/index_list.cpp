// An index list for all channels lies across the lanes.

#include "ppl/ppl.h"

using namespace ppl;

__KERNEL__ void kernel(float *) {
  tensor<fp16> dst({1, 64, 1, 9}), table({1, 64, 1, 40});
  tensor<uint8> index({1, 1, 1, 9});
  // refused: ppl::tiu::gather_w: index has shape 1x1x1x9; without
  // is_param_repeated index must have shape 1x?x1x1
  tiu::gather_w(dst, table, index);
}
#include "call_kernel.h"
