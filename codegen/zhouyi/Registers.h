//===- Registers.h - registers of values by live range ----------*- C++ -*-===//

#ifndef WEFT_CODEGEN_ZHOUYI_REGISTERS_H
#define WEFT_CODEGEN_ZHOUYI_REGISTERS_H

#include "runtime/zhouyi/Program.h"

#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/Block.h"
#include "llvm/ADT/DenseMap.h"

#include <map>

namespace weft::codegen {

/// The type of the register for a vector or a mask.
zhouyi::RegisterType registerTypeOf(mlir::Type type);

/// Gives out registers. A value keeps its own until the last op of its block
/// that uses it, or holds an op that does, is done: what is defined outside a
/// loop lasts as long as the loop. What a loop carries has one register, for
/// the initial value, the value inside, the yielded one and the result where
/// their live ranges allow it.
class Registers {
public:
  /// `root` holds all ops that will be visited.
  Registers(zhouyi::Program &program, mlir::Operation *root);

  /// The register that holds a value now; kNoRegister for a null value.
  zhouyi::RegisterId of(mlir::Value value) const;
  /// A register for what an op, which has not been done(), defines.
  zhouyi::RegisterId define(mlir::OpResult value);
  /// The register of a constant, for good; `value` may have it, too.
  zhouyi::RegisterId keep(const zhouyi::RegisterType &type);
  void bind(mlir::Value value, zhouyi::RegisterId reg);

  /// The copies before a loop, inside it behind all else, both to be put
  /// into a Copy. The body's ops are visited between the two; `leave` also
  /// gives the loop's results their registers. To be followed by done(loop).
  std::vector<zhouyi::Copy::Move> enter(mlir::scf::ForOp loop);
  std::vector<zhouyi::Copy::Move> leave(mlir::scf::ForOp loop);

  /// Values that `op` was the last to use lose their registers, and so do its
  /// results that nothing uses.
  void done(mlir::Operation *op);

private:
  zhouyi::RegisterId take(const zhouyi::RegisterType &type);
  void drop(zhouyi::RegisterId reg);
  void release(mlir::Value value);
  /// Whether the result of `op`, which a loop yields for the value that it
  /// carries, can be written to that value's register.
  bool isFreeAt(mlir::Value carried, mlir::Operation *op) const;

  using TypeKey = std::tuple<zhouyi::DataType, uint32_t, bool>;
  zhouyi::Program &program;
  llvm::DenseMap<mlir::Value, zhouyi::RegisterId> registers;
  std::map<TypeKey, std::vector<zhouyi::RegisterId>> free;
  /// How many values and loops hold a register; a kept one has one more.
  std::vector<uint32_t> owners;
  std::vector<uint32_t> holds; ///< the loops among them
  std::vector<bool> isKept;
  /// The last op of a value's block that uses it, or holds an op that does.
  llvm::DenseMap<mlir::Value, mlir::Operation *> lastUser;
  llvm::DenseMap<mlir::Operation *, llvm::SmallVector<mlir::Value, 2>> endings;
  /// For what a loop yields the value that it carries.
  llvm::DenseMap<mlir::Value, mlir::BlockArgument> carriedFor;
  /// The registers of the loops around, innermost last.
  std::vector<std::vector<zhouyi::RegisterId>> loops;
  /// Of what a loop carries, while it is open.
  llvm::DenseMap<mlir::Value, zhouyi::RegisterId> carriedRegisters;
};

} // namespace weft::codegen

#endif // WEFT_CODEGEN_ZHOUYI_REGISTERS_H
