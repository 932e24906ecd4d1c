//===- weft-as.cpp - ppl text to a bmodel --------------------------------===//
//
// weft-as IN.mlir -o OUT.bmodel [--strip]: encodes and packs the one ppl.net of
// IN.mlir. The assembler of hand-written programs in tests; models go through
// `weft convert`.
//
//===----------------------------------------------------------------------===//

#include "codegen/pack/Pack.h"
#include "dialects/ppl/Ppl.h"

#include "mlir/IR/BuiltinOps.h"
#include "mlir/Parser/Parser.h"
#include "mlir/Support/FileUtilities.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/SourceMgr.h"
#include "llvm/Support/ToolOutputFile.h"

namespace cl = llvm::cl;

static cl::opt<std::string> inputPath(cl::Positional, cl::desc("IN.mlir"),
                                      cl::Required);
static cl::opt<std::string>
    outputPath("o", cl::desc("OUT.bmodel, - for stdout"), cl::Required);
static cl::opt<bool> strip("strip", cl::desc("leave out the debug map"));

static constexpr int kUserError = 2;

static int assemble(mlir::MLIRContext &context, llvm::SourceMgr &sources) {
  mlir::SourceMgrDiagnosticHandler handler(sources, &context);
  mlir::OwningOpRef<mlir::ModuleOp> module =
      mlir::parseSourceFile<mlir::ModuleOp>(sources, &context);
  if (!module)
    return kUserError;
  auto nets = llvm::to_vector(module->getOps<weft::ppl::NetOp>());
  if (nets.size() != 1) {
    module->emitError() << "the file has " << nets.size()
                        << " ppl.net, must have one";
    return kUserError;
  }
  weft::codegen::PackOptions options;
  options.strip = strip;
  options.producer = "weft-as";
  mlir::FailureOr<weft::codegen::EncodedProgram> program =
      weft::codegen::encodeProgram(nets[0]);
  if (mlir::failed(program))
    return kUserError;
  weft::codegen::StageProgram stage{nets[0], &*program, {}, {}};
  mlir::FailureOr<weft::codegen::PackedFile> file =
      weft::codegen::packBmodel(stage, options);
  if (mlir::failed(file))
    return kUserError;
  std::string message;
  std::unique_ptr<llvm::ToolOutputFile> output =
      mlir::openOutputFile(outputPath, &message);
  if (!output) {
    llvm::errs() << "weft-as: error: " << message << "\n";
    return kUserError;
  }
  file->write([&](const void *bytes, size_t size) {
    output->os().write(static_cast<const char *>(bytes), size);
    return true;
  });
  output->keep();
  return 0;
}

int main(int argc, char **argv) {
  cl::ParseCommandLineOptions(argc, argv, "weft-as: ppl text to a bmodel\n");
  mlir::DialectRegistry registry;
  registry.insert<weft::ppl::PplDialect, mlir::arith::ArithDialect,
                  mlir::scf::SCFDialect>();
  mlir::MLIRContext context(registry, mlir::MLIRContext::Threading::DISABLED);
  std::string message;
  auto file = mlir::openInputFile(inputPath, &message);
  if (!file) {
    llvm::errs() << "weft-as: error: " << message << "\n";
    return kUserError;
  }
  llvm::SourceMgr sources;
  sources.AddNewSourceBuffer(std::move(file), llvm::SMLoc());
  return assemble(context, sources);
}
