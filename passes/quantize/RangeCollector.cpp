//===- RangeCollector.cpp - the ranges of named values --------------------===//

#include "passes/quantize/RangeCollector.h"

#include "passes/quantize/RangeChoice.h"

#include "llvm/Support/Format.h"
#include "llvm/Support/raw_ostream.h"

#include <cmath>

using namespace llvm;
using namespace weft::quantize;

Error RangeCollector::add(StringRef name, ArrayRef<float> tensor) {
  size_t index = indexOfName.try_emplace(name, values.size()).first->second;
  if (index == values.size())
    values.emplace_back(name.str(), ValueHistogram());
  ValueHistogram &histogram = values[index].second;
  if (histogram.add(tensor))
    return Error::success();
  // Masks are -inf beside numbers; the infinite stays so in any form.
  std::vector<float> finite;
  for (float value : tensor)
    if (!std::isinf(value))
      finite.push_back(value);
  if (!finite.empty() && histogram.add(finite))
    return Error::success();
  return createStringError(
      inconvertibleErrorCode(),
      "value '" + name + "' holds " +
          (finite.empty() ? "nothing but infinities" : "NaN") +
          "; its range cannot be measured");
}

std::string RangeCollector::muchClipped(const CalibrationTable &table) const {
  constexpr double kMuch = 0.01;
  size_t count = 0;
  double worst = kMuch;
  StringRef worstName;
  for (const auto &[name, histogram] : values) {
    const CalibrationEntry *entry = table.find(name);
    double share = entry ? histogram.shareAbove(entry->threshold) : 0;
    count += share > kMuch;
    if (share > worst) {
      worst = share;
      worstName = name;
    }
  }
  if (count == 0)
    return "";
  std::string text;
  raw_string_ostream(text)
      << "the thresholds of " << count << " of " << values.size()
      << " values clip more than 1 % of what was seen, most of '" << worstName
      << "': " << format("%.1f", 100 * worst)
      << " %; choose another --method, or a larger --percentile";
  return text;
}

CalibrationTable
RangeCollector::finish(const CalibrationOptions &options) const {
  CalibrationTable table;
  table.samples = samples;
  table.method = options.str();
  for (const auto &[name, histogram] : values)
    table.add(chooseRange(name, histogram, options));
  return table;
}
