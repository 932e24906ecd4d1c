//===- Rewrite.cpp - what the rewrite patterns of top share
//-----------------===//

#include "passes/top/Rewrite.h"

#include "dialects/top/Cast.h"
#include "dialects/top/Constant.h"
#include "dialects/top/Move.h"
#include "runtime/numeric/TensorValues.h"

using namespace mlir;
using namespace weft;
using namespace weft::top;
using numeric::HostTensor;

std::optional<HostTensor> weft::top::constantTensor(Value value) {
  auto type = cast<RankedTensorType>(value.getType());
  while (auto reshape = value.getDefiningOp<ReshapeOp>())
    value = reshape.getInput();
  auto constant = value.getDefiningOp<ConstantOp>();
  if (!constant)
    return std::nullopt;
  FailureOr<HostTensor> tensor =
      toHostTensor(constant.getValue(), constant.getLoc());
  if (failed(tensor) || !tensor->reshape(type.getShape().vec()))
    return std::nullopt;
  return std::move(*tensor);
}

std::optional<double> weft::top::constantSplat(Value value) {
  std::optional<HostTensor> tensor = constantTensor(value);
  if (!tensor || tensor->elements() == 0)
    return std::nullopt;
  double first = tensor->toDouble(0);
  for (int64_t i = 1; i < tensor->elements(); ++i)
    if (tensor->toDouble(i) != first)
      return std::nullopt;
  return first;
}

std::optional<std::vector<double>>
weft::top::channelValues(Value value, RankedTensorType result) {
  ArrayRef<int64_t> shape = cast<RankedTensorType>(value.getType()).getShape();
  if (result.getRank() < 2 || int64_t(shape.size()) > result.getRank())
    return std::nullopt;
  int64_t channels = result.getDimSize(1);
  for (size_t i = 0; i < shape.size(); ++i) {
    int64_t axis = result.getRank() - int64_t(shape.size()) + int64_t(i);
    if (shape[i] != 1 && (axis != 1 || shape[i] != channels))
      return std::nullopt;
  }
  std::optional<HostTensor> tensor = constantTensor(value);
  if (!tensor || tensor->elements() == 0)
    return std::nullopt;
  // One number for more channels than a network has would fill the memory.
  constexpr int64_t kMostChannels = 1 << 24;
  if (channels > kMostChannels)
    return std::nullopt;
  std::vector<double> values = loadDoubles(*tensor);
  if (values.size() == 1)
    values.resize(channels, values.front());
  return values;
}

SmallVector<BesideChannels, 2> weft::top::operandsBesideChannels(BinaryOp op) {
  SmallVector<BesideChannels, 2> operands;
  BinaryKind kind = op.getKind();
  bool commutes = binaryKindRow(kind).commutes;
  if (kind != BinaryKind::Add && kind != BinaryKind::Sub &&
      kind != BinaryKind::Mul && kind != BinaryKind::Div)
    return operands;
  for (unsigned operand : {0, 1})
    if (operand == 0 || commutes)
      if (auto numbers =
              channelValues(op->getOperand(1 - operand), op.getType()))
        operands.push_back({operand, std::move(*numbers)});
  return operands;
}

bool weft::top::isCastOfBytes(Value value) {
  while (Operation *op = value.getDefiningOp()) {
    if (auto cast = dyn_cast<CastOp>(op)) {
      Type from = getElementTypeOrSelf(cast.getInput().getType());
      return from.isInteger(8);
    }
    auto binary = dyn_cast<BinaryOp>(op);
    if (!isa<ReshapeOp>(op) && (!binary || binary.getKind() != BinaryKind::Sub))
      return false;
    value = op->getOperand(0);
  }
  return false;
}

Value weft::top::createFloatConstant(PatternRewriter &rewriter,
                                     Location location, ArrayRef<int64_t> shape,
                                     Type element,
                                     const std::vector<double> &values,
                                     StringRef name) {
  auto type = RankedTensorType::get(shape, element);
  HostTensor tensor = *makeHostTensor(type);
  storeDoubles(values, tensor);
  return rewriter.create<ConstantOp>(
      location, toElementsAttr(std::move(tensor), type, name));
}

void weft::top::replaceFused(PatternRewriter &rewriter, Operation *last,
                             Operation *fused) {
  for (NamedAttribute attribute : last->getDiscardableAttrs())
    fused->setDiscardableAttr(attribute.getName(), attribute.getValue());
  rewriter.replaceOp(last, fused->getResults());
}
