//===- Select.cpp - evaluation of the Select family -----------------------===//

#include "dialects/tpu/Select.h"

#include "dialects/tpu/evaluate/Numbers.h"

#include <cstring>

using namespace mlir;
using namespace weft;
using namespace weft::tpu;

/// Calls `function(result index, index of operand 0, ..)` for every element.
static void
forEachElement(Value output, ArrayRef<Value> operands,
               llvm::function_ref<void(int64_t, ArrayRef<int64_t>)> function) {
  ArrayRef<int64_t> shape =
      mlir::cast<RankedTensorType>(output.getType()).getShape();
  SmallVector<SmallVector<int64_t, 4>, 3> strides;
  for (Value operand : operands)
    strides.push_back(operand ? broadcastStrides(operand, shape)
                              : SmallVector<int64_t, 4>(4, 0));
  SmallVector<int64_t, 3> at(operands.size());
  int64_t index = 0;
  for (int64_t n = 0; n < shape[0]; ++n)
    for (int64_t c = 0; c < shape[1]; ++c)
      for (int64_t h = 0; h < shape[2]; ++h)
        for (int64_t w = 0; w < shape[3]; ++w) {
          for (size_t k = 0; k < operands.size(); ++k)
            at[k] = n * strides[k][0] + c * strides[k][1] + h * strides[k][2] +
                    w * strides[k][3];
          function(index++, at);
        }
}

template <typename T>
static bool holds(Relation relation, T x, T y) {
  switch (relation) {
  case Relation::Greater:
    return x > y;
  case Relation::Equal:
    return std::memcmp(&x, &y, sizeof x) == 0; // bits
  case Relation::Less:
    return x < y;
  }
  llvm_unreachable("covered switch");
}

LogicalResult CompareOp::evaluate(Operands operands, Results &results) {
  Type element = elementOf(getLhs());
  HostTensor &output =
      results.emplace_back(*makeHostTensor(getOutput().getType()));
  // Integers of 32 bits are exact doubles; so are floats.
  std::vector<double> lhs = loadDoubles(*operands[0]), rhs;
  if (getRhs())
    rhs = loadDoubles(*operands[1]);
  else if (isa<IntegerType>(element))
    rhs.push_back(getConstantAttr().getValueAsDouble());
  else
    rhs.push_back(roundTo(element, getConstantAttr().getValueAsDouble()));
  forEachElement(
      getOutput(), {getLhs(), getRhs()}, [&](int64_t i, ArrayRef<int64_t> at) {
        output.bytes()[i] = holds(getRelation(), lhs[at[0]], rhs[at[1]]);
      });
  return success();
}

/// One element with the bits of the constant `value`.
static HostTensor constantTensor(Type element, double value) {
  HostTensor tensor =
      *makeHostTensor(RankedTensorType::get({1, 1, 1, 1}, element));
  if (isa<IntegerType>(element))
    storeIntegers({static_cast<int64_t>(value)}, tensor);
  else
    storeDoubles({roundTo(element, value)}, tensor);
  return tensor;
}

LogicalResult SelectOp::evaluate(Operands operands, Results &results) {
  Type element = elementOf(getOutput());
  HostTensor &output =
      results.emplace_back(*makeHostTensor(getOutput().getType()));
  size_t bytes = numeric::elementBytes(output.type());
  HostTensor constants[2];
  const HostTensor *sides[2];
  size_t next = 1;
  for (auto [side, tensor, constant] :
       {std::tuple(0, getOnTrue(), getTrueConstantAttr()),
        std::tuple(1, getOnFalse(), getFalseConstantAttr())}) {
    if (!tensor)
      constants[side] = constantTensor(element, constant.getValueAsDouble());
    sides[side] = tensor ? operands[next++] : &constants[side];
  }
  forEachElement(getOutput(), {getCondition(), getOnTrue(), getOnFalse()},
                 [&](int64_t i, ArrayRef<int64_t> at) {
                   int side = operands[0]->bytes()[at[0]] ? 0 : 1;
                   std::memcpy(output.bytes() + i * bytes,
                               sides[side]->bytes() + at[1 + side] * bytes,
                               bytes);
                 });
  return success();
}
