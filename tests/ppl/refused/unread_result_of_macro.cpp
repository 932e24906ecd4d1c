// A result that nobody stores, of a function on the line of others: those of
// a macro stand on one.

#include "ppl/ppl.h"

using namespace ppl;

#define FILL_AND_ADD(x, y)                                                     \
  tiu::fill(x, 0.0f);                                                          \
  tiu::fadd(y, x, 1.0f);

__KERNEL__ void kernel(float *out) {
  dim4 all = {1, 64, 1, 64};
  tensor<float> x(all), y(all);
  // warned: ppl::tiu::fadd: nobody reads what it writes; store the result with
  // dma::store, or leave the call out
  FILL_AND_ADD(x, y)
  dma::store(gtensor<float>(all, GLOBAL, out), x);
}
#include "call_kernel.h"
