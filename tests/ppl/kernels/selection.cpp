//===- selection.cpp - what the DMA engine picks, counts and repeats -----===//

#include "tiles.h"

using namespace ppl;

// PPL 4.3.5: the elements that a mask picks, and how many they are. The count
// is known to the device only; the kernel stores it.
__KERNEL__ void pick(float *out, uint32 *count, float *in, uint8 *mask,
                     int size) {
  dim4 all = {1, 1, 1, size};
  gtensor<uint32> picked = dma::mask_select(gtensor<float>(all, GLOBAL, out),
                                            gtensor<float>(all, GLOBAL, in),
                                            gtensor<uint8>(all, GLOBAL, mask));
  dma::move(gtensor<uint32>({1, 1, 1, 1}, GLOBAL, count), picked);
}
static void testPick(int size, int percent) {
  dim4 all = {1, 1, 1, size}, one = {1, 1, 1, 1};
  float *out = ppl::malloc<float>(&all),
        *in = ppl::rand<float>(&all, -1.0, 1.0);
  uint8 *mask = ppl::malloc<uint8>(&all);
  uint32 *count = ppl::malloc<uint32>(&one);
  std::vector<float> picked;
  for (int i = 0; i < size; ++i) {
    mask[i] = (i * 7919 + 13) % 100 < percent;
    if (mask[i])
      picked.push_back(in[i]);
  }
  size_t found = picked.size();
  picked.resize(size_t(size), 0); // the rest of the result stays
  pick(out, count, in, mask, size);
  expect(out, &all, [&](int64_t i) { return picked[size_t(i)]; });
  expect(count, &one, [&](int64_t) { return found; });
}
__TEST__ void pick_some() { testPick(5000, 30); }
__TEST__ void pick_all() { testPick(77, 100); }
__TEST__ void pick_none() { testPick(77, 0); }

// The positions of the elements of a local tensor that are not 0.
__KERNEL__ void positions(int32 *out, uint32 *count, int16 *in, int channels,
                          int width) {
  dim4 shape = {1, channels, 1, width};
  tensor<int16> local(shape);
  dma::load(local, gtensor<int16>(shape, GLOBAL, in));
  auto found = dma::nonzero(
      gtensor<int32>({1, 1, 1, channels * width}, GLOBAL, out), local, 1000);
  // Used twice: what the kernel does with a count is up to it.
  tensor<uint32> counts({1, 64, 1, 1});
  dma::load_broadcast(counts, found.tensor());
  dma::store(gtensor<uint32>({1, 64, 1, 1}, GLOBAL, count), counts);
}
__TEST__ void positions_of_marks() {
  const int channels = 70, width = 9;
  dim4 shape = {1, channels, 1, width}, list = {1, 1, 1, channels * width},
       lanes = {1, 64, 1, 1};
  int16 *in = ppl::rand<int16>(&shape, -1, 1);
  int32 *out = ppl::malloc<int32>(&list);
  uint32 *count = ppl::malloc<uint32>(&lanes);
  std::vector<int> wanted;
  for (int i = 0; i < channels * width; ++i)
    if (in[i] != 0)
      wanted.push_back(1000 + i);
  size_t found = wanted.size();
  wanted.resize(size_t(channels * width), 0);
  positions(out, count, in, channels, width);
  expect(out, &list, [&](int64_t i) { return wanted[size_t(i)]; });
  expect(count, &lanes, [&](int64_t) { return found; });
}

// PPL 4.3.3: one channel repeated over the lanes where it lies.
__KERNEL__ void repeat_in_place(float *out, float *in, int width) {
  dim4 all = {2, 64, 1, width}, one = {2, 1, 1, width};
  tensor<float> local(all);
  auto first = local.sub_view(one, {0, 0, 0, 0});
  dma::load(first, gtensor<float>(one, GLOBAL, in));
  dma::broadcast(local, first);
  dma::store(gtensor<float>(all, GLOBAL, out), local);
}
__TEST__ void repeat_one_channel() {
  const int width = 50;
  dim4 all = {2, 64, 1, width}, one = {2, 1, 1, width};
  float *out = ppl::malloc<float>(&all),
        *in = ppl::rand<float>(&one, -1.0, 1.0);
  repeat_in_place(out, in, width);
  expect(out, &all, [&](int n, int, int, int w) { return in[n * width + w]; });
}

// Sizes that no single command takes.
__KERNEL__ void copy_long(int8 *out, int8 *in, int size) {
  dim4 all = {1, 1, 1, size};
  gtensor<int8> to(all, GLOBAL, out);
  dma::fill(to, 7);
  dma::move(to.sub_view({1, 1, 1, size - 70000}, {0, 0, 0, 1}),
            gtensor<int8>({1, 1, 1, size - 70000}, GLOBAL, in));
}
__TEST__ void copy_long_row() {
  const int size = 200001;
  dim4 all = {1, 1, 1, size};
  int8 *out = ppl::malloc<int8>(&all), *in = ppl::rand<int8>(&all, -128, 127);
  copy_long(out, in, size);
  expect(out, &all,
         [&](int64_t i) { return i == 0 || i > size - 70000 ? 7 : in[i - 1]; });
}

// PPL 4.5.2: lines of a table by a window of indices, others keep their value.
__KERNEL__ void lines(float *out, float *table, uint32 *index, int rows,
                      int count, int width, int start, int end) {
  dim4 picked = {1, 1, count, width};
  gtensor<float> to(picked, GLOBAL, out);
  dma::fill(to, -1.0f);
  hau::gather_line(to, gtensor<float>({1, 1, rows, width}, GLOBAL, table),
                   gtensor<uint32>({1, 1, 1, count}, GLOBAL, index), 0.0f,
                   start, end, false);
}
__TEST__ void lines_of_window() {
  const int rows = 50, count = 64, width = 16, start = 7, end = 40;
  dim4 picked = {1, 1, count, width}, all = {1, 1, rows, width},
       list = {1, 1, 1, count};
  float *out = ppl::malloc<float>(&picked),
        *table = ppl::rand<float>(&all, 0.0, 1.0);
  uint32 *index = ppl::rand<uint32>(&list, 0, 60);
  lines(out, table, index, rows, count, width, start, end);
  expect(out, &picked, [&](int, int, int h, int w) {
    int i = int(index[h]);
    return i >= start && i <= end ? table[(i - start) * width + w] : -1;
  });
}

// Channels of a picture in another order, within local memory.
__KERNEL__ void reorder(bf16 *out, bf16 *in, uint32 *order, int channels,
                        int height, int width) {
  dim4 shape = {1, channels, height, width};
  tensor<bf16> from(shape), to(shape);
  dma::load(from, gtensor<bf16>(shape, GLOBAL, in));
  dma::gather_c(to, from, gtensor<uint32>({1, channels, 1, 1}, GLOBAL, order),
                0);
  dma::store(gtensor<bf16>(shape, GLOBAL, out), to);
}
__TEST__ void reorder_channels() {
  const int channels = 70, height = 3, width = 5, plane = height * width;
  dim4 shape = {1, channels, height, width}, list = {1, channels, 1, 1};
  bf16 *out = ppl::malloc<bf16>(&shape),
       *in = ppl::rand<bf16>(&shape, -1.0, 1.0);
  uint32 *order = ppl::malloc<uint32>(&list);
  for (int c = 0; c < channels; ++c)
    order[c] = uint32(c * 29 % channels);
  reorder(out, in, order, channels, height, width);
  expect(out, &shape, [&](int64_t i) {
    return float(in[int(order[i / plane]) * plane + i % plane]);
  });
}
