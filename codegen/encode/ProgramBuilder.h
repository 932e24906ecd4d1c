//===- ProgramBuilder.h - evaluates operands, appends commands *- C++ -*-===//

#ifndef WEFT_CODEGEN_ENCODE_PROGRAMBUILDER_H
#define WEFT_CODEGEN_ENCODE_PROGRAMBUILDER_H

#include "codegen/encode/Command.h"
#include "codegen/encode/Encode.h"
#include "codegen/encode/Schedule.h"
#include "dialects/ppl/Memory.h"
#include "runtime/transfer/Transfer.h"

#include "llvm/ADT/DenseMap.h"

#include <variant>

namespace weft::codegen {

/// State of one encoding: values of loop indices, the open command group, who
/// touched what.
class ProgramBuilder {
public:
  explicit ProgramBuilder(const Chip &chip);

  const Chip &chip;
  transfer::Planner planner;
  Transfers transfers = Transfers::Planned;
  Order order = Order::AsWritten;

  /// Sets the value of a loop's induction variable.
  void setIndex(mlir::Value index, int64_t value) { indices[index] = value; }
  /// Evaluates an index, integer or i1 expression of constants and induction
  /// variables; reports at `user`.
  mlir::FailureOr<int64_t> evaluate(mlir::Value value, mlir::Operation *user);
  /// The tensor with its address; reports at `user` if it leaves its memory.
  mlir::FailureOr<Placed> place(mlir::Value tensor, mlir::Operation *user);
  /// Makes the commands that the planner finds for a copy between tensors of
  /// one shape.
  mlir::LogicalResult copy(mlir::Operation *op, const catalog::Tensor &dst,
                           const catalog::Tensor &src);
  /// 40-bit address of a tensor as the GDMA engine sees it.
  uint64_t gdmaAddress(const catalog::Tensor &tensor) const;

  /// Appends the command, or keeps it until its place is known.
  mlir::LogicalResult append(Command command);
  mlir::LogicalResult observe(ppl::ObserveOp op);

  /// Appends a step of the host; the commands so far run before it.
  mlir::LogicalResult appendHostStep(host::Step step);
  /// The number of a tensor of the host: a new one, or that of its definition.
  host::ValueId defineHostValue(mlir::Value value);
  host::ValueId hostValue(mlir::Value value) {
    return hostValues.lookup(value);
  }

  mlir::FailureOr<EncodedProgram> finish();

private:
  /// A command or an observed piece that waits for its place.
  using Pending = std::variant<Command, ObservedPiece>;

  Task taskOf(const Pending &pending) const;
  mlir::LogicalResult flush();
  mlir::LogicalResult issue(Command command);
  mlir::LogicalResult record(ObservedPiece piece);
  llvm::SmallVector<CommandRef, 2>
  lastWriters(const ObservedPiece &piece) const;
  mlir::FailureOr<int64_t> evaluateOp(mlir::Operation *op,
                                      mlir::Operation *user);
  mlir::FailureOr<uint64_t> startAddress(uint64_t base,
                                         mlir::ValueRange indices,
                                         mlir::ArrayRef<int64_t> steps,
                                         mlir::ArrayRef<int64_t> modulos,
                                         mlir::Operation *user);
  mlir::FailureOr<Placed> placeView(ppl::ViewOp view, mlir::Operation *user);
  void closeGroup();
  void closePieces(const catalog::Tensor &written, CommandRef by);
  void recordWrite(const catalog::Tensor &written, CommandRef by);

  EncodedProgram program;
  HazardTracker hazards;
  llvm::DenseMap<mlir::Value, int64_t> indices;
  llvm::DenseMap<mlir::Value, host::ValueId> hostValues;
  std::vector<Pending> pending;
  struct Issued {
    CommandRef ref;
    /// Largest id of the other engine in the group that it has waited for.
    uint32_t waitedFor;
  };
  /// All commands as issued; LastTouch values are positions in it, from 1.
  std::vector<Issued> issued;
  LastTouch localWriters, globalWriters;
  std::vector<size_t> openPieces; ///< pieces not yet overwritten
};

// One function a family of ops; each makes and appends the op's commands. False
// if the op is none of the family.
mlir::FailureOr<bool> encodeFunction(mlir::Operation *op,
                                     ProgramBuilder &builder);
mlir::FailureOr<bool> encodeHost(mlir::Operation *op, ProgramBuilder &builder);

/// Success as "done", for the switches of the functions above.
inline mlir::FailureOr<bool> done(mlir::LogicalResult result) {
  if (mlir::failed(result))
    return mlir::failure();
  return true;
}

} // namespace weft::codegen

#endif // WEFT_CODEGEN_ENCODE_PROGRAMBUILDER_H
