//===- MatrixProducts.cpp - products of matrices by oneDNN ----------------===//

#include "tools/driver/MatrixProducts.h"

#include "tools/onednn/OneDnn.h"

using namespace weft;

void driver::multiplyByOneDnn(const quantize::MatrixProduct &p) {
  if (!tools::multiply(p.turnsLhs, p.turnsRhs, p.rows, p.columns, p.inner,
                       p.lhs, p.rhs, p.result))
    quantize::multiplyMatrices(p);
}
