//===- Calibration.cpp - value ranges of a model --------------------------===//

#include "passes/quantize/Calibration.h"

#include "passes/quantize/QuantScale.h"
#include "passes/quantize/VendorTables.h"

#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/raw_ostream.h"

#include <algorithm>
#include <cmath>

using namespace llvm;
using namespace weft::quantize;

/// The first line of each version, and its columns behind the name.
static constexpr StringLiteral kVersionLines[] = {"# weft calibration table 1",
                                                  "# weft calibration table 2"};
static constexpr StringLiteral kColumns[] = {"threshold", "min", "max", "low",
                                             "high"};
static constexpr size_t kColumnsOfVersion1 = 3;
static constexpr StringLiteral kRecoveredPrefix = "# recovered:";

StringRef weft::quantize::stringifyMethod(CalibrationMethod method) {
  switch (method) {
  case CalibrationMethod::Max:
    return "max";
  case CalibrationMethod::Percentile:
    return "percentile";
  case CalibrationMethod::Mse:
    return "mse";
  case CalibrationMethod::Kl:
    return "kl";
  case CalibrationMethod::Auto:
    return "auto";
  }
  llvm_unreachable("covered switch");
}

std::optional<CalibrationMethod>
weft::quantize::symbolizeMethod(StringRef name) {
  for (auto method :
       {CalibrationMethod::Max, CalibrationMethod::Percentile,
        CalibrationMethod::Mse, CalibrationMethod::Kl, CalibrationMethod::Auto})
    if (stringifyMethod(method) == name)
      return method;
  return std::nullopt;
}

Error CalibrationOptions::setPercentile(double given) {
  if (!(given > 0 && given <= 100)) // NaN, too
    return createStringError(inconvertibleErrorCode(),
                             "percentile is %g, must be above 0 and at most "
                             "100",
                             given);
  if (method != CalibrationMethod::Percentile &&
      method != CalibrationMethod::Auto)
    return createStringError(inconvertibleErrorCode(),
                             "percentile is for the methods percentile and "
                             "auto, the method is " +
                                 stringifyMethod(method) + "; leave it out");
  percentile = given;
  return Error::success();
}

std::string CalibrationOptions::str() const {
  std::string text;
  raw_string_ostream os(text);
  os << stringifyMethod(method);
  // Auto has it for what no product reads.
  if (method == CalibrationMethod::Percentile ||
      (method == CalibrationMethod::Auto &&
       percentile != CalibrationOptions().percentile))
    os << format(" %g", percentile);
  return text;
}

//===----------------------------------------------------------------------===//
// Table
//===----------------------------------------------------------------------===//

CalibrationEntry CalibrationEntry::clippedAt(std::string name, double threshold,
                                             double min, double max) {
  double low = std::max(std::min(min, 0.0), -threshold),
         high = std::min(std::max(max, 0.0), threshold);
  if (low == high) // nothing but zeros was seen
    high = threshold;
  return {std::move(name), threshold, min, max, low, high};
}

/// A zero point has to make the steps of a range so much finer. It costs
/// nothing where it is (docs/rationale/0002-quantization.md).
static constexpr double kFinerStep = 0.9;

CodeForm weft::quantize::codeFormOf(const CalibrationEntry &entry,
                                    bool hasZeroPoints) {
  CodeForm form{symmetricScale(entry.threshold, entry.isSigned()), 0,
                entry.isSigned()};
  if (hasZeroPoints && entry.isSigned()) {
    ZeroPointScale finer = zeroPointScale(entry.low, entry.high);
    if (finer.scale < kFinerStep * form.scale) {
      form.scale = finer.scale;
      form.zeroPoint = finer.zeroPoint;
    }
  }
  return form;
}

bool CalibrationTable::add(RecoveredProduct product) {
  if (!indexOfProduct.try_emplace(product.name, products.size()).second)
    return false;
  products.push_back(std::move(product));
  return true;
}

const RecoveredProduct *CalibrationTable::findRecovered(StringRef name) const {
  auto found = indexOfProduct.find(name);
  return found == indexOfProduct.end() ? nullptr : &products[found->second];
}

bool CalibrationTable::add(CalibrationEntry entry) {
  if (!indexOfName.try_emplace(entry.name, list.size()).second)
    return false;
  if (StringRef value = valueOfVendorName(entry.name);
      isVendors && !value.empty())
    indexOfValue.try_emplace(value, list.size());
  list.push_back(std::move(entry));
  return true;
}

const CalibrationEntry *CalibrationTable::find(StringRef name) const {
  auto found = indexOfName.find(name);
  if (found == indexOfName.end())
    found = indexOfValue.find(name);
  else
    return &list[found->second];
  return found == indexOfValue.end() ? nullptr : &list[found->second];
}

static bool needsEscape(char c) {
  auto byte = static_cast<unsigned char>(c);
  return byte <= ' ' || byte == 0x7f || c == '%' || c == '#';
}

std::string weft::quantize::escapeName(StringRef name) {
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

std::optional<std::string> weft::quantize::unescapeName(StringRef text) {
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
  os << kVersionLines[1] << "\n# method: " << method
     << "\n# samples: " << samples << "\n# name "
     << join(ArrayRef(kColumns), " ") << "\n";
  for (const CalibrationEntry &entry : list)
    os << escapeName(entry.name)
       << format(" %.9g %.9g %.9g %.9g %.9g\n", entry.threshold, entry.min,
                 entry.max, entry.low, entry.high);
  for (const RecoveredProduct &product : products)
    os << kRecoveredPrefix << " " << product.str() << "\n";
  return os.str();
}

static Error lineError(StringRef source, size_t line, const Twine &message) {
  return createStringError(inconvertibleErrorCode(),
                           source + ":" + Twine(line) + ": " + message);
}

/// Numbers in the columns of an entry, checked against each other. They are
/// those of version 1, or all.
static Expected<CalibrationEntry> entryOf(std::string name,
                                          ArrayRef<StringRef> words,
                                          StringRef source, size_t number) {
  double values[std::size(kColumns)] = {};
  for (size_t i = 0; i < words.size(); ++i)
    if (words[i].getAsDouble(values[i]) || !std::isfinite(values[i]))
      return lineError(source, number,
                       kColumns[i] + " is '" + words[i] +
                           "', must be a finite number");
  auto [threshold, min, max, low, high] = values;
  if (threshold <= 0)
    return lineError(source, number,
                     "threshold is " + words[0] + ", must be positive");
  if (min > max)
    return lineError(source, number,
                     "min " + words[1] + " is above max " + words[2]);
  if (words.size() == kColumnsOfVersion1)
    return CalibrationEntry::clippedAt(std::move(name), threshold, min, max);
  if (low > 0 || high < 0 || low == high)
    return lineError(source, number,
                     "low " + words[3] + " and high " + words[4] +
                         " are no range around 0; low must be at most 0, high "
                         "at least 0, and they must differ");
  return CalibrationEntry{std::move(name), threshold, min, max, low, high};
}

/// Parses a name and `columns` numbers.
static Expected<CalibrationEntry> parseEntry(StringRef line, size_t columns,
                                             StringRef source, size_t number) {
  SmallVector<StringRef> words;
  line.split(words, ' ', /*MaxSplit=*/-1, /*KeepEmpty=*/false);
  if (words.size() != columns + 1)
    return lineError(source, number,
                     "found " + Twine(words.size()) + " words, need " +
                         Twine(columns + 1) + ": name " +
                         join(ArrayRef(kColumns).take_front(columns), " "));
  std::optional<std::string> name = unescapeName(words[0]);
  if (!name)
    return lineError(source, number,
                     "name '" + words[0] +
                         "' has a % without two hexadecimal digits");
  return entryOf(std::move(*name), ArrayRef(words).drop_front(), source,
                 number);
}

/// What is wrong with a first line that is of no version.
static std::string whyNoVersion(StringRef line) {
  unsigned version;
  if (line.consume_front(kVersionLines[0].drop_back()) &&
      !line.getAsInteger(10, version) && version > std::size(kVersionLines))
    return ("the table is of version " + Twine(version) +
            ", made by a newer weft; this one reads versions up to " +
            Twine(std::size(kVersionLines)) +
            ": take that weft, or calibrate the model again")
        .str();
  return ("the first line must be '" + kVersionLines[1] +
          "'; is this a calibration table?")
      .str();
}

Expected<CalibrationTable> CalibrationTable::parse(StringRef text,
                                                   StringRef source) {
  text.consume_front(kByteOrderMark);
  CalibrationTable table;
  SmallVector<StringRef> lines;
  text.split(lines, '\n');
  StringRef first = lines.front().rtrim();
  bool isFirstVersion = first == kVersionLines[0];
  bool isOurs = first.starts_with(kVersionLines[0].drop_back());
  if (!isOurs && isVendorCalibration(text))
    return parseVendorCalibration(text, source);
  if (!isFirstVersion && first != kVersionLines[1])
    return lineError(source, 1, whyNoVersion(first));
  size_t columns = isFirstVersion ? kColumnsOfVersion1 : std::size(kColumns);
  for (auto [index, raw] : enumerate(lines)) {
    StringRef line = raw.rtrim();
    if (line.consume_front("# method:"))
      table.method = line.trim().str();
    else if (line.consume_front("# samples:")) {
      if (line.trim().getAsInteger(10, table.samples) || table.samples < 0)
        return lineError(source, index + 1,
                         "samples is '" + line.trim() +
                             "', must be a whole number");
    } else if (line.consume_front(kRecoveredPrefix)) {
      Expected<RecoveredProduct> product = RecoveredProduct::parse(line.trim());
      if (!product)
        return lineError(source, index + 1,
                         llvm::toString(product.takeError()));
      std::string name = product->name;
      if (!table.add(std::move(*product)))
        return lineError(source, index + 1,
                         "second weights for '" + name + "'");
    } else if (!line.empty() && line.front() != '#') {
      Expected<CalibrationEntry> entry =
          parseEntry(line, columns, source, index + 1);
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
  if (path.contains('\n'))
    return parse(path, "the calibration table");
  auto buffer = MemoryBuffer::getFile(path, /*IsText=*/true);
  if (!buffer)
    return createStringError(buffer.getError(),
                             "cannot read calibration table '" + path +
                                 "': " + buffer.getError().message());
  Expected<CalibrationTable> table = parse((*buffer)->getBuffer(), path);
  if (table)
    table->path = path.str();
  return table;
}
