//===- PrecisionTable.cpp - the precision of single ops -------------------===//

#include "passes/quantize/PrecisionTable.h"

#include "dialects/Evaluate.h"
#include "dialects/top/Binary.h"
#include "dialects/top/Constant.h"
#include "dialects/top/Conv.h"
#include "dialects/top/MatMul.h"
#include "dialects/top/Part.h"
#include "dialects/top/Unary.h"
#include "passes/quantize/VendorTables.h"
#include "passes/quantize/WideProducts.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/ADT/StringSwitch.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/SourceMgr.h"
#include "llvm/Support/YAMLParser.h"
#include "llvm/Support/raw_ostream.h"

using namespace weft;
using namespace weft::quantize;

std::optional<Precision>
weft::quantize::symbolizePrecision(llvm::StringRef name) {
  return llvm::StringSwitch<std::optional<Precision>>(name)
      .Case("f32", Precision::F32)
      .Case("f16", Precision::F16)
      .Case("bf16", Precision::BF16)
      .Case("int8", Precision::I8)
      .Case("w8f16", Precision::W8)
      .Case("w4f16", Precision::W4)
      .Default(std::nullopt);
}

llvm::StringRef weft::quantize::stringifyPrecision(Precision precision) {
  switch (precision) {
  case Precision::F32:
    return "f32";
  case Precision::F16:
    return "f16";
  case Precision::BF16:
    return "bf16";
  case Precision::I8:
    return "int8";
  case Precision::W8:
    return "w8f16";
  case Precision::W4:
    return "w4f16";
  }
  llvm_unreachable("covered switch");
}

//===----------------------------------------------------------------------===//
// YAML
//===----------------------------------------------------------------------===//

/// A name as a quoted scalar. LLVM's escape() ends at bytes that are no UTF-8,
/// which its parser takes as they are.
static std::string quoted(llvm::StringRef name) {
  std::string text = "\"";
  for (char c : name)
    if (c == '"' || c == '\\')
      text += {'\\', c};
    else if (static_cast<unsigned char>(c) < ' ' || c == 0x7f)
      text += "\\x" + llvm::toHex(llvm::StringRef(&c, 1));
    else
      text += c;
  return text + "\"";
}

std::string PrecisionTable::str(llvm::StringRef comment) const {
  std::string text;
  llvm::raw_string_ostream os(text);
  llvm::SmallVector<llvm::StringRef> lines;
  comment.split(lines, '\n', /*MaxSplit=*/-1, /*KeepEmpty=*/false);
  for (llvm::StringRef line : lines)
    os << "# " << line << "\n";
  if (whole) {
    os << "precision: " << stringifyPrecision(*whole) << "\n";
    return text;
  }
  if (isVendors) {
    // The vendor's heading, so that a name that begins with a byte order mark
    // is not where a file has its own.
    os << "# op_name   quantize_mode\n";
    for (const Entry &entry : entries)
      os << entry.name << " "
         << llvm::StringRef(stringifyPrecision(entry.precision)).upper()
         << "\n";
    return text;
  }
  os << "ops:";
  if (entries.empty())
    os << " {}";
  os << "\n";
  for (const Entry &entry : entries)
    os << "  " << quoted(entry.name) << ": "
       << stringifyPrecision(entry.precision) << "\n";
  return text;
}

namespace {
/// Reads one table. Nodes are parsed as they are asked for, so a nested or
/// endless structure ends where it stops being a mapping of names.
class TableParser {
public:
  TableParser(llvm::StringRef text, llvm::StringRef source)
      : source(source), stream(text, sources, /*ShowColors=*/false) {
    sources.setDiagHandler(keepFirst, this);
  }

  llvm::Expected<PrecisionTable> parse() {
    auto document = stream.begin();
    auto *root = document == stream.end()
                     ? nullptr
                     : llvm::dyn_cast_or_null<llvm::yaml::MappingNode>(
                           document->getRoot());
    if (!root)
      return error(1, "no mapping `ops` of names to precisions");
    bool hasOps = false;
    for (llvm::yaml::KeyValueNode &pair : *root)
      if (llvm::Error failed = readSection(pair, hasOps))
        return failed;
    if (stream.failed() || (!hasOps && !table.whole))
      return error(1, "no mapping `ops` of names to precisions");
    return std::move(table);
  }

private:
  static void keepFirst(const llvm::SMDiagnostic &diagnostic, void *self) {
    auto *parser = static_cast<TableParser *>(self);
    if (parser->problem.empty())
      parser->problem =
          llvm::formatv("{0}:{1}: {2}", parser->source, diagnostic.getLineNo(),
                        diagnostic.getMessage());
  }

  /// The first problem that LLVM reported, else `message`.
  llvm::Error error(int line, const llvm::Twine &message) const {
    std::string text =
        problem.empty()
            ? (source + ":" + llvm::Twine(line) + ": " + message).str()
            : problem;
    return llvm::createStringError(llvm::inconvertibleErrorCode(), text);
  }
  int lineOf(llvm::yaml::Node *node) const {
    llvm::SMLoc start = node ? node->getSourceRange().Start : llvm::SMLoc();
    return start.isValid() ? int(sources.getLineAndColumn(start).first) : 1;
  }
  static std::optional<std::string> scalar(llvm::yaml::Node *node) {
    auto *scalar = llvm::dyn_cast_or_null<llvm::yaml::ScalarNode>(node);
    llvm::SmallString<64> storage;
    return scalar ? std::optional(scalar->getValue(storage).str())
                  : std::nullopt;
  }

  llvm::Error readSection(llvm::yaml::KeyValueNode &pair, bool &hasOps) {
    llvm::yaml::Node *key = pair.getKey();
    std::optional<std::string> word = scalar(key);
    if (word == "precision" && !hasOps && !table.whole)
      return readWhole(pair);
    if (word != "ops" || hasOps || table.whole)
      return error(lineOf(key), "only one mapping `ops`, or `precision` in its "
                                "place, may stand here");
    hasOps = true;
    llvm::yaml::Node *value = pair.getValue();
    auto *ops = llvm::dyn_cast_or_null<llvm::yaml::MappingNode>(value);
    if (!ops && !llvm::isa_and_nonnull<llvm::yaml::NullNode>(value))
      return error(lineOf(value), "`ops` must map names to precisions");
    if (ops)
      for (llvm::yaml::KeyValueNode &entry : *ops)
        if (llvm::Error failed = readEntry(entry))
          return failed;
    return problem.empty() ? llvm::Error::success() : error(1, "");
  }

  llvm::Error noPrecision(int line) const {
    return error(line, "a precision is f32, f16, bf16, int8, w8f16 or w4f16");
  }

  llvm::Error readWhole(llvm::yaml::KeyValueNode &pair) {
    int line = lineOf(pair.getKey());
    std::optional<std::string> text = scalar(pair.getValue());
    table.whole = text ? symbolizePrecision(*text) : std::nullopt;
    return table.whole ? llvm::Error::success() : noPrecision(line);
  }

  llvm::Error readEntry(llvm::yaml::KeyValueNode &pair) {
    llvm::yaml::Node *key = pair.getKey();
    int line = lineOf(key);
    std::optional<std::string> name = scalar(key),
                               text = scalar(pair.getValue());
    std::optional<Precision> precision =
        text ? symbolizePrecision(*text) : std::nullopt;
    if (!name)
      return error(line, "a name is no word");
    if (!precision)
      return noPrecision(line);
    if (!names.insert(*name).second)
      return error(line, "'" + *name + "' is given twice");
    table.entries.push_back({*name, *precision});
    return llvm::Error::success();
  }

  llvm::StringRef source;
  llvm::SourceMgr sources;
  llvm::yaml::Stream stream;
  std::string problem;
  llvm::StringSet<> names;
  PrecisionTable table;
};
} // namespace

llvm::Expected<PrecisionTable> PrecisionTable::parse(llvm::StringRef text,
                                                     llvm::StringRef source) {
  text.consume_front(kByteOrderMark);
  if (isVendorPrecisions(text))
    return parseVendorPrecisions(text, source);
  return TableParser(text, source).parse();
}

llvm::Expected<PrecisionTable> PrecisionTable::read(llvm::StringRef path) {
  if (path.contains('\n'))
    return parse(path, "the precision table");
  auto buffer = llvm::MemoryBuffer::getFile(path, /*IsText=*/true);
  if (!buffer)
    return llvm::createStringError(buffer.getError(),
                                   "cannot read precision table '" + path +
                                       "': " + buffer.getError().message());
  return parse((*buffer)->getBuffer(), path);
}

//===----------------------------------------------------------------------===//
// Ops
//===----------------------------------------------------------------------===//

static std::vector<llvm::StringRef> valueNamesOf(mlir::Operation &op) {
  std::vector<llvm::StringRef> names;
  mlir::Attribute attribute = op.getAttr(kValueAttr);
  if (auto name = mlir::dyn_cast_or_null<mlir::StringAttr>(attribute))
    names.push_back(name);
  else if (auto list = mlir::dyn_cast_or_null<mlir::ArrayAttr>(attribute))
    for (mlir::Attribute name : list)
      if (auto text = mlir::dyn_cast<mlir::StringAttr>(name))
        names.push_back(text);
  if (auto whole = op.getAttrOfType<mlir::StringAttr>(top::kPartOfAttr))
    names.push_back(whole);
  return names;
}

static bool isProduct(mlir::Operation *op) {
  return mlir::isa_and_nonnull<top::ConvOp, top::MatMulOp>(op);
}

/// The product that takes `op`, its bias or relu, along; null if none does.
static mlir::Operation *productBefore(mlir::Operation *op) {
  constexpr int kMostSteps = 2;
  for (int step = 0; step < kMostSteps; ++step) {
    auto unary = mlir::dyn_cast<top::UnaryOp>(op);
    if (!mlir::isa<top::BinaryOp>(op) &&
        !(unary && unary.getKind() == top::UnaryKind::Relu))
      return nullptr;
    mlir::Operation *before = op->getOperand(0).getDefiningOp();
    if (auto binary = mlir::dyn_cast<top::BinaryOp>(op);
        binary && mlir::isa_and_nonnull<top::ConstantOp>(before))
      before = binary.getRhs().getDefiningOp();
    if (!before || !before->hasOneUse())
      return nullptr;
    if (isProduct(before))
      return before;
    op = before;
  }
  return nullptr;
}

/// Whether ops are computed in f16, whatever their weights are in DRAM.
static bool isHalf(Precision precision) {
  return precision == Precision::F16 || precision == Precision::W8 ||
         precision == Precision::W4;
}

/// The precisions that a program of `program` mixes in.
static llvm::StringRef mixedInto(Precision program) {
  if (program == Precision::I8)
    return "an int8 program takes f16, w8f16, w4f16 and f32";
  if (isHalf(program))
    return "its ops can be f16, w8f16, w4f16 or f32";
  return "its ops can be f32 besides";
}

OpsByName weft::quantize::nameOps(mlir::func::FuncOp func) {
  OpsByName byName;
  for (mlir::Operation &op : func.getBody().front()) {
    for (llvm::StringRef name : valueNamesOf(op)) {
      byName[name].push_back(&op);
      if (mlir::Operation *product = productBefore(&op))
        byName[name].push_back(product);
    }
    // All nodes that have become one op.
    op.getLoc()->walk([&](mlir::Location location) {
      if (auto node = mlir::dyn_cast<mlir::NameLoc>(location))
        byName[node.getName()].push_back(&op);
      return mlir::WalkResult::advance();
    });
  }
  return byName;
}

std::optional<Precision> PrecisionTable::programOf(Precision program) const {
  bool fits = !whole || *whole == program ||
              (program == Precision::I8 && *whole == Precision::F16);
  return fits ? std::optional(whole.value_or(program)) : std::nullopt;
}

mlir::FailureOr<NamedOps> PrecisionTable::resolve(mlir::func::FuncOp func,
                                                  Precision program) const {
  if (whole && *whole != program)
    return mlir::emitError(func.getLoc())
           << "the precision table is of a program of "
           << stringifyPrecision(*whole) << ", this one is of "
           << stringifyPrecision(program);
  OpsByName byName = nameOps(func);
  NamedOps named;
  std::vector<std::string> unknown;
  for (const Entry &entry : entries) {
    auto found = byName.find(entry.name);
    if (found == byName.end() && isVendors)
      found = byName.find(valueOfVendorName(entry.name));
    if (found == byName.end() && isVendors) {
      unknown.push_back(entry.name);
      continue;
    }
    if (found == byName.end())
      return mlir::emitError(func.getLoc())
             << "the precision table names '" << entry.name
             << "', which is no value or node of this model after its "
                "constants are folded; see weft convert --emit top";
    bool isMixed = entry.precision == program ||
                   entry.precision == Precision::F32 ||
                   (isHalf(entry.precision) &&
                    (program == Precision::I8 || isHalf(program)));
    if (!isMixed)
      return mlir::emitError(func.getLoc())
             << "the precision table asks for "
             << stringifyPrecision(entry.precision) << " of '" << entry.name
             << "', which --precision " << stringifyPrecision(program)
             << " does not mix; " << mixedInto(program);
    named.entries.push_back({entry.name, entry.precision, found->second});
    for (mlir::Operation *op : found->second)
      if (auto [before, isNew] =
              named.precisions.try_emplace(op, entry.precision);
          !isNew && before->second != entry.precision)
        return mlir::emitError(func.getLoc())
               << "the precision table gives the op of '" << entry.name
               << "' two precisions, " << stringifyPrecision(before->second)
               << " and " << stringifyPrecision(entry.precision)
               << "; leave one";
  }
  if (!unknown.empty())
    mlir::emitWarning(func.getLoc())
        << "the precision table names '" << unknown.front() << "'"
        << (unknown.size() > 1
                ? " and " + std::to_string(unknown.size() - 1) + " more"
                : "")
        << ", which this model does not have after its constants are folded; "
           "they change nothing";
  return named;
}

//===----------------------------------------------------------------------===//
// Entries without effect
//===----------------------------------------------------------------------===//

/// A product with constant weights, which may have codes.
static bool hasWeights(mlir::Operation *op) {
  return isProduct(op) && mlir::isa_and_nonnull<top::ConstantOp>(
                              op->getOperand(1).getDefiningOp());
}

/// What `op` is in a program without a table.
static Precision usualOf(mlir::Operation *op, const TableSetting &setting) {
  auto conv = mlir::dyn_cast<top::ConvOp>(op);
  bool isFloat =
      !hasWeights(op) || (setting.program == Precision::I8 &&
                          !setting.noFloat && conv && isFloatAmongCodes(conv));
  if (setting.program == Precision::I8 && !isFloat)
    return Precision::I8;
  if (setting.wide.contains(op))
    return Precision::F32;
  if (setting.program == Precision::F32 || setting.program == Precision::BF16)
    return setting.program;
  return isFloat ? Precision::F16 : setting.program;
}

/// What `op` becomes if a table asks for `precision`. Whether a product has few
/// weight bits is only known when it is lowered.
static Precision givenBy(mlir::Operation *op, Precision precision,
                         const TableSetting &setting) {
  if (precision == Precision::I8 && hasWeights(op))
    return Precision::I8;
  if (setting.wide.contains(op))
    return Precision::F32;
  bool needsWeights = precision == Precision::I8 ||
                      precision == Precision::W8 || precision == Precision::W4;
  return needsWeights && !hasWeights(op) ? Precision::F16 : precision;
}

void weft::quantize::warnOfIdleEntries(mlir::Location location, NamedOps &named,
                                       const TableSetting &setting) {
  for (NamedOps::Entry &entry : named.entries) {
    auto given = [&](mlir::Operation *op) {
      return givenBy(op, entry.precision, setting);
    };
    entry.isIdle = llvm::all_of(entry.ops, [&](mlir::Operation *op) {
      return given(op) == usualOf(op, setting);
    });
    if (!entry.isIdle)
      continue;
    bool isCoded = llvm::any_of(entry.ops, [&](mlir::Operation *op) {
      return given(op) == Precision::I8;
    });
    Precision usual = usualOf(entry.ops.front(), setting);
    mlir::InFlightDiagnostic warning = mlir::emitWarning(location);
    warning << "the precision table asks for "
            << stringifyPrecision(entry.precision) << " of '" << entry.name
            << "', which ";
    if (isCoded)
      // Without any entry a product of codes may become a float where that
      // takes fewer cycles.
      warning << "is in codes beside any table if its input has a range "
                 "(without one, --keep-int8 keeps it so)";
    else if (usual == entry.precision)
      warning << "--precision " << stringifyPrecision(setting.program)
              << " gives anyway";
    else if (usual == Precision::F32)
      warning << "is f32, as f16 does not hold its values";
    else
      warning << "is no product with constant weights and stays "
              << stringifyPrecision(usual);
    warning << "; the entry changes nothing";
  }
}

void weft::quantize::warnOfUncodedEntries(
    mlir::Location location, const NamedOps &named,
    const llvm::DenseSet<mlir::Operation *> &coded) {
  for (const NamedOps::Entry &entry : named.entries) {
    bool asksForCodes =
        entry.precision == Precision::W8 || entry.precision == Precision::W4;
    if (!entry.isIdle && asksForCodes &&
        llvm::none_of(entry.ops,
                      [&](mlir::Operation *op) { return coded.contains(op); }))
      mlir::emitWarning(location)
          << "the precision table asks for "
          << stringifyPrecision(entry.precision) << " of '" << entry.name
          << "', whose weights keep 16 bits: codes are for matrices with rows "
             "of a multiple of 32 weights, where they save time";
  }
}
