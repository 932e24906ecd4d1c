//===- Assemble.cpp - text of a vector program to its file ----------------===//

#include "codegen/zhouyi/Encode.h"
#include "runtime/zhouyi/ProgramFile.h"
#include "tools/capi/Status.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/Diagnostics.h"
#include "mlir/Parser/Parser.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Transforms/Passes.h"

#include <cstdlib>
#include <cstring>

using namespace weft;
using capi::guarded;
using capi::toC;
using rt::Code;
using rt::Result;
using rt::Status;

/// "kernel.py:12: " for a location that names a line.
static std::string placeOf(mlir::Location location) {
  std::string text;
  location->walk([&](mlir::Location part) {
    if (auto line = mlir::dyn_cast<mlir::FileLineColLoc>(part)) {
      text = line.getFilename().str() + ":" + std::to_string(line.getLine()) +
             ": ";
      return mlir::WalkResult::interrupt();
    }
    return mlir::WalkResult::advance();
  });
  return text;
}

static Result<std::vector<uint8_t>> assembled(llvm::StringRef text,
                                              mlir::MLIRContext &context,
                                              const std::string &problem) {
  auto fail = [&] {
    return rt::fail(Code::InvalidArgument,
                    problem.empty() ? "the text is no program" : problem);
  };
  mlir::OwningOpRef<mlir::ModuleOp> module =
      mlir::parseSourceString<mlir::ModuleOp>(
          text, mlir::ParserConfig(&context), "program");
  if (!module)
    return fail();
  mlir::PassManager passes(&context);
  passes.addPass(mlir::createCanonicalizerPass());
  passes.addPass(mlir::createCSEPass());
  if (mlir::failed(passes.run(*module)))
    return fail();
  auto programs = llvm::to_vector(module->getOps<zhouyi::ProgramOp>());
  if (programs.size() != 1)
    return rt::fail(Code::InvalidArgument,
                    "the text has " + std::to_string(programs.size()) +
                        " zhouyi.program, must have one");
  mlir::FailureOr<zhouyi::Program> program =
      codegen::encodeVectorProgram(programs[0]);
  if (mlir::failed(program))
    return fail();
  return zhouyi::serialize(*program, "weft " WEFT_VERSION_TEXT);
}

static Status assemble(const char *text, void **bytes, size_t *size) {
  if (!text || !bytes || !size)
    return rt::fail(Code::InvalidArgument,
                    "text, bytes and size must not be NULL");
  mlir::DialectRegistry registry;
  registry.insert<zhouyi::ZhouyiDialect, mlir::arith::ArithDialect,
                  mlir::scf::SCFDialect>();
  mlir::MLIRContext context(registry, mlir::MLIRContext::Threading::DISABLED);
  std::string problem; // the first one
  mlir::ScopedDiagnosticHandler handler(
      &context, [&](mlir::Diagnostic &diagnostic) {
        if (diagnostic.getSeverity() == mlir::DiagnosticSeverity::Error &&
            problem.empty())
          problem = placeOf(diagnostic.getLocation()) + diagnostic.str();
        return mlir::success();
      });
  Result<std::vector<uint8_t>> made = assembled(text, context, problem);
  if (!made)
    return made.status();
  *bytes = std::malloc(made->size());
  if (!*bytes)
    return rt::fail(Code::OutOfMemory, "out of memory");
  std::memcpy(*bytes, made->data(), made->size());
  *size = made->size();
  return {};
}

weft_compiler_status *weft_zhouyi_assemble(const char *text, void **bytes,
                                           size_t *size) {
  return guarded([&] { return toC(assemble(text, bytes, size)); });
}
