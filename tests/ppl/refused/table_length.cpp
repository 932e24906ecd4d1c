// The table of 1/k! has 32 entries.

#include "ppl/ppl.h"

using namespace ppl;

__KERNEL__ void kernel(float *) {
  tensor<float> table({1, LANE_NUM, 1, 33});
  // refused: ppl::tiu::smem_bcast: w is 33, the table has 32 entries; dst must
  // not be longer than the table
  tiu::load_coeff(table, EXP);
}
#include "call_kernel.h"
