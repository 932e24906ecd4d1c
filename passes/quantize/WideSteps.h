//===- WideSteps.h - which steps 16 bits cannot hold ------------*- C++ -*-===//

#ifndef WEFT_PASSES_QUANTIZE_WIDESTEPS_H
#define WEFT_PASSES_QUANTIZE_WIDESTEPS_H

#include "passes/quantize/Calibration.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "llvm/ADT/DenseSet.h"

#include <vector>

namespace weft::quantize {

/// Steps of a graph in the top dialect that a program of 16-bit floats, or of 8
/// bits with such floats between the products, computes in f32.
struct WideSteps {
  /// All of them.
  llvm::DenseSet<mlir::Operation *> all;
  /// Those among them whose results need the digits of f32 (positions in an
  /// image, angles, numbers that become integers), so that their readers do,
  /// too. Of the others a reader may round the result.
  llvm::DenseSet<mlir::Operation *> digits;
  /// Values behind a sigmoid or another function with moderate ends, which f16
  /// holds whatever the input: that it is computed in f32 for its own sake does
  /// not make wide what it is only repeated in.
  llvm::DenseSet<mlir::Value> gates;
  /// Values that calibration saw beyond the range of f16, by graph order.
  std::vector<const CalibrationEntry *> beyondHalf;
  /// The first value, none of `all`, that grows with more than one factor of
  /// unknown size: a square or another power, or a product of two values of
  /// which none is bounded. Null: there is none. Convolutions and norms keep
  /// the sizes that training gave them; these do not.
  mlir::Value unknownGrowth;
};

/// Which steps of `func` these are:
/// * digits: floats that are rounded to whole numbers, or whose sine is taken,
///   and the elementwise steps from which they come;
/// * range (not with `hasRange`: bf16 has that of f32): what reads or gives
///   numbers beyond f16, by `table` (may be empty) and by what follows from it
///   and from constants; what grows before it is summed up, where nothing is
///   known; steps with a number that f16 rounds to 0 or to few digits.
/// `isInt8`: products with constant weights read codes, but for the ops that
/// are as in f16 programs (`top.floats`).
WideSteps findWideSteps(mlir::func::FuncOp func, const CalibrationTable &table,
                        bool hasRange, bool isInt8);

} // namespace weft::quantize

#endif // WEFT_PASSES_QUANTIZE_WIDESTEPS_H
