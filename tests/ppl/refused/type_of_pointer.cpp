// Elements of one type behind a pointer to another.

#include "ppl/ppl.h"

using namespace ppl;

__KERNEL__ void kernel(float *p) {
  dim4 shape = {1, 4, 1, 8};
  gtensor<int8> bytes(shape, GLOBAL, static_cast<void *>(p));
  gtensor<float> same(shape, GLOBAL, const_cast<const float *>(p));
  // refused: the tensor is of fp16, its pointer to fp32; convert with
  // tiu::cast, or pass static_cast<void *>(pointer)
  gtensor<fp16> g(shape, GLOBAL, p);
}
#include "call_kernel.h"
