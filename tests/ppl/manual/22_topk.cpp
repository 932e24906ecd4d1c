#include "ppl.h"
using namespace ppl;
__KERNEL__ void topk_int32(int32 *ptr_dst, int32 *ptr_src) {
  const int len = 320;
  const int K = 16;
  const bool descended = true;
  dim4 dst_shape = {1, 1, 1, K};
  dim4 src_shape = {1, 1, 1, len};
  auto gtensor_dst = gtensor<int32>(dst_shape, GLOBAL, ptr_dst);
  auto gtensor_src = gtensor<int32>(src_shape, GLOBAL, ptr_src);
  hau::topk(gtensor_dst, gtensor_src, false, K, descended);
}
