//===- Resize.cpp - top ops of the Resize family --------------------------===//

#include "dialects/top/Resize.h"

#include "dialects/Interleave.h"
#include "dialects/top/Geometry.h"

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
  interleave(results.emplace_back(*makeHostTensor(getType())), operands,
             getFactors());
  return success();
}
