//===- TiuQuant.td - TIU requantize and dequantize ----------*- tablegen -*-===//

include "dialects/ppl/PplBase.td"

class Ppl_QuantOp<string mnemonic, dag parameters> : Ppl_Op<"bdc." # mnemonic> {
  string commonConstraints = [{
    (Q1) dst and src have one shape and the aligned layout. (Q2) the parameters are attributes for all channels, or `params`: an aligned tensor 1xCx1xK, one EU row
    a channel (K as listed), never both. (Q3) all tensors start in one lane (checked by codegen/encode).
  }];
  let arguments = !con((ins Ppl_Local:$dst, Ppl_Local:$src, Optional<Ppl_Local>:$params), parameters);
  let assemblyFormat = "$dst `,` $src (`params` `(` $params^ `)`)? attr-dict `:` type(operands)";
}

def Ppl_Rq0Op : Ppl_QuantOp<"rq0", (ins OptionalAttr<F32Attr>:$scale, OptionalAttr<F32Attr>:$offset)> {
  let summary = "float requantization (PPL rq_fp, rq0)";
  let description = [{
    **Semantics**: `dst = sat(rint(f32(f32(f32(src) * scale) + offset)))`, half to even.

    **Constraints**: (C1) src is an integer of 16 or 32 bits (the machine reads a float source as an integer), dst one of 8 or 16. (C2) params: K = 2, f32 scale, offset. }] # commonConstraints # [{
    **Example**: `ppl.bdc.rq0 %y, %x {scale = 0.5 : f32, offset = 0.0 : f32} : !y8, !x32`
  }];
}

def Ppl_Rq1Op : Ppl_QuantOp<"rq1", (ins OptionalAttr<I32Attr>:$multiplier, OptionalAttr<SI32Attr>:$shift, OptionalAttr<SI32Attr>:$zero_point,
                                    DefaultValuedAttr<Ppl_Rounding, "Rounding::HalfUp">:$rounding)> {
  let summary = "integer requantization (PPL rq, rq1)";
  let description = [{
    **Semantics**: `dst = sat(round(src * multiplier * 2^shift) + zero_point)`, 64-bit product; shift negative = right, rounded by `rounding`.

    **Constraints**: (C1) src is an integer of 16 or 32 bits, dst of 8 or 16. (C2) params: K = 3, si32 multiplier, shift, zero point. (C3) shift is -64..31 for attributes in 8 bits,
    zero_point fits 16 bits. }] # commonConstraints # [{
    **Example**: `ppl.bdc.rq1 %y, %x params(%p) {rounding = 1 : i32} : !y8, !x32, !p`
  }];
  let assemblyFormat = "$dst `,` $src (`params` `(` $params^ `)`)? (`rounding` $rounding^)? attr-dict `:` type(operands)";
}

def Ppl_Dq0Op : Ppl_QuantOp<"dq0", (ins OptionalAttr<F32Attr>:$scale, OptionalAttr<SI32Attr>:$zero_point)> {
  let summary = "dequantization to float (PPL dq_fp, dq0)";
  let description = [{
    **Semantics**: `dst = f32(src - zero_point) * scale`.

    **Constraints**: (C1) src is an integer, dst is f32. (C2) params: K = 2, si32 zero point, f32 scale (element type si32 or f32). (C3) the
    zero_point attribute fits 16 bits. }] # commonConstraints # [{
    **Example**: `ppl.bdc.dq0 %y, %x {scale = 0.5 : f32, zero_point = 0 : si32} : !yf, !x8`
  }];
}

def Ppl_Dq1Op : Ppl_QuantOp<"dq1", (ins OptionalAttr<I32Attr>:$multiplier, OptionalAttr<SI32Attr>:$shift, OptionalAttr<SI32Attr>:$zero_point,
                                    DefaultValuedAttr<Ppl_Rounding, "Rounding::HalfUp">:$rounding)> {
  let summary = "integer dequantization (PPL dq, dq1)";
  let description = [{
    **Semantics**: `dst = sat(round((src - zero_point) * multiplier * 2^shift))`.

    **Constraints**: (C1) src is an integer of 8 or 16 bits, dst of 8 or 16 bits. (C2) params: K = 3, si32 zero point, multiplier, shift. (C3) shift and zero_point fit 16 bits. }] #
    commonConstraints # [{
    **Example**: `ppl.bdc.dq1 %y, %x {multiplier = 3 : i32, shift = -2 : si32, zero_point = 0 : si32} : !y16, !x8`
  }];
  let assemblyFormat = "$dst `,` $src (`params` `(` $params^ `)`)? (`rounding` $rounding^)? attr-dict `:` type(operands)";
}
