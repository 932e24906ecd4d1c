#include "ppl.h"
using namespace ppl;
__KERNEL__ void hau_line_gather_bf16(bf16 *ptr_output, bf16 *ptr_param,
                                     uint32 *ptr_index) {
  const int line_num = 128;
  const int line_len = 64;
  const int index_len = 32;
  const int start = 0;
  const int end = 64;
  dim4 output_shape = {1, 1, index_len, line_len};
  auto gtensor_output = gtensor<bf16>(output_shape, GLOBAL, ptr_output);
  dim4 param_shape = {1, 1, line_num, line_len};
  auto gtensor_input = gtensor<bf16>(param_shape, GLOBAL, ptr_param);
  dim4 index_shape = {1, 1, 1, index_len};
  auto gtensor_index = gtensor<uint32>(index_shape, GLOBAL, ptr_index);
  hau::gather_line(gtensor_output, gtensor_input, gtensor_index, 1, start, end,
                   true);
}
