//===- group_norm.cpp - groups of channels with mean 0 and variance 1 -----===//
//
// out = (in - mean) / sqrt(variance + epsilon) * gamma + beta, mean and
// variance over a group of channels of an image, gamma and beta of a channel.
// in [images, channels, plane]; fp16 or bf16 in memory, fp32 inside.
//
//===----------------------------------------------------------------------===//

#include "ppl/rows.h"

#include <cmath>
#include <vector>

using namespace ppl;

namespace {
/// A group of an image is a row: its channels lie together in memory, and in a
/// lane one behind the other along h.
template <class T>
struct GroupNorm {
  T *out, *in, *gamma, *beta;
  int images, groups, channels, plane; // channels of a group
  float epsilon;

  int rows() const { return images * groups; }
  gtensor<T> rowsOf(T *memory) const {
    return {{1, rows(), channels, plane}, GLOBAL, memory};
  }
};
/// Mean and sum of squared distances from it of the elements before.
struct Statistics {
  tensor<float> mean, squares;
};
} // namespace

/// gamma or beta of channels [from, from + count) of rows [row, row + lanes);
/// the groups of the next image have the same again.
template <class T>
static tensor<float> ofChannels(GroupNorm<T> &g, T *vector, int row, int lanes,
                                int from, int count) {
  gtensor<T> all({1, g.groups, g.channels, 1}, GLOBAL, vector);
  dim4 shape = {1, lanes, count, 1};
  tensor<T> loaded(shape);
  for (int done = 0; done < lanes;) {
    int group = (row + done) % g.groups,
        some = min(g.groups - group, lanes - done);
    dim4 part = {1, some, count, 1};
    dma::load(loaded.sub_view(part, {0, done, 0, 0}),
              all.sub_view(part, {0, group, from, 0}));
    done += some;
  }
  tensor<float> wide(shape);
  tiu::cast(wide, loaded);
  return wide;
}

/// Mean and variance of a part, and `x` less the mean.
static void center(tensor<float> &x, const dim4 &part, tensor<float> &mean,
                   tensor<float> &centred, tensor<float> &variance) {
  dim4 flat = {1, part.c, 1, part.h * part.w};
  float share = 1.0f / flat.w;
  quick_pooling(mean, x.view(flat), &flat, &flat, 0.0f, 1, share);
  tiu::fsub(centred, x, mean);
  auto square = make_tensor<float>(flat, flat);
  tiu::fmul(square, centred.view(flat), centred.view(flat));
  quick_pooling(variance, square, &flat, &flat, 0.0f, 1, share);
}

template <class T>
static void finish(GroupNorm<T> &g, tensor<float> &centred,
                   tensor<float> &factor, const dim4 &part, const dim4 &at) {
  auto scale = ofChannels(g, g.gamma, at.c, part.c, at.h, part.h),
       shift = ofChannels(g, g.beta, at.c, part.c, at.h, part.h);
  auto unit = make_tensor<float>(part, part),
       scaled = make_tensor<float>(part, part),
       y = make_tensor<float>(part, part);
  auto result = make_tensor<T>(part, part);
  tiu::fmul(unit, centred, factor);
  tiu::fmul(scaled, unit, scale);
  tiu::fadd(y, scaled, shift);
  tiu::cast(result, y);
  dma::store(g.rowsOf(g.out).sub_view(part, at), result);
}

static tensor<float> inverse(tensor<float> &variance, float epsilon) {
  dim4 one = variance.getShape();
  tensor<float> guarded(one), factor(one);
  tiu::fadd(guarded, variance, epsilon);
  tiu::frsqrt(factor, guarded);
  return factor;
}

/// Groups that fit local memory cross DRAM once.
template <class T>
static void wholeGroups(GroupNorm<T> &g, int lanes) {
  for (int row = 0; row < g.rows(); row += lanes) {
    enable_pipeline();
    dim4 part = {1, min(lanes, g.rows() - row), g.channels, g.plane},
         one = {1, part.c, 1, 1}, at = {0, row, 0, 0};
    auto x = load_as_float(g.rowsOf(g.in), part, part, at);
    auto mean = make_tensor<float>(one, one),
         variance = make_tensor<float>(one, one);
    auto centred = make_tensor<float>(part, part);
    center(x, part, mean, centred, variance);
    auto factor = inverse(variance, g.epsilon);
    finish(g, centred, factor, part, at);
  }
}

/// A group that does not fit a lane lies in many: a channel in `pieces` lanes,
/// so that gamma and beta are numbers of a lane.
template <class T>
static RowTile spreadGroups(GroupNorm<T> &g, int row, int groups, int pieces) {
  int w = g.plane / pieces, lanes = g.channels * pieces;
  dim4 block = {groups, LANE_NUM, 1, w},
       part = {min(groups, g.rows() - row), lanes, 1, w};
  return {true, row, 0, g.channels * g.plane, 0, block, part};
}

/// gamma or beta of the groups of `t` in the lanes of their channels: each
/// number as often as its channel has pieces, in one lane, then over the lanes.
template <class T>
static tensor<float> ofLanes(GroupNorm<T> &g, T *vector, const RowTile &t,
                             int pieces) {
  int n = t.block.n, some = t.part.n, lanes = t.part.c;
  gtensor<T> all({g.groups, 1, g.channels, 1}, GLOBAL, vector);
  dim4 block = {n, 1, g.channels, 1}, part = {some, 1, g.channels, 1};
  auto loaded = make_tensor<T>(block, part);
  for (int done = 0; done < some;) {
    int group = (t.row + done) % g.groups,
        count = min(g.groups - group, some - done);
    dim4 piece = {count, 1, g.channels, 1};
    dma::load(loaded.sub_view(piece, {done, 0, 0, 0}),
              all.sub_view(piece, {group, 0, 0, 0}));
    done += count;
  }
  auto wide = make_tensor<float>(block, part);
  tiu::cast(wide, loaded);
  dim4 often = {n, 1, g.channels, pieces},
       shape = {some, 1, g.channels, pieces};
  auto repeated = make_tensor<float>(often, shape),
       zero = make_tensor<float>(often, shape);
  tiu::fill(zero, 0.0f);
  tiu::fadd(repeated, zero, wide);
  auto result = make_tensor<float>({n, LANE_NUM, 1, 1}, {some, lanes, 1, 1});
  tiu::transpose_cw(result, repeated.view({some, 1, 1, lanes}));
  return result;
}

/// Groups that fit the lanes cross DRAM once, too.
template <class T>
static void wholeSpreadGroups(GroupNorm<T> &g, int groups, int pieces) {
  dim4 matrix = {1, g.rows(), 1, g.channels * g.plane};
  gtensor<T> out(matrix, GLOBAL, g.out), in(matrix, GLOBAL, g.in);
  for (int row = 0; row < g.rows(); row += groups) {
    enable_pipeline();
    RowTile t = spreadGroups(g, row, groups, pieces);
    float share = 1.0f / t.count;
    auto x = load_rows(t, in, 0.0f);
    auto mean = pool_rows(t, x, 0.0f, Pool::Sum, share);
    auto centred = t.make(), square = t.make(), unit = t.make(),
         scaled = t.make(), y = t.make();
    tiu::fsub(centred, x, t.beside(mean));
    tiu::fmul(square, centred, centred);
    auto variance = pool_rows(t, square, 0.0f, Pool::Sum, share);
    auto guarded = t.make_one(), factor = t.make_one();
    tiu::fadd(guarded, variance, g.epsilon);
    tiu::frsqrt(factor, guarded);
    tiu::fmul(unit, centred, t.beside(factor));
    tiu::fmul(scaled, unit, ofLanes(g, g.gamma, t, pieces));
    tiu::fadd(y, scaled, ofLanes(g, g.beta, t, pieces));
    store_rows(t, out, y);
  }
}

/// Not 0 if groups do not fit, or channels do not divide over half of the
/// lanes.
template <class T>
static int attemptSpreadGroups(GroupNorm<T> &g) {
  int pieces = LANE_NUM / g.channels;
  while (pieces > 1 && g.plane % pieces)
    --pieces;
  if (2 * g.channels * pieces < LANE_NUM)
    return 1;
  int groups = div_up(g.rows(), 4);
  int code = attempt([&] { wholeSpreadGroups(g, groups, pieces); });
  while (code && groups > 1) {
    groups = div_up(groups, 2);
    code = attempt([&] { wholeSpreadGroups(g, groups, pieces); });
  }
  return code;
}

/// The parts of a group: some channels, or some of the elements of one.
template <class T, class Body>
static void forParts(GroupNorm<T> &g, int row, int lanes, int channels,
                     int elements, Body body) {
  for (int c = 0; c < g.channels; c += channels)
    for (int w = 0; w < g.plane; w += elements) {
      enable_pipeline();
      dim4 part = {1, lanes, min(channels, g.channels - c),
                   min(elements, g.plane - w)};
      body(part, dim4{0, row, c, w});
    }
}

/// Larger groups are read twice. The statistics of parts are joined as Chan,
/// Golub and LeVeque (1979) have it: squares += those of the part + (difference
/// of the means)^2 * a b / (a + b), for a elements before and b in the part.
static void join(Statistics &s, tensor<float> &mean, tensor<float> &variance,
                 float before, float count) {
  dim4 one = mean.getShape();
  float share = count / (before + count);
  tensor<float> apart(one), step(one), own(one), between(one), weighted(one);
  tiu::fsub(apart, mean, s.mean);
  tiu::fmul(step, apart, share);
  tiu::fadd(s.mean, s.mean, step);
  tiu::fmul(own, variance, count);
  tiu::fmul(between, apart, apart);
  tiu::fmul(weighted, between, share * before);
  tiu::fadd(s.squares, s.squares, own);
  tiu::fadd(s.squares, s.squares, weighted);
}

template <class T>
static void partsOfGroups(GroupNorm<T> &g, int channels, int elements) {
  for (int row = 0; row < g.rows(); row += LANE_NUM) {
    int lanes = min(LANE_NUM, g.rows() - row);
    dim4 one = {1, lanes, 1, 1};
    Statistics s = {tensor<float>(one), tensor<float>(one)};
    tiu::fill(s.mean, 0.0f);
    tiu::fill(s.squares, 0.0f);
    float before = 0;
    forParts(g, row, lanes, channels, elements,
             [&](const dim4 &part, const dim4 &at) {
               auto x = load_as_float(g.rowsOf(g.in), part, part, at);
               tensor<float> mean(one), variance(one), centred(part);
               center(x, part, mean, centred, variance);
               float count = float(part.h) * float(part.w);
               join(s, mean, variance, before, count);
               before += count;
             });
    tensor<float> variance(one);
    tiu::fmul(variance, s.squares, 1.0f / before);
    auto factor = inverse(variance, g.epsilon);
    forParts(g, row, lanes, channels, elements,
             [&](const dim4 &part, const dim4 &at) {
               auto x = load_as_float(g.rowsOf(g.in), part, part, at);
               tensor<float> centred(part);
               tiu::fsub(centred, x, s.mean);
               finish(g, centred, factor, part, at);
             });
  }
}

template <class T>
static void normalize(T *out, T *in, T *gamma, T *beta, int images,
                      int channels, int groups, int plane, float epsilon) {
  assert(images >= 1 && groups >= 1 && channels >= 1 && plane >= 1);
  assert(channels % groups == 0);
  GroupNorm<T> g = {
      out, in, gamma, beta, images, groups, channels / groups, plane, epsilon};
  // A command takes at most 65535 on an axis, and sums see a part as one row.
  const int most = 65535;
  int some = g.channels, elements = min(plane, most);
  while (some > 1 && some * elements > most)
    some = div_up(some, 2);
  if (some == g.channels && elements == plane &&
      attempt([&] { wholeGroups(g, min(LANE_NUM, g.rows())); }) == 0)
    return;
  int code = attemptSpreadGroups(g);
  if (code)
    code = attempt([&] { partsOfGroups(g, some, elements); });
  while (code && (some > 1 || elements > 1)) {
    if (some > 1)
      some = div_up(some, 2);
    else
      elements = div_up(elements, 2);
    code = attempt([&] { partsOfGroups(g, some, elements); });
  }
  assert(code == 0);
}

__KERNEL__ void group_norm_fp16(fp16 *out, fp16 *in, fp16 *gamma, fp16 *beta,
                                int images, int channels, int groups, int plane,
                                float epsilon) {
  normalize(out, in, gamma, beta, images, channels, groups, plane, epsilon);
}
__KERNEL__ void group_norm_bf16(bf16 *out, bf16 *in, bf16 *gamma, bf16 *beta,
                                int images, int channels, int groups, int plane,
                                float epsilon) {
  normalize(out, in, gamma, beta, images, channels, groups, plane, epsilon);
}

/// Rounding the result costs half an ulp of T, `half`. What fp32 costs before
/// counts absolutely, because beta can cancel the rest: less than 2^-18 of
/// values up to 4, as for layer norm.
template <class T, class Kernel>
static void check(Kernel kernel, int images, int channels, int groups,
                  int plane, double half) {
  dim4 shape = {images, channels, 1, plane}, vector = {1, 1, 1, channels};
  T *out = ppl::malloc<T>(&shape), *in = ppl::rand<T>(&shape, -1.0, 3.0),
    *gamma = ppl::rand<T>(&vector, 0.5, 1.5),
    *beta = ppl::rand<T>(&vector, -1.0, 1.0);
  kernel(out, in, gamma, beta, images, channels, groups, plane, 1e-5f);
  int size = channels / groups * plane;
  std::vector<double> means(images * groups), factors(images * groups);
  for (int r = 0; r < images * groups; ++r) {
    double sum = 0, squares = 0;
    for (int i = 0; i < size; ++i)
      sum += double(float(in[r * size + i]));
    means[r] = sum / size;
    for (int i = 0; i < size; ++i)
      squares += std::pow(double(float(in[r * size + i])) - means[r], 2);
    factors[r] = 1 / std::sqrt(squares / size + 1e-5);
  }
  expect(
      out, &shape,
      [&](int n, int c, int, int w) {
        int at = (n * channels + c) * plane + w, r = at / size;
        return (double(float(in[at])) - means[r]) * factors[r] *
                   double(float(gamma[c])) +
               double(float(beta[c]));
      },
      1.01 * half, 0x1p-18);
}

__TEST__ void group_norm_2x320x32x32() {
  check<fp16>(group_norm_fp16, 2, 320, 32, 32 * 32, 0x1p-11);
}
__TEST__ void group_norm_odd() {
  check<fp16>(group_norm_fp16, 3, 35, 7, 77, 0x1p-11);
}
__TEST__ void group_norm_many_rows() {
  check<bf16>(group_norm_bf16, 5, 48, 24, 9, 0x1p-8);
}
__TEST__ void group_norm_one_group() {
  check<fp16>(group_norm_fp16, 1, 3, 1, 20001, 0x1p-11);
}
// Groups, and then channels, of more than local memory has for one.
__TEST__ void group_norm_large_groups() {
  check<fp16>(group_norm_fp16, 1, 130, 2, 1001, 0x1p-11);
}
__TEST__ void group_norm_large_planes() {
  check<fp16>(group_norm_fp16, 1, 4, 2, 40009, 0x1p-11);
}
// Whole rows of the engine make 65536 of these, one more than an axis may have.
__TEST__ void group_norm_longest_rows() {
  check<fp16>(group_norm_fp16, 1, 2, 2, 65521, 0x1p-11);
}
// Spread over the lanes: more than a lane has, also of two images in a tile.
__TEST__ void group_norm_spread_groups() {
  check<fp16>(group_norm_fp16, 2, 27, 3, 7500, 0x1p-11);
}
__TEST__ void group_norm_512x64x64() {
  check<fp16>(group_norm_fp16, 1, 512, 32, 64 * 64, 0x1p-11);
}
// Groups of 65536 in a few channels.
__TEST__ void group_norm_groups_of_65536() {
  check<fp16>(group_norm_fp16, 1, 32, 2, 64 * 64, 0x1p-11);
}
