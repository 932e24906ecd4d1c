//===- ShapeRanges.h - the shapes that a model is compiled for --*- C++ -*-===//

#ifndef WEFT_TOOLS_DRIVER_SHAPERANGES_H
#define WEFT_TOOLS_DRIVER_SHAPERANGES_H

#include "runtime/status/Status.h"

#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace weft::driver {

/// Sizes of inputs by name (`--shape x=1x3x48x192`), or of a named dimension.
using InputShapes = std::map<std::string, std::vector<int64_t>>;

/// The sizes of every axis, ascending: `--shape x=1..8x3x48x(64..640:64)`.
using AxisSizes = std::vector<int64_t>;
using ShapeRanges = std::map<std::string, std::vector<AxisSizes>>;

/// Stages of one bmodel. Each is compiled on its own; more than this is a
/// mistake more often than a wish.
inline constexpr size_t kMaxStages = 64;

/// The values of --shape, and of --batch (or ""), which is a size like those of
/// an axis and gets the key onnx::kBatchKey. An axis is a size, a list `a|b|c`,
/// a range `a..b` (a, the powers of two between, b) or a range with a step
/// `a..b:s` (a, a + s
/// .., b), in parentheses or not. Code::InvalidArgument quotes a value that is
/// none of these.
rt::Result<ShapeRanges> parseShapeRanges(const std::vector<std::string> &texts,
                                         const std::string &batch = "");

/// Every combination of the axes' sizes, ascending along each axis: the first
/// is the smallest. Code::InvalidArgument if there are more than kMaxStages.
rt::Result<std::vector<InputShapes>> shapesOf(const ShapeRanges &ranges);

} // namespace weft::driver

#endif // WEFT_TOOLS_DRIVER_SHAPERANGES_H
