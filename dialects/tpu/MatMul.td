//===- MatMul.td - tpu ops of the MatMul family ------------------*- tablegen -*-===//

include "dialects/tpu/TpuBase.td"

def Tpu_MatrixTensor : 4DTensorOf<[F32, F16, BF16, I8, UI8]>;
def Tpu_ProductTensor : 4DTensorOf<[F32, F16, BF16, I32]>;

def Tpu_MatMulOp : Tpu_Op<"matmul", [Pure, Tpu_Evaluate]> {
  let summary = "batched matrix product over the last two axes";
  let description = [{
    **Semantics**: `y(a,b,i,j) = sum_k lhs(a|0,b|0,i,k) * rhs(a|0,b|0,k,j)`: floats accumulated in f32 and rounded once, 8-bit integers exact in 32 bits (wrapping).
    Runs on whole tensors in DRAM; emission cuts rows, columns and the inner axis to local memory.

    **Constraints**: (C1) `lhs.w = rhs.h`; the first two axes of lhs and rhs are equal or 1; (C2) the result is
    (a, b, i, j) with the larger of the two sizes on either batch axis; (C3) one float element type, or 8-bit integers of either sign with an i32 result.

    **Example**:
    ```mlir
    %y = tpu.matmul %a, %b : tensor<1x4x8x16xf16>, tensor<1x4x16x8xf16> -> tensor<1x4x8x8xf16>
    ```
  }];
  let arguments = (ins Tpu_MatrixTensor:$lhs, Tpu_MatrixTensor:$rhs);
  let results = (outs Tpu_ProductTensor:$output);
  let assemblyFormat = "$lhs `,` $rhs attr-dict `:` type($lhs) `,` type($rhs) `->` type($output)";
  let hasVerifier = 1;
}
