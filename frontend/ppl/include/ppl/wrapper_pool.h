//===- wrapper_pool.h - wrappers made of poolings --------------*- C++ -*-===//

#ifndef WEFT_FRONTEND_PPL_INCLUDE_PPL_WRAPPER_POOL_H
#define WEFT_FRONTEND_PPL_INCLUDE_PPL_WRAPPER_POOL_H

#include "ppl/kernel.h"
#include "ppl/tiu.h"

/// quick_pooling and the average pooling that knows its borders. Sums are
/// rounded to the type of the tensors at every addition.

/// out [n, c, 1, 1]: the maximum over w (`mode` 0) or the sum of element *
/// `scale` over w (`mode` 1, so a mean needs scale = 1 / w). h of `in` is 1.
/// The columns of `in` between w and the next multiple of get_eu_num<T>(),
/// which lie inside its storage, are overwritten with `fill`: 0 for sums, a
/// lowest value for maxima.
template <class T>
void quick_pooling(const ppl::tensor<T> &out, const ppl::tensor<T> &in,
                   const ppl::dim4 *block_shape, const ppl::dim4 *real_shape,
                   float fill, int mode, float scale = 1.0f,
                   ppl::Line at = {}) {
  using namespace ppl;
  CallScope scope("quick_pooling", at);
  if (!block_shape || !real_shape)
    return detail::refuse("block_shape or real_shape is a null pointer", at);
  if (real_shape->h != 1 || block_shape->h != 1)
    return detail::refuse("h is " + std::to_string(real_shape->h) +
                              "; it must be 1: put h into c or n",
                          at);
  if (mode != 0 && mode != 1)
    return detail::refuse("mode is " + std::to_string(mode) +
                              "; 0 is the maximum, 1 the sum",
                          at);
  const int n = real_shape->n, c = real_shape->c, w = real_shape->w;
  const int vector = get_eu_num<T>(), whole = ppl::align(w, vector);
  if (whole > w)
    tiu::fill(in.view({n, c, 1, whole}, at)
                  .sub_view({n, c, 1, whole - w}, {0, 0, 0, w}, at),
              fill, at);
  const dim2 one = {1, 1}, down = {whole / vector, 1}, across = {1, vector};
  const padding_t none;
  tensor<T> rows = in.view({n, c, whole / vector, vector}, at);
  tensor<T> row = make_tensor<T>({block_shape->n, block_shape->c, 1, vector},
                                 {n, c, 1, vector}, TPU_ALIGN, at);
  if (mode == 0) {
    tiu::fpool_max(row, rows, down, none, one, one, at);
    tiu::fpool_max(out, row, across, none, one, one, at);
  } else {
    const dim2 nothing = {0, 0};
    tiu::fpool_avg(row, rows, down, none, one, one, nothing, 1.0f, at);
    tiu::fpool_avg(out, row, across, none, one, one, nothing, scale, at);
  }
}

namespace ppl::detail {
/// Of `taps` taps of a window that begins at `start`, those from `low` to
/// below `high`.
inline int tapsInside(int start, int taps, int step, int low, int high) {
  int count = 0;
  for (int i = 0; i < taps; ++i)
    count += start + i * step >= low && start + i * step < high;
  return count;
}
} // namespace ppl::detail

/// Average pooling whose divisor leaves padding out: `mode` 1 all of it, 0 only
/// what reaches beyond the declared padding (ceil mode). oshape and ishape are
/// the shapes of dst and src.
template <class T>
void fp_avg_pool_2d_count_include_padding(
    const ppl::tensor<T> &dst, const ppl::tensor<T> &src,
    const ppl::dim4 *oshape, const ppl::dim4 *ishape, const ppl::dim2 *kernel,
    const ppl::padding_t *pad, const ppl::dim2 *stride,
    const ppl::dim2 *dilation, int mode, ppl::Line at = {}) {
  using namespace ppl;
  CallScope scope("fp_avg_pool_2d_count_include_padding", at);
  if (!oshape || !ishape || !kernel || !pad || !stride || !dilation)
    return detail::refuse("a shape, the window, padding, stride or dilation is "
                          "a null pointer",
                          at);
  // Padding that the last windows need.
  auto beyond = [](int outputs, int step, int taps, int dilate, int before,
                   int inputs) {
    return (outputs - 1) * step + (taps - 1) * dilate + 1 - before - inputs;
  };
  const padding_t wide = {
      pad->top,
      ppl::max(pad->bottom, beyond(oshape->h, stride->h, kernel->h, dilation->h,
                                   pad->top, ishape->h)),
      pad->left,
      ppl::max(pad->right, beyond(oshape->w, stride->w, kernel->w, dilation->w,
                                  pad->left, ishape->w))};
  const int taps = kernel->h * kernel->w;
  tiu::fpool_avg(dst, src, *kernel, wide, *stride, *dilation, dim2{0, 0},
                 1.0f / float(taps), at);
  // The divisors of rows and columns are factors of their own.
  auto correct = [&](const tensor<T> &part, int all, int inside) {
    if (inside != all && inside > 0)
      tiu::fmul(part, part, float(all) / float(inside), false, at);
  };
  const bool outer = mode == 0;
  for (int y = 0; y < oshape->h; ++y)
    correct(
        dst.sub_view({oshape->n, oshape->c, 1, oshape->w}, {0, 0, y, 0}, at),
        kernel->h,
        detail::tapsInside(y * stride->h - pad->top, kernel->h, dilation->h,
                           outer ? -pad->top : 0,
                           ishape->h + (outer ? pad->bottom : 0)));
  for (int x = 0; x < oshape->w; ++x)
    correct(
        dst.sub_view({oshape->n, oshape->c, oshape->h, 1}, {0, 0, 0, x}, at),
        kernel->w,
        detail::tapsInside(x * stride->w - pad->left, kernel->w, dilation->w,
                           outer ? -pad->left : 0,
                           ishape->w + (outer ? pad->right : 0)));
}

#endif // WEFT_FRONTEND_PPL_INCLUDE_PPL_WRAPPER_POOL_H
