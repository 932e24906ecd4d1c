//===- TiuSpecial.td - TIU special functions and moves ------*- tablegen -*-===//

include "dialects/ppl/PplBase.td"

def Ppl_TaylorOp : Ppl_Op<"bdc.taylor"> {
  let summary = "polynomial by Horner's rule (PPL taylor)";
  let description = [{
    **Semantics**: `dst = c0 + x*(c1 + x*(c2 + ...))` with the `count` first coefficients, each multiply and add rounded to the type.

    **Constraints**: (C1) one float type. (C2) dst and src are aligned and of one shape. (C3) coefficients lie in every lane from `coefficients`'s address on: a tensor
    1 x lanes x 1 x K, K >= count, compact or aligned, starting in lane 0. (C4) count is 2..65535.

    **Example**: `ppl.bdc.taylor %y, %x, %c count 10 : !t, !t, !c`
  }];
  let arguments = (ins Ppl_Local:$dst, Ppl_Local:$src, Ppl_Local:$coefficients, I32Attr:$count);
  let assemblyFormat = "$dst `,` $src `,` $coefficients `count` $count attr-dict `:` type(operands)";
}

def Ppl_RsqrtOp : Ppl_Op<"bdc.rsqrt"> {
  let summary = "reciprocal square root by Newton steps (PPL frsqrt, without its patch of the ends)";
  let description = [{
    **Semantics**: `iterations` Newton steps from a bit-trick seed; 3 steps are within 2 units in the last place. rsqrt(0) is a finite 4.46e19, rsqrt(+inf) = -inf.

    **Constraints**: (C1) dst and src have one float type. (C2) they are aligned and of one shape. (C3) iterations is 1..4.

    **Example**: `ppl.bdc.rsqrt %y, %x iterations 3 : !t, !t`
  }];
  let arguments = (ins Ppl_Local:$dst, Ppl_Local:$src, DefaultValuedAttr<I32Attr, "3">:$iterations);
  let assemblyFormat = "$dst `,` $src (`iterations` $iterations^)? attr-dict `:` type(operands)";
}

def Ppl_NormOp : Ppl_Op<"bdc.norm"> {
  let summary = "rounded power of two of a float (PPL norm)";
  let description = [{
    **Semantics**: the exponent, plus 1 when the mantissa is at least 4/3; float dst: that power of two; integer dst: its biased exponent.

    **Constraints**: (C1) src is a float; dst has its type or is an integer of its width. (C2) aligned and of one shape.

    **Example**: `ppl.bdc.norm %y, %x : !i, !t`
  }];
  let arguments = (ins Ppl_Local:$dst, Ppl_Local:$src);
  let assemblyFormat = "$dst `,` $src attr-dict `:` type(operands)";
}

def Ppl_LookupOp : Ppl_Op<"bdc.lookup"> {
  let summary = "table look-up, one table in every lane (PPL table_lookup)";
  let description = [{
    **Semantics**: `dst(n,c,h,w) = table(lane of c)[src(n,c,h,w)]`.

    **Constraints**: (C1) src is ui8 or ui16; dst and table have one element type of 8, 16 or 32 bits (float or integer). (C2) dst and src are aligned and of one shape. (C3) the table is 1 x lanes x 1 x K
    (aligned or compact) from lane 0 on, the same entries in every lane, and K covers every index: an index beyond it is undefined. (C4) h*w and K are at most 65535.

    **Example**: `ppl.bdc.lookup %y, %x, %t : !y8, !x8, !ppl.tensor<1x64x1x256xui8, local, aligned>`
  }];
  let arguments = (ins Ppl_Local:$dst, Ppl_Local:$src, Ppl_Local:$table);
  let assemblyFormat = "$dst `,` $src `,` $table attr-dict `:` type(operands)";
}

def Ppl_TransposeKind : Ppl_Enum<"TransposeKind", "C/W transpose of local memory", [
  I32EnumAttrCase<"CW", 0, "cw">, I32EnumAttrCase<"WC", 1, "wc">]>;

def Ppl_TransposeOp : Ppl_Op<"bdc.transpose"> {
  let summary = "exchange of channel and w axis inside local memory (PPL transpose_cw, transpose_wc)";
  let description = [{
    **Semantics**: `dst(n,c,h,w) = src(n,w,h,c)`.

    **Constraints**: (C1) one element size. (C2) dst is n,c,h,w and src n,w,h,c. (C3) src is aligned; dst is line_aligned for `cw`, aligned for `wc`. (C4) both start in lane 0.

    **Example**: `ppl.bdc.transpose cw %y, %x : !y, !x`
  }];
  let arguments = (ins Ppl_TransposeKind:$kind, Ppl_Local:$dst, Ppl_Local:$src);
  let assemblyFormat = "$kind $dst `,` $src attr-dict `:` type(operands)";
}

def Ppl_LaneBroadcastOp : Ppl_Op<"bdc.lane_broadcast"> {
  let summary = "copies one channel, or a row of static memory, to the lanes of dst (PPL broadcast, smem_bcast)";
  let description = [{
    **Semantics**: `dst(n,c,h,w) = src(n,0,h,w)`; from static memory one row of w elements.

    **Constraints**: (C1) one element type. (C2) src.c = 1, n, h, w as dst; from static memory n = h = 1. (C3) start lane + dst.c is at most the number of lanes. (C4) local tensors are aligned, static
    ones continuous; with static memory dst may be compact.

    **Example**: `ppl.bdc.lane_broadcast %c, %s : !ppl.tensor<1x64x1x10xf32, local, aligned>, !ppl.tensor<1x1x1x10xf32, static, continuous>`
  }];
  let arguments = (ins Ppl_Local:$dst, Ppl_TensorType:$src);
  let assemblyFormat = "$dst `,` $src attr-dict `:` type(operands)";
}

def Ppl_LaneCopyOp : Ppl_Op<"bdc.lane_copy"> {
  let summary = "copies a tensor to other lanes (PPL move between lanes)";
  let description = [{
    **Semantics**: `dst = src`; the two may start in different lanes.

    **Constraints**: (C1) one element type and shape. (C2) both are aligned.

    **Example**: `ppl.bdc.lane_copy %y, %x : !t, !t`
  }];
  let arguments = (ins Ppl_Local:$dst, Ppl_Local:$src);
  let assemblyFormat = "$dst `,` $src attr-dict `:` type(operands)";
}
