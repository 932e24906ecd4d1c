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

/// What a family's emission function sees: local tensors of one op in one
/// slice, and builders for scalars.
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
  /// Padding of the window over operand `number` in this slice.
  tpu::Pads pads(unsigned number) const;
  mlir::Value result();
  /// The piece of the result in this slice.
  const tpu::Box &box() const;
  /// How operand `number` will lie when it is read; anything for a constant.
  catalog::Tensor describeOperand(unsigned number) const;
  /// Constant or scratch buffer number `index` of the op (order of
  /// `localBuffers`).
  mlir::Value constant(unsigned index, mlir::Type element);
  mlir::Value scratch(unsigned index, mlir::Type element);

  /// A call of a PPL function for this op.
  void call(llvm::StringRef function, mlir::ArrayRef<Named> arguments) {
    emitCall(builder, loc(), function, arguments);
  }
  /// dst = function(lhs, rhs), see emitBinary.
  void binary(llvm::StringRef function, mlir::Value dst, Argument lhs,
              Argument rhs, mlir::ArrayRef<Named> more = {}) {
    emitBinary(builder, loc(), function, dst, lhs, rhs, more);
  }
  void cast(mlir::Value dst, mlir::Value src,
            numeric::Rounding rounding = numeric::Rounding::HalfToEven) {
    emitCast(builder, loc(), dst, src, rounding);
  }
  /// dst = src, lane by lane (any strides), or dst is filled with a number. A
  /// source with one element along n, h or w is repeated.
  void copy(mlir::Value dst, Argument src);
  /// `tensor` with the shape of `like`: read again along the axes n, h and w on
  /// which it has one element.
  mlir::Value repeated(mlir::Value tensor, mlir::Value like);
  /// The same bytes with another element type (of one size) or another aligned
  /// shape.
  mlir::Value as(mlir::Value tensor, mlir::Type element);
  mlir::Value as(mlir::Value tensor, mlir::Type element,
                 mlir::ArrayRef<int64_t> shape);

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

/// Emits the commands of one op for one slice.
using EmitFunction =
    std::function<mlir::LogicalResult(mlir::Operation *, OpEmitter &)>;
/// Packs the constants of one op for the whole (unsliced) result, in the order
/// of `localBuffers`.
using PackFunction = std::function<mlir::LogicalResult(
    mlir::Operation *, const Chip &, std::vector<PackedBytes> &)>;
/// Emits an op that runs outside groups, on whole tensors in DRAM at the
/// addresses of `tpu.address`.
using GlobalEmitFunction = std::function<mlir::LogicalResult(
    mlir::Operation *, mlir::OpBuilder &, llvm::ArrayRef<mlir::Value> operands,
    mlir::Value result)>;

/// What the families bring; filled by one register function a family.
struct EmitTable {
  std::map<std::string, EmitFunction> local;
  std::map<std::string, PackFunction> pack;
  std::map<std::string, GlobalEmitFunction> global;
};

#define WEFT_FAMILY(name) void register##name(EmitTable &table);
#include "OpFamilies.inc"
#undef WEFT_FAMILY

/// f32 exponential of `source` into `target` (both aligned, of the shape of the
/// scratch; they may be one tensor). `firstScratch` is the number of the first
/// of the four buffers of `addExpScratch`. Within 2 ulp for -87.3 <= x <= 88.3;
/// arguments outside are clamped to that range.
void emitExp(OpEmitter &emitter, mlir::Value target, mlir::Value source,
             unsigned firstScratch);

/// Steps of the machine's division: within 4 units in the last place.
inline const Named kDivisionSteps{"num_iter", 3};

/// A number as f32 holds it.
inline double asFloat(double value) { return static_cast<float>(value); }

} // namespace weft::emit

#endif // WEFT_CODEGEN_EMIT_EMIT_H
