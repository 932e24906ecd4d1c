//===- Constants.cpp - lanes of constant vectors and masks ---------------===//

#include "dialects/zhouyi/Constants.h"

#include "mlir/IR/Builders.h"
#include "mlir/IR/Matchers.h"

#include <cstring>

using namespace mlir;
using namespace weft;

std::vector<uint8_t> zhouyi::bytesOf(DenseElementsAttr vector) {
  ArrayRef<char> raw = vector.getRawData();
  std::vector<uint8_t> bytes(raw.begin(), raw.end());
  if (vector.isSplat())
    for (int64_t copy = 1; copy < vector.getNumElements(); ++copy)
      bytes.insert(bytes.end(), raw.begin(), raw.end());
  return bytes;
}

std::vector<uint8_t> zhouyi::lanesOf(DenseElementsAttr mask) {
  std::vector<uint8_t> lanes;
  for (bool lane : mask.getValues<bool>())
    lanes.push_back(lane);
  return lanes;
}

DenseElementsAttr zhouyi::denseVector(mlir::VectorType type,
                                      ArrayRef<uint8_t> bytes) {
  size_t step = type.getElementTypeBitWidth() / 8;
  bool isSplat =
      std::memcmp(bytes.data(), bytes.data() + step, bytes.size() - step) == 0;
  ArrayRef<uint8_t> kept = isSplat ? bytes.take_front(step) : bytes;
  return DenseElementsAttr::getFromRawBuffer(
      type, ArrayRef(reinterpret_cast<const char *>(kept.data()), kept.size()));
}

DenseElementsAttr zhouyi::denseMask(ArrayRef<uint8_t> lanes,
                                    MLIRContext *context) {
  auto type = mlir::VectorType::get(int64_t(lanes.size()),
                                    IntegerType::get(context, 1));
  SmallVector<bool> values;
  for (uint8_t lane : lanes)
    values.push_back(lane != 0);
  if (llvm::all_equal(values))
    values.truncate(1);
  return DenseElementsAttr::get(type, values);
}

DenseElementsAttr zhouyi::constantOf(Value value) {
  DenseElementsAttr constant;
  if (!value || !matchPattern(value, m_Constant(&constant)))
    return {};
  return constant;
}

std::optional<bool> zhouyi::uniformMask(Value mask) {
  DenseElementsAttr lanes = constantOf(mask);
  if (!lanes || !lanes.isSplat())
    return std::nullopt;
  return lanes.getSplatValue<bool>();
}
