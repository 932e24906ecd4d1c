//===- MatMul.td - tpu ops of the MatMul family ------------------*- tablegen -*-===//

include "dialects/tpu/TpuBase.td"

def Tpu_MatMulOp : Tpu_Op<"matmul", [Pure, Tpu_Evaluate]> {
  let summary = "batched float matrix product over the last two axes";
  let description = [{
    **Semantics**: `y(a,b,i,j) = sum_k lhs(a,b,i,k) * rhs(a|0,b|0,k,j)`, accumulated in f32 and rounded once. A product with a
    constant right side and no batch is a `tpu.conv` with a 1x1 window instead.

    **Constraints**: (C1) `lhs.w = rhs.h`; the first two axes of rhs equal those of lhs or are 1; (C2) the result is
    (a, b, i, j); (C3) one float element type.

    **Example**:
    ```mlir
    %y = tpu.matmul %a, %b : tensor<1x4x8x16xf16>, tensor<1x4x16x8xf16> -> tensor<1x4x8x8xf16>
    ```
  }];
  let arguments = (ins Tpu_FloatTensor:$lhs, Tpu_FloatTensor:$rhs);
  let results = (outs Tpu_FloatTensor:$output);
  let assemblyFormat = "$lhs `,` $rhs attr-dict `:` type($lhs) `,` type($rhs) `->` type($output)";
  let hasVerifier = 1;
}
