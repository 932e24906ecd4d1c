//===- LineView.h - 4-D views with whole lines in a lane --------*- C++ -*-===//
//
// An op that mixes the elements along one axis (a reduction, softmax, running
// sums) sees its operand as outer x size x inner. The chip combines elements
// that lie in one lane, so one of these views n,c,h,w is chosen; only of long
// lines pieces lie over the lanes (`lineFormOf`):
//
//   inner 1:  n, c, 1, size   lines along w, outer = n x c
//             1, c, h, size   of short lines several behind each other
//   outer 1:  size, c, 1, w   planes along n, inner = c x w over the lanes
//   else:     n, c, size, inner
//
//===----------------------------------------------------------------------===//

#ifndef WEFT_PASSES_QUANTIZE_LINEVIEW_H
#define WEFT_PASSES_QUANTIZE_LINEVIEW_H

#include "passes/quantize/Lowering.h"

#include "mlir/IR/Value.h"
#include "mlir/Support/LLVM.h"
#include "llvm/ADT/SmallVector.h"

#include <cstdint>
#include <optional>

namespace weft {
struct Chip;
}

namespace weft::quantize {

/// A tensor as outer x size x inner.
struct Around {
  int64_t outer = 1, size = 1, inner = 1;

  Around(int64_t outer, int64_t size, int64_t inner)
      : outer(outer), size(size), inner(inner) {}
  /// `shape` around `axis`.
  Around(llvm::ArrayRef<int64_t> shape, int64_t axis);
};

/// A 4-D view of as many elements, and the axis that `size` lies on.
struct LineView {
  llvm::SmallVector<int64_t, 4> shape;
  int64_t axis;
};

/// Sizes of one command.
constexpr int64_t kLargestAxis = 65535;

/// About what the DMA engine takes to store `bytes` and to load them again.
int64_t roundTripCycles(int64_t bytes, const Chip &chip);

/// What lines cost that an op mixes.
struct LineCost {
  /// Of local memory for each element: its operand and result twice (two
  /// slices at a time) and the scratch of the op.
  int64_t bytesPerElement;
  /// Of the TIU for a row of EUs, about: only compared with those of transfers.
  int64_t rowCycles;
  /// Whether the result has whole lines too, else one element of each.
  bool givesLines;
};
constexpr LineCost kReduceLine{11, 2, false}, kSoftmaxLine{34, 31, true},
    kArgReduceLine{20, 8, false}, kCumulativeLine{20, 4, true};

/// The view in which a lane holds whole lines; std::nullopt if they are too
/// long for it or sizes have no factors that fit a command.
std::optional<LineView> lineView(const Around &around, const LineCost &cost,
                                 const Chip &chip);

/// The same for axis `axis` of a top tensor of `shape`. The standard view
/// (`foldShape`) is preferred unless it leaves so many lanes idle that a way
/// through DRAM costs less: ops in one view can share a group.
std::optional<LineView> lineViewOf(llvm::ArrayRef<int64_t> shape, int64_t axis,
                                   const LineCost &cost, const Chip &chip);

/// How an op lies that combines whole lines.
struct LineForm {
  LineView view;
  /// A line is all of c and w, in equal pieces over the lanes.
  bool overLanes;
  /// The input is read as (outer, inner, size), and so is a result of lines.
  bool isTurned;
};

/// The cheapest form of `input`, a top value, with lines along `axis`: in its
/// view (`lineViewOf`), where other ops may have made it, over the lanes, or
/// turned before. std::nullopt if lines have no factors that fit.
std::optional<LineForm> lineFormOf(mlir::Value input, int64_t axis,
                                   const LineCost &cost, const Chip &chip);

/// `input`, a top value that `op` reads, as this form has it; of `element`.
Answer<mlir::Value> linesOf(mlir::Operation *op, mlir::Value input,
                            int64_t axis, const LineForm &form,
                            mlir::Type element, Lowering &lowering);

/// A result of whole lines in the order of `output`.
mlir::Value turnedBack(mlir::Value output, int64_t axis, const LineForm &form,
                       mlir::Value result, Lowering &lowering);

} // namespace weft::quantize

#endif // WEFT_PASSES_QUANTIZE_LINEVIEW_H
