//===- weft-as.cpp - text of a program to its file -----------------------===//
//
// weft-as IN.mlir -o OUT [--strip] [--plain-transfers] [--commands]: encodes
// the one ppl.net of IN.mlir to a bmodel (or lists its commands), or the one
// zhouyi.program to a .zyp. The assembler of hand-written programs in tests;
// models go through `weft convert`.
//
//===----------------------------------------------------------------------===//

#include "codegen/pack/Pack.h"
#include "codegen/zhouyi/Encode.h"
#include "dialects/ppl/Ppl.h"
#include "dialects/tpu/Tpu.h"
#include "runtime/isa/Decode.h"
#include "runtime/zhouyi/ProgramFile.h"

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
    outputPath("o", cl::desc("OUT.bmodel or OUT.zyp, - for stdout"),
               cl::Required);
static cl::opt<bool> strip("strip", cl::desc("leave out the debug map"));

static cl::opt<bool>
    plain("plain-transfers",
          cl::desc("encode every copy in the one command that is written"));

static cl::opt<bool> commands(
    "commands",
    cl::desc("write the commands as text, those of the TIU first; such "
             "a program needs no inputs and outputs"));

static constexpr int kUserError = 2;

/// Hands the bytes of the file to `write`, or reports.
using WriteBytes = llvm::function_ref<void(const void *bytes, size_t size)>;

static void listCommands(const weft::Chip &chip,
                         const std::vector<uint8_t> &buffer,
                         weft::isa::Engine engine, WriteBytes write) {
  for (const weft::isa::Decoded &command :
       weft::isa::decodeStream(*chip.instructions, engine, buffer.data(),
                               buffer.size())
           .commands) {
    std::string line = weft::isa::disassemble(command) + "\n";
    write(line.data(), line.size());
  }
}

static mlir::LogicalResult assemble(weft::ppl::NetOp net, WriteBytes write) {
  weft::codegen::PackOptions options;
  options.strip = strip;
  options.producer = "weft-as";
  mlir::FailureOr<weft::codegen::EncodedProgram> program =
      weft::codegen::encodeProgram(net,
                                   plain ? weft::codegen::Transfers::Plain
                                         : weft::codegen::Transfers::Planned);
  if (mlir::failed(program))
    return mlir::failure();
  if (commands) {
    const weft::Chip &chip = weft::ppl::chipOf(net);
    for (const weft::codegen::CommandGroup &group : program->groups) {
      listCommands(chip, group.tiu, weft::isa::Engine::Tiu, write);
      listCommands(chip, group.gdma, weft::isa::Engine::Gdma, write);
    }
    return mlir::success();
  }
  weft::codegen::StageProgram stage{net, &*program, {}, {}};
  mlir::FailureOr<weft::codegen::PackedFile> file =
      weft::codegen::packBmodel(stage, options);
  if (mlir::failed(file))
    return mlir::failure();
  file->write([&](const void *bytes, size_t size) {
    write(bytes, size);
    return true;
  });
  return mlir::success();
}

static mlir::LogicalResult assemble(weft::zhouyi::ProgramOp op,
                                    WriteBytes write) {
  mlir::FailureOr<weft::zhouyi::Program> program =
      weft::codegen::encodeVectorProgram(op);
  if (mlir::failed(program))
    return mlir::failure();
  weft::rt::Result<std::vector<uint8_t>> bytes =
      weft::zhouyi::serialize(*program, "weft-as");
  if (!bytes)
    return op.emitError() << bytes.status().message();
  write(bytes->data(), bytes->size());
  return mlir::success();
}

static int assemble(mlir::MLIRContext &context, llvm::SourceMgr &sources) {
  mlir::SourceMgrDiagnosticHandler handler(sources, &context);
  mlir::OwningOpRef<mlir::ModuleOp> module =
      mlir::parseSourceFile<mlir::ModuleOp>(sources, &context);
  if (!module)
    return kUserError;
  auto nets = llvm::to_vector(module->getOps<weft::ppl::NetOp>());
  auto programs = llvm::to_vector(module->getOps<weft::zhouyi::ProgramOp>());
  if (nets.size() + programs.size() != 1) {
    module->emitError() << "the file has " << nets.size() << " ppl.net and "
                        << programs.size()
                        << " zhouyi.program, must have one of them";
    return kUserError;
  }
  llvm::SmallVector<char> file;
  auto write = [&](const void *bytes, size_t size) {
    const char *begin = static_cast<const char *>(bytes);
    file.append(begin, begin + size);
  };
  if (mlir::failed(nets.empty() ? assemble(programs[0], write)
                                : assemble(nets[0], write)))
    return kUserError;
  std::string message;
  std::unique_ptr<llvm::ToolOutputFile> output =
      mlir::openOutputFile(outputPath, &message);
  if (!output) {
    llvm::errs() << "weft-as: error: " << message << "\n";
    return kUserError;
  }
  output->os().write(file.data(), file.size());
  output->keep();
  return 0;
}

int main(int argc, char **argv) {
  cl::ParseCommandLineOptions(argc, argv,
                              "weft-as: text of a program to its file\n");
  mlir::DialectRegistry registry;
  // Of tpu, the decisions that a net carries.
  registry.insert<weft::ppl::PplDialect, weft::tpu::TpuDialect,
                  weft::zhouyi::ZhouyiDialect, mlir::arith::ArithDialect,
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
