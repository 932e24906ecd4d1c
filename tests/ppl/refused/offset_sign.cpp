// A negative offset of an unsigned result.

#include "ppl/ppl.h"

using namespace ppl;

__KERNEL__ void kernel(float *) {
  tensor<uint8> dst({1, 64, 4, 8});
  tensor<int> src({1, 64, 4, 8});
  // refused: ppl::tiu::rq1: offset is -1, dst is uint8; offset must be -32768
  // to 32767, 0 to 65535 if dst is unsigned
  tiu::rq1(dst, src, 10, -5, -1, RM_HALF_UP);
}
#include "call_kernel.h"
