//===- Diagnostics.h - messages in ONNX terms -------------------*- C++ -*-===//

#ifndef WEFT_TOOLS_DRIVER_DIAGNOSTICS_H
#define WEFT_TOOLS_DRIVER_DIAGNOSTICS_H

#include "frontend/onnx/Import.h"
#include "mlir/IR/Diagnostics.h"
#include "runtime/status/Status.h"
#include "llvm/Support/raw_ostream.h"
#include <string>

namespace weft::driver {

/// Prints every diagnostic of a context as one line while it lives:
///
///   weft: error: cls.onnx: node 117 'Conv_84' (Conv, opset 13): pads[3] is -2,
///   ... weft: error: cls.onnx: input 'x' has no shape in the model; ... weft:
///   error: graph.mlir:3:8: ...
///
/// The place comes from the location (frontend/onnx/Import.h says which there
/// are), operator and opset from `titles`. Notes follow as lines of their own.
class DiagnosticPrinter {
public:
  DiagnosticPrinter(mlir::MLIRContext &context, llvm::raw_ostream &out,
                    std::string program = "weft");
  ~DiagnosticPrinter();
  DiagnosticPrinter(const DiagnosticPrinter &) = delete;
  DiagnosticPrinter &operator=(const DiagnosticPrinter &) = delete;

  /// To be passed to the importer as ImportOptions::titles.
  onnx::NodeTitles titles;

  /// Whether an error at a node ends with its operands and attributes in
  /// brackets (NodeTitle::details).
  bool showDetails = false;

  unsigned errors() const { return errorCount; }
  unsigned warnings() const { return warningCount; }
  /// Errors that no user can have caused: they name no place in the model and
  /// no refusal (dialects/Refusal.h).
  unsigned unexplained() const { return unexplainedCount; }
  /// Errors of the encoder about commands that the hardware forbids; no model
  /// can ask for one.
  unsigned brokenRules() const { return brokenRuleCount; }

private:
  void print(mlir::Diagnostic &diagnostic);
  std::string place(mlir::Location location, llvm::StringRef message) const;
  std::string details(mlir::Location location) const;

  mlir::MLIRContext &context;
  llvm::raw_ostream &out;
  std::string program;
  mlir::DiagnosticEngine::HandlerID handler;
  unsigned errorCount = 0, warningCount = 0, unexplainedCount = 0,
           brokenRuleCount = 0;
};

/// Why a step failed whose problems `printer` has printed: the model or an
/// option (Code::InvalidArgument), or Weft itself (Code::Internal).
rt::Status causeOf(const DiagnosticPrinter &printer);

} // namespace weft::driver

#endif // WEFT_TOOLS_DRIVER_DIAGNOSTICS_H
