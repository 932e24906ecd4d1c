//===- ProductErrors.cpp - ranges by what products make of them -----------===//

#include "passes/quantize/ProductErrors.h"

#include "passes/quantize/Lowering.h"
#include "passes/quantize/NamedSource.h"
#include "passes/quantize/RangeChoice.h"
#include "passes/quantize/SharedWork.h"

#include <algorithm>
#include <cmath>
#include <limits>

using namespace mlir;
using namespace weft;
using namespace weft::quantize;

/// Rows that the errors are taken from.
static constexpr int64_t kRows = 256;

/// How often the error of clipping counts. Values beyond the codes are few, but
/// where they are (one noisy picture among plain ones) they lie together and
/// all err to the same side. (Values inside PP-OCR rec gain 1 dB more from 8,
/// those of cls lose 2 dB.)
static constexpr double kClipping = 2;

std::vector<float> quantize::sumsOf(ArrayRef<float> rows,
                                    ArrayRef<float> filter, int64_t terms,
                                    const MultiplyMatrices &multiply) {
  auto count = static_cast<int64_t>(rows.size()) / terms,
       channels = static_cast<int64_t>(filter.size()) / terms;
  std::vector<float> sums(count * channels);
  multiply({false, true, count, channels, terms, rows.data(), filter.data(),
            sums.data()});
  return sums;
}

double quantize::powerWithoutMean(ArrayRef<float> sums, int64_t rows) {
  int64_t channels = static_cast<int64_t>(sums.size()) / rows;
  double power = 0;
  for (int64_t oc = 0; oc < channels; ++oc) {
    double mean = 0, squares = 0;
    for (int64_t row = 0; row < rows; ++row) {
      double sum = sums[row * channels + oc];
      mean += sum;
      squares += sum * sum;
    }
    power += squares - mean * mean / double(rows);
  }
  return power;
}

/// Lowest and highest number.
static std::pair<double, double> rangeOf(const CodeForm &form) {
  return {form.seen(-std::numeric_limits<float>::max()),
          form.seen(std::numeric_limits<float>::max())};
}

/// What each of `forms` makes of the sums of a product, in parts of their
/// power: rounding, measured on some rows, and `clipped`, mean squares of what
/// a value loses.
static std::vector<double> errorsOf(Operation *op, const ProductRows &rows,
                                    ArrayRef<CodeForm> forms,
                                    ArrayRef<double> clipped,
                                    const MultiplyMatrices &multiply) {
  std::vector<double> errors(forms.size());
  std::vector<float> filter = filterOf(op, rows.terms);
  int64_t count = std::min(rows.rows(), kRows);
  if (filter.empty() || count < 2)
    return errors;
  std::vector<float> values(rows.values.begin(),
                            rows.values.begin() + count * rows.terms);
  double power =
      powerWithoutMean(sumsOf(values, filter, rows.terms, multiply), count);
  if (!(power > 0))
    return errors;
  double weights = 0;
  for (float weight : filter)
    weights += double(weight) * weight;
  for (size_t i = 0; i < forms.size(); ++i) {
    std::vector<float> gaps;
    for (float value : values) {
      float gap = value - forms[i].seen(value);
      gaps.push_back(std::fabs(gap) <= forms[i].scale ? gap : 0);
    }
    errors[i] =
        (powerWithoutMean(sumsOf(gaps, filter, rows.terms, multiply), count) +
         kClipping * clipped[i] * weights * double(count)) /
        power;
  }
  return errors;
}

void quantize::chooseRangesByProducts(
    ArrayRef<std::pair<std::string, ValueHistogram>> histograms,
    const llvm::MapVector<Operation *, ProductRows> &rows,
    const CalibrationOptions &options, const MultiplyMatrices &multiply,
    unsigned threads, CalibrationTable &table) {
  llvm::StringMap<std::vector<size_t>> readers; // indices of `rows`
  for (size_t i = 0; i < rows.size(); ++i)
    readers[valueName(namedSource((rows.begin() + i)->first->getOperand(0)))]
        .push_back(i);
  std::vector<std::optional<CalibrationEntry>> chosen(histograms.size());
  shareWork(histograms.size(), threads, [&](size_t index) {
    const auto &[name, histogram] = histograms[index];
    auto found = readers.find(name);
    if (found == readers.end())
      return;
    std::vector<CalibrationEntry> entries;
    std::vector<CodeForm> forms;
    std::vector<double> clipped;
    for (CalibrationMethod method :
         {CalibrationMethod::Percentile, CalibrationMethod::Max,
          CalibrationMethod::Mse, CalibrationMethod::Kl}) {
      CalibrationOptions one = options;
      one.method = method;
      entries.push_back(chooseRange(name, histogram, one));
      forms.push_back(codeFormOf(entries.back(), true));
      auto [low, high] = rangeOf(forms.back());
      clipped.push_back(histogram.powerBeyond(low, high));
    }
    std::vector<double> errors(forms.size());
    for (size_t reader : found->second) {
      const auto &[op, ofOp] = *(rows.begin() + reader);
      std::vector<double> ofReader =
          errorsOf(op, ofOp, forms, clipped, multiply);
      for (size_t i = 0; i < errors.size(); ++i)
        errors[i] += ofReader[i];
    }
    size_t best =
        std::min_element(errors.begin(), errors.end()) - errors.begin();
    chosen[index] = std::move(entries[best]);
  });
  for (std::optional<CalibrationEntry> &entry : chosen)
    if (entry)
      table.replace(*std::move(entry));
}
