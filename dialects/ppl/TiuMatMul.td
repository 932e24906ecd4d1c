//===- TiuMatMul.td - TIU matrix multiplication -------------*- tablegen -*-===//

include "dialects/ppl/PplBase.td"

def Ppl_MmOp : Ppl_Op<"bdc.mm"> {
  let summary = "matrix product in matrix layout (PPL fmm, mm)";
  let description = [{
    A matrix of r rows and c columns with p columns per channel is the aligned tensor (r, ceil(c/p), 1, p); the last channel holds `c - (ceil(c/p)-1)*p` columns.

    **Semantics**: `dst = lhs * rhs (+ bias) (+ old dst)`, `transpose_lhs`: lhs is stored transposed. f32: two interleaved accumulators. int8 operands, 32-bit dst: plain product. With `rshift`
    (int8 operands, 8-bit dst): `sat((lhs * rhs + bias (+ dst << lshift)) >> rshift)`, half up, `relu` clips at 0.

    **Constraints**: (C1) all tensors are aligned with h = 1; (C2) `inner`, the columns of lhs (of lhs transposed: its rows), fills its channels: `(c-1)*w < inner <= c*w`; dst has the rows of lhs; rhs
    has `inner` rows and the channels and w of dst. (C3) f32 operands, dst and bias; or 8-bit operands with a 32-bit dst, or 8-bit dst and si16 bias with `rshift`. (C4) bias
    is one row (1, dst.c, 1, dst.w). (C5) operands start in lane 0 (checked by codegen/encode).

    **Example**: `ppl.bdc.mm %y, %a, %b inner 40 bias(%c) : !y, !a, !b, !c`
  }];
  let arguments = (ins Ppl_Local:$dst, Ppl_LocalOrScalar:$lhs, Ppl_Local:$rhs, Optional<Ppl_Local>:$bias, I64Attr:$inner,
                       UnitAttr:$transpose_lhs, UnitAttr:$accumulate, UnitAttr:$relu, OptionalAttr<I32Attr>:$rshift,
                       DefaultValuedAttr<I32Attr, "0">:$lshift);
  let assemblyFormat = [{
    $dst `,` $lhs `,` $rhs `inner` $inner (`bias` `(` $bias^ `)`)? (`transpose_lhs` $transpose_lhs^)? (`accumulate` $accumulate^)? (`relu` $relu^)?
    (`rshift` $rshift^)? (`lshift` $lshift^)? attr-dict `:` type(operands)
  }];
}

def Ppl_Mm2Kind : Ppl_Enum<"Mm2Kind", "which operands of mm2 are transposed", [
  I32EnumAttrCase<"NN", 0, "nn">, I32EnumAttrCase<"NT", 1, "nt">, I32EnumAttrCase<"TT", 2, "tt">]>;

def Ppl_Mm2Op : Ppl_Op<"bdc.mm2"> {
  let summary = "matrix product with one matrix row per channel (PPL fmm2, mm2)";
  let description = [{
    A matrix of r rows and c columns is the aligned tensor (1, r, 1, c).

    **Semantics**: `nn`: `dst(M,N) = lhs(M,K) * rhs(K,N)`; `nt`: `dst(M,N) = lhs(M,K) * rhs(N,K)^T`; `tt`: `dst(M,N) = rhs(M,K) * lhs(K,N)`.
    `accumulate` adds the old dst (nn, tt). f16, bf16 in blocks of 32 (isa section 7). int8: exact, `rhs - zero_point`.

    **Constraints**: (C1) shapes as above, aligned, n = h = 1. (C2) float: one of f16, bf16, dst that or f32; int8: 8-bit operands, 32-bit dst. (C3) zero_point (int8, of rhs) is a scalar or 1x64x1xN compact: one per
    column, the same in every lane. (C4) at most one operand is a scalar. (C5) operands start in lane 0.

    **Example**: `ppl.bdc.mm2 nn %y, %a, %b : !y, !a, !b`
  }];
  let arguments = (ins Ppl_Mm2Kind:$kind, Ppl_Local:$dst, Ppl_LocalOrScalar:$lhs, Ppl_LocalOrScalar:$rhs,
                       Optional<Ppl_LocalOrScalar>:$zero_point, UnitAttr:$accumulate);
  let assemblyFormat = [{
    $kind $dst `,` $lhs `,` $rhs (`zero_point` `(` $zero_point^ `)`)? (`accumulate` $accumulate^)? attr-dict `:` type(operands)
  }];
}
