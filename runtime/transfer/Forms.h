//===- Forms.h - the ways to describe a transfer --------------*- C++ -*-===//
//
// Internal to runtime/transfer.
//
//===----------------------------------------------------------------------===//

#ifndef WEFT_RUNTIME_TRANSFER_FORMS_H
#define WEFT_RUNTIME_TRANSFER_FORMS_H

#include "runtime/transfer/Transfer.h"

#include <functional>
#include <optional>

namespace weft::transfer {

/// One axis: how many elements, and how far apart (in elements) they lie on
/// either side.
struct Axis {
  int64_t size = 1, from = 1, to = 1;
};

/// A transfer as axes: `channel` is the axis that walks the lanes (size 1 if
/// neither side is local; its stride in local memory is that between rounds of
/// lanes), `axes` are the others without those of size 1.
struct Axes {
  unsigned elementBytes = 1;
  Place from, to;
  Axis channel;
  std::vector<Axis> axes;

  bool isLoad() const { return to.isLocal && !from.isLocal; }
  bool isStore() const { return from.isLocal && !to.isLocal; }
};

/// Without axes of one element, neighbours merged that are one run on both
/// sides.
std::vector<Axis> mergedAxes(std::vector<Axis> axes);

/// Cuts axes of more than `limit` elements into an outer and an inner one.
/// False if a length has no fitting divisor.
bool fitLengths(std::vector<Axis> &axes, int64_t limit);

using Visit = std::function<void(std::vector<Command>)>;

/// The axes of a transfer, neighbours merged where both sides allow it.
/// std::nullopt between two places of local memory, whose lanes need not agree.
std::optional<Axes> axesOf(const Transfer &transfer);

/// The same bytes as fewer and wider elements, where sizes, strides and
/// addresses allow it.
std::optional<Axes> widened(const Axes &axes);

/// Every way to give the axes to n, c, h, w of a tensor command.
void eachTensorForm(const Axes &axes, const Chip &chip, const Visit &visit);

/// Rows of DRAM that the lanes cut into channels, as they are or transposed.
void eachMatrixForm(const Axes &axes, const Chip &chip, const Visit &visit);

} // namespace weft::transfer

#endif // WEFT_RUNTIME_TRANSFER_FORMS_H
