//===- Blocks.cpp - ONNX rows that move blocks of pixels ------------------===//

#include "frontend/onnx/Sample.h"

#include "frontend/onnx/Compose.h"

using namespace mlir;
using namespace weft;
using namespace weft::onnx;

/// Operand 0, of rank 4, and the attribute blocksize.
static LogicalResult readBlocks(NodeImporter &n, Value &input, int64_t &block) {
  FailureOr<Value> operand = n.operand(0);
  FailureOr<int64_t> size = n.intAttribute("blocksize", 0, 1, 1 << 20);
  if (failed(operand) || failed(size))
    return failure();
  ArrayRef<int64_t> shape = n.typeOf(*operand).getShape();
  if (shape.size() != 4)
    return n.error() << "the input has the shape " << formatShape(shape)
                     << ", must have rank 4";
  input = *operand;
  block = *size;
  return success();
}

/// DepthToSpace-1..: channels become blocks of pixels. Mode DCR (before 11 the
/// only one) takes the block's number from the outer channels, CRD from the
/// inner ones.
static LogicalResult importDepthToSpace(NodeImporter &n) {
  Value input;
  int64_t block = 1;
  auto mode = n.wordAttribute("mode", "DCR", {"DCR", "CRD"});
  if (failed(mode) || failed(readBlocks(n, input, block)))
    return failure();
  ArrayRef<int64_t> shape = n.typeOf(input).getShape();
  if (shape[1] % (block * block))
    return n.error() << "the input has " << shape[1]
                     << " channels, must be a multiple of blocksize^2, "
                     << block * block;
  int64_t channels = shape[1] / (block * block);
  Compose c(n);
  SmallVector<int64_t> split, perm,
      result{shape[0], channels, shape[2] * block, shape[3] * block};
  if (*mode == "DCR") {
    split = {shape[0], block, block, channels, shape[2], shape[3]};
    perm = {0, 3, 4, 1, 5, 2};
  } else {
    split = {shape[0], channels, block, block, shape[2], shape[3]};
    perm = {0, 1, 4, 2, 5, 3};
  }
  return c.finish(
      c.reshape(c.transpose(c.reshape(input, split), perm), result));
}

/// SpaceToDepth-1..: blocks of pixels become channels. CRD came with 28.
static LogicalResult importSpaceToDepth(NodeImporter &n) {
  Value input;
  int64_t block = 1;
  auto mode = n.wordAttribute("mode", "DCR", {"DCR", "CRD"});
  if (failed(mode) || failed(readBlocks(n, input, block)))
    return failure();
  ArrayRef<int64_t> shape = n.typeOf(input).getShape();
  if (shape[2] % block || shape[3] % block)
    return n.error() << "the input has the shape " << formatShape(shape)
                     << "; height and width must be multiples of blocksize, "
                     << block;
  int64_t high = shape[2] / block, wide = shape[3] / block;
  Compose c(n);
  Value split =
      c.reshape(input, {shape[0], shape[1], high, block, wide, block});
  SmallVector<int64_t> perm{0, 3, 5, 1, 2, 4};
  if (*mode == "CRD")
    perm = {0, 1, 3, 5, 2, 4};
  return c.finish(c.reshape(c.transpose(split, perm),
                            {shape[0], shape[1] * block * block, high, wide}));
}

/// CenterCropPad-18: the middle of the listed axes, cut or padded with zeros.
static LogicalResult importCenterCropPad(NodeImporter &n) {
  FailureOr<Value> input = n.operand(0);
  auto sizes = n.constantInts(1, "shape");
  auto listed = n.intsAttribute("axes", -1, 0);
  if (failed(input) || failed(sizes) || failed(listed))
    return failure();
  ArrayRef<int64_t> shape = n.typeOf(*input).getShape();
  int64_t rank = shape.size();
  SmallVector<int64_t> axes, begin(rank, 0), end(rank, 0);
  for (int64_t axis : *listed) {
    FailureOr<int64_t> normal = n.normalizeAxis(axis, rank);
    if (failed(normal))
      return failure();
    axes.push_back(*normal);
  }
  if (!n.hasAttribute("axes"))
    for (int64_t axis = 0; axis < rank; ++axis)
      axes.push_back(axis);
  if (sizes->size() != axes.size())
    return n.error() << "shape has " << sizes->size()
                     << " values, must have one for each of the " << axes.size()
                     << " axes";
  for (auto [axis, size] : llvm::zip(axes, *sizes)) {
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

std::vector<OpRow> weft::onnx::blockRows() {
  return {
      {"CenterCropPad", 18, kLastOpset, importCenterCropPad, "constant shape"},
      {"DepthToSpace", 1, kLastOpset, importDepthToSpace},
      {"SpaceToDepth", 1, kLastOpset, importSpaceToDepth}};
}
