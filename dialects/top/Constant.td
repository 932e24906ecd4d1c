//===- Constant.td - top ops of the Constant family ------------------*- tablegen -*-===//

include "dialects/top/TopBase.td"
include "mlir/IR/BuiltinAttributeInterfaces.td"

def Top_ConstantOp : Top_InferredEvaluatedOp<"constant", [ConstantLike]> {
  let summary = "a weight or a folded value";
  let description = [{
    **Semantics.** `output = value`.

    **Constraints.**
    * (C1) `value` has a tensor type of static shape with an ONNX element type.
    * (C2) `output` has the type of `value`.

    **Example.**
    ```mlir
    %0 = top.constant dense<[1, 2]> : tensor<2xi64>
    %w = top.constant dense_resource<conv0.w> : tensor<8x3x3x3xf32>
    ```
  }];
  let arguments = (ins ElementsAttr:$value);
  let results = (outs Top_Tensor:$output);
  let assemblyFormat = "$value attr-dict";
  let hasFolder = 1;
}
