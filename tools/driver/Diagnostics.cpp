//===- Diagnostics.cpp - messages in ONNX terms ---------------------------===//

#include "tools/driver/Diagnostics.h"
#include "dialects/Refusal.h"
#include "runtime/isa/Rules.h"
#include "runtime/status/Quote.h"

#include "mlir/IR/MLIRContext.h"

using namespace mlir;
using namespace weft::driver;

DiagnosticPrinter::DiagnosticPrinter(MLIRContext &context,
                                     llvm::raw_ostream &out,
                                     std::string program)
    : context(context), out(out), program(std::move(program)) {
  handler = context.getDiagEngine().registerHandler(
      [this](Diagnostic &diagnostic) { print(diagnostic); });
}

DiagnosticPrinter::~DiagnosticPrinter() {
  context.getDiagEngine().eraseHandler(handler);
}

/// The part of a location that a user knows: of fused nodes the first.
static LocationAttr innermost(LocationAttr location, unsigned &others) {
  if (auto fused = dyn_cast<FusedLoc>(location)) {
    ArrayRef<Location> parts = fused.getLocations();
    if (parts.empty())
      return location;
    others += parts.size() - 1;
    return innermost(parts.front(), others);
  }
  if (auto call = dyn_cast<CallSiteLoc>(location))
    return innermost(call.getCallee(), others);
  return location;
}

std::string DiagnosticPrinter::place(Location location,
                                     llvm::StringRef message) const {
  unsigned others = 0;
  LocationAttr where = innermost(location, others);
  std::string text;
  llvm::raw_string_ostream stream(text);
  if (auto position = dyn_cast<FileLineColLoc>(where)) {
    stream << position.getFilename().getValue() << ":";
    // Lines of kernels have no column; a kernel as a whole has no line.
    if (position.getLine())
      stream << position.getLine() << ":";
    if (position.getColumn())
      stream << position.getColumn() << ":";
    stream << " ";
    return text;
  }
  auto name = dyn_cast<NameLoc>(where);
  if (!name)
    return "";
  if (auto position = dyn_cast<FileLineColLoc>(name.getChildLoc())) {
    unsigned node = position.getLine();
    stream << position.getFilename().getValue() << ": node " << node << " "
           << weft::rt::quoteName(name.getName().getValue());
    if (node < titles.size())
      stream << " (" << titles[node].opType << ", opset " << titles[node].opset
             << ")";
    if (others)
      stream << " and " << others << " fused with it";
    stream << ": ";
    return text;
  }
  if (auto file = dyn_cast<NameLoc>(name.getChildLoc())) {
    stream << file.getName().getValue() << ": ";
    std::string quoted = "'" + name.getName().str() + "'";
    if (!message.contains(quoted))
      stream << quoted << ": ";
    return text;
  }
  if (!message.contains(name.getName().getValue()))
    stream << name.getName().getValue() << ": ";
  return text;
}

/// " [inputs ...; attributes ...]" for a location at a node of a model.
std::string DiagnosticPrinter::details(Location location) const {
  unsigned others = 0;
  auto name = dyn_cast<NameLoc>(innermost(location, others));
  auto position =
      name ? dyn_cast<FileLineColLoc>(name.getChildLoc()) : FileLineColLoc();
  if (!position || position.getLine() >= titles.size() ||
      titles[position.getLine()].details.empty())
    return "";
  return " [" + titles[position.getLine()].details + "]";
}

/// Whether a location leads to something that the user gave.
static bool hasPlace(Location location) {
  unsigned others = 0;
  return isa<FileLineColLoc, NameLoc>(innermost(location, others));
}

static llvm::StringRef word(DiagnosticSeverity severity) {
  switch (severity) {
  case DiagnosticSeverity::Error:
    return "error";
  case DiagnosticSeverity::Warning:
    return "warning";
  case DiagnosticSeverity::Note:
    return "note";
  case DiagnosticSeverity::Remark:
    return "remark";
  }
  llvm_unreachable("all severities are covered");
}

void DiagnosticPrinter::print(Diagnostic &diagnostic) {
  bool isError = diagnostic.getSeverity() == DiagnosticSeverity::Error;
  errorCount += isError;
  warningCount += diagnostic.getSeverity() == DiagnosticSeverity::Warning;
  std::string message = diagnostic.str();
  // Verifiers of MLIR begin with the op's name, which users have not seen.
  llvm::StringRef shown = message;
  auto [name, rest] = shown.split("' op ");
  if (!rest.empty() && name.starts_with("'") && !name.contains(' '))
    shown = rest;
  std::string where = place(diagnostic.getLocation(), shown);
  unexplainedCount += isError && !hasPlace(diagnostic.getLocation()) &&
                      !isRefusal(diagnostic.getLocation());
  brokenRuleCount +=
      isError &&
      shown.starts_with(llvm::StringRef(weft::isa::kBrokenRuleError.data(),
                                        weft::isa::kBrokenRuleError.size()));
  // Names from a model may hold anything; a message stays on one line.
  out << rt::printable(
             (program + ": " + word(diagnostic.getSeverity()) + ": " + where +
              shown)
                 .str() +
             (isError && showDetails ? details(diagnostic.getLocation()) : ""))
      << "\n";
  for (Diagnostic &note : diagnostic.getNotes()) {
    std::string text = note.str();
    // "see current operation" shows IR, which means nothing to a user.
    if (!llvm::StringRef(text).starts_with("see current operation"))
      print(note);
  }
}

weft::rt::Status weft::driver::causeOf(const DiagnosticPrinter &printer) {
  if (printer.errors() == 0)
    return rt::fail(rt::Code::Internal, "the compiler failed without a reason");
  if (printer.brokenRules() > 0)
    return rt::fail(rt::Code::Internal,
                    "the compiler made a command that the hardware forbids");
  if (printer.unexplained() > 0)
    return rt::fail(rt::Code::Internal,
                    "the error above names nothing in the model");
  return rt::fail(rt::Code::InvalidArgument, "the model cannot be compiled");
}
