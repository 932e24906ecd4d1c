//===- IntegerRanges.h - which integers need more than 32 bits --*- C++ -*-===//
//
// ONNX computes shapes, ids and indices in 64 bits, the machine in 32. A sum or
// product may leave these, and would wrap without a word. What cannot be proven
// to stay within is for the host, which has 64 bits; unless nobody reads more
// than the lower 32 bits, for which those of the operands are enough: positions
// of a Gather, where others are no positions, and what is cast to 32 bits.
//
//===----------------------------------------------------------------------===//

#ifndef WEFT_PASSES_QUANTIZE_INTEGERRANGES_H
#define WEFT_PASSES_QUANTIZE_INTEGERRANGES_H

#include "dialects/Refusal.h"
#include "passes/quantize/ValueRanges.h"

#include "mlir/IR/Block.h"
#include "llvm/ADT/DenseSet.h"

namespace weft::quantize {

/// Intervals of the integers and bools of a graph in the top dialect. Inputs
/// are what 32 bits hold: whoever runs a program checks them.
class IntegerRanges {
public:
  /// Reads the constants of `block`, whose bytes may be released then.
  explicit IntegerRanges(mlir::Block &block);

  /// Why the machine cannot compute `op` in 32 bits, if its operands or results
  /// are of 64 and may not fit.
  std::optional<Refusal> refusal(mlir::Operation *op) const;
  /// The host computes `op`, whoever refused it: its results have all bits, and
  /// are checked where they go back to the machine.
  void noteOnHost(mlir::Operation *op) {
    onHost.insert(op->result_begin(), op->result_end());
  }

private:
  /// Notes what is known of the integer `value`.
  void note(mlir::Value value);
  /// Of an element that is no integer: everything.
  Interval of(mlir::Value value) const;
  Interval derived(mlir::Value value);
  /// Of integers made of `value`, whose elements are floats.
  std::optional<Interval> truncated(mlir::Value value);
  bool fits(mlir::Value value) const;
  /// Whether `use` takes the value as a position in a table, or as a part of
  /// one.
  bool isPosition(mlir::OpOperand &use) const;
  /// Whether `use` reads no more than the lower 32 bits.
  bool isLow(mlir::OpOperand &use) const;

  llvm::DenseSet<mlir::Value> onHost, positions;
  /// Values of 64 bits of which nobody reads more than the lower 32.
  llvm::DenseSet<mlir::Value> low;
  llvm::DenseMap<mlir::Value, Interval> known;
  /// Of floats that integers are made of, what is proven.
  ValueRanges reals{nullptr};
};

} // namespace weft::quantize

#endif // WEFT_PASSES_QUANTIZE_INTEGERRANGES_H
