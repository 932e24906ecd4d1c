// Loops whose order matters: what a pipeline may not change.
#include "ppl/ppl.h"
using namespace ppl;

static const dim4 kPart = {1, 64, 1, 64};
static constexpr int64_t kPartElements = 64 * 64;

/// Calls body(i, source, target) with part i of `in` and of `out` in round i.
template <class Body>
static void eachRound(float *out, float *in, int rounds, Body body) {
  dim4 all = {rounds, 64, 1, 64};
  gtensor<float> from(all, GLOBAL, in), to(all, GLOBAL, out);
  for (int i = 0; i < rounds; ++i) {
    enable_pipeline();
    dim4 at = {i, 0, 0, 0};
    body(i, from.sub_view(kPart, at), to.sub_view(kPart, at));
  }
}

/// Runs `kernel(out, in, rounds)`; element i comes to value(in, i).
template <class Kernel, class Value>
static void testRounds(Kernel kernel, int rounds, Value value) {
  dim4 all = {rounds, 64, 1, 64};
  float *out = ppl::malloc<float>(&all),
        *in = ppl::rand<float>(&all, -4.0, 4.0);
  kernel(out, in, rounds);
  expect(out, &all, [=](int64_t i) { return double(value(in, i)); }, 0, 0);
}

/// Stores to global memory and loads it back within a round.
__KERNEL__ void spill(float *out, float *in, float *scratch, int rounds) {
  dim4 all = {rounds, 64, 1, 64};
  gtensor<float> from(all, GLOBAL, in), to(all, GLOBAL, out),
      between(all, GLOBAL, scratch);
  for (int i = 0; i < rounds; ++i) {
    enable_pipeline();
    dim4 at = {i, 0, 0, 0};
    tensor<float> x(kPart), y(kPart), z(kPart), w(kPart);
    dma::load(x, from.sub_view(kPart, at));
    tiu::fadd(y, x, 1.0f);
    dma::store(between.sub_view(kPart, at), y);
    dma::load(z, between.sub_view(kPart, at));
    tiu::fadd(w, z, 1.0f);
    dma::store(to.sub_view(kPart, at), w);
  }
}
__TEST__ void spill_and_reload() {
  dim4 all = {6, 64, 1, 64};
  float *out = ppl::malloc<float>(&all), *scratch = ppl::malloc<float>(&all);
  float *in = ppl::rand<float>(&all, -4.0, 4.0);
  spill(out, in, scratch, 6);
  expect(
      out, &all, [=](int64_t i) { return double(in[i] + 1.0f + 1.0f); }, 0, 0);
}

/// One buffer for all rounds, without a second copy of it.
__KERNEL__ void one_buffer(float *out, float *in, int rounds) {
  tensor<float> x(kPart);
  disable_pingpong(x);
  eachRound(out, in, rounds, [&](int, auto source, auto target) {
    tensor<float> y(kPart);
    dma::load(x, source);
    tiu::fadd(y, x, 1.0f);
    dma::store(target, y);
  });
}
__TEST__ void one_buffer_for_all_rounds() {
  testRounds(one_buffer, 6,
             [](const float *in, int64_t i) { return in[i] + 1.0f; });
}

/// Two tensors at one address.
__KERNEL__ void shared_address(float *out, float *in, int rounds) {
  gtensor<float> all({rounds, 64, 1, 64}, GLOBAL, in);
  eachRound(out, in, rounds, [&](int i, auto source, auto target) {
    tensor<float> x(kPart, TPU_ALIGN, 0), y(kPart, TPU_ALIGN, 4096),
        z(kPart, TPU_ALIGN, 0), w(kPart, TPU_ALIGN, 8192);
    dma::load(x, source);
    tiu::fadd(y, x, 1.0f);
    dma::load(z, all.sub_view(kPart, {(i + 1) % rounds, 0, 0, 0}));
    tiu::fadd(w, y, z);
    dma::store(target, w);
  });
}
__TEST__ void two_tensors_at_one_address() {
  testRounds(shared_address, 6, [](const float *in, int64_t i) {
    return (in[i] + 1.0f) + in[(i + kPartElements) % (6 * kPartElements)];
  });
}

/// An accumulator that goes from round to round and is stored in each.
__KERNEL__ void running_sum(float *out, float *in, int rounds) {
  tensor<float> sum(kPart);
  eachRound(out, in, rounds, [&](int i, auto source, auto target) {
    tensor<float> x(kPart);
    dma::load(x, source);
    if (i == 0)
      tiu::fill(sum, 0.0f);
    tiu::fadd(sum, sum, x);
    dma::store(target, sum);
  });
}
__TEST__ void sums_up_to_each_round() {
  testRounds(running_sum, 6, [](const float *in, int64_t i) {
    float sum = 0;
    for (int64_t k = i % kPartElements; k <= i; k += kPartElements)
      sum += in[k];
    return sum;
  });
}

/// What stands behind a barrier is in no earlier stage than what stands before.
__KERNEL__ void with_barrier(float *out, float *in, int rounds) {
  eachRound(out, in, rounds, [](int, auto source, auto target) {
    tensor<float> x(kPart), y(kPart), z(kPart), w(kPart);
    dma::load(x, source);
    tiu::fadd(y, x, 1.0f);
    pipeline_barrier();
    dma::load(z, source);
    tiu::fmul(w, y, z);
    dma::store(target, w);
  });
}
__TEST__ void barrier_inside_a_round() {
  testRounds(with_barrier, 4,
             [](const float *in, int64_t i) { return (in[i] + 1.0f) * in[i]; });
}

/// Columns of one matrix, a tile a round, changed in place: no byte is in two
/// tiles.
__KERNEL__ void columns_in_place(float *matrix, int tiles) {
  gtensor<float> all({1, 64, 8, tiles * 16}, GLOBAL, matrix);
  dim4 part = {1, 64, 8, 16};
  for (int i = 0; i < tiles; ++i) {
    enable_pipeline();
    tensor<float> x(part), y(part);
    dma::load(x, all.sub_view(part, {0, 0, 0, i * 16}));
    tiu::fadd(y, x, 1.0f);
    dma::store(all.sub_view(part, {0, 0, 0, i * 16}), y);
  }
}
__TEST__ void columns_of_one_matrix() {
  dim4 all = {1, 64, 8, 96};
  float *matrix = ppl::malloc<float>(&all);
  for (int64_t i = 0; i < 64 * 8 * 96; ++i)
    matrix[i] = float(i % 1024);
  columns_in_place(matrix, 6);
  expect(matrix, &all, [](int64_t i) { return double(i % 1024 + 1); }, 0, 0);
}
