//===- PrecisionTable.cpp - the precision of single ops -------------------===//

#include "passes/quantize/PrecisionTable.h"

#include "dialects/Evaluate.h"
#include "dialects/top/Binary.h"
#include "dialects/top/Constant.h"
#include "dialects/top/Conv.h"
#include "dialects/top/MatMul.h"
#include "dialects/top/Unary.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringSwitch.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/SourceMgr.h"
#include "llvm/Support/YAMLTraits.h"
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
  }
  llvm_unreachable("covered switch");
}

//===----------------------------------------------------------------------===//
// YAML
//===----------------------------------------------------------------------===//

namespace {
/// The mapping `ops`.
struct OpList {
  std::vector<PrecisionTable::Entry> entries;
};
struct PrecisionDocument {
  OpList ops;
};
} // namespace

template <>
struct llvm::yaml::ScalarTraits<Precision> {
  static void output(const Precision &precision, void *, raw_ostream &os) {
    os << stringifyPrecision(precision);
  }
  static StringRef input(StringRef text, void *, Precision &precision) {
    std::optional<Precision> known = symbolizePrecision(text);
    if (known)
      precision = *known;
    return known ? "" : "a precision is f32, f16, bf16 or int8";
  }
  static QuotingType mustQuote(StringRef) { return QuotingType::None; }
};

template <>
struct llvm::yaml::CustomMappingTraits<OpList> {
  static void inputOne(IO &io, StringRef key, OpList &list) {
    PrecisionTable::Entry entry{key.str(), Precision::F32};
    io.mapRequired(entry.name.c_str(), entry.precision);
    list.entries.push_back(std::move(entry));
  }
  static void output(IO &io, OpList &list) {
    for (PrecisionTable::Entry &entry : list.entries)
      io.mapRequired(entry.name.c_str(), entry.precision);
  }
};

template <>
struct llvm::yaml::MappingTraits<PrecisionDocument> {
  static void mapping(IO &io, PrecisionDocument &document) {
    io.mapRequired("ops", document.ops);
  }
};

std::string PrecisionTable::str(llvm::StringRef comment) const {
  std::string text;
  llvm::raw_string_ostream os(text);
  llvm::SmallVector<llvm::StringRef> lines;
  comment.split(lines, '\n', /*MaxSplit=*/-1, /*KeepEmpty=*/false);
  for (llvm::StringRef line : lines)
    os << "# " << line << "\n";
  os << "ops:";
  if (entries.empty())
    os << " {}";
  os << "\n";
  for (const Entry &entry : entries)
    os << "  \"" << llvm::yaml::escape(entry.name)
       << "\": " << stringifyPrecision(entry.precision) << "\n";
  return text;
}

llvm::Expected<PrecisionTable> PrecisionTable::parse(llvm::StringRef text,
                                                     llvm::StringRef source) {
  struct Report {
    llvm::StringRef source;
    std::string first;
  } report{source, ""};
  auto keepFirst = [](const llvm::SMDiagnostic &diagnostic, void *context) {
    auto *report = static_cast<Report *>(context);
    if (report->first.empty())
      report->first =
          (report->source + ":" + llvm::Twine(diagnostic.getLineNo()) + ": " +
           diagnostic.getMessage())
              .str();
  };
  llvm::yaml::Input input(text, nullptr, keepFirst, &report);
  PrecisionDocument document;
  input >> document;
  if (std::error_code error = input.error())
    return llvm::createStringError(
        error, report.first.empty()
                   ? source + ":1: no mapping `ops` of names to precisions"
                   : llvm::Twine(report.first));
  // LLVM gives the keys in the order of their hashes.
  llvm::sort(document.ops.entries,
             [](const Entry &a, const Entry &b) { return a.name < b.name; });
  return PrecisionTable{std::move(document.ops.entries)};
}

llvm::Expected<PrecisionTable> PrecisionTable::read(llvm::StringRef path) {
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
  return names;
}

static bool isProduct(mlir::Operation *op) {
  return mlir::isa_and_nonnull<top::ConvOp, top::MatMulOp>(op);
}

/// The product that takes `op`, its bias or relu, along; null if none does.
static mlir::Operation *productBefore(mlir::Operation *op) {
  constexpr int kMostSteps = 2;
  for (int step = 0; step < kMostSteps; ++step) {
    if (!mlir::isa<top::UnaryOp, top::BinaryOp>(op))
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

mlir::FailureOr<OpPrecisions> PrecisionTable::resolve(mlir::func::FuncOp func,
                                                      Precision program) const {
  llvm::StringMap<llvm::SmallVector<mlir::Operation *, 2>> byName;
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
  OpPrecisions precisions;
  for (const Entry &entry : entries) {
    auto found = byName.find(entry.name);
    if (found == byName.end())
      return mlir::emitError(func.getLoc())
             << "the precision table names '" << entry.name
             << "', which is no value or node of this model after its "
                "constants are folded; see weft convert --emit top";
    bool isMixed =
        entry.precision == program || entry.precision == Precision::F32 ||
        (program == Precision::I8 && entry.precision == Precision::F16);
    if (!isMixed)
      return mlir::emitError(func.getLoc())
             << "the precision table asks for "
             << stringifyPrecision(entry.precision) << " of '" << entry.name
             << "', which --precision " << stringifyPrecision(program)
             << " does not mix; "
             << (program == Precision::I8 ? "an int8 program takes f16 and f32"
                                          : "its ops can be f32 besides");
    for (mlir::Operation *op : found->second)
      if (auto [before, isNew] = precisions.try_emplace(op, entry.precision);
          !isNew && before->second != entry.precision)
        return mlir::emitError(func.getLoc())
               << "the precision table gives the op of '" << entry.name
               << "' two precisions, " << stringifyPrecision(before->second)
               << " and " << stringifyPrecision(entry.precision)
               << "; leave one";
  }
  return precisions;
}
