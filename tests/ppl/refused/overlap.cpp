// The result lies half over the source.

#include "ppl/ppl.h"

using namespace ppl;

__KERNEL__ void kernel(float *) {
  tensor<float> both({1, 64, 1, 48});
  tiu::fill(both, 1.0f);
  auto x = both.sub_view({1, 64, 1, 32}, {0, 0, 0, 0});
  auto y = both.sub_view({1, 64, 1, 32}, {0, 0, 0, 16});
  // refused: ppl::tiu::fadd: dst at 64 overlaps src0 at 0; dst must be exactly
  // a source or lie apart from it
  tiu::fadd(y, x, 1.0f);
}
#include "call_kernel.h"
