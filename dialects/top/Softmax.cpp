//===- Softmax.cpp - top ops of the Softmax family
//--------------------------------===//

#include "dialects/top/Softmax.h"

#include "runtime/numeric/PortableMath.h"
#include "runtime/numeric/TensorValues.h"

#include <algorithm>

using namespace mlir;
using namespace weft::top;
using namespace weft;
using weft::numeric::HostTensor;

void TopDialect::registerSoftmax() {
  addOperations<
#define GET_OP_LIST
#include "dialects/top/Softmax.cpp.inc"
      >();
}

#define GET_OP_CLASSES
#include "dialects/top/Softmax.cpp.inc"

LogicalResult SoftmaxOp::inferReturnTypes(MLIRContext *,
                                          std::optional<Location> location,
                                          Adaptor adaptor,
                                          SmallVectorImpl<Type> &types) {
  auto input = dyn_cast<RankedTensorType>(adaptor.getInput().getType());
  int64_t axis = adaptor.getAxisAttr().getInt();
  if (!input || axis < 0 || axis >= input.getRank()) // (C1)
    return emitOptionalError(location, "softmax along axis ", axis, " of ",
                             adaptor.getInput().getType(),
                             "; the axis must be in 0 .. rank-1");
  types.push_back(input);
  return success();
}

LogicalResult SoftmaxOp::evaluate(ArrayRef<const HostTensor *> operands,
                                  SmallVectorImpl<HostTensor> &results) {
  HostTensor &output = results.emplace_back(*makeHostTensor(getType()));
  std::vector<double> values = loadDoubles(*operands[0]);
  ArrayRef<int64_t> shape = getType().getShape();
  int64_t axis = getAxisAttr().getInt(), size = shape[axis], inner = 1;
  for (int64_t other : shape.drop_front(axis + 1))
    inner *= other;
  int64_t outer = size && inner ? int64_t(values.size()) / (size * inner) : 0;
  for (int64_t i = 0; i < outer * inner; ++i) {
    double *first = &values[i / inner * size * inner + i % inner];
    double largest = *first, sum = 0;
    for (int64_t k = 1; k < size; ++k)
      largest = std::max(largest, first[k * inner]);
    for (int64_t k = 0; k < size; ++k) {
      double &value = first[k * inner];
      value = numeric::portable::exp(value - largest);
      sum += value;
    }
    for (int64_t k = 0; k < size; ++k)
      first[k * inner] /= sum;
  }
  storeDoubles(values, output);
  return success();
}
