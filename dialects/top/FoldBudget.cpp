//===- FoldBudget.cpp - what constant folding may take --------------------===//

#include "dialects/top/FoldBudget.h"

#include "dialects/HostCall.h"
#include "dialects/top/Conv.h"
#include "dialects/top/MatMul.h"
#include "dialects/top/Pool.h"

#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace weft;
using namespace weft::top;
using llvm::SaturatingAdd;
using llvm::SaturatingMultiply;

/// What a model may have folded however small it is: masks and tables of
/// positions of large models are 64 MB (4096 x 4096 in f32). Results and
/// operands at a time, and their copies in wider types, stay below a gigabyte.
static constexpr uint64_t kFreeBytes = uint64_t(256) << 20;
/// A weight is cast, transposed and sliced a few times at most; one of 4 bits
/// is half a byte of the file, and 4 bytes of each result.
static constexpr uint64_t kBytesPerByte = 32;
/// Networks without their weights (the light models of ONNX, 40 to 900 nodes)
/// fill them with one number: a layer of 411 MB among 84 nodes. That takes no
/// memory before it is written, then about three times its bytes.
static constexpr uint64_t kFilledPerNode = uint64_t(16) << 20;
static constexpr uint64_t kMostFilled = uint64_t(1) << 30;
/// Operations, each about a nanosecond: some seconds.
static constexpr uint64_t kFreeWork = uint64_t(1) << 32;
/// Products of two matrices that are merged into weights (LoRA) have ranks of
/// up to 256 for each element of 2 or 4 bytes.
static constexpr uint64_t kWorkPerByte = 512;

FoldBudget::FoldBudget(uint64_t ownBytes, uint64_t nodes)
    : limitBytes(SaturatingAdd(kFreeBytes,
                               SaturatingMultiply(ownBytes, kBytesPerByte))),
      limitFilled(std::max(
          limitBytes,
          std::min(kMostFilled,
                   SaturatingAdd(kFreeBytes,
                                 SaturatingMultiply(nodes, kFilledPerNode))))),
      limitWork(SaturatingAdd(kFreeWork,
                              SaturatingMultiply(ownBytes, kWorkPerByte))) {}

/// The largest number of elements of a value.
static uint64_t elementsOf(Value value) {
  auto type = dyn_cast<RankedTensorType>(value.getType());
  std::optional<SmallVector<int64_t>> shape;
  if (type)
    shape = largestShape(type);
  if (!shape)
    return UINT64_MAX;
  uint64_t elements = 1;
  for (int64_t size : *shape)
    elements = SaturatingMultiply(elements, uint64_t(size));
  return elements;
}

static uint64_t bytesOf(Value value) {
  Type element = cast<RankedTensorType>(value.getType()).getElementType();
  std::optional<numeric::ElementType> type = hostElementType(element);
  return SaturatingMultiply(elementsOf(value),
                            uint64_t(type ? numeric::elementBytes(*type) : 8));
}

/// Operations for each element of the result, beside reading and writing.
static uint64_t workPerResult(Operation *op) {
  if (auto product = dyn_cast<MatMulOp>(op)) {
    RankedTensorType lhs = product.getLhs().getType();
    return 2 * uint64_t(lhs.getRank() ? lhs.getShape().back() : 1);
  }
  if (auto conv = dyn_cast<ConvOp>(op)) {
    RankedTensorType filter = conv.getFilter().getType();
    return 4 * uint64_t(filter.getNumElements() /
                        std::max<int64_t>(filter.getDimSize(0), 1));
  }
  if (auto pool = dyn_cast<PoolOp>(op)) {
    uint64_t window = 4;
    for (int64_t size : pool.getKernel())
      window = SaturatingMultiply(window, uint64_t(size));
    return window;
  }
  return 0;
}

bool FoldBudget::takeBytes(uint64_t bytes) {
  if (SaturatingAdd(madeBytes, bytes) > limitBytes)
    return false;
  madeBytes += bytes;
  return true;
}

bool FoldBudget::takeFilled(uint64_t bytes) {
  if (SaturatingAdd(filledBytes, bytes) > limitFilled)
    return false;
  filledBytes += bytes;
  return true;
}

bool FoldBudget::take(Operation *op) {
  uint64_t readBytes = 0, writtenBytes = 0, elements = 0, results = 0;
  for (Value operand : op->getOperands()) {
    readBytes = SaturatingAdd(readBytes, bytesOf(operand));
    elements = SaturatingAdd(elements, elementsOf(operand));
  }
  for (Value result : op->getResults()) {
    writtenBytes = SaturatingAdd(writtenBytes, bytesOf(result));
    results = SaturatingAdd(results, elementsOf(result));
  }
  elements = SaturatingAdd(elements, results);
  // Kernels walk elements by strides and in f64, functions take tens of
  // nanoseconds.
  constexpr uint64_t kPerElement = 16;
  uint64_t work = SaturatingMultiply(elements, kPerElement);
  work = SaturatingAdd(work, SaturatingMultiply(results, workPerResult(op)));
  StringRef kernel = hostKernelName(op);
  // Nothing tells how long a loop runs; a known branch was chosen before.
  if (kernel == "loop" || kernel == "if_else")
    return false;
  // Some kernels compare all pairs (non_max_suppression), eliminate (det), or
  // go through a pattern for each byte (string_match).
  if (kernel == "non_max_suppression" || kernel == "det" ||
      kernel == "roi_align" || kernel == "max_roi_pool" || kernel == "tf_idf" ||
      kernel == "string_match")
    work = SaturatingMultiply(work, elements);
  if (SaturatingAdd(readBytes, writtenBytes) > limitBytes ||
      SaturatingAdd(doneWork, work) > limitWork || !takeBytes(writtenBytes))
    return false;
  doneWork += work;
  return true;
}
