//===- Cast.cpp - top ops of the Cast family
//--------------------------------===//

#include "dialects/top/Cast.h"

#include "runtime/numeric/TensorValues.h"

using namespace mlir;
using namespace weft::top;
using namespace weft;
using weft::numeric::HostTensor;

void TopDialect::registerCast() {
  addOperations<
#define GET_OP_LIST
#include "dialects/top/Cast.cpp.inc"
      >();
}

#define GET_OP_CLASSES
#include "dialects/top/Cast.cpp.inc"

LogicalResult CastOp::verify() {
  RankedTensorType input = getInput().getType(), output = getType();
  if (input.getShape() != output.getShape()) // (C1)
    return emitOpError() << "of shape " << shapeText(input.getShape())
                         << " into shape " << shapeText(output.getShape())
                         << "; a cast keeps the shape";
  return success();
}

OpFoldResult CastOp::fold(FoldAdaptor) {
  if (getInput().getType() == getType())
    return getInput();
  return {};
}

/// An integer as a double that rounds to any narrower float as the integer
/// itself would: bits below the 53rd are collected into the last one (round to
/// odd).
static double roundToOdd(int64_t value, bool isUnsigned) {
  bool negative = !isUnsigned && value < 0;
  uint64_t magnitude = negative ? 0 - uint64_t(value) : uint64_t(value);
  unsigned extra = 0;
  while (magnitude >> extra >> 53)
    ++extra;
  uint64_t kept = magnitude >> extra;
  if (kept << extra != magnitude)
    kept |= 1;
  double result = double(kept) * double(uint64_t(1) << extra);
  return negative ? -result : result;
}

LogicalResult CastOp::evaluate(ArrayRef<const HostTensor *> operands,
                               SmallVectorImpl<HostTensor> &results) {
  const HostTensor &input = *operands[0];
  HostTensor &output = results.emplace_back(*makeHostTensor(getType()));
  bool fromFloat = numeric::isFloatType(input.type());
  bool toFloat = numeric::isFloatType(output.type());
  if (fromFloat) {
    storeDoubles(loadDoubles(input), output);
    return success();
  }
  std::vector<int64_t> values = loadIntegers(input);
  if (!toFloat) {
    storeIntegers(values, output);
    return success();
  }
  bool isUnsigned = !numeric::isSignedType(input.type());
  std::vector<double> doubles(values.size());
  for (size_t i = 0; i < values.size(); ++i) {
    if (output.type() == numeric::ElementType::F64)
      doubles[i] = isUnsigned ? double(uint64_t(values[i])) : double(values[i]);
    else
      doubles[i] = roundToOdd(values[i], isUnsigned);
  }
  storeDoubles(doubles, output);
  return success();
}
