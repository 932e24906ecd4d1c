//===- Box.cpp - rectangular pieces of a 4-D tensor -----------------------===//

#include "dialects/tpu/Box.h"

#include <algorithm>

using namespace weft::tpu;

bool Box::contains(const Box &other) const {
  for (unsigned axis = 0; axis < 4; ++axis)
    if (other.offset[axis] < offset[axis] || other.end(axis) > end(axis))
      return false;
  return true;
}

int64_t weft::tpu::elementOffset(const Dims &steps, const Box &box) {
  int64_t offset = 0;
  for (unsigned axis = 0; axis < 4; ++axis)
    offset += steps[axis] * box.offset[axis];
  return offset;
}

Box weft::tpu::hull(const Box &a, const Box &b) {
  if (a.empty())
    return b;
  if (b.empty())
    return a;
  Box result;
  for (unsigned axis = 0; axis < 4; ++axis) {
    result.offset[axis] = std::min(a.offset[axis], b.offset[axis]);
    result.size[axis] =
        std::max(a.end(axis), b.end(axis)) - result.offset[axis];
  }
  return result;
}

WindowRange weft::tpu::windowInput(const Window1D &window, int64_t outOffset,
                                   int64_t outSize, int64_t inputSize) {
  int64_t begin = outOffset * window.stride - window.padBegin;
  int64_t end = (outOffset + outSize - 1) * window.stride - window.padBegin +
                window.extent();
  int64_t clippedBegin = std::clamp<int64_t>(begin, 0, inputSize);
  int64_t clippedEnd = std::clamp<int64_t>(end, clippedBegin, inputSize);
  WindowRange range;
  range.offset = clippedBegin;
  range.size = clippedEnd - clippedBegin;
  range.padBegin = clippedBegin - begin;
  range.padEnd = end - clippedEnd;
  return range;
}

SliceRange weft::tpu::sliceOfAxis(int64_t size, int64_t count, int64_t index,
                                  int64_t granule) {
  int64_t granules = (size + granule - 1) / granule;
  int64_t each = granules / count;
  int64_t longer =
      granules % count; // the first `longer` slices hold one granule more
  int64_t begin = (index * each + std::min(index, longer)) * granule;
  int64_t length = (each + (index < longer ? 1 : 0)) * granule;
  begin = std::min(begin, size);
  return {begin, std::min(length, size - begin)};
}
