//===- Binary.td - top ops of the Binary family ------------------*- tablegen -*-===//

include "dialects/top/TopAttrs.td"

def Top_BinaryOp : Top_InferredOp<"binary"> {
  let summary = "element-wise function of two operands with numpy broadcasting";
  let description = [{
    **Semantics.** `output[i] = f(lhs[i], rhs[i])`, f being the formula of `kind` in `BinaryKinds.def`; shapes are aligned at the last axis, and an
    axis of size 1 repeats. Floats narrower than f64 are computed in f64 and rounded once (for + - * / this equals one rounding of the
    exact result). Integers are computed in their own width and wrap; `div` truncates towards zero; a division by 0 gives 0.

    **Constraints.**
    * (C1) The element type of `lhs` is one that `kind` accepts.
    * (C2) Both operands have the same element type (`pow`: any two number types).
    * (C3) Two aligned axes have the same size or one of them is 1.
    * (C4) `output` has the broadcast shape and the element type of `lhs`, or i1 for comparisons.

    **Example.**
    ```mlir
    %2 = top.binary add %0, %1 : tensor<1x8x4x4xf32>, tensor<8x1x1xf32>
    ```
  }];
  let arguments = (ins Top_BinaryKindAttr:$kind, Top_Tensor:$lhs, Top_Tensor:$rhs);
  let results = (outs Top_Tensor:$output);
  let assemblyFormat = "$kind $lhs `,` $rhs attr-dict `:` type($lhs) `,` type($rhs)";
  let hasVerifier = 1;
  let hasFolder = 1;
}
