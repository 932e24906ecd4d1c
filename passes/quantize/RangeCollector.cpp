//===- RangeCollector.cpp - the ranges of named values --------------------===//

#include "passes/quantize/RangeCollector.h"

#include "passes/quantize/RangeChoice.h"

#include "llvm/Support/Format.h"
#include "llvm/Support/raw_ostream.h"

using namespace llvm;
using namespace weft::quantize;

Error RangeCollector::add(StringRef name, ArrayRef<float> tensor) {
  size_t index = indexOfName.try_emplace(name, values.size()).first->second;
  if (index == values.size())
    values.emplace_back(name.str(), ValueHistogram());
  if (!values[index].second.add(tensor))
    return createStringError(
        inconvertibleErrorCode(),
        "value '" + name + "' holds NaN or Inf in sample " + Twine(samples) +
            "; its range cannot be measured");
  return Error::success();
}

CalibrationTable
RangeCollector::finish(const CalibrationOptions &options) const {
  CalibrationTable table;
  table.samples = samples;
  raw_string_ostream os(table.method);
  os << stringifyMethod(options.method);
  if (options.method == CalibrationMethod::Percentile)
    os << format(" %g", options.percentile);
  os.flush();
  for (const auto &[name, histogram] : values)
    table.add(chooseRange(name, histogram, options));
  return table;
}
