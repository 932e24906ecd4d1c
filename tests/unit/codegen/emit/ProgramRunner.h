//===- ProgramRunner.h - compile a tpu module and run it --------*- C++ -*-===//

#ifndef WEFT_TESTS_UNIT_CODEGEN_EMIT_PROGRAMRUNNER_H
#define WEFT_TESTS_UNIT_CODEGEN_EMIT_PROGRAMRUNNER_H

#include "codegen/encode/Encode.h"
#include "dialects/tpu/Box.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/MLIRContext.h"
#include "mlir/IR/OwningOpRef.h"
#include "mlir/Pass/Pass.h"
#include "runtime/emulator/Emulator.h"

#include <string>
#include <vector>

namespace weft::test {

/// Parses `text`, groups and places (with `tiling` for every
/// group instead of the chosen one, if given). If `isHandedOn`, the last group
/// runs in one slice and keeps all that the one before it makes. Null, with a
/// test failure, if that fails.
mlir::OwningOpRef<mlir::ModuleOp> parsePlaced(const std::string &text,
                                              const tpu::Tiling *tiling,
                                              bool isHandedOn,
                                              mlir::MLIRContext &context);

/// The module of `text` after `pass` over its functions; empty if it then has
/// no op of the name `wanted`, or with a test failure if the pass fails.
std::string afterPass(const std::string &text, std::unique_ptr<mlir::Pass> pass,
                      llvm::StringRef wanted);

/// A tpu module compiled to commands, ready for the emulator.
class ProgramRunner {
public:
  /// Takes what `parsePlaced` gives, emits and encodes. Failures are reported
  /// as test failures; `ok()` is false then.
  explicit ProgramRunner(const std::string &text,
                         const tpu::Tiling *tiling = nullptr,
                         bool isHandedOn = false);

  bool ok() const { return compiled; }
  /// Runs on inputs of raw bytes, one an argument; gives the raw bytes of each
  /// output, which is checked to be the same under every schedule and in
  /// the order that takes the fewest cycles.
  std::vector<std::vector<uint8_t>>
  run(const std::vector<std::vector<uint8_t>> &inputs);
  const codegen::EncodedProgram &program() const { return encoded; }
  mlir::ModuleOp module() { return *parsed; }

private:
  std::vector<std::vector<uint8_t>>
  runUnder(const codegen::EncodedProgram &program, emulator::Schedule schedule,
           const std::vector<std::vector<uint8_t>> &inputs);
  void compile(const std::string &text, const tpu::Tiling *tiling,
               bool isHandedOn);

  mlir::MLIRContext context;
  mlir::OwningOpRef<mlir::ModuleOp> parsed;
  codegen::EncodedProgram encoded, scheduled;
  bool compiled = false;
};

} // namespace weft::test

#endif // WEFT_TESTS_UNIT_CODEGEN_EMIT_PROGRAMRUNNER_H
