//===- Window.cpp - strides and pads of convolutions and pools ------------===//

#include "frontend/onnx/Window.h"

using namespace mlir;
using namespace weft::onnx;

/// Larger values are mistakes; the limit keeps the arithmetic below in range.
constexpr int64_t kMaxSize = int64_t(1) << 31;

static LogicalResult checkSizes(NodeImporter &n, StringRef name,
                                ArrayRef<int64_t> values) {
  for (size_t i = 0; i < values.size(); ++i)
    if (values[i] >= kMaxSize)
      return n.error() << name << "[" << i << "] is " << values[i]
                       << ", must be below " << kMaxSize;
  return success();
}

FailureOr<Window> weft::onnx::readWindow(NodeImporter &n,
                                         ArrayRef<int64_t> input,
                                         ArrayRef<int64_t> kernel) {
  int64_t axes = input.size();
  auto strides = n.intsAttribute("strides", axes, 1, 1);
  auto dilations = n.intsAttribute("dilations", axes, 1, 1);
  auto pads = n.intsAttribute("pads", 2 * axes, 0, 0);
  auto autoPad = n.wordAttribute(
      "auto_pad", "NOTSET", {"NOTSET", "VALID", "SAME_UPPER", "SAME_LOWER"});
  auto ceilMode = n.flagAttribute("ceil_mode", false);
  if (failed(strides) || failed(dilations) || failed(pads) || failed(autoPad) ||
      failed(ceilMode) || failed(checkSizes(n, "strides", *strides)) ||
      failed(checkSizes(n, "dilations", *dilations)) ||
      failed(checkSizes(n, "pads", *pads)) ||
      failed(checkSizes(n, "kernel_shape", kernel)))
    return failure();
  if (*autoPad != "NOTSET" && llvm::any_of(*pads, [](int64_t p) { return p; }))
    return n.error() << "auto_pad is " << *autoPad
                     << " and pads are given, too; use one of them";

  Window window{SmallVector<int64_t>(kernel), *strides, *dilations, *pads,
                SmallVector<int64_t>(axes, 0)};
  for (int64_t axis = 0; axis < axes; ++axis) {
    int64_t stride = window.strides[axis];
    int64_t extent = window.dilations[axis] * (kernel[axis] - 1) + 1;
    int64_t &begin = window.pads[axis], &end = window.pads[axes + axis];
    if (StringRef(*autoPad).starts_with("SAME")) {
      int64_t outputs = (input[axis] + stride - 1) / stride;
      int64_t total =
          std::max<int64_t>(0, (outputs - 1) * stride + extent - input[axis]);
      begin = *autoPad == "SAME_LOWER" ? total - total / 2 : total / 2;
      end = total - begin;
    }
    int64_t padded = input[axis] + begin + end;
    if (!*ceilMode || padded < extent)
      continue;
    int64_t outputs = (padded - extent + stride - 1) / stride + 1;
    // A window that would start in the padding at the end is left out.
    if ((outputs - 1) * stride >= input[axis] + begin)
      --outputs;
    int64_t extra = (outputs - 1) * stride + extent - padded;
    if (extra > 0) {
      end += extra;
      window.added[axis] = extra;
    }
  }
  return window;
}
