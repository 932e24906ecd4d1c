//===- constants.cpp - kernels that read no global memory -----------------===//

#include "ppl/ppl.h"

using namespace ppl;

// PPL 4.11.5: the same sequence in every lane.
__KERNEL__ void ramp(int *out, int lanes, int count) {
  dim4 shape = {1, lanes, 1, count};
  tensor<int> values(shape);
  tiu::arange_broadcast(values, -7, 3, count);
  dma::store(gtensor<int>(shape, GLOBAL, out), values);
}
__TEST__ void ramp_in_every_lane() {
  dim4 shape = {1, 64, 1, 200};
  int *out = ppl::malloc<int>(&shape);
  ramp(out, 64, 200);
  expect(out, &shape, [](int64_t i) { return -7 + 3 * (i % 200); });
}

// PPL 4.11.3: coefficients that the machine keeps.
__KERNEL__ void table(float *out, int count) {
  dim4 shape = {1, 2, 1, count};
  tensor<float> values(shape);
  tiu::load_coeff(values, EXP);
  dma::store(gtensor<float>(shape, GLOBAL, out), values);
}
__TEST__ void table_of_reciprocal_factorials() {
  dim4 shape = {1, 2, 1, 20};
  float *out = ppl::malloc<float>(&shape);
  table(out, 20);
  expect(out, &shape, [](int64_t i) {
    double factorial = 1;
    for (int64_t k = 2; k <= i % 20; ++k)
      factorial *= double(k);
    return float(1 / factorial);
  });
}

// PPL 4.6.7: what BM1684X makes of shifts that leave its 64 bits. Others
// saturate and give 0, see TiuQuantTest.
__KERNEL__ void farShift(int16 *out, int value, int shift,
                         rounding_mode_t mode) {
  dim4 shape = {1, 4, 1, 8};
  tensor<int> source(shape);
  tensor<int16> result(shape);
  tiu::fill(source, value);
  tiu::rq1(result, source, value, shift, 0, mode);
  dma::store(gtensor<int16>(shape, GLOBAL, out), result);
}
__TEST__ void shift_to_the_left_loses_bits() {
  dim4 shape = {1, 4, 1, 8};
  int16 *out = ppl::malloc<int16>(&shape);
  // (2^31 - 1)^2 * 8 = 2^65 - 2^35 + 8, of which 64 bits are negative.
  farShift(out, 2147483647, 3, RM_HALF_UP);
  expect(out, &shape, [](int64_t) { return -32768; });
}
__TEST__ void shift_to_the_right_stops_at_63() {
  dim4 shape = {1, 4, 1, 8};
  int16 *out = ppl::malloc<int16>(&shape);
  // 2^62 * 2^-63 is a tie, 2^62 * 2^-64 would not be one.
  farShift(out, -2147483647 - 1, -64, RM_HALF_AWAY_FROM_ZERO);
  expect(out, &shape, [](int64_t) { return 1; });
}
