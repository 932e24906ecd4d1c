//===- ParsedProgram.h - programs of tests, as text -------------*- C++ -*-===//

#ifndef WEFT_TESTS_UNIT_CODEGEN_ZHOUYI_PARSEDPROGRAM_H
#define WEFT_TESTS_UNIT_CODEGEN_ZHOUYI_PARSEDPROGRAM_H

#include "codegen/zhouyi/Encode.h"
#include "dialects/zhouyi/Builder.h"
#include "runtime/zhouyi/Disassemble.h"
#include "runtime/zhouyi/Machine.h"

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/Diagnostics.h"
#include "mlir/IR/OwningOpRef.h"
#include "mlir/Parser/Parser.h"
#include <gtest/gtest.h>

#include <cstring>

namespace weft {

/// A context that keeps what is reported, and the module in it.
class ParsedProgram {
public:
  ParsedProgram()
      : context(mlir::MLIRContext::Threading::DISABLED),
        handler(&context, [this](mlir::Diagnostic &diagnostic) {
          if (diagnostic.getSeverity() != mlir::DiagnosticSeverity::Error)
            return mlir::success();
          message += diagnostic.str();
          llvm::raw_string_ostream(location) << diagnostic.getLocation();
          return mlir::success();
        }) {
    context.loadDialect<zhouyi::ZhouyiDialect, mlir::arith::ArithDialect,
                        mlir::scf::SCFDialect>();
  }

  /// Buffers %x (input) and %y (output), both of 64 int32, the indices %c0 to
  /// %c4, and then `body`.
  mlir::FailureOr<zhouyi::Program> encode(const std::string &body) {
    std::string text = R"(zhouyi.program @main on "zhouyi" {
      %x = zhouyi.buffer input "x" bytes 256 onnx tensor<64xi32> stored tensor<64xsi32> : !zhouyi.ptr<si32>
      %y = zhouyi.buffer output "y" bytes 256 onnx tensor<64xi32> stored tensor<64xsi32> : !zhouyi.ptr<si32>
      %c0 = arith.constant 0 : index
      %c1 = arith.constant 1 : index
      %c2 = arith.constant 2 : index
      %c3 = arith.constant 3 : index
      %c4 = arith.constant 4 : index
)" + body + "}\n";
    return encodeFile(text);
  }
  mlir::FailureOr<zhouyi::Program> encodeFile(const std::string &text) {
    module = mlir::parseSourceString<mlir::ModuleOp>(text, &context);
    if (!module)
      return mlir::failure();
    return codegen::encodeVectorProgram(
        *module->getOps<zhouyi::ProgramOp>().begin());
  }

  mlir::MLIRContext context;
  std::string message, location;
  mlir::ScopedDiagnosticHandler handler;
  mlir::OwningOpRef<mlir::ModuleOp> module;
};

/// A program to be built with `b`, with x and y as in ParsedProgram::encode.
class BuiltProgram : public ParsedProgram {
public:
  BuiltProgram()
      : ops(&context), program(begin()), b(ops, ops.getUnknownLoc()) {
    auto onnx = mlir::RankedTensorType::get({64}, ops.getI32Type()),
         stored = mlir::RankedTensorType::get({64}, b.si(32));
    x = b.input("x", onnx, stored);
    y = b.output("y", onnx, stored);
  }

  mlir::OpBuilder ops;
  zhouyi::ProgramOp program;
  zhouyi::Builder b;
  mlir::Value x, y;

private:
  zhouyi::ProgramOp begin() {
    module = mlir::ModuleOp::create(ops.getUnknownLoc());
    ops.setInsertionPointToEnd(module->getBody());
    auto empty =
        ops.create<zhouyi::ProgramOp>(ops.getUnknownLoc(), "main", "zhouyi");
    ops.setInsertionPointToEnd(&empty.getBody().front());
    return empty;
  }
};

inline const zhouyi::Buffer &bufferOf(const zhouyi::Program &program,
                                      const std::string &name) {
  for (const zhouyi::Buffer &buffer : program.buffers)
    if (buffer.name == name)
      return buffer;
  ADD_FAILURE() << "no buffer " << name;
  return program.buffers.front();
}

/// y of a program for this x.
inline std::vector<int32_t> run(const zhouyi::Program &program,
                                const std::vector<int32_t> &x) {
  auto shared = std::make_shared<zhouyi::Program>(program);
  auto machine = zhouyi::Machine::make(shared);
  std::vector<int32_t> y(64);
  if (!machine) {
    ADD_FAILURE() << machine.status().message();
    return y;
  }
  std::memcpy(machine->memory(bufferOf(*shared, "x")), x.data(), 4 * x.size());
  rt::Status status = machine->run();
  EXPECT_TRUE(bool(status)) << status.message();
  std::memcpy(y.data(), machine->memory(bufferOf(*shared, "y")), 4 * y.size());
  return y;
}

/// The instructions without buffers, one a line, loops indented.
inline std::string listing(const zhouyi::Program &program) {
  std::string text;
  rt::Status status = zhouyi::visitInstructions(
      program, [&](const zhouyi::ListedInstruction &listed) {
        text += std::string(2 * (listed.path.size() - 1), ' ') +
                zhouyi::disassemble(program, *listed.instruction) + "\n";
        return rt::Status::ok();
      });
  EXPECT_TRUE(bool(status)) << status.message();
  return text;
}

} // namespace weft

#endif // WEFT_TESTS_UNIT_CODEGEN_ZHOUYI_PARSEDPROGRAM_H
