//===- Calibration.cpp - value ranges of a model --------------------------===//

#include "passes/quantize/Calibration.h"

#include "passes/quantize/QuantScale.h"

#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/raw_ostream.h"

#include <algorithm>
#include <cmath>

using namespace llvm;
using namespace weft::quantize;

static constexpr StringLiteral kVersionLine = "# weft calibration table 1";

StringRef weft::quantize::stringifyMethod(CalibrationMethod method) {
  switch (method) {
  case CalibrationMethod::Max:
    return "max";
  case CalibrationMethod::Percentile:
    return "percentile";
  case CalibrationMethod::Mse:
    return "mse";
  }
  llvm_unreachable("covered switch");
}

std::optional<CalibrationMethod>
weft::quantize::symbolizeMethod(StringRef name) {
  for (auto method : {CalibrationMethod::Max, CalibrationMethod::Percentile,
                      CalibrationMethod::Mse})
    if (stringifyMethod(method) == name)
      return method;
  return std::nullopt;
}

//===----------------------------------------------------------------------===//
// Table
//===----------------------------------------------------------------------===//

bool CalibrationTable::add(CalibrationEntry entry) {
  if (!indexOfName.try_emplace(entry.name, list.size()).second)
    return false;
  list.push_back(std::move(entry));
  return true;
}

const CalibrationEntry *CalibrationTable::find(StringRef name) const {
  auto found = indexOfName.find(name);
  return found == indexOfName.end() ? nullptr : &list[found->second];
}

static bool needsEscape(char c) {
  auto byte = static_cast<unsigned char>(c);
  return byte <= ' ' || byte == 0x7f || c == '%' || c == '#';
}

static std::string escapeName(StringRef name) {
  std::string text;
  for (char c : name) {
    if (needsEscape(c)) {
      text += '%';
      text += hexdigit(static_cast<unsigned char>(c) >> 4);
      text += hexdigit(c & 15);
    } else {
      text += c;
    }
  }
  return text;
}

static std::optional<std::string> unescapeName(StringRef text) {
  std::string name;
  for (size_t i = 0; i < text.size(); ++i) {
    if (text[i] != '%') {
      name += text[i];
      continue;
    }
    uint8_t byte;
    if (i + 2 >= text.size() ||
        !tryGetHexFromNibbles(text[i + 1], text[i + 2], byte))
      return std::nullopt;
    name += static_cast<char>(byte);
    i += 2;
  }
  return name;
}

std::string CalibrationTable::str() const {
  std::string text;
  raw_string_ostream os(text);
  os << kVersionLine << "\n# method: " << method << "\n# samples: " << samples
     << "\n# name threshold min max\n";
  for (const CalibrationEntry &entry : list)
    os << escapeName(entry.name)
       << format(" %.9g %.9g %.9g\n", entry.threshold, entry.min, entry.max);
  return os.str();
}

static Error lineError(StringRef source, size_t line, const Twine &message) {
  return createStringError(inconvertibleErrorCode(),
                           source + ":" + Twine(line) + ": " + message);
}

/// Parses "name threshold min max".
static Expected<CalibrationEntry> parseEntry(StringRef line, StringRef source,
                                             size_t number) {
  SmallVector<StringRef> words;
  line.split(words, ' ', /*MaxSplit=*/-1, /*KeepEmpty=*/false);
  if (words.size() != 4)
    return lineError(source, number,
                     "found " + Twine(words.size()) +
                         " words, need 4: name threshold min max");
  std::optional<std::string> name = unescapeName(words[0]);
  if (!name)
    return lineError(source, number,
                     "name '" + words[0] +
                         "' has a % without two hexadecimal digits");
  double values[3];
  static constexpr StringLiteral kColumns[] = {"threshold", "min", "max"};
  for (int i = 0; i < 3; ++i)
    if (words[i + 1].getAsDouble(values[i]) || !std::isfinite(values[i]))
      return lineError(source, number,
                       kColumns[i] + " is '" + words[i + 1] +
                           "', must be a finite number");
  if (values[0] <= 0)
    return lineError(source, number,
                     "threshold is " + words[1] + ", must be positive");
  if (values[1] > values[2])
    return lineError(source, number,
                     "min " + words[2] + " is above max " + words[3]);
  return CalibrationEntry{*name, values[0], values[1], values[2]};
}

Expected<CalibrationTable> CalibrationTable::parse(StringRef text,
                                                   StringRef source) {
  CalibrationTable table;
  SmallVector<StringRef> lines;
  text.split(lines, '\n');
  if (lines.front().rtrim() != kVersionLine)
    return lineError(source, 1,
                     "the first line must be '" + kVersionLine +
                         "'; is this a calibration table?");
  for (auto [index, raw] : enumerate(lines)) {
    StringRef line = raw.rtrim();
    if (line.consume_front("# method:"))
      table.method = line.trim().str();
    else if (line.consume_front("# samples:")) {
      if (line.trim().getAsInteger(10, table.samples) || table.samples < 0)
        return lineError(source, index + 1,
                         "samples is '" + line.trim() +
                             "', must be a whole number");
    } else if (!line.empty() && line.front() != '#') {
      Expected<CalibrationEntry> entry = parseEntry(line, source, index + 1);
      if (!entry)
        return entry.takeError();
      std::string name = entry->name;
      if (!table.add(std::move(*entry)))
        return lineError(source, index + 1, "second entry for '" + name + "'");
    }
  }
  return table;
}

Expected<CalibrationTable> CalibrationTable::read(StringRef path) {
  auto buffer = MemoryBuffer::getFile(path, /*IsText=*/true);
  if (!buffer)
    return createStringError(buffer.getError(),
                             "cannot read calibration table '" + path +
                                 "': " + buffer.getError().message());
  return parse((*buffer)->getBuffer(), path);
}

//===----------------------------------------------------------------------===//
// Histogram
//===----------------------------------------------------------------------===//

double MagnitudeHistogram::absMax() const {
  return std::max(-smallest, largest);
}

void MagnitudeHistogram::growTo(double magnitude) {
  if (bins.empty()) {
    bins.assign(kBins, 0);
    exponent = -64; // 2^-64 / kBins is far below any magnitude that matters
  }
  int needed;
  std::frexp(magnitude, &needed); // magnitude < 2^needed
  if (magnitude == 0)
    return;
  // Nothing but zeros so far, all in bin 0: any range fits.
  if (bins[0] == total)
    exponent = std::max(exponent, needed);
  for (; exponent < needed; ++exponent) {
    for (int i = 0; i < kBins / 2; ++i)
      bins[i] = bins[2 * i] + bins[2 * i + 1];
    std::fill(bins.begin() + kBins / 2, bins.end(), 0);
  }
}

bool MagnitudeHistogram::add(ArrayRef<float> values) {
  double low = 0, high = 0;
  for (float value : values) {
    if (!std::isfinite(value))
      return false;
    low = std::min<double>(low, value);
    high = std::max<double>(high, value);
  }
  if (values.empty())
    return true;
  double newMin = *std::min_element(values.begin(), values.end());
  double newMax = *std::max_element(values.begin(), values.end());
  smallest = total ? std::min(smallest, newMin) : newMin;
  largest = total ? std::max(largest, newMax) : newMax;
  growTo(std::max(-low, high));
  double binsPerUnit = std::ldexp(
      kBins, -exponent); // a power of two: the product below is exact
  for (float value : values)
    ++bins[static_cast<int>(std::fabs(value) * binsPerUnit)];
  total += values.size();
  return true;
}

double MagnitudeHistogram::percentile(double percentile) const {
  double wanted = static_cast<double>(total) * percentile / 100, below = 0;
  for (int i = 0; i < kBins && total; ++i) {
    double here = static_cast<double>(bins[i]);
    if (here > 0 && below + here >= wanted) {
      double edge = i + (wanted - below) / here;
      return std::min(std::ldexp(edge / kBins, exponent), absMax());
    }
    below += here;
  }
  return absMax();
}

double MagnitudeHistogram::leastSquares() const {
  double levels = smallest < 0 ? kSignedLevels : kUnsignedLevels,
         best = absMax(), bestError = HUGE_VAL;
  for (int step = 0; step <= 45; ++step) {
    double threshold = absMax() * (0.1 + 0.02 * step),
           scale = threshold / levels, error = 0;
    for (int i = 0; i < kBins; ++i) {
      if (!bins[i])
        continue;
      double value = std::ldexp((i + 0.5) / kBins, exponent);
      double rounded = std::min(std::nearbyint(value / scale), levels) * scale;
      error +=
          static_cast<double>(bins[i]) * (rounded - value) * (rounded - value);
    }
    if (error < bestError) {
      bestError = error;
      best = threshold;
    }
  }
  return best;
}

//===----------------------------------------------------------------------===//
// Collector
//===----------------------------------------------------------------------===//

Error RangeCollector::add(StringRef name, ArrayRef<float> tensor) {
  size_t index = indexOfName.try_emplace(name, values.size()).first->second;
  if (index == values.size())
    values.emplace_back(name.str(), MagnitudeHistogram());
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
  for (const auto &[name, histogram] : values) {
    double threshold = histogram.absMax();
    if (options.method == CalibrationMethod::Percentile)
      threshold = histogram.percentile(options.percentile);
    else if (options.method == CalibrationMethod::Mse)
      threshold = histogram.leastSquares();
    table.add(
        {name, std::max(threshold, 1e-5), histogram.min(), histogram.max()});
  }
  return table;
}
