//===- Cast.td - top ops of the Cast family ------------------*- tablegen -*-===//

include "dialects/top/TopBase.td"

def Top_CastOp : Top_EvaluatedOp<"cast"> {
  let summary = "conversion of the element type";
  let description = [{
    **Semantics** (ONNX Cast). Float to float rounds to nearest even. Float to integer truncates towards zero; what does not fit (undefined in ONNX) saturates, and NaN gives 0.
    Integer to integer keeps the low bits. Anything to i1 is `x != 0`; i1 to a number is 0 or 1. Integer to float rounds to nearest even.

    **Constraints.**
    * (C1) `output` has the shape of `input`.

    **Example.**
    ```mlir
    %1 = top.cast %0 : tensor<4xi64> -> tensor<4xi32>
    ```
  }];
  let arguments = (ins Top_Tensor:$input);
  let results = (outs Top_Tensor:$output);
  let assemblyFormat = "$input attr-dict `:` type($input) `->` type($output)";
  let hasVerifier = 1;
  let hasFolder = 1;
}
