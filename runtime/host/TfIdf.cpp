//===- TfIdf.cpp - counts of word sequences -------------------------------===//

#include "runtime/host/Kernels.h"
#include "runtime/numeric/TensorValues.h"

#include <algorithm>

using namespace weft;
using namespace weft::host;
using rt::Status;

namespace {
/// The sequences of a pool: `counts[n - 1]` is where those of n words begin.
struct Pool {
  std::vector<int64_t> counts, places, words;
  std::vector<double> weights;

  /// The number of words of all sequences up to `n - 1` words, from the
  /// attribute ngram_counts.
  int64_t end(size_t n) const {
    return n < counts.size() ? counts[n] : int64_t(words.size());
  }
};
} // namespace

static Status readPool(const Call &call, Pool &pool) {
  pool.counts = call.attributes.integers("ngram_counts");
  pool.places = call.attributes.integers("ngram_indexes");
  pool.words = call.attributes.integers("pool_int64s");
  pool.weights = call.attributes.numbers("weights");
  int64_t before = 0;
  size_t sequences = 0;
  for (size_t n = 1; n <= pool.counts.size(); ++n) {
    int64_t begin = pool.counts[n - 1], end = pool.end(n);
    if (begin < before || end < begin || end > int64_t(pool.words.size()) ||
        (end - begin) % int64_t(n) != 0)
      return call.fail("ngram_counts do not cut the %zu words of the pool",
                       pool.words.size());
    sequences += size_t(end - begin) / n;
    before = begin;
  }
  if (pool.places.size() != sequences ||
      (!pool.weights.empty() && pool.weights.size() != sequences))
    return call.fail("%zu sequences, but %zu places and %zu weights", sequences,
                     pool.places.size(), pool.weights.size());
  return Status::ok();
}

/// Operand C or N x C of integers; result the row of counts for each row.
Status host::kernels::tf_idf(const Call &call,
                             std::vector<HostTensor> &results) {
  const HostTensor &input = call.operand(0);
  Pool pool;
  WEFT_TRY(readPool(call, pool));
  size_t rank = input.shape().size();
  if (rank < 1 || rank > 2 || !numeric::isIntegerType(input.type()))
    return call.fail("an input of rank %zu of %s; it must be C or N x C of "
                     "integers",
                     rank, numeric::elementTypeName(input.type()));
  int64_t rows = rank == 2 ? input.shape()[0] : 1,
          length = input.shape().back();
  int64_t width = 0;
  for (int64_t place : pool.places) {
    if (place < 0 || place > (int64_t(1) << 40))
      return call.fail("a place is %lld", static_cast<long long>(place));
    width = std::max(width, place + 1);
  }
  const std::string &mode = call.attributes.text("mode");
  bool counts = mode != "IDF", weighs = mode != "TF" && !pool.weights.empty();
  int64_t shortest = call.attributes.integer("min_gram_length", 1),
          longest = call.attributes.integer("max_gram_length", 1),
          skips = call.attributes.integer("max_skip_count", 0);
  if (shortest < 1 || longest < shortest || skips < 0)
    return call.fail("gram lengths %lld to %lld with %lld skips",
                     static_cast<long long>(shortest),
                     static_cast<long long>(longest),
                     static_cast<long long>(skips));
  WEFT_TRY(
      call.addResult(rank == 2 ? Shape{rows, width} : Shape{width}, results));
  std::vector<int64_t> words = loadIntegers(input);
  // Words further apart than the row is long do not come together.
  int64_t widest = std::min(skips, length) + 1;
  std::vector<double> sums(rows * width, 0);
  size_t sequence = 0;
  for (size_t n = 1; n <= pool.counts.size(); ++n)
    for (int64_t at = pool.counts[n - 1]; at < pool.end(n);
         at += int64_t(n), ++sequence) {
      if (int64_t(n) < shortest || int64_t(n) > longest)
        continue;
      for (int64_t row = 0; row < rows; ++row)
        // A single word cannot be torn apart, so it is counted once.
        for (int64_t step = 1; step <= (n == 1 ? 1 : widest); ++step)
          for (int64_t begin = 0; begin + int64_t(n - 1) * step < length;
               ++begin) {
            bool same = true;
            for (size_t i = 0; same && i < n; ++i)
              same = words[row * length + begin + int64_t(i) * step] ==
                     pool.words[at + i];
            if (same)
              sums[row * width + pool.places[sequence]] += 1;
          }
    }
  sequence = 0;
  std::vector<double> weights(width, 1);
  for (size_t i = 0; weighs && i < pool.places.size(); ++i)
    weights[pool.places[i]] = pool.weights[i];
  for (int64_t i = 0; i < rows * width; ++i) {
    double value = counts ? sums[i] : double(sums[i] > 0);
    results.back().setFromDouble(i, value * weights[i % width]);
  }
  return Status::ok();
}
