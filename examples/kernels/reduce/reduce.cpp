//===- reduce.cpp - sum, mean and maximum over any axis -------------------===//
//
// out [outer, inner] of in [outer, axis, inner]: axes before and behind the one
// that goes are one each. fp16, bf16 or fp32 in memory, fp32 inside.
//
//===----------------------------------------------------------------------===//

#include "ppl.h"

#include <cmath>

using namespace ppl;

enum Reduction { Sum, Mean, Max };

namespace {
template <class T>
struct Reduce {
  T *out, *in;
  int outer, axis, inner;
  Reduction kind;

  float nothing() const { return kind == Max ? -INFINITY : 0.0f; }
};
/// A tile: lanes, and of each `width` results, made of `axis` elements each
/// that are read `block` at a time.
struct Tile {
  int lanes, axis, width, block;
};
} // namespace

/// The results of a tile, a piece of the axis at a time. load(i, count) gives
/// elements [i, i + count) of the axis, along h.
template <class T, class Load>
static void reduceTile(Reduce<T> &r, const Tile &t, gtensor<T> to, Load load) {
  dim4 one = {1, t.lanes, 1, t.width};
  tensor<float> all(one);
  tiu::fill(all, r.nothing());
  for (int i = 0; i < t.axis; i += t.block) {
    enable_pipeline();
    int count = min(t.block, t.axis - i);
    dim4 block = {1, t.lanes, t.block, t.width},
         part = {1, t.lanes, count, t.width};
    auto loaded = make_tensor<T>(block, part);
    dma::load(loaded, load(i, part));
    auto x = make_tensor<float>(block, part);
    tiu::cast(x, loaded);
    auto y = make_tensor<float>(one, one);
    if (t.width == 1) { // a row: first over whole rows of the EUs
      dim4 rowBlock = {1, t.lanes, 1, t.block}, row = {1, t.lanes, 1, count};
      quick_pooling(y, x.view(row), &rowBlock, &row, r.nothing(),
                    r.kind == Max ? 0 : 1);
    } else {
      dim2 down = {count, 1}, step = {1, 1}, none = {0, 0};
      padding_t pad = {0, 0, 0, 0};
      if (r.kind == Max)
        tiu::fpool_max(y, x, &down, &pad, &step, &step);
      else
        tiu::fpool_avg(y, x, &down, &pad, &step, &step, &none, 1.0f);
    }
    if (r.kind == Max)
      tiu::fmax(all, all, y);
    else
      tiu::fadd(all, all, y);
  }
  tensor<float> scaled(one);
  tiu::fmul(scaled, all, r.kind == Mean ? 1.0f / r.axis : 1.0f);
  tensor<T> result(one);
  tiu::cast(result, scaled);
  if (r.inner > 1) {
    dma::store(to, result);
    return;
  }
  // One run instead of one for each lane, which would cost as much as 256
  // bytes.
  dim4 run = {1, 1, 1, t.lanes};
  tensor<T> row(run);
  tiu::transpose_wc(row, result);
  dma::store(to.view(run), row);
}

/// What lies before the axis goes to the lanes.
template <class T>
static void outerInLanes(Reduce<T> &r, int block, int width) {
  gtensor<T> from({1, r.outer, r.axis, r.inner}, GLOBAL, r.in),
      to({1, r.outer, 1, r.inner}, GLOBAL, r.out);
  for (int o = 0; o < r.outer; o += LANE_NUM)
    for (int w = 0; w < r.inner; w += width) {
      Tile t = {min(LANE_NUM, r.outer - o), r.axis, min(width, r.inner - w),
                min(block, r.axis)};
      reduceTile(r, t, to.sub_view({1, t.lanes, 1, t.width}, {0, o, 0, w}),
                 [&](int i, const dim4 &part) {
                   return from.sub_view(part, {0, o, i, w});
                 });
    }
}

/// What lies behind the axis is dealt out to the lanes, for each of a few
/// outer ones by itself.
template <class T>
static void innerInLanes(Reduce<T> &r, int block, int width) {
  for (int o = 0; o < r.outer; ++o)
    for (int done = 0; done < r.inner;) {
      int left = r.inner - done, w = min(width, left),
          lanes = min(LANE_NUM, left / w);
      Tile t = {lanes, r.axis, w, min(block, r.axis)};
      T *result = r.out + o * r.inner + done;
      reduceTile(r, t, gtensor<T>({1, lanes, 1, w}, GLOBAL, result),
                 [&](int i, const dim4 &part) {
                   T *first = r.in + (o * r.axis + i) * r.inner + done;
                   return make_gtensor<T>(part, GLOBAL, first,
                                          {lanes * w, w, r.inner, 1});
                 });
      done += lanes * w;
    }
}

template <class T>
static void reduce(T *out, T *in, int outer, int axis, int inner,
                   Reduction kind) {
  assert(outer >= 1 && axis >= 1 && inner >= 1);
  assert(kind == Sum || kind == Mean || kind == Max);
  Reduce<T> r = {out, in, outer, axis, inner, kind};
  bool spread = outer < LANE_NUM && inner > outer;
  // A command takes at most 65535 on an axis.
  int block = min(axis, 32768), code, width = min(inner, 32768);
  // All lanes, unless runs of DRAM would be shorter than what they cost.
  if (spread)
    width = min(width, max(div_up(inner, LANE_NUM), 256 / int(sizeof(T))));
  while ((code = attempt([&] {
            if (spread)
              innerInLanes(r, block, width);
            else
              outerInLanes(r, block, width);
          })) &&
         (block > 1 || width > 1)) {
    // Long runs of DRAM are worth more than long sums.
    if (block > 1)
      block = div_up(block, 2);
    else
      width = div_up(width, 2);
  }
  assert(code == 0);
}

__KERNEL__ void reduce_fp16(fp16 *out, fp16 *in, int outer, int axis, int inner,
                            int kind) {
  reduce(out, in, outer, axis, inner, Reduction(kind));
}
__KERNEL__ void reduce_fp32(float *out, float *in, int outer, int axis,
                            int inner, int kind) {
  reduce(out, in, outer, axis, inner, Reduction(kind));
}

/// Besides half an ulp of T for the result, `half`, a sum costs at most one
/// rounding of its largest partial sum for each addition of a chain: of 2^-24,
/// in chains of axis / 2 at most, of elements up to 1 whose sums walk.
template <class T, class Kernel>
static void check(Kernel kernel, int outer, int axis, int inner, Reduction kind,
                  double half) {
  dim4 shape = {outer, axis, 1, inner}, result = {1, outer, 1, inner};
  T *out = ppl::malloc<T>(&result), *in = ppl::rand<T>(&shape, -1.0, 1.0);
  kernel(out, in, outer, axis, inner, int(kind));
  double walk = std::sqrt(double(axis)) * axis * 0x1p-24;
  double absolute = kind == Max ? 0 : kind == Sum ? walk : walk / axis;
  expect(
      out, &result,
      [&](int, int o, int, int w) {
        double sum = 0, most = -2;
        for (int i = 0; i < axis; ++i) {
          double x = double(float(in[(o * axis + i) * inner + w]));
          sum += x;
          most = std::fmax(most, x);
        }
        return kind == Max ? most : kind == Sum ? sum : sum / axis;
      },
      kind == Max ? 0 : 1.01 * half, absolute + (half > 0x1p-20 ? 0x1p-25 : 0));
}

__TEST__ void sum_of_rows_4096x1024() {
  check<fp16>(reduce_fp16, 4096, 1024, 1, Sum, 0x1p-11);
}
__TEST__ void mean_over_middle_4x256x4096() {
  check<fp16>(reduce_fp16, 4, 256, 4096, Mean, 0x1p-11);
}
__TEST__ void max_odd() { check<float>(reduce_fp32, 67, 31, 13, Max, 0); }
__TEST__ void max_of_rows() { check<float>(reduce_fp32, 131, 77, 1, Max, 0); }
__TEST__ void sum_over_first() {
  check<float>(reduce_fp32, 1, 300, 1003, Sum, 0x1p-24);
}
__TEST__ void mean_of_everything() {
  check<float>(reduce_fp32, 1, 100003, 1, Mean, 0x1p-24);
}
__TEST__ void sum_of_few() { check<float>(reduce_fp32, 3, 5, 2, Sum, 0x1p-24); }
