//===- CodedProduct.h - f16 products by codes of their weights --*- C++ -*-===//

#ifndef WEFT_PASSES_QUANTIZE_CODEDPRODUCT_H
#define WEFT_PASSES_QUANTIZE_CODEDPRODUCT_H

#include "passes/quantize/Lowering.h"

namespace weft::quantize {

/// What an f16 product of `input`, which is in the view that it reads, gives in
/// `element`, as tpu.coded_linear: by the codes that the graph made its weights
/// of, or by near ones if few bits are asked for. Null if it has none, and
/// where codes take longer than numbers.
mlir::Value codedProduct(const Product &product, mlir::Type element,
                         mlir::Value input, Lowering &lowering);

} // namespace weft::quantize

#endif // WEFT_PASSES_QUANTIZE_CODEDPRODUCT_H
