//===- ShapeRanges.h - the shapes that a model is compiled for --*- C++ -*-===//

#ifndef WEFT_TOOLS_DRIVER_SHAPERANGES_H
#define WEFT_TOOLS_DRIVER_SHAPERANGES_H

#include "runtime/status/Status.h"

#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace weft::driver {

/// Sizes of inputs by name (`--shape x=1x3x48x192`), of a named dimension, and
/// the number of tensors of a sequence (onnx::ImportOptions::shapes).
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
/// .., b), in parentheses or not. Words stand for what has no sizes: `scalar`,
/// `empty` (a sequence without tensors) and `none` (onnx::kAbsentInput).
/// Code::InvalidArgument quotes a value that is none of these.
rt::Result<ShapeRanges> parseShapeRanges(const std::vector<std::string> &texts,
                                         const std::string &batch = "");

/// The text of a --shape that gives `shape`.
std::string shapeOption(const std::string &name,
                        const std::vector<int64_t> &shape);

/// Every combination of the axes' sizes, ascending along each axis: the first
/// is the smallest. Code::InvalidArgument if there are more than kMaxStages.
rt::Result<std::vector<InputShapes>> shapesOf(const ShapeRanges &ranges);

/// Code::InvalidArgument unless programs for all of `shapes`, which hold all
/// inputs, have the same inputs: of a sequence the same number of tensors.
rt::Status checkSameInputs(const std::vector<InputShapes> &shapes);

} // namespace weft::driver

#endif // WEFT_TOOLS_DRIVER_SHAPERANGES_H
