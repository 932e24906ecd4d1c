//===- NGrams.cpp - counts of word sequences as top ops -------------------===//

#include "frontend/onnx/NGrams.h"

using namespace mlir;
using namespace weft;
using namespace weft::onnx;

/// Up to so many words are compared at once, as for TopK; above, the host looks
/// each sequence up.
static constexpr int64_t kMostComparisons = 1 << 20;

/// Words of the sequences of `length` words: [begin, end) of the pool.
static std::pair<int64_t, int64_t> poolOf(const NGrams &grams, size_t length) {
  return {grams.counts[length - 1], length < grams.counts.size()
                                        ? grams.counts[length]
                                        : int64_t(grams.words.size())};
}

/// Words further apart than the row is long do not come together; a single word
/// cannot be torn apart.
static int64_t widestStep(const NGrams &grams, size_t length, int64_t row) {
  return length == 1 ? 1 : std::min(grams.skips, row) + 1;
}

static bool isCounted(const NGrams &grams, size_t length) {
  return int64_t(length) >= grams.shortest && int64_t(length) <= grams.longest;
}

bool onnx::areFewNGrams(const NGrams &grams, ArrayRef<int64_t> shape) {
  int64_t row = shape.back(), rows = shape.size() == 2 ? shape[0] : 1;
  int64_t before = 0, sequences = 0, comparisons = 0, counted = 0;
  for (size_t length = 1; length <= grams.counts.size(); ++length) {
    auto [begin, end] = poolOf(grams, length);
    if (begin < before || end < begin || end > int64_t(grams.words.size()) ||
        (end - begin) % int64_t(length) != 0)
      return false;
    before = begin;
    sequences += (end - begin) / int64_t(length);
    if (!isCounted(grams, length))
      continue;
    counted += end - begin;
    int64_t steps = widestStep(grams, length, row);
    if (row > kMostComparisons || end - begin > kMostComparisons ||
        rows > kMostComparisons / std::max<int64_t>(row, 1))
      return false;
    comparisons +=
        (end - begin) * std::min(row * rows * steps, kMostComparisons + 1);
  }
  llvm::DenseSet<int64_t> places(grams.places.begin(), grams.places.end());
  return counted > 0 && row > 0 && rows > 0 &&
         comparisons <= kMostComparisons &&
         int64_t(grams.places.size()) == sequences &&
         places.size() == grams.places.size() &&
         (grams.weights.empty() || int64_t(grams.weights.size()) == sequences);
}

/// How often each sequence of `length` words stands in each row of `rows` (N x
/// 1 x C): N x P x 1, i32.
static Value countLength(Compose &c, const NGrams &grams, Value rows,
                         size_t length) {
  auto [begin, end] = poolOf(grams, length);
  int64_t sequences = (end - begin) / int64_t(length);
  int64_t row = c.shapeOf(rows)[2];
  Value sum = c.numbers(0.0, {c.shapeOf(rows)[0], sequences, 1},
                        c.n.builder.getI32Type());
  for (int64_t step = 1; step <= widestStep(grams, length, row); ++step) {
    int64_t starts = row - int64_t(length - 1) * step;
    if (starts < 1)
      break;
    Value isSame;
    for (size_t word = 0; word < length; ++word) {
      SmallVector<double> wanted;
      for (int64_t i = 0; i < sequences; ++i)
        wanted.push_back(static_cast<double>(
            grams.words[begin + i * int64_t(length) + int64_t(word)]));
      Value equal =
          c.binary(top::BinaryKind::Equal,
                   c.sliceAxis(rows, 2, int64_t(word) * step, starts),
                   c.numbers(wanted, {1, sequences, 1}, c.elementOf(rows)));
      isSame = word ? c.binary(top::BinaryKind::And, isSame, equal) : equal;
    }
    sum = c.add(sum, c.reduce(top::ReduceKind::Sum,
                              c.cast(isSame, c.n.builder.getI32Type()), {2},
                              /*keepDims=*/true));
  }
  return sum;
}

Value onnx::countNGrams(Compose &c, const NGrams &grams, Value input) {
  SmallVector<int64_t> shape(c.shapeOf(input));
  int64_t count = shape.size() == 2 ? shape[0] : 1;
  Type i32 = c.n.builder.getI32Type(), f32 = c.n.builder.getF32Type();
  Value rows = c.reshape(input, {count, 1, shape.back()});
  // For each column of the result the row of the sequence that it counts; the
  // last row is for those that count none.
  SmallVector<Value> parts;
  std::vector<int64_t> rowOf(grams.width, -1);
  size_t sequence = 0;
  int64_t counted = 0;
  for (size_t length = 1; length <= grams.counts.size(); ++length) {
    auto [begin, end] = poolOf(grams, length);
    bool counts = isCounted(grams, length) && begin < end;
    for (int64_t at = begin; at < end; at += int64_t(length), ++sequence)
      if (counts)
        rowOf[grams.places[sequence]] = counted++;
    if (counts)
      parts.push_back(countLength(c, grams, rows, length));
  }
  parts.push_back(c.numbers(0.0, {count, 1, 1}, i32));
  SmallVector<double> indices;
  for (int64_t row : rowOf)
    indices.push_back(static_cast<double>(row < 0 ? counted : row));
  shape.back() = grams.width;
  Value sums =
      c.gather(c.concat(parts, 1), c.numbers(indices, {1, grams.width}, i32));
  sums = c.reshape(sums, shape);
  if (grams.mode == "IDF")
    sums = c.min(sums, 1);
  sums = c.cast(sums, f32);
  if (grams.mode == "TF" || grams.weights.empty())
    return sums;
  SmallVector<double> weights(grams.width, 1.0);
  for (auto [place, weight] : llvm::zip(grams.places, grams.weights))
    weights[place] = weight;
  return c.mul(sums, c.numbers(weights, {grams.width}, f32));
}
