//===- HostOp.cpp - calls of host kernels ---------------------------------===//

#include "frontend/onnx/HostOp.h"

using namespace mlir;
using namespace weft;

top::HostOp weft::onnx::createHostOp(OpBuilder &builder, Location location,
                                     StringRef kernel, ArrayRef<Value> slots,
                                     ArrayRef<Type> results,
                                     DictionaryAttr parameters) {
  SmallVector<Value> present;
  SmallVector<int64_t> absent;
  for (auto [slot, value] : llvm::enumerate(slots)) {
    if (value)
      present.push_back(value);
    else
      absent.push_back(int64_t(slot));
  }
  return builder.create<top::HostOp>(
      location, results, kernel, present, parameters,
      absent.empty() ? DenseI64ArrayAttr()
                     : builder.getDenseI64ArrayAttr(absent));
}
