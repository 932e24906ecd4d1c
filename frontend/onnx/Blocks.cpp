//===- Blocks.cpp - ONNX rows that move blocks of pixels ------------------===//

#include "frontend/onnx/Compose.h"
#include "frontend/onnx/OpRows.h"

using namespace mlir;
using namespace weft;
using namespace weft::onnx;

namespace {
/// Operand 0, of rank 4, and how it is cut.
struct PixelBlocks {
  Value input;
  int64_t size;
  /// Where the block's number is taken from: the outer channels (DCR, before
  /// opset 11 the only mode), or the inner ones (CRD, of SpaceToDepth since
  /// 28).
  bool outerChannels;
};
} // namespace

static FailureOr<PixelBlocks> readBlocks(NodeImporter &n) {
  FailureOr<Value> operand = n.operand(0);
  FailureOr<int64_t> size = n.intAttribute("blocksize", 0, 1, 1 << 20);
  auto mode = n.wordAttribute("mode", "DCR", {"DCR", "CRD"});
  if (failed(operand) || failed(size) || failed(mode))
    return failure();
  ArrayRef<int64_t> shape = n.typeOf(*operand).getShape();
  if (shape.size() != 4)
    return n.error() << "the input has the shape " << formatShape(shape)
                     << ", must have rank 4";
  return PixelBlocks{*operand, *size, *mode == "DCR"};
}

/// DepthToSpace-1..: channels become blocks of pixels.
static LogicalResult importDepthToSpace(NodeImporter &n) {
  FailureOr<PixelBlocks> blocks = readBlocks(n);
  if (failed(blocks))
    return failure();
  int64_t block = blocks->size;
  ArrayRef<int64_t> shape = n.typeOf(blocks->input).getShape();
  if (shape[1] % (block * block))
    return n.error() << "the input has " << shape[1]
                     << " channels, must be a multiple of blocksize^2, "
                     << block * block;
  int64_t channels = shape[1] / (block * block);
  Compose c(n);
  SmallVector<int64_t> split, perm,
      result{shape[0], channels, shape[2] * block, shape[3] * block};
  if (blocks->outerChannels) {
    split = {shape[0], block, block, channels, shape[2], shape[3]};
    perm = {0, 3, 4, 1, 5, 2};
  } else {
    split = {shape[0], channels, block, block, shape[2], shape[3]};
    perm = {0, 1, 4, 2, 5, 3};
  }
  return c.finish(
      c.reshape(c.transpose(c.reshape(blocks->input, split), perm), result));
}

/// SpaceToDepth-1..: blocks of pixels become channels.
static LogicalResult importSpaceToDepth(NodeImporter &n) {
  FailureOr<PixelBlocks> blocks = readBlocks(n);
  if (failed(blocks))
    return failure();
  int64_t block = blocks->size;
  ArrayRef<int64_t> shape = n.typeOf(blocks->input).getShape();
  if (shape[2] % block || shape[3] % block)
    return n.error() << "the input has the shape " << formatShape(shape)
                     << "; height and width must be multiples of blocksize, "
                     << block;
  int64_t high = shape[2] / block, wide = shape[3] / block;
  Compose c(n);
  Value split =
      c.reshape(blocks->input, {shape[0], shape[1], high, block, wide, block});
  SmallVector<int64_t> perm{0, 3, 5, 1, 2, 4};
  if (!blocks->outerChannels)
    perm = {0, 1, 3, 5, 2, 4};
  return c.finish(c.reshape(c.transpose(split, perm),
                            {shape[0], shape[1] * block * block, high, wide}));
}

/// CenterCropPad-18: the middle of the listed axes, cut or padded with zeros.
static LogicalResult importCenterCropPad(NodeImporter &n) {
  FailureOr<Value> input = n.operand(0);
  auto sizes = n.constantInts(1, "shape");
  if (failed(input) || failed(sizes))
    return failure();
  ArrayRef<int64_t> shape = n.typeOf(*input).getShape();
  int64_t rank = shape.size();
  SmallVector<int64_t> begin(rank, 0), end(rank, 0);
  FailureOr<SmallVector<int64_t>> axes = n.axesAttribute(rank);
  if (failed(axes))
    return failure();
  if (sizes->size() != axes->size())
    return n.error() << "shape has " << sizes->size()
                     << " values, must have one for each of the "
                     << axes->size() << " axes";
  for (auto [axis, size] : llvm::zip(*axes, *sizes)) {
    if (size < 0 || size >= int64_t(1) << 31)
      return n.error() << "shape has the size " << size
                       << ", must be in 0 .. 2^31";
    // Of an odd number the end gets one more.
    int64_t change = size - shape[axis], half = std::abs(change) / 2;
    begin[axis] = change < 0 ? -half : half;
    end[axis] = change - begin[axis];
  }
  Compose c(n);
  return c.finish(c.pad(*input, begin, end, 0));
}

void weft::onnx::registerBlocksRows(OpRegistry &registry) {
  registry.add("Resize", {{"CenterCropPad", 18, kLastOpset, importCenterCropPad,
                           "constant shape"},
                          {"DepthToSpace", 1, kLastOpset, importDepthToSpace},
                          {"SpaceToDepth", 1, kLastOpset, importSpaceToDepth}});
}
