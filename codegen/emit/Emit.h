//===- Emit.h - tpu ops to ppl programs -------------------------*- C++ -*-===//

#ifndef WEFT_CODEGEN_EMIT_EMIT_H
#define WEFT_CODEGEN_EMIT_EMIT_H

#include "codegen/emit/Call.h"
#include "codegen/emit/SliceRuns.h"
#include "dialects/ppl/TensorLayout.h"
#include "mlir/IR/Builders.h"

#include <functional>
#include <map>
#include <string>

namespace weft::emit {

/// The ppl element type of a tpu one: floats as they are, integers with their
/// sign, `!quant` as its storage.
mlir::Type machineType(mlir::Type element);

/// Raw bytes of one packed constant, in element order, as they lie in DRAM.
using PackedBytes = std::vector<char>;

/// Where in the schedule a command is emitted: which slice, and in a loop how
/// its numbers move from turn to turn.
struct SlicePoint {
  const SliceState *slice = nullptr;
  const SliceState *next =
      nullptr;           ///< in a loop, the slice of the second turn; else null
  mlir::Value iteration; ///< in a loop, its variable (0, 1, ..); else null
};

/// The local tensors of one op in one slice, as ppl values.
class OpEmitter {
public:
  OpEmitter(mlir::OpBuilder &builder, const Chip &chip,
            const GroupSchedule &schedule, size_t op, const SlicePoint &point)
      : builder(builder), chip(chip), schedule(schedule), op(op), point(point) {
  }

  mlir::Location loc() const;
  /// Exactly the piece of operand `number` that the result needs; copied first
  /// if the op cannot read strided tiles.
  mlir::Value operand(unsigned number);
  mlir::Value result();
  /// The piece of the result in this slice.
  const tpu::Box &box() const;
  /// How operand `number` will lie when it is read; anything for a constant.
  catalog::Tensor describeOperand(unsigned number) const;
  /// Constant or scratch number `index` of the op's recipe.
  mlir::Value constant(unsigned index, mlir::Type element);
  mlir::Value scratch(unsigned index, mlir::Type element);

  mlir::OpBuilder &builder;
  const Chip &chip;

private:
  mlir::Value buffer(size_t number, ppl::TensorViewType type);
  size_t ownBuffer(tpu::GroupBuffer::Kind kind, unsigned index) const;

  const GroupSchedule &schedule;
  size_t op;
  const SlicePoint &point;
  std::map<unsigned, mlir::Value> copies;
};

/// Emits an op that runs outside groups, on whole tensors in DRAM at the
/// addresses of `tpu.address`.
using GlobalEmitFunction = std::function<mlir::LogicalResult(
    mlir::Operation *, mlir::OpBuilder &, llvm::ArrayRef<mlir::Value> operands,
    mlir::Value result)>;

/// By the name of the op.
using GlobalEmitTable = std::map<std::string, GlobalEmitFunction>;

void addGather(GlobalEmitTable &table);
void addMatMul(GlobalEmitTable &table);
void addMove(GlobalEmitTable &table);

} // namespace weft::emit

#endif // WEFT_CODEGEN_EMIT_EMIT_H
