//===- Decision.h - what passes decided, and why ----------------*- C++ -*-===//
//
// Passes write decisions on ops as attributes, --tpu-list-decisions lists them
// for the file.
//
//===----------------------------------------------------------------------===//

#ifndef WEFT_DIALECTS_TPU_DECISION_H
#define WEFT_DIALECTS_TPU_DECISION_H

#include "dialects/tpu/Attributes.h"

namespace weft::tpu {

/// Discardable attribute of a group, or of an op that could be in one: why the
/// ops behind it are not in the same one (#tpu.cause).
inline constexpr llvm::StringLiteral kBorderAttr = "tpu.border";
/// Units that the search of programs (-O3) writes. On an op: a group begins
/// with it, for --tpu-group-layers.
inline constexpr llvm::StringLiteral kBeginsGroupAttr = "tpu.begins_group";
/// On a group, for --tpu-place-local: the largest load begins as early as it
/// can, not the one that is wanted first.
inline constexpr llvm::StringLiteral kLargestLoadFirstAttr =
    "tpu.largest_load_first";
/// The same: what is stored makes room at once, even if nobody needs it.
inline constexpr llvm::StringLiteral kStoresAtOnceAttr = "tpu.stores_at_once";
/// On a group of several slices, by --tpu-keep-values: what it puts together
/// for the group behind lies from byte 0 on.
inline constexpr llvm::StringLiteral kWholesFirstAttr = "tpu.wholes_first";
/// On a group: the cycles that the search for groups expects it to take, i64.
inline constexpr llvm::StringLiteral kCyclesAttr = "tpu.cycles";
/// Discardable attribute of an op or function: an array of #tpu.choice.
inline constexpr llvm::StringLiteral kChoicesAttr = "tpu.choices";
/// Discardable attribute of a function or ppl.net: #tpu.decisions.
inline constexpr llvm::StringLiteral kDecisionsAttr = "tpu.decisions";

/// The ONNX nodes that `op` stands for: its location, but none for what Weft
/// makes for the whole function, which is located where the file lies.
mlir::LocationAttr originOf(mlir::Operation *op);

/// `op` in the way of a group.
CauseAttr causeAt(mlir::Operation *op, rt::Cause cause, int64_t asked = 0,
                  int64_t limit = 0);

/// Why `op`, which is in no group, could be in none.
CauseAttr causeInDram(mlir::Operation *op);

/// One way to answer a question.
struct Way {
  std::string name;
  std::optional<int64_t> price; ///< none: it cannot be
};

/// Writes on `op` that way number `taken` was taken.
void addChoice(mlir::Operation *op, rt::Question question,
               llvm::ArrayRef<Way> ways, size_t taken);

/// Puts `choices`, #tpu.choice each, before those in the #tpu.decisions of
/// `op`.
void addChoices(mlir::Operation *op, mlir::ArrayAttr choices);

} // namespace weft::tpu

#endif // WEFT_DIALECTS_TPU_DECISION_H
