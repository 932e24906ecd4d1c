//===- Axes.cpp - a transfer as axes --------------------------------------===//

#include "runtime/transfer/Forms.h"

#include <algorithm>

using namespace weft;
using namespace weft::transfer;

/// Whether `inner` continues where `outer` steps, on both sides.
static bool nests(const Axis &outer, const Axis &inner) {
  return outer.from == inner.from * inner.size &&
         outer.to == inner.to * inner.size;
}

/// Joins axes as long as two of them are one run on both sides.
static void merge(std::vector<Axis> &axes) {
  for (size_t i = 0; i < axes.size(); ++i)
    for (size_t j = 0; j < axes.size(); ++j)
      if (i != j && nests(axes[i], axes[j])) {
        axes[j].size *= axes[i].size;
        axes.erase(axes.begin() + i);
        merge(axes);
        return;
      }
}

std::vector<Axis> transfer::mergedAxes(std::vector<Axis> axes) {
  axes.erase(std::remove_if(axes.begin(), axes.end(),
                            [](const Axis &axis) { return axis.size == 1; }),
             axes.end());
  merge(axes);
  return axes;
}

std::optional<Axes> transfer::axesOf(const Transfer &transfer) {
  const Side &from = transfer.from, &to = transfer.to;
  if (from.place.isLocal && to.place.isLocal)
    return std::nullopt;
  Axes result;
  result.elementBytes = transfer.elementBytes;
  result.from = from.place;
  result.to = to.place;
  bool hasLanes = from.place.isLocal || to.place.isLocal;
  for (unsigned i = 0; i < 4; ++i) {
    Axis axis{transfer.shape[i], from.strides[i], to.strides[i]};
    if (i == 1 && hasLanes)
      result.channel = axis;
    else
      result.axes.push_back(axis);
  }
  result.axes = mergedAxes(std::move(result.axes));
  return result;
}

std::optional<Axes> transfer::widened(const Axes &axes) {
  Axes wide = axes;
  bool hasRun = false;
  auto isEven = [](const Axis &axis) {
    return axis.size == 1 || (axis.from % 2 == 0 && axis.to % 2 == 0);
  };
  if (axes.elementBytes >= 4 || !isEven(axes.channel))
    return std::nullopt;
  unsigned bytes = axes.elementBytes * 2;
  if (axes.from.address % bytes || axes.to.address % bytes)
    return std::nullopt;
  wide.elementBytes = bytes;
  wide.channel.from /= 2;
  wide.channel.to /= 2;
  for (Axis &axis : wide.axes) {
    if (axis.from == 1 && axis.to == 1 && axis.size % 2 == 0) {
      axis.size /= 2;
      hasRun = true;
      continue;
    }
    if (!isEven(axis))
      return std::nullopt;
    axis.from /= 2;
    axis.to /= 2;
  }
  return hasRun ? std::optional(wide) : std::nullopt;
}
