//===- ShapeRanges.cpp - the shapes that a model is compiled for ----------===//

#include "tools/driver/ShapeRanges.h"

#include "frontend/onnx/Import.h"
#include "runtime/status/Quote.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringRef.h"

using namespace weft;
using namespace weft::driver;
using rt::Code;
using rt::Result;
using rt::Status;

static Result<int64_t> parseSize(llvm::StringRef text) {
  int64_t size = 0;
  if (text.getAsInteger(10, size) || size < 1)
    return rt::fail(Code::InvalidArgument, "size " + rt::quoteName(text.str()) +
                                               " is not a positive number");
  return size;
}

/// `a..b` or `a..b:s`.
static Status parseRange(llvm::StringRef text, AxisSizes &sizes) {
  auto [range, stepText] = text.split(':');
  auto [lowText, highText] = range.split("..");
  Result<int64_t> low = parseSize(lowText), high = parseSize(highText);
  if (!low)
    return low.status();
  if (!high)
    return high.status();
  if (*low > *high)
    return rt::fail(Code::InvalidArgument, "range " +
                                               rt::quoteName(text.str()) +
                                               " ends before it begins");
  int64_t step = 0;
  if (range.size() != text.size()) {
    Result<int64_t> given = parseSize(stepText);
    if (!given)
      return given.status();
    step = *given;
  }
  // Steps of one over millions would fill the memory before they are counted.
  auto isFull = [&] { return sizes.size() > kMaxStages; };
  if (step != 0) {
    for (int64_t size = *low; size < *high && !isFull(); size += step)
      sizes.push_back(size);
  } else {
    sizes.push_back(*low);
    for (int64_t size = 1; size < *high && size <= INT64_MAX / 2; size *= 2)
      if (size > *low)
        sizes.push_back(size);
  }
  sizes.push_back(*high);
  return Status::ok();
}

static Result<AxisSizes> parseAxis(llvm::StringRef text) {
  if (text.starts_with("(") && text.ends_with(")"))
    text = text.drop_front().drop_back();
  AxisSizes sizes;
  llvm::SmallVector<llvm::StringRef> parts;
  text.split(parts, '|');
  for (llvm::StringRef part : parts) {
    if (part.contains("..")) {
      WEFT_TRY(parseRange(part, sizes));
      continue;
    }
    Result<int64_t> size = parseSize(part);
    if (!size)
      return size.status();
    sizes.push_back(*size);
  }
  llvm::sort(sizes);
  sizes.erase(llvm::unique(sizes), sizes.end());
  return sizes;
}

/// Shapes that are no sizes between 'x'.
static const std::pair<llvm::StringRef, std::vector<int64_t>> kShapeWords[] = {
    {"scalar", {}}, {"empty", {0}}, {"none", {onnx::kAbsentInput}}};

static Result<std::vector<AxisSizes>> parseAxes(llvm::StringRef text) {
  std::vector<AxisSizes> axes;
  for (const auto &[word, shape] : kShapeWords)
    if (text == word) {
      for (int64_t size : shape)
        axes.push_back({size});
      return axes;
    }
  llvm::SmallVector<llvm::StringRef> parts;
  text.split(parts, 'x');
  for (llvm::StringRef part : parts) {
    Result<AxisSizes> axis = parseAxis(part);
    if (!axis)
      return axis.status();
    axes.push_back(*std::move(axis));
  }
  return axes;
}

std::string driver::shapeOption(const std::string &name,
                                const std::vector<int64_t> &shape) {
  for (const auto &[word, sizes] : kShapeWords)
    if (shape == sizes)
      return name + "=" + word.str();
  std::string text;
  for (int64_t size : shape)
    text += (text.empty() ? "" : "x") + std::to_string(size);
  return name + "=" + text;
}

Result<ShapeRanges>
driver::parseShapeRanges(const std::vector<std::string> &texts,
                         const std::string &batch) {
  ShapeRanges ranges;
  if (!batch.empty()) {
    Result<AxisSizes> sizes = parseAxis(batch);
    if (!sizes)
      return rt::fail(Code::InvalidArgument,
                      "--batch " + rt::quoteName(batch) + ": " +
                          sizes.status().message() +
                          "; write a number, or several as 1..8 or (1|2|4)");
    ranges[onnx::kBatchKey] = {*std::move(sizes)};
  }
  for (const std::string &text : texts) {
    auto bad = [&](const std::string &why) {
      return rt::fail(Code::InvalidArgument,
                      "--shape " + rt::quoteName(text) + ": " + why +
                          "; write NAME=AxBx.., for example x=1x3x48x192 or "
                          "x=1..8x3x48x(64..640:64)");
    };
    // Names may hold '=', sizes cannot.
    auto [name, sizes] = llvm::StringRef(text).rsplit('=');
    if (name.empty() || name.size() == text.size())
      return bad("no name before '='");
    Result<std::vector<AxisSizes>> axes = parseAxes(sizes);
    if (!axes)
      return bad(axes.status().message() +
                 (sizes == "0" ? " (a sequence without tensors is " +
                                     name.str() + "=empty)"
                               : ""));
    if (!ranges.emplace(name.str(), *std::move(axes)).second)
      return bad("given twice");
  }
  return ranges;
}

Result<std::vector<InputShapes>> driver::shapesOf(const ShapeRanges &ranges) {
  std::vector<InputShapes> all(1);
  for (const auto &[name, axes] : ranges) {
    for (InputShapes &shapes : all)
      shapes[name];
    for (const AxisSizes &axis : axes) {
      if (all.size() * axis.size() > kMaxStages)
        return rt::fail(
            Code::InvalidArgument,
            "--shape and --batch ask for more than " +
                std::to_string(kMaxStages) +
                " combinations of sizes, each compiled as a stage of its own; "
                "take fewer or larger steps (a..b:step or a|b|c), or write "
                "several files");
      std::vector<InputShapes> longer;
      for (const InputShapes &shapes : all)
        for (int64_t size : axis) {
          longer.push_back(shapes);
          longer.back()[name].push_back(size);
        }
      all = std::move(longer);
    }
  }
  return all;
}

rt::Status driver::checkSameInputs(const std::vector<InputShapes> &shapes) {
  for (const InputShapes &other : shapes)
    for (const auto &[name, shape] : shapes.front())
      if (other.size() != shapes.front().size() || !other.count(name))
        return rt::fail(Code::InvalidArgument,
                        "the stages of one file have the same inputs, and "
                        "these shapes make " +
                            std::to_string(shapes.front().size()) + " and " +
                            std::to_string(other.size()) +
                            " of them; give one number of tensors to each "
                            "sequence, or write several files");
  return Status::ok();
}
