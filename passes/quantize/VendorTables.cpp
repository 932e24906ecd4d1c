//===- VendorTables.cpp - tables of the vendor's compiler -----------------===//

#include "passes/quantize/VendorTables.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/ADT/StringSwitch.h"

#include <cmath>

using llvm::Error;
using llvm::Expected;
using llvm::StringRef;
using namespace weft::quantize;

StringRef weft::quantize::valueOfVendorName(StringRef name) {
  auto [value, type] = name.rsplit('_');
  bool isType = !type.empty() && llvm::isUpper(type.front()) &&
                llvm::all_of(type, llvm::isAlnum);
  return isType && !value.empty() ? value : StringRef();
}

/// The precision that the vendor writes so; std::nullopt for what Weft has not.
static std::optional<Precision> precisionOf(StringRef mode) {
  return llvm::StringSwitch<std::optional<Precision>>(mode)
      .CasesLower("F32", "BF16", Precision::F32)
      .CaseLower("F16", Precision::F16)
      .CaseLower("INT8", Precision::I8)
      .CaseLower("W8F16", Precision::W8)
      .CaseLower("W4F16", Precision::W4)
      .Default(std::nullopt);
}

/// A name and `count` words behind it; empty if there are more or fewer.
static llvm::SmallVector<StringRef> wordsOf(StringRef line, size_t count) {
  llvm::SmallVector<StringRef> words;
  for (StringRef rest = line; !rest.trim().empty();) {
    auto [word, behind] = llvm::getToken(rest);
    words.push_back(word);
    rest = behind;
  }
  return words.size() == count + 1 ? words : llvm::SmallVector<StringRef>();
}

static std::optional<double> numberOf(StringRef word) {
  double value = 0;
  if (word.getAsDouble(value) || !std::isfinite(value))
    return std::nullopt;
  return value;
}

/// The first line that is neither empty nor a comment.
static StringRef firstLine(StringRef text) {
  while (!text.empty()) {
    auto [line, rest] = text.split('\n');
    if (!line.trim().empty() && !line.trim().starts_with("#"))
      return line;
    text = rest;
  }
  return "";
}

bool weft::quantize::isVendorCalibration(StringRef text) {
  // Whether the numbers are some is the parser's to say, which tells the line.
  return !wordsOf(firstLine(text), 3).empty();
}

bool weft::quantize::isVendorPrecisions(StringRef text) {
  llvm::SmallVector<StringRef> words = wordsOf(firstLine(text), 1);
  return !words.empty() && !words[0].ends_with(":") &&
         llvm::all_of(words[1], llvm::isAlnum);
}

static Error lineError(StringRef source, size_t line,
                       const llvm::Twine &message) {
  return llvm::createStringError(llvm::inconvertibleErrorCode(),
                                 source + ":" + llvm::Twine(line) + ": " +
                                     message);
}

Expected<CalibrationTable>
weft::quantize::parseVendorCalibration(StringRef text, StringRef source) {
  CalibrationTable table;
  table.isVendors = true;
  table.method = "TPU-MLIR's";
  // What the vendor's compiler takes for a threshold of nothing but zeros.
  constexpr double kLeastThreshold = 1e-5;
  llvm::SmallVector<StringRef> lines;
  text.split(lines, '\n');
  for (auto [index, raw] : llvm::enumerate(lines)) {
    StringRef line = raw.trim();
    if (line.starts_with("#int4_th") || line.starts_with("#asym_op"))
      break;
    if (line.consume_front("# sample number:"))
      (void)line.trim().getAsInteger(10, table.samples);
    else if (!line.empty() && !line.starts_with("#")) {
      llvm::SmallVector<StringRef> words = wordsOf(line, 3);
      std::optional<double> threshold, min, max;
      if (!words.empty()) {
        threshold = numberOf(words[1]);
        min = numberOf(words[2]);
        max = numberOf(words[3]);
      }
      bool isRange = threshold && min && max && *min <= *max;
      // Of zeros alone it may be 0.
      if (isRange)
        isRange = *threshold > 0 || (*threshold == 0 && *min == 0 && *max == 0);
      if (!isRange)
        return lineError(source, index + 1,
                         "an entry of TPU-MLIR's calibration table is a name, "
                         "a threshold, a minimum and a maximum");
      if (!table.add(CalibrationEntry::clippedAt(
              words[0].str(), std::max(*threshold, kLeastThreshold), *min,
              *max)))
        return lineError(source, index + 1,
                         "second entry for '" + words[0] + "'");
    }
  }
  return table;
}

Expected<PrecisionTable>
weft::quantize::parseVendorPrecisions(StringRef text, StringRef source) {
  PrecisionTable table;
  table.isVendors = true;
  llvm::StringSet<> names;
  llvm::SmallVector<StringRef> lines;
  text.split(lines, '\n');
  for (auto [index, raw] : llvm::enumerate(lines)) {
    StringRef line = raw.trim();
    if (line.empty() || line.starts_with("#"))
      continue;
    llvm::SmallVector<StringRef> words = wordsOf(line, 1);
    std::optional<Precision> precision =
        words.empty() ? std::nullopt : precisionOf(words[1]);
    if (!precision)
      return lineError(source, index + 1,
                       "an entry of TPU-MLIR's quantize table is a name and "
                       "F32, F16, BF16, INT8, W8F16 or W4F16");
    if (!names.insert(words[0]).second)
      return lineError(source, index + 1, "'" + words[0] + "' is given twice");
    table.entries.push_back({words[0].str(), *precision});
  }
  return table;
}
