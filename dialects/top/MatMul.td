//===- MatMul.td - top ops of the MatMul family ------------------*- tablegen -*-===//

include "dialects/top/TopBase.td"

def Top_MatMulOp : Top_InferredOp<"matmul"> {
  let summary = "matrix product with numpy semantics";
  let description = [{
    **Semantics.** numpy.matmul: `output[.., i, j] = sum over k of lhs[.., i, k] * rhs[.., k, j]`; leading axes broadcast. A 1-D `lhs` is a row, a 1-D `rhs` a column, and the axis
    added for it is absent from the result. Floats are summed in f64 and rounded once, integers wrap.

    **Constraints.**
    * (C1) Both operands have rank >= 1.
    * (C2) The inner sizes are equal.
    * (C3) Leading axes broadcast as in `top.binary`.
    * (C4) Operands and result have one element type, which is not bool; or both operands are 8-bit integers of any sign and the result is i32.

    **Example.**
    ```mlir
    %1 = top.matmul %0, %w : tensor<1x200xf32>, tensor<200x2xf32>
    ```
  }];
  let arguments = (ins Top_Tensor:$lhs, Top_Tensor:$rhs);
  let results = (outs Top_Tensor:$output);
  let assemblyFormat = "$lhs `,` $rhs attr-dict `:` type($lhs) `,` type($rhs)";
}
