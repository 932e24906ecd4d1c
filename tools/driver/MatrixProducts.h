//===- MatrixProducts.h - products of matrices by oneDNN --------*- C++ -*-===//

#ifndef WEFT_TOOLS_DRIVER_MATRIXPRODUCTS_H
#define WEFT_TOOLS_DRIVER_MATRIXPRODUCTS_H

#include "passes/quantize/WeightRecovery.h"

namespace weft::driver {

/// As quantize::multiplyMatrices(), by oneDNN where that computes it.
void multiplyByOneDnn(const quantize::MatrixProduct &product);

} // namespace weft::driver

#endif // WEFT_TOOLS_DRIVER_MATRIXPRODUCTS_H
