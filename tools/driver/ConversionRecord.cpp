//===- ConversionRecord.cpp - what a bmodel says of its making ------------===//

#include "tools/driver/ConversionRecord.h"

#include "passes/quantize/PrecisionTable.h"
#include "runtime/bmodel/Conversion.h"
#include "runtime/digest/Sha256.h"
#include "runtime/status/Quote.h"
#include "tools/files/InputFile.h"

#include "llvm/ADT/StringRef.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/JSON.h"

#include <algorithm>
#include <functional>

using namespace weft;
using namespace weft::driver;
using rt::Code;
using rt::Result;
namespace wire = weft::rt::wire;

const std::string driver::kSomeCache = "?";

/// Names between which the model was cut, as JSON.
static constexpr const char *kInputsKey = "inputs", *kOutputsKey = "outputs";

/// Values of --shape, as JSON.
static constexpr const char *kShapeKey = "shape";

namespace {
/// An option by its name at `weft convert`.
struct RecordedOption {
  const char *key;
  std::function<std::string(const CompileOptions &)> write;
  /// False if it has no such value.
  std::function<bool(llvm::StringRef, CompileOptions &)> read;
};
} // namespace

static RecordedOption text(const char *key, std::string CompileOptions::*of) {
  return {key, [of](const CompileOptions &options) { return options.*of; },
          [of](llvm::StringRef value, CompileOptions &options) {
            options.*of = value.str();
            return true;
          }};
}

static RecordedOption flag(const char *key, bool CompileOptions::*of) {
  return {key,
          [of](const CompileOptions &options) {
            return std::to_string(int(options.*of));
          },
          [of](llvm::StringRef value, CompileOptions &options) {
            options.*of = value == "1";
            return value == "0" || value == "1";
          }};
}

static const std::vector<RecordedOption> &recordedOptionRows() {
  static const std::vector<RecordedOption> rows = {
      text("precision", &CompileOptions::precision),
      text("asymmetric", &CompileOptions::asymmetric),
      flag("no-float", &CompileOptions::noFloat),
      flag("keep-int8", &CompileOptions::keepInt8),
      flag("quantized-io", &CompileOptions::quantizedIo),
      flag("no-host", &CompileOptions::noHost),
      {"group-size",
       [](const CompileOptions &options) {
         return std::to_string(options.groupSize);
       },
       [](llvm::StringRef value, CompileOptions &options) {
         return !value.getAsInteger(10, options.groupSize) &&
                options.groupSize >= 0;
       }},
      {"O",
       [](const CompileOptions &options) {
         return std::to_string(int(options.optLevel));
       },
       [](llvm::StringRef value, CompileOptions &options) {
         int level = 0;
         bool isLevel =
             !value.getAsInteger(10, level) && level >= 0 && level <= 3;
         options.optLevel = OptLevel(level);
         return isLevel;
       }},
      {"time-limit",
       [](const CompileOptions &options) {
         char number[32];
         std::snprintf(number, sizeof number, "%.17g", options.search.seconds);
         return std::string(number);
       },
       [](llvm::StringRef value, CompileOptions &options) {
         return !value.getAsDouble(options.search.seconds) &&
                options.search.seconds > 0 && options.search.seconds <= 1e6;
       }},
      // What a cache had found cannot be found again without it.
      {"search-cache",
       [](const CompileOptions &options) {
         return std::string(options.search.cache.empty() ? "0" : "1");
       },
       [](llvm::StringRef value, CompileOptions &options) {
         options.search.cache = value == "1" ? kSomeCache : "";
         return value == "0" || value == "1";
       }},
  };
  return rows;
}

/// A table's text, of its path or the text itself; "" if it cannot be read.
static std::string tableText(const std::string &table) {
  if (table.empty() || table.find('\n') != table.npos)
    return table;
  Result<std::string> text = tools::readInputFile(table);
  return text ? *std::move(text) : std::string();
}

static std::vector<uint8_t> digestOf(const std::string &text) {
  rt::Sha256 hash;
  hash.add(reinterpret_cast<const uint8_t *>(text.data()), text.size());
  auto digest = hash.finish();
  return {digest.begin(), digest.end()};
}

/// `options` without what changes nothing, so that equal programs have equal
/// records.
static CompileOptions inEffect(CompileOptions options) {
  options.precisionTable = tableText(options.precisionTable);
  auto program = quantize::symbolizePrecision(options.precision);
  auto table = quantize::PrecisionTable::read(options.precisionTable);
  if (!table) { // none, or one on which the conversion has failed
    llvm::consumeError(table.takeError());
  } else if (std::optional<quantize::Precision> whole =
                 program ? table->programOf(*program) : std::nullopt;
             table->whole && whole) {
    options.precision = quantize::stringifyPrecision(*whole).str();
    options.precisionTable.clear();
  } else {
    options.precisionTable = table->str();
  }
  CompileOptions defaults;
  // A table says of each op what it is.
  if (!options.precisionTable.empty())
    options.keepInt8 = defaults.keepInt8;
  if (options.optLevel != OptLevel::O3)
    options.search = defaults.search;
  return options;
}

wire::ConversionT driver::recordOf(const CompileOptions &given,
                                   const std::optional<rt::Digest> &model) {
  const CompileOptions options = inEffect(given), defaults;
  wire::ConversionT record;
  for (const RecordedOption &row : recordedOptionRows())
    if (std::string value = row.write(options);
        value != row.write(defaults) ||
        row.key == std::string_view("precision"))
      record.options.push_back(std::string(row.key) + "=" + value);
  if (std::string table = tableText(options.calibration); !table.empty()) {
    record.calibration_sha256 = digestOf(table);
    if (table.size() <= kMostTableBytes)
      record.calibration = std::move(table);
  }
  record.precision_table = options.precisionTable;
  if (model)
    record.model_sha256.assign(model->begin(), model->end());
  return record;
}

static rt::Status readOption(const rt::ConversionOption &option,
                             std::string_view compiler, const std::string &path,
                             CompileOptions &options) {
  if (option.key == kFusedKey || option.key == kInputsKey ||
      option.key == kOutputsKey || option.key == kShapeKey) // of the graph
    return rt::Status::ok();
  for (const RecordedOption &row : recordedOptionRows())
    if (option.key == row.key && row.read(option.value, options))
      return rt::Status::ok();
  std::string text = std::string(option.key) + "=" + std::string(option.value);
  text = path + ": was converted with " + rt::quoteName(text.substr(0, 80)) +
         ", which this version of Weft does not know";
  return compiler == kProducer
             ? rt::fail(Code::BadFile, text + ", although it has converted "
                                              "it: the file is damaged; "
                                              "convert the model again")
             : rt::fail(Code::Unsupported, text);
}

std::string driver::recordedFusion(const rt::NetSpec &net) {
  std::optional<rt::Conversion> record = rt::readConversion(net);
  return std::string(record ? record->find(kFusedKey).value_or("") : "");
}

void driver::recordCut(const onnx::GraphCut &cut, wire::ConversionT &record) {
  for (const auto &[key, names] : {std::pair(kInputsKey, &cut.inputs),
                                   std::pair(kOutputsKey, &cut.outputs)})
    if (!names->empty())
      record.options.push_back(
          llvm::formatv("{0}={1}", key, llvm::json::Value(*names)).str());
}

/// A list of texts in JSON; std::nullopt for anything else. What nests is
/// refused before it is parsed, as the parser follows it down the stack.
static std::optional<std::vector<std::string>> namesIn(llvm::StringRef text) {
  bool isInText = false;
  for (size_t i = 0; i < text.size(); ++i) {
    if (isInText && text[i] == '\\')
      ++i;
    else if (text[i] == '"')
      isInText = !isInText;
    else if (!isInText && (text[i] == '{' || (text[i] == '[' && i != 0)))
      return std::nullopt;
  }
  llvm::Expected<llvm::json::Value> list = llvm::json::parse(text);
  if (!list) {
    llvm::consumeError(list.takeError());
    return std::nullopt;
  }
  std::vector<std::string> names;
  const llvm::json::Array *array = list->getAsArray();
  if (!array)
    return std::nullopt;
  for (const llvm::json::Value &name : *array) {
    std::optional<llvm::StringRef> known = name.getAsString();
    if (!known)
      return std::nullopt;
    names.push_back(known->str());
  }
  return names;
}

Result<onnx::GraphCut> driver::recordedCut(const rt::NetSpec &net,
                                           const std::string &path) {
  onnx::GraphCut cut;
  std::optional<rt::Conversion> record = rt::readConversion(net);
  for (const auto &[key, names] : {std::pair(kInputsKey, &cut.inputs),
                                   std::pair(kOutputsKey, &cut.outputs)}) {
    auto text = record ? record->find(key) : std::nullopt;
    if (!text)
      continue;
    auto known = namesIn(llvm::StringRef(*text));
    if (!known)
      return rt::fail(Code::BadFile,
                      path + ": the part of the model that it tells (" + key +
                          ") is no list of names: the file is damaged; convert "
                          "the model again");
    *names = *std::move(known);
  }
  return cut;
}

void driver::recordEmptyInputs(const InputShapes &shapes,
                               wire::ConversionT &record) {
  std::vector<std::string> texts;
  for (const auto &[name, shape] : shapes)
    texts.push_back(shapeOption(name, shape));
  if (!texts.empty())
    record.options.push_back(
        llvm::formatv("{0}={1}", kShapeKey, llvm::json::Value(texts)).str());
}

Result<InputShapes> driver::recordedEmptyInputs(const rt::NetSpec &net,
                                                const std::string &path) {
  std::optional<rt::Conversion> record = rt::readConversion(net);
  auto text = record ? record->find(kShapeKey) : std::nullopt;
  if (!text)
    return InputShapes();
  auto texts = namesIn(llvm::StringRef(*text));
  Result<ShapeRanges> ranges =
      parseShapeRanges(texts.value_or(std::vector<std::string>()));
  auto shapes = ranges ? shapesOf(*ranges) : ranges.status();
  if (!texts || !shapes || shapes->size() != 1)
    return rt::fail(Code::BadFile, path + ": the inputs without tensors that "
                                          "it tells (shape) are no list of "
                                          "shapes: the file is damaged; "
                                          "convert the model again");
  return shapes->front();
}

static bool hasDigest(const std::string &table, const rt::ByteSpan &digest) {
  return digestOf(table) ==
         std::vector<uint8_t>(digest.data, digest.data + digest.size);
}

/// The table of the record, or the one that is given.
static Result<std::string> calibrationOf(const rt::Conversion &record,
                                         const std::string &path,
                                         const std::string &given) {
  if (given.empty() && record.hasCalibration() && record.calibration.empty())
    return rt::fail(Code::NotFound,
                    path + ": its calibration table is too long to lie in it; "
                           "give it with --calibration TABLE, one that convert "
                           "--calibration-data makes by way of "
                           "--write-calibration");
  const rt::ByteSpan &digest = record.calibrationDigest;
  if (given.empty() && record.hasCalibration() &&
      !hasDigest(std::string(record.calibration), digest))
    return rt::fail(Code::BadFile,
                    path + ": the calibration table in it is not the one that "
                           "it was converted with: the file is damaged; "
                           "convert the model again, or give the table with "
                           "--calibration TABLE");
  if (given.empty())
    return std::string(record.calibration);
  Result<std::string> table = tools::readInputFile(given);
  if (!table) // whoever gives it wants the comparison
    return rt::fail(Code::InvalidArgument, table.status().message());
  if (!record.hasCalibration() || !hasDigest(*table, digest))
    return rt::fail(Code::InvalidArgument,
                    given + ": is not the table that " + path +
                        " was converted with" +
                        (record.hasCalibration() ? "" : ", which had none"));
  return table;
}

/// What has a line end is a table; what has none would be the path of one.
static std::string asTable(std::string text) {
  if (!text.empty() && text.back() != '\n')
    text += '\n';
  return text;
}

Result<CompileOptions> driver::recordedOptions(const rt::Bmodel &model,
                                               const rt::NetSpec &net,
                                               const std::string &path,
                                               const std::string &calibration) {
  std::optional<rt::Conversion> record = rt::readConversion(net);
  if (!record)
    return rt::fail(Code::NotFound,
                    path + ": says nothing of its conversion; convert it again "
                           "with this version and without --strip");
  if (std::any_of(net.stages.begin() + 1, net.stages.end(),
                  rt::hasOwnConversion))
    return rt::fail(Code::Unsupported,
                    "unsupported: " + path +
                        ": its net was combined of several conversions; take "
                        "the stages of one of them out first (weft bmodel "
                        "extract --stage)");
  CompileOptions options;
  options.chip = std::string(model.chip().targetName);
  for (const rt::ConversionOption &option : record->options)
    WEFT_TRY(readOption(option, record->compiler, path, options));
  options.precisionTable = asTable(std::string(record->precisionTable));
  Result<std::string> table = calibrationOf(*record, path, calibration);
  if (!table)
    return table.status();
  options.calibration = asTable(*std::move(table));
  options.sharesConstants = net.stages.size() > 1;
  return options;
}
