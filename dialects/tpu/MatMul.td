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

def Tpu_LinearOp : Tpu_Op<"linear", [Pure, Tpu_Evaluate,
                                DeclareOpInterfaceMethods<Tpu_TilingInterface, ["isPackedOperand", "computedBox", "inputNeed", "recipes"]>]> {
  let summary = "rows of a matrix times a constant matrix, a row a lane";
  let description = [{
    **Semantics**: `acc(n,r,j) = sum_k input(n,r,0,k) * filter(j,k,0,0)`; then as `tpu.conv` of a pixel a row:
    * floats (input and filter of one type, result of that type or f32): `y = acc + bias`, then `max(y, 0)` with `relu`,
      accumulated in f32 and rounded once to the result type. Of 16 bits the matrix unit multiplies them, of 32 the cube, whose filters are the rows.
    * int8 (input !quant, filter i8; acc exact in int32): `y = f32(f32(f32(acc) * scales[j]) + bias)`, `f32(acc)` rounded half to even;
      result float: `relu`, then rounded to its type; result !quant: `sat(rint(y))`, half to even, where `relu` is the clip at 0 of the
      unsigned range. The bias has what zero points add, as that of `tpu.conv` with `scales`.

    **Constraints**: (C1) input is BxRx1xK, filter NxKx1x1, the result BxRx1xN, bias 1xNx1x1; (C2) element types as listed above; (C3) int8
    has N `scales`, float none; (C4) `relu` with a !quant result needs an unsigned one with zero
    point 0.

    **Example**:
    ```mlir
    %y = tpu.linear %x, %w, %b {relu} : tensor<1x196x1x64xf16>, tensor<32x64x1x1xf16>, tensor<1x32x1x1xf32> -> tensor<1x196x1x32xf16>
    ```
  }];
  let arguments = (ins Tpu_ActivationTensor:$input, 4DTensorOf<[F32, F16, BF16, I8]>:$filter,
                       Optional<4DTensorOf<[F32]>>:$bias, UnitAttr:$relu, OptionalAttr<DenseF32ArrayAttr>:$scales);
  let results = (outs Tpu_ActivationTensor:$output);
  let assemblyFormat = [{
    $input `,` $filter (`,` $bias^)? attr-dict `:` type($input) `,` type($filter) (`,` type($bias)^)? `->` type($output)
  }];
  let hasVerifier = 1;
}

def Tpu_CodedLinearOp : Tpu_Op<"coded_linear", [Pure, Tpu_Evaluate, AttrSizedOperandSegments,
                                DeclareOpInterfaceMethods<Tpu_TilingInterface, ["isPackedOperand", "readsStrided", "computedBox", "inputNeed", "recipes"]>]> {
  let summary = "f16 rows times a constant matrix of 4- or 8-bit codes, scaled in groups";
  let description = [{
    DRAM holds the codes of the matrix, two of 4 bits a byte; local memory its numbers.

    **Semantics**: with G groups of K / G neighbours along k,
    `filter(j,k) = f16((code(j,k) - zero(j,g)) * scale(j,g))`, `g = floor(k G / K)`: the difference exact, the product rounded once, half to even.
    A code is the lower `bits` bits of an element of `codes`, signed where that is i8, or else of an unsigned one, from which its zero point is taken.
    `acc(n,r,j) = sum_k input(n,r,0,k) * filter(j,k)` with `rows_in_lanes`, else `acc(n,j,y,x) = sum_k input(n,k,y,x) * filter(j,k)`;
    `y = acc + bias`, then `max(y, 0)` with `relu`, accumulated in f32 and rounded once to the result type.

    **Constraints**: (C1) with `rows_in_lanes` input is BxRx1xK and the result BxRx1xN, else BxKxHxW and BxNxHxW; (C2) codes are NxKx1x1, scales NxGx1x1
    where G divides K, zero_points NxGx1x1, bias 1xNx1x1; (C3) codes are i8 without zero_points, ui8 with them, which are below 2^bits (not checked); (C4) `bits` is 4 or 8; (C5) K is a multiple of 32, and K / G is even.

    **Example**:
    ```mlir
    %y = tpu.coded_linear %x, %codes, %scales bits 4 {relu, rows_in_lanes}
        : (tensor<1x196x1x64xf16>, tensor<32x64x1x1xi8>, tensor<32x2x1x1xf16>) -> tensor<1x196x1x32xf16>
    ```
  }];
  let arguments = (ins 4DTensorOf<[F16]>:$input, 4DTensorOf<[I8, UI8]>:$codes, 4DTensorOf<[F16]>:$scales,
                       Optional<4DTensorOf<[UI8]>>:$zero_points, Optional<4DTensorOf<[F32]>>:$bias, I64Attr:$bits,
                       UnitAttr:$rows_in_lanes, UnitAttr:$relu);
  let results = (outs 4DTensorOf<[F16, F32]>:$output);
  let assemblyFormat = [{
    $input `,` $codes `,` $scales (`zero_points` $zero_points^)? (`bias` $bias^)? `bits` $bits attr-dict `:` functional-type(operands, results)
  }];
  let extraClassDeclaration = [{
    int64_t inner() { return getCodes().getType().getDimSize(1); }
    int64_t columns() { return getCodes().getType().getDimSize(0); }
    int64_t groups() { return getScales().getType().getDimSize(1); }
  }];
  let hasVerifier = 1;
}

def Tpu_RowMatMulOp : Tpu_Op<"row_matmul", [Pure, Tpu_Evaluate,
                                   DeclareOpInterfaceMethods<Tpu_TilingInterface, ["computedBox", "inputNeed", "recipes"]>]> {
  let summary = "batched products of matrices whose rows lie in lanes";
  let description = [{
    The heads of an attention are the axis h, so that a matrix of all heads, a row a lane, is a `tpu.reshape` that moves nothing.

    **Semantics**: `y(n,i,h,j) = sum_k lhs(n,i,h,k) * rhs(n,k,h,j)`, with `transposed` `rhs(n,j,h,k)`: accumulated in f32, rounded once.
    An operand of one image is the same for all. Of f32 the cube multiplies, whose filters are the rows of lhs; it takes rhs as it is alone.

    **Constraints**: (C1) lhs is BxMxHxK, rhs BxKxHxN (transposed BxNxHxK), the result BxMxHxN, where B of one operand may be 1;
    (C2) one float type, of 16 bits with `transposed`.

    **Example**:
    ```mlir
    %y = tpu.row_matmul %q, %k {transposed} : tensor<1x196x6x32xf16>, tensor<1x196x6x32xf16> -> tensor<1x196x6x196xf16>
    ```
  }];
  let arguments = (ins 4DTensorOf<[F32, F16, BF16]>:$lhs, 4DTensorOf<[F32, F16, BF16]>:$rhs, UnitAttr:$transposed);
  let results = (outs 4DTensorOf<[F32, F16, BF16]>:$output);
  let assemblyFormat = "$lhs `,` $rhs attr-dict `:` type($lhs) `,` type($rhs) `->` type($output)";
  let hasVerifier = 1;
}
