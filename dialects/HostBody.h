//===- HostBody.h - graphs in calls of control kernels ----------*- C++ -*-===//
//
// A graph that the host runs by itself (runtime/host/Body.h) stands in the
// parameters of a call as a dictionary:
//
//   {inputs = [tensor<2xf32>], calls = [{kernel = "unary", operands =
//    array<i64: 0>, parameters = {kind = "relu"}, types = [tensor<2xf32>],
//    node = "r"}], outputs = array<i64: 1>, results = [tensor<2xf32>]}
//
// Values have numbers: the inputs, then the results of each call; -1 is an
// operand that is absent. Nothing else of the graph is known to MLIR: passes
// see a call with operands, as of any kernel.
//
//===----------------------------------------------------------------------===//

#ifndef WEFT_DIALECTS_HOSTBODY_H
#define WEFT_DIALECTS_HOSTBODY_H

#include "dialects/HostCall.h"

namespace weft {

/// The dictionary of the ops in `block`, whose values outside of it are all in
/// `inputs`. Each op must have a host kernel (hasBodyKernel).
mlir::DictionaryAttr hostBody(mlir::MLIRContext *context, mlir::Block &block,
                              llvm::ArrayRef<mlir::Value> inputs,
                              llvm::ArrayRef<mlir::Value> results);

/// True if an op can be part of a body: there is a kernel, and the host holds
/// the values.
bool hasBodyKernel(mlir::Operation *op);

/// The bytes of a body. Fails with a message at `location` for a dictionary
/// that is none.
mlir::FailureOr<numeric::HostTensor> hostBodyBytes(mlir::DictionaryAttr body,
                                                   mlir::Location location);

} // namespace weft

#endif // WEFT_DIALECTS_HOSTBODY_H
