//===- MatMul.cpp - evaluation of the MatMul family -----------------------===//

#include "dialects/tpu/MatMul.h"

#include "dialects/tpu/evaluate/Numbers.h"

using namespace mlir;
using namespace weft;
using namespace weft::tpu;

LogicalResult MatMulOp::evaluate(Operands operands, Results &results) {
  ArrayRef<int64_t> l = getLhs().getType().getShape(),
                    r = getRhs().getType().getShape();
  int64_t rows = l[2], inner = l[3], columns = r[3];
  std::vector<double> lhs = loadDoubles(*operands[0]),
                      rhs = loadDoubles(*operands[1]);
  std::vector<float> output;
  for (int64_t a = 0; a < l[0]; ++a)
    for (int64_t b = 0; b < l[1]; ++b) {
      const double *left = &lhs[(a * l[1] + b) * rows * inner];
      const double *right =
          &rhs[((r[0] == 1 ? 0 : a) * r[1] + (r[1] == 1 ? 0 : b)) * inner *
               columns];
      for (int64_t i = 0; i < rows; ++i)
        for (int64_t j = 0; j < columns; ++j) {
          double sum = 0;
          for (int64_t k = 0; k < inner; ++k)
            sum += left[i * inner + k] * right[k * columns + j];
          output.push_back(roundTo(elementOf(getOutput()), sum));
        }
    }
  storeFloats(getOutput(), output, results);
  return success();
}
