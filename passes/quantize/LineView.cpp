//===- LineView.cpp - 4-D views with whole lines in a lane ----------------===//

#include "passes/quantize/LineView.h"

#include "dialects/tpu/Box.h"
#include "passes/quantize/Lowering.h"
#include "runtime/chips/Chip.h"

using namespace mlir;
using namespace weft;
using namespace weft::quantize;

/// Bytes of a lane that lines may take; the rest, a bank, is for constants.
static int64_t laneRoom(const Chip &chip) {
  return chip.laneBytes - chip.laneBytes / chip.banks;
}

/// Elements of f32 in a row of a lane, which each plane along n starts anew.
static int64_t rowElements(const Chip &chip) { return chip.euBytes / 4; }

Around::Around(ArrayRef<int64_t> shape, int64_t axis) : size(shape[axis]) {
  for (int64_t before : shape.take_front(axis))
    outer *= before;
  for (int64_t after : shape.drop_front(axis + 1))
    inner *= after;
}

/// `count` as n x c with both in the range of a command and n as small as
/// possible. std::nullopt if there are no such factors.
static std::optional<std::pair<int64_t, int64_t>> splitOuter(int64_t count) {
  for (int64_t n = (count + kLargestAxis - 1) / kLargestAxis; n <= kLargestAxis;
       ++n)
    if (count % n == 0 && count / n <= kLargestAxis)
      return std::pair(n, count / n);
  return std::nullopt;
}

/// `count` as c x w: c the smallest divisor that fills the lanes.
static std::optional<std::pair<int64_t, int64_t>> splitInner(int64_t count,
                                                             int64_t lanes) {
  for (int64_t c = std::min(lanes, count); c <= std::min(count, kLargestAxis);
       ++c)
    if (count % c == 0 && count / c <= kLargestAxis)
      return std::pair(c, count / c);
  return std::nullopt;
}

std::optional<LineView> weft::quantize::lineView(const Around &around,
                                                 int64_t bytesPerElement,
                                                 const Chip &chip) {
  auto [outer, size, inner] = around;
  int64_t room = laneRoom(chip) / bytesPerElement;
  if (outer == 1 && inner > 1 && size * rowElements(chip) <= room)
    if (auto split = splitInner(inner, chip.lanes))
      return LineView{{size, split->first, 1, split->second}, tpu::kAxisN};
  auto split = splitOuter(outer);
  if (!split || size > room || inner > kLargestAxis)
    return std::nullopt;
  if (inner == 1)
    return LineView{{split->first, split->second, 1, size}, tpu::kAxisW};
  return LineView{{split->first, split->second, size, inner}, tpu::kAxisH};
}

std::optional<LineView> weft::quantize::lineViewOf(ArrayRef<int64_t> shape,
                                                   int64_t axis,
                                                   int64_t bytesPerElement,
                                                   const Chip &chip) {
  Around around(shape, axis);
  int64_t rank = shape.size(), room = laneRoom(chip) / bytesPerElement;
  if (rank == 3 || rank == 4) {
    int64_t folded = foldAxis(axis, rank);
    auto standard = foldShape(shape);
    bool inRange = llvm::all_of(
        standard, [](int64_t size) { return size <= kLargestAxis; });
    bool fillsLanes = standard[tpu::kAxisC] * 2 >= int64_t(chip.lanes) ||
                      standard[tpu::kAxisC] == around.outer;
    if (folded >= tpu::kAxisH && inRange && fillsLanes && around.size <= room)
      return LineView{standard, folded};
  }
  return lineView(around, bytesPerElement, chip);
}
