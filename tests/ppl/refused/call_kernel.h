// Included behind a kernel, which it calls on 1x64x1x64 floats.

#ifndef WEFT_TESTS_PPL_REFUSED_CALL_KERNEL_H
#define WEFT_TESTS_PPL_REFUSED_CALL_KERNEL_H

__TEST__ void test() {
  dim4 shape = {1, 64, 1, 64};
  float *out = ppl::malloc<float>(&shape);
  kernel(out);
  expect(out, &shape, [](int64_t) { return 0; });
}

#endif // WEFT_TESTS_PPL_REFUSED_CALL_KERNEL_H
