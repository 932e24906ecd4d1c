//===- EvaluateInterface.td - ops that can be computed on the host -*- tablegen -*-===//

#ifndef WEFT_DIALECTS_EVALUATE_INTERFACE_TD
#define WEFT_DIALECTS_EVALUATE_INTERFACE_TD

include "mlir/IR/OpBase.td"

def EvaluateOpInterface : OpInterface<"EvaluateOpInterface"> {
  let cppNamespace = "::weft";
  let description = [{
    An op that computes its results from host tensors: the meaning of the op, executable.
    Constant folding, calibration and per-layer comparison call it. By default the host kernel of the op computes it
    (dialects/HostCall.h).
  }];
  let methods = [
    InterfaceMethod<[{
        Appends one tensor a result to `results`. `operands` has one tensor an operand, of the shape and element type
        (hostElementType) of that operand; none is null. Reports on the op and fails if a combination is not computable.
      }],
      "::llvm::LogicalResult", "evaluate",
      (ins "::llvm::ArrayRef<const ::weft::numeric::HostTensor *>":$operands,
           "::llvm::SmallVectorImpl<::weft::numeric::HostTensor> &":$results),
      /*methodBody=*/"",
      /*defaultImplementation=*/[{ return ::weft::evaluateOnHost($_op, operands, results); }]>
  ];
}

def HostTypeInterface : TypeInterface<"HostTypeInterface"> {
  let cppNamespace = "::weft";
  let description = [{
    An element type of a dialect (MLIR has no builtin one) that host tensors can hold.
  }];
  let methods = [
    InterfaceMethod<"The element type of host tensors.", "::weft::numeric::ElementType", "getHostType", (ins)>
  ];
}

#endif // WEFT_DIALECTS_EVALUATE_INTERFACE_TD
