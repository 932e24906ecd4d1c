//===- Resize.cpp - top ops of the Resize family --------------------------===//

#include "dialects/top/Resize.h"

#include "dialects/top/Geometry.h"

#include <cstring>

using namespace mlir;
using namespace weft::top;
using namespace weft;
using weft::numeric::HostTensor;

#define WEFT_REGISTER TopDialect::registerResize
#define WEFT_OPS "dialects/top/Resize.cpp.inc"
#include "dialects/OpDefinitions.inc"

FailureOr<RankedTensorType>
InterleaveOp::resultTypeOf(Adaptor adaptor, std::optional<Location> location) {
  ArrayRef<int64_t> factors = adaptor.getFactors();
  if (failed(checkGeometry(location, "factors", factors, 1, 2, 1))) // (C1)
    return failure();
  size_t count = adaptor.getInputs().size();
  if (count != 1 && int64_t(count) != factors[0] * factors[1]) // (C1)
    return emitOptionalError(location, "interleaving has ", count,
                             " inputs for the factors ", factors[0], " and ",
                             factors[1], "; it needs 1 or ",
                             factors[0] * factors[1]);
  Type first = adaptor.getInputs().front().getType();
  auto type = dyn_cast<RankedTensorType>(first);
  bool same = llvm::all_of(adaptor.getInputs().getTypes(),
                           [&](Type other) { return other == first; });
  if (!type || type.getRank() != 4 || !same) // (C2)
    return emitOptionalError(location, "interleaving of ", first,
                             "; all inputs must have one type of rank 4");
  SmallVector<int64_t> shape(type.getShape());
  for (int axis = 0; axis < 2; ++axis) {
    if (shape[2 + axis] > kLargestGeometry / factors[axis]) // (C3)
      return emitOptionalError(location, "axis ", 2 + axis, " of ",
                               shape[2 + axis], " values times ", factors[axis],
                               " is too large; it must stay below 2^31");
    shape[2 + axis] *= factors[axis];
  }
  return RankedTensorType::get(shape, type.getElementType());
}

LogicalResult InterleaveOp::evaluate(ArrayRef<const HostTensor *> operands,
                                     SmallVectorImpl<HostTensor> &results) {
  HostTensor &output = results.emplace_back(*makeHostTensor(getType()));
  ArrayRef<int64_t> shape = getType().getShape();
  int64_t high = getFactors()[0], wide = getFactors()[1];
  size_t unit = numeric::elementBytes(output.type());
  uint8_t *to = output.bytes();
  for (int64_t row = 0; row < shape[0] * shape[1] * shape[2]; ++row)
    for (int64_t x = 0; x < shape[3]; ++x, to += unit) {
      // Rows of all planes are numbered through: planes are multiples of high.
      int64_t phase = row % high * wide + x % wide;
      const HostTensor &source = *operands[operands.size() == 1 ? 0 : phase];
      int64_t from = row / high * (shape[3] / wide) + x / wide;
      std::memcpy(to, source.bytes() + from * unit, unit);
    }
  return success();
}
