//===- InputFactors.cpp - a step for each input channel -------------------===//

#include "passes/quantize/InputFactors.h"

#include "dialects/top/Conv.h"
#include "dialects/top/MatMul.h"
#include "dialects/top/Move.h"
#include "dialects/top/Pool.h"
#include "dialects/top/Resize.h"
#include "dialects/top/Unary.h"
#include "passes/quantize/ProductErrors.h"
#include "passes/quantize/QuantScale.h"
#include "passes/quantize/WideProducts.h"
#include "runtime/numeric/Float16.h"

#include <algorithm>
#include <array>
#include <cmath>

using namespace mlir;
using namespace weft;
using namespace weft::quantize;

/// Whether `value`, which only products read, is made or moved as codes: as
/// floats it would be moved in twice the bytes (measured for concatenations: 2
/// % of PP-OCR det's cycles, for nothing).
static bool comesAsCodes(Value value) {
  Operation *maker = value.getDefiningOp();
  if (auto conv = dyn_cast<top::ConvOp>(maker))
    return !isFloatAmongCodes(conv);
  if (auto unary = dyn_cast<top::UnaryOp>(maker);
      unary && unary.getKind() == top::UnaryKind::Relu)
    return !unary.getInput().getDefiningOp() || comesAsCodes(unary.getInput());
  return mlir::isa<top::MatMulOp, top::PoolOp, top::ConcatOp, top::SliceOp,
                   top::InterleaveOp, top::ReshapeOp, top::TransposeOp>(maker);
}

bool quantize::mayHaveInputFactors(Operation *op) {
  Value input = op->getOperand(0);
  // Higher ranks are folded, and their last axis with them.
  if (!input.getDefiningOp() ||
      cast<RankedTensorType>(input.getType()).getRank() > 4)
    return false;
  bool isForProducts = llvm::all_of(input.getUsers(), [](Operation *user) {
    return mlir::isa<top::ConvOp, top::MatMulOp>(user);
  });
  return !isForProducts || !comesAsCodes(input);
}

/// The factor of each term: a channel's for all of its window.
static std::vector<float> factorsOfTerms(ArrayRef<float> factors,
                                         int64_t terms) {
  int64_t window = terms / static_cast<int64_t>(factors.size());
  std::vector<float> result;
  for (float factor : factors)
    result.insert(result.end(), window, factor);
  return result;
}

ProductRows quantize::multipliedRows(const ProductRows &rows,
                                     ArrayRef<float> factors) {
  ProductRows result = rows;
  std::vector<float> ofTerms = factorsOfTerms(factors, rows.terms);
  for (auto row = result.values.begin(); row != result.values.end();
       row += rows.terms)
    for (int64_t i = 0; i < rows.terms; ++i)
      row[i] *= ofTerms[i];
  return result;
}

std::vector<float> quantize::dividedFilter(ArrayRef<float> filter,
                                           int64_t terms,
                                           ArrayRef<float> factors) {
  std::vector<float> result = filter.vec();
  std::vector<float> ofTerms = factorsOfTerms(factors, terms);
  for (auto row = result.begin(); row != result.end(); row += terms)
    for (int64_t i = 0; i < terms; ++i)
      row[i] /= ofTerms[i];
  return result;
}

namespace {
/// Of each input channel in the first `count` rows; both take in 0.
struct ChannelRanges {
  std::vector<float> smallest, largest;

  ChannelRanges(const ProductRows &rows, int64_t count, int64_t inputChannels)
      : smallest(inputChannels), largest(inputChannels) {
    std::vector<float> low(rows.terms), high(rows.terms);
    auto end = rows.values.begin() + count * rows.terms;
    for (auto row = rows.values.begin(); row != end; row += rows.terms)
      for (int64_t i = 0; i < rows.terms; ++i) {
        low[i] = std::min(low[i], row[i]);
        high[i] = std::max(high[i], row[i]);
      }
    int64_t window = rows.terms / inputChannels;
    for (int64_t i = 0; i < rows.terms; ++i) {
      smallest[i / window] = std::min(smallest[i / window], low[i]);
      largest[i / window] = std::max(largest[i / window], high[i]);
    }
  }
  float magnitude(size_t channel) const {
    return std::max(-smallest[channel], largest[channel]);
  }
};
} // namespace

/// What the weights stand for once they are rounded.
static std::vector<float> roundedFilter(ArrayRef<float> filter, int64_t terms) {
  RoundedWeights rounded = roundWeights(filter, terms);
  std::vector<float> result;
  for (size_t i = 0; i < filter.size(); ++i)
    result.push_back(rounded.codes[i] * rounded.scales[i / terms]);
  return result;
}

namespace {
/// Measures codes of the input of a product with rounded weights.
class Trial {
public:
  Trial(const ProductRows &rows, ArrayRef<float> filter,
        const MultiplyMatrices &multiply)
      : terms(rows.terms), multiply(multiply),
        exact(sumsOf(rows.values, filter, terms, multiply)) {}

  /// Power of what the sums of `rows` with `filter` are off, without its mean.
  double errorOf(const ProductRows &rows, ArrayRef<float> filter,
                 const CodeForm &form) const {
    std::vector<float> seen;
    for (float value : rows.values)
      seen.push_back(form.seen(value));
    std::vector<float> sums =
        sumsOf(seen, roundedFilter(filter, terms), terms, multiply);
    for (size_t i = 0; i < sums.size(); ++i)
      sums[i] -= exact[i];
    return powerWithoutMean(sums, rows.rows());
  }

private:
  int64_t terms;
  const MultiplyMatrices &multiply;
  std::vector<float> exact; ///< sums of floats
};
} // namespace

/// Two kinds of codes for values of `ranges` that are multiplied by `factors`:
/// of the whole range, and clipping the largest of ten thousand magnitudes of
/// `some`, which are.
static std::array<CodeForm, 2> formsFor(const ChannelRanges &ranges,
                                        ArrayRef<float> factors,
                                        const ProductRows &some) {
  float min = 0, max = 0;
  for (size_t i = 0; i < factors.size(); ++i) {
    min = std::min(min, ranges.smallest[i] * factors[i]);
    max = std::max(max, ranges.largest[i] * factors[i]);
  }
  std::vector<float> magnitudes;
  magnitudes.reserve(some.values.size());
  for (float value : some.values)
    magnitudes.push_back(std::fabs(value));
  auto clipped = magnitudes.end() - 1 - magnitudes.size() / 10'000;
  std::nth_element(magnitudes.begin(), clipped, magnitudes.end());
  auto form = [&](float threshold) {
    return codeFormOf(CalibrationEntry::clippedAt("", threshold, min, max),
                      true);
  };
  return {form(std::max(-min, max)), form(*clipped)};
}

/// Rows `first`.., at most `most`.
static ProductRows someRows(const ProductRows &rows, int64_t first,
                            int64_t most) {
  int64_t end = std::min(rows.rows(), first + most);
  ProductRows some;
  some.terms = rows.terms;
  some.keys.assign(rows.keys.begin() + first, rows.keys.begin() + end);
  some.values.assign(rows.values.begin() + first * rows.terms,
                     rows.values.begin() + end * rows.terms);
  return some;
}

/// Factors of the channels' magnitudes to -`power`, with either of formsFor();
/// without those that are no f16 numbers.
static SmallVector<std::optional<FactoredInput>, 2>
factoredInputs(const ChannelRanges &ranges, const ProductRows &some,
               float power) {
  // A channel that is all but zero in the samples may not be so elsewhere.
  constexpr float kSmallest = 0x1p-10F;
  size_t inputChannels = ranges.largest.size();
  float all = 0;
  for (size_t channel = 0; channel < inputChannels; ++channel)
    all = std::max(all, ranges.magnitude(channel));
  if (!(all > 0) || !std::isfinite(all))
    return {std::nullopt, std::nullopt};
  std::vector<float> raised;
  for (size_t channel = 0; channel < inputChannels; ++channel)
    raised.push_back(
        std::pow(std::max(ranges.magnitude(channel) / all, kSmallest), -power));
  SmallVector<std::optional<FactoredInput>, 2> result;
  for (const CodeForm &form :
       formsFor(ranges, raised, multipliedRows(some, raised))) {
    FactoredInput input{{}, {1, form.zeroPoint, form.isSigned}};
    for (float factor : raised)
      input.factors.push_back(numeric::halfToFloat(
          numeric::floatToHalf(static_cast<float>(factor / form.scale))));
    bool areHalves = llvm::all_of(input.factors, [](float factor) {
      return factor >= 0x1p-14F && factor <= 0x1p15F;
    });
    result.push_back(areHalves ? std::optional(std::move(input))
                               : std::nullopt);
  }
  return result;
}

std::optional<FactoredInput>
quantize::chooseInputFactors(const ProductRows &rows, ArrayRef<float> filter,
                             int64_t inputChannels, const CodeForm &plain,
                             const MultiplyMatrices &multiply) {
  constexpr int64_t kTried = 512, kFewestRows = 16;
  if (rows.rows() < kFewestRows || inputChannels < 2)
    return std::nullopt;
  // A channel that is small in the samples may be large elsewhere, and is
  // clipped there: so factors are judged on rows that they were not made of.
  int64_t half = rows.rows() / 2;
  ChannelRanges known(rows, half, inputChannels);
  ProductRows ofKnown = someRows(rows, 0, std::min(half, kTried)),
              others = someRows(rows, half, kTried);
  Trial trial(others, filter, multiply);
  double least = trial.errorOf(others, filter, plain) / kLeastGain;
  std::optional<std::pair<float, size_t>> best;
  for (float power : {0.25F, 0.5F, 0.75F})
    for (auto [form, tried] :
         llvm::enumerate(factoredInputs(known, ofKnown, power))) {
      if (!tried)
        continue;
      double error = trial.errorOf(
          multipliedRows(others, tried->factors),
          dividedFilter(filter, rows.terms, tried->factors), tried->form);
      if (error < least) {
        least = error;
        best = {power, form};
      }
    }
  if (!best)
    return std::nullopt;
  ChannelRanges ranges(rows, rows.rows(), inputChannels);
  return factoredInputs(ranges, someRows(rows, 0, kTried),
                        best->first)[best->second];
}
