//===- Encoder.h - state of one encoding ------------------------*- C++ -*-===//

#ifndef WEFT_CODEGEN_ZHOUYI_ENCODER_H
#define WEFT_CODEGEN_ZHOUYI_ENCODER_H

#include "codegen/zhouyi/Registers.h"
#include "dialects/zhouyi/Function.h"
#include "dialects/zhouyi/Memory.h"
#include "dialects/zhouyi/Program.h"
#include "dialects/zhouyi/Vector.h"
#include "runtime/zhouyi/Mask.h"

#include <map>

namespace weft::codegen {

/// A number plus loop indices times steps.
struct IndexSum {
  int64_t constant = 0;
  std::map<uint32_t, int64_t> steps; ///< by the depth of the loop
};

/// The host type of elements in memory, whose sign zhouyi spells out.
std::optional<numeric::ElementType> storedTypeOf(mlir::Type element);

/// Where the instructions of a block, and those inside its loops, come from.
struct SourceLine {
  mlir::Location location;
  std::vector<SourceLine> inside;
};

/// Ops of a program to instructions, in order. Errors are reported at the op.
class Encoder {
public:
  Encoder(zhouyi::Program &program, zhouyi::ProgramOp op)
      : program(program), registers(program, op) {}

  mlir::LogicalResult run(zhouyi::ProgramOp op);
  /// Of the op that an instruction was made for; `otherwise` if there is none.
  mlir::Location locationOf(llvm::ArrayRef<size_t> path,
                            mlir::Location otherwise) const;

private:
  mlir::LogicalResult addBuffers(zhouyi::ProgramOp op);
  mlir::LogicalResult addBuffer(zhouyi::BufferOp op);

  mlir::LogicalResult encode(mlir::Block &block);
  mlir::LogicalResult encode(mlir::Operation &op);
  mlir::LogicalResult encode(zhouyi::FunctionOp function);
  mlir::LogicalResult encode(zhouyi::LoadOp op);
  mlir::LogicalResult encode(zhouyi::StoreOp op);
  mlir::LogicalResult encode(zhouyi::TailMaskOp op);
  mlir::LogicalResult encode(zhouyi::HostCallOp op);
  mlir::LogicalResult encode(mlir::scf::ForOp op);
  void encode(zhouyi::ConstantOp op);

  mlir::FailureOr<zhouyi::Operand> operandOf(const zhouyi::FunctionOp &function,
                                             const catalog::Slot &slot,
                                             const catalog::Call &call);
  /// Remembers what a result of arith is, if it is a sum of loop indices times
  /// constants. Operands are known by then, so there is nothing to go back for.
  void learnIndex(mlir::Operation &op);
  /// Adds index * factor.
  mlir::LogicalResult addIndex(mlir::Value index, int64_t factor, IndexSum &sum,
                               mlir::Operation *user);
  mlir::FailureOr<zhouyi::Address> addressOf(mlir::Value pointer,
                                             mlir::Operation *user);
  /// A pointer's place in memory, `elements` long, which no index may move.
  mlir::FailureOr<host::Place> placeOf(mlir::Value pointer, int64_t elements,
                                       mlir::Operation *user);
  /// The register that holds these bytes, all lanes of them.
  zhouyi::RegisterId constant(const zhouyi::RegisterType &type,
                              std::vector<uint8_t> bytes);
  zhouyi::NodeId nodeOf(mlir::Location location);
  void append(mlir::Location location,
              decltype(zhouyi::Instruction::what) what);

  zhouyi::Program &program;
  Registers registers;
  std::vector<zhouyi::Instruction> *body = nullptr; ///< where ops go now
  std::vector<zhouyi::Instruction> prologue;        ///< fills constants
  std::vector<SourceLine> sourceLines; ///< of what follows the prologue
  std::vector<SourceLine> *lines = &sourceLines; ///< beside `body`
  std::map<std::tuple<zhouyi::DataType, uint32_t, bool, std::vector<uint8_t>>,
           zhouyi::RegisterId>
      constants;
  llvm::DenseMap<mlir::Value, uint32_t> buffers;
  llvm::DenseMap<mlir::Value, IndexSum> indices; ///< that are such sums
  uint32_t depth = 0;                            ///< of the open loops
  std::map<std::string, zhouyi::NodeId> nodes;
  uint64_t nextAddress = 0;
  host::ValueId nextHostValue = 0;
};

} // namespace weft::codegen

#endif // WEFT_CODEGEN_ZHOUYI_ENCODER_H
