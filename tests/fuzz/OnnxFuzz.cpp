//===- OnnxFuzz.cpp - any bytes as an ONNX file ---------------------------===//
//
// Importing must give a module that verifies, or an error diagnostic. Nothing
// may crash, hang, throw or be refused without a word.
//
//===----------------------------------------------------------------------===//

#include "frontend/onnx/Import.h"

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/MLIRContext.h"
#include "mlir/IR/Verifier.h"

#include <cstddef>
#include <cstdint>
#include <cstdlib>

using namespace weft;

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size) {
  mlir::MLIRContext context(mlir::MLIRContext::Threading::DISABLED);
  unsigned errors = 0;
  mlir::ScopedDiagnosticHandler count(&context, [&](mlir::Diagnostic &) {
    ++errors;
    return mlir::success();
  });
  llvm::ArrayRef<char> content(reinterpret_cast<const char *>(bytes), size);
  mlir::OwningOpRef<mlir::ModuleOp> module =
      onnx::importOnnxBytes(content, "fuzz.onnx", {}, context);
  // A silent refusal and a broken module are both bugs worth a core dump.
  if (module ? mlir::failed(mlir::verify(*module)) : errors == 0)
    std::abort();
  return 0;
}
