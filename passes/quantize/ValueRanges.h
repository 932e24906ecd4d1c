//===- ValueRanges.h - between which numbers values lie ---------*- C++ -*-===//

#ifndef WEFT_PASSES_QUANTIZE_VALUERANGES_H
#define WEFT_PASSES_QUANTIZE_VALUERANGES_H

#include "passes/quantize/Calibration.h"

#include "mlir/IR/Value.h"
#include "llvm/ADT/DenseMap.h"

#include <optional>

namespace weft::quantize {

/// All finite numbers of a tensor lie in it; the ends may be infinite.
struct Interval {
  double low, high;

  /// The larger magnitude of the two ends.
  double magnitude() const;
  /// Of both.
  Interval joined(Interval other) const;
  /// Of products of a number of this and one of `other`.
  Interval times(Interval other) const;
  /// Everything.
  static Interval unbounded();
  /// From the smallest to the largest of `ends`; everything if one of them is
  /// undefined (0 times infinity).
  static Interval around(std::initializer_list<double> ends);
};

/// Intervals of the values of a graph in the top dialect: of named values what
/// calibration saw, with room for what it did not see; of others what follows
/// from their operands by interval arithmetic. Infinities in constants (masks)
/// do not count.
class ValueRanges {
public:
  /// Other inputs than those of the calibration may reach so many times as far.
  static constexpr double kRoom = 2;

  /// `table` outlives the ranges; null or without entries: only what follows
  /// from constants and from the functions themselves is known.
  explicit ValueRanges(const CalibrationTable *table) : table(table) {}

  /// std::nullopt if nothing is known.
  std::optional<Interval> of(mlir::Value value);
  /// Whoever asks knows `interval` of `value`.
  void note(mlir::Value value, Interval interval) { known[value] = interval; }
  /// The range of `value` that the table has, without room.
  const CalibrationEntry *calibrated(mlir::Value value) const;

private:
  std::optional<Interval> derived(mlir::Value value);

  const CalibrationTable *table;
  llvm::DenseMap<mlir::Value, std::optional<Interval>> known;
};

} // namespace weft::quantize

#endif // WEFT_PASSES_QUANTIZE_VALUERANGES_H
